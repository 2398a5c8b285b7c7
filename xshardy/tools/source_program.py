"""A StableHLO program as read from text, MLIR or HLO, the names of its values there, and diagnostics about it."""

import warnings
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.discardable import verify
from xshardy.rewriting.garbage import collection_suspended
from xshardy.rewriting.walk import operations_of
from xshardy.syntax.diagnostics import verify_error_text
from xshardy.syntax.locations import location_of, places
from xshardy.syntax.parser import Parser
from xshardy.syntax.resources import parse_with_resources
from xshardy.syntax.source_names import SourceNames
from xshardy.tools.diagnostics import InputError, shown_name
from xshardy.tools.output import print_diagnostic
from xshardy.tools.program_text import is_hlo
from xshardy.transforms.failures import OperationFailedException, OperationWarning
from xshardy.transforms.xla_sdy.import_carried import import_carried, import_if_carried

# What reads HLO loads all of its opcodes, so it is imported for HLO only.


@dataclass(frozen=True, slots=True)
class SourceProgram:
    """A module as in the text that diagnostics call `name`."""

    module: ModuleOp
    names: SourceNames
    name: str
    is_hlo: bool = False
    """Whether the text is HLO, and the shardings are in its notation until they are imported."""

    def place(self, op: Operation) -> str:
        """`model.py:42`, the place of `op`, or else the file and line of the text; the file if a pass created it."""
        if (place := next(places(location_of(op)), None)) is not None:
            return f"{place.filename.data}:{place.line.data}"
        line = self.names.line(op)
        return self.name if line is None else f"{self.name}:{line}"

    def keep_names(self) -> None:
        """Keep the names of operations that passes copy, and of calls, which they replace by copies of functions."""
        self.names.follow_copies(self.module)
        for call in operations_of(self.module, CallOp):
            self.names.keep(call)

    def import_shardings(self, context: Context) -> None:
        """Make shardings in a notation of XLA those of Shardy, which MLIR of a newer JAX has."""
        if self.is_hlo:
            import_carried(self.module, context)
        else:
            import_if_carried(self.module, context)

    @contextmanager
    def diagnostics(self) -> Generator[None]:
        """
        Print warnings of operations, and raise the failure of one as `InputError`, both with the place.

        Warnings are printed at the end.
        """
        with warnings.catch_warnings(record=True) as complaints:
            warnings.simplefilter("always", OperationWarning)
            try:
                yield
            except OperationFailedException as error:
                raise InputError(f"{self.place(error.operation)}: error: {error}") from None
        for complaint in complaints:
            if isinstance(complaint.message, OperationWarning):
                print_diagnostic(f"{self.place(complaint.message.operation)}: warning: {complaint.message}")


def source_program(text: str, name: str, context: Context) -> SourceProgram:
    """Read and verify a program. Raises `InputError` or xDSL's exceptions, with the place in the text."""
    module, names = _read(text, name, context)
    if module.body.block.is_empty:
        raise InputError(f"{name}: error: there is no program in it")
    try:
        verify(module)
    except VerifyException as error:
        raise InputError(verify_error_text(module, error, names.spans, name).rstrip("\n")) from None
    return SourceProgram(module, names, name, is_hlo(text))


@contextmanager
def imported_program(text: str, file: str, context: Context) -> Generator[SourceProgram]:
    """
    Read and verify the program of `file`, with the names of its values, and import its shardings.

    What is done with it inside has its diagnostics, and starts no garbage collection: most of what it builds is kept.
    Raises what `source_program` does.
    """
    with collection_suspended():
        program = source_program(text, shown_name(file), context)
        program.keep_names()
        with program.diagnostics():
            program.import_shardings(context)
            yield program


def _read(text: str, name: str, context: Context) -> tuple[ModuleOp, SourceNames]:
    """The module in `text`, MLIR or HLO, and the names of its values."""
    if is_hlo(text):
        from xshardy.tools.hlo_program import read_program

        return read_program(text, name)
    parser = Parser(context, text, name)
    return parse_with_resources(parser), SourceNames(parser.spans)
