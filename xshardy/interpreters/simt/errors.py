"""What goes wrong when a kernel runs, said in terms of the op and of the thread that was there."""

from xdsl.ir import Operation
from xdsl.utils.exceptions import InterpretationError


class SimtError(InterpretationError):
    """A kernel did what no kernel may do, or what the interpreter has no rule for."""


def shown(op: Operation) -> str:
    """The first line of `op`: an op with regions is not shown whole."""
    return str(op).split("\n", 1)[0]
