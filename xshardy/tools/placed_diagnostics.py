"""What passes say of the operations of a program, printed with the places of these."""

import warnings
from collections.abc import Generator
from contextlib import contextmanager

from xshardy.programs.program import Program, read_program
from xshardy.programs.source import Source
from xshardy.tools.output import print_diagnostic
from xshardy.transforms.failures import OperationWarning


@contextmanager
def imported_program(source: Source) -> Generator[Program]:
    """
    The program of `source` with names that stay, and with shardings of sdy.

    What is done with it inside has its diagnostics. Raises what `read_program` does.
    """
    program = read_program(source).named()
    with diagnostics_of(program):
        program.import_shardings()
        yield program


@contextmanager
def diagnostics_of(program: Program) -> Generator[None]:
    """
    Print warnings of operations, and raise the failure of one as `InputError`, both with the place.

    Warnings are printed at the end.
    """
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always", OperationWarning)
        with program.failures_placed():
            yield
    for complaint in complaints:
        if isinstance(complaint.message, OperationWarning):
            print_diagnostic(f"{program.place(complaint.message.operation)}: warning: {complaint.message}")
