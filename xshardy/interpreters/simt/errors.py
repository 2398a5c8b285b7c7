"""Errors of the execution of a kernel, which name the op and the thread."""

from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException, InterpretationError


class SimtError(InterpretationError, DiagnosticException):
    """The kernel breaks a rule, or has an op without an interpreter rule."""


def shown(op: Operation) -> str:
    """The first line of `op`, without its regions."""
    return str(op).partition("\n")[0]
