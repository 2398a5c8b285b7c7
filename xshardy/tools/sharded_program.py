"""A StableHLO program with propagated shardings, and the names of its values in the text."""

import importlib.util
import sys
import traceback
import warnings
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation
from xdsl.passes import PassPipeline
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.lexer import Span

from xshardy.dialects.discardable import verify
from xshardy.hlo_text import print_hlo, read_hlo
from xshardy.hlo_text.dissolve_tuples import dissolve_tuples
from xshardy.hlo_text.locations import locate
from xshardy.rewriting.walk import operations_of
from xshardy.syntax.diagnostics import verify_error_text
from xshardy.syntax.locations import location_of, places
from xshardy.syntax.parser import Parser
from xshardy.syntax.source_names import SourceNames
from xshardy.tools.diagnostics import InputError, read_text, shown_name
from xshardy.tools.hlo_program import HLONames, export_shardings, import_shardings, is_hlo, names_of
from xshardy.tools.output import print_diagnostic
from xshardy.tools.program_text import program_text
from xshardy.transforms.failures import OperationFailedException, OperationWarning
from xshardy.transforms.sdy_propagation.propagation_history import History, propagate_with_history
from xshardy.transforms.sdy_propagation.propagation_pipeline import PropagationPipelinePass
from xshardy.universe import new_context


@dataclass(frozen=True, slots=True)
class ShardedProgram:
    """A module after propagation, the history of its shardings, and the names of its values in the text."""

    text: str
    module: ModuleOp
    names: SourceNames
    history: History


def read_program(file: str) -> str:
    """
    The text of `file`; for `FILE.py:FUNCTION`, the text of the lowered JAX program that the function returns.

    The whole file runs, then the function, which takes no arguments and returns the value of `jax.jit(f).lower(...)`.
    Raises `InputError` if the call fails, or returns anything else.
    """
    path, _, function = file.rpartition(":")
    return _lowered(Path(path), function) if path.endswith(".py") else read_text(file)


def _lowered(path: Path, function: str) -> str:
    place = f"{path}:{function}"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise InputError(f"{path}: error: there is no such file")
    python: Any = importlib.util.module_from_spec(spec)
    sys.path.insert(0, str(path.parent))
    try:
        spec.loader.exec_module(python)
        if not callable(make := getattr(python, function, None)):
            raise InputError(f"{place}: error: {path} has no function of this name")
        lowered = make()
    except InputError:
        raise
    except ModuleNotFoundError as error:
        raise InputError(f"{place}: error: {error}: install it, for example with `pip install jax`") from None
    except (Exception, SystemExit) as error:  # a user's function may raise anything
        raise InputError(f"{place}:{_line_in(path, error)} error: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(str(path.parent))
    if (text := _text_of(lowered)) is None:
        raise InputError(
            f"{place}: error: it gives a {type(lowered).__name__}: return what `jax.jit(f).lower(...)` gives"
        )
    return text


def _text_of(lowered: Any) -> str | None:
    """The text of a lowered JAX program, with locations, or of anything with `as_text`; None for anything else."""
    if isinstance(lowered, str | bytes | PathLike):
        return None
    try:
        return program_text(lowered)[0]
    except TypeError:
        return str(lowered.as_text()) if callable(getattr(lowered, "as_text", None)) else None


def _line_in(path: Path, error: BaseException) -> str:
    """`12:`, the innermost line of `path` where `error` was raised; empty if it was raised elsewhere."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
    return f"{lines[-1]}:" if lines else ""


def propagate(text: str, file: str) -> ShardedProgram:
    """Read, verify and shard a program. Raises `InputError` or xDSL's exceptions, with the place in the text."""
    context = new_context()
    name = shown_name(file)
    module, names = _read(text, name, context)
    try:
        verify(module)
    except VerifyException as error:
        raise InputError(verify_error_text(module, error, names.spans, name).rstrip("\n")) from None
    for call in operations_of(module, CallOp):  # propagation inlines the bodies of calls
        names.keep(call)

    def at(op: Operation) -> str:
        if (place := next(places(location_of(op)), None)) is not None:
            return f"{place.filename.data}:{place.line.data}"
        line = names.line(op)
        return name if line is None else f"{name}:{line}"

    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always", OperationWarning)
        try:
            if isinstance(names, HLONames):
                import_shardings(module, context)
            history = propagate_with_history(module, context)
        except OperationFailedException as error:
            raise InputError(f"{at(error.operation)}: error: {error}") from None
    for complaint in complaints:
        if isinstance(complaint.message, OperationWarning):
            print_diagnostic(f"{at(complaint.message.operation)}: warning: {complaint.message}")
    return ShardedProgram(text, module, names, history)


def _read(text: str, name: str, context: Context) -> tuple[ModuleOp, SourceNames]:
    """The module in `text`, MLIR or HLO, and the names of its values."""
    if is_hlo(text):
        spans: dict[Operation, Span] = {}
        module = read_hlo(text, name, spans)
        locate(module)
        names = HLONames(spans, names=names_of(module))
        dissolve_tuples(module)
        return module, names
    parser = Parser(context, text, name)
    return parser.parse_module(), SourceNames(parser.spans)


def export(program: ShardedProgram) -> ModuleOp:
    """
    The module of `program` as `sdy-propagation-pipeline` leaves it. After this, the history is no longer valid.

    Raises `PassFailedException` if it has no main function: see `main_if_any`.
    """
    PassPipeline(PropagationPipelinePass().passes_after_propagation).apply(new_context(), program.module)
    return program.module


def export_hlo(program: ShardedProgram) -> str:
    """
    The program as HLO text, with its shardings in HLO's notation, as XLA's partitioner takes it.

    Raises what `export` raises, and `HLOPrintError` for an operation that HLO lacks.
    """
    module = export(program)
    export_shardings(module, new_context())
    return print_hlo(module)
