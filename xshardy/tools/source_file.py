"""The program in the FILE of a command: a file, standard input, or what a Python file lowers with JAX."""

import importlib.util
import inspect
import sys
import traceback
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from contextlib import chdir, redirect_stdout
from dataclasses import replace
from inspect import Parameter
from pathlib import Path
from typing import Any

from xshardy.programs.errors import InputError
from xshardy.programs.source import BINARY_HLO, Source, is_mlir, source_in, source_of_object
from xshardy.syntax.close_names import did_you_mean
from xshardy.tools.diagnostics import shown_name
from xshardy.tools.output import read_all, read_standard_input
from xshardy.tools.usage import UsageError


def add_program(parser: ArgumentParser) -> None:
    """Add FILE, which `read_source` reads."""
    parser.add_argument(
        "file",
        help="StableHLO with shardings, also as bytecode, or HLO text as XLA dumps it; `-` is standard input; "
        "FILE.py:NAME runs FILE.py as Python; NAME is what jax.jit(f).lower(...) returns, or a function that "
        "returns it: give it only files you trust",
    )
    add_module(parser)


def add_module(parser: ArgumentParser) -> None:
    """Add which module of FILE is the program, and what it may have."""
    parser.add_argument(
        "--allow-unregistered-dialect",
        action="store_true",
        help="(accepted: attributes and operations of unknown dialects are kept anyway)",
    )
    parser.add_argument(
        "--module", metavar="NAME", help="the module NAME in FILE (default: the first public one with functions)"
    )


def read_file(file: str) -> Source:
    """
    The text in `file`, or in standard input for `-`; also that of MLIR bytecode, which `jax.export` serializes too, and
    of HLO in binary form.

    Raises `InputError` if it is not text, `BytecodeError`, `HLOProtoError` if it is not HLO, and `OSError` like `open`.
    """
    if file == "-":
        data = read_standard_input()
    else:
        with open(file, "rb") as stream:
            data = read_all(stream)
    source = source_in(data, shown_name(file), is_binary_hlo=file.endswith(BINARY_HLO))
    return Source(source.text, source.name)  # pages show it, and messages name its lines


def read_hlo_file(file: str) -> Source:
    """
    As `read_source`, in HLO text, which the program of `FILE.py:NAME` is written in.

    Raises `InputError` also for a file of MLIR, and what `read_program` and `print_hlo_program` raise.
    """
    source = read_source(file)
    if not source.is_text:
        from xshardy.programs.hlo import print_hlo_program
        from xshardy.programs.program import read_program

        program = read_program(source)
        return Source(print_hlo_program(program.module, program.context, source), source.name, is_text=False)
    if is_mlir(source.text):
        raise InputError(
            f"{source.name}: error: this is MLIR, and HLO text is needed: `xshardy-opt FILE -t hlo` writes it"
        )
    return source


def read_source(file: str, module: str | None = None, python: str | None = None) -> Source:
    """
    The text in `file`; for `FILE.py:NAME`, that of the lowered JAX program that is the value of NAME in the file, or in
    `python` in its place. `module` names the one of several modules in it that is the program.

    The whole file runs. If NAME is a function, it runs too, without arguments; then the program is what it returns.
    What they print goes to standard error, and the working folder stays, whatever they change it to.
    Raises `UsageError` for a Python file without NAME, and `InputError` if a call fails, or the value is no program
    (`source_of` says what is one).
    """
    path, _, name = file.rpartition(":")
    if file.endswith(".py"):
        raise UsageError(f"{file}: error: name the lowered program, or the function that returns it: {file}:NAME")
    if not path.endswith(".py"):
        return replace(read_file(file), module=module)
    with redirect_stdout(sys.stderr), chdir("."):  # which goes back to the folder that it was entered in
        lowered = _lowered(Path(path), name, python)
        return Source(lowered.text, file, is_text=False, module=module, kept_alive=lowered.kept_alive)


def _lowered(path: Path, name: str, text: str | None) -> Source:
    place = f"{path}:{name}"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if not path.is_file() or spec is None or spec.loader is None:
        raise InputError(f"{path}: error: there is no such file")
    python: Any = importlib.util.module_from_spec(spec)
    folder = str(path.parent.resolve())
    sys.path.insert(0, folder)
    try:
        if text is None:
            spec.loader.exec_module(python)
        else:
            exec(compile(text, path, "exec"), python.__dict__)
        if not hasattr(python, name):
            raise InputError(f"{place}: error: {path} does not define {name}{did_you_mean(name, dir(python))}")
        value = getattr(python, name)
        source = _source_of(value)  # before the call: what `jax.jit(f).trace(...)` returns is a function too
        if source is None and callable(value):
            if needed := _needed_arguments(value):
                raise InputError(
                    f"{place}: error: {name} needs arguments: {', '.join(needed)}. Name a function without arguments "
                    f"that returns `jax.jit({name}).lower(...)`, where `...` are arrays or `jax.ShapeDtypeStruct`s"
                )
            source = _source_of(value := value())
    except InputError:
        raise
    except ModuleNotFoundError as error:
        package = (error.name or "jax").partition(".")[0]
        raise InputError(f"{place}: error: {error}: install it, for example with `pip install {package}`") from None
    except (Exception, SystemExit) as error:  # a user's function may raise anything
        raise InputError(f"{place}:{line_in(path, error)} error: {type(error).__name__}: {error}") from error
    finally:
        sys.path.remove(folder)
    if source is None:
        raise InputError(
            f"{place}: error: a {type(value).__name__} is no program: expected what `jax.jit(f).lower(...)` returns, "
            "or a function without arguments that returns it"
        )
    return source


def _needed_arguments(function: Callable[..., object]) -> Sequence[str]:
    """The names of the parameters of `function` that a call must give; none if Python cannot tell."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # a callable of C without a signature
        return ()
    optional = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is Parameter.empty and p.kind not in optional]


def _source_of(lowered: Any) -> Source | None:
    """A lowered JAX program, with locations, or the text of anything with `as_text`; None for anything else."""
    if (source := source_of_object(lowered)) is not None:
        return source
    return Source(str(lowered.as_text()), "") if callable(getattr(lowered, "as_text", None)) else None


def line_in(path: Path, error: BaseException) -> str:
    """`12:`, the innermost line of `path` where `error` was raised; empty if it was raised elsewhere."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if Path(frame.filename) == path]
    return f"{lines[-1]}:" if lines else ""
