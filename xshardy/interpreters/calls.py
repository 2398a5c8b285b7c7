"""The functions that the operations of a computation call."""

from collections.abc import Mapping

from xdsl.dialects import func
from xdsl.ir import Operation

from xshardy.dialects.hlo import FusionOp
from xshardy.dialects.symbols import function_called

Call = func.CallOp | FusionOp


def called_function(op: Operation) -> func.FuncOp | None:
    """The function that `op` calls, if it is a call."""
    return function_called(op, op.callee) if isinstance(op, Call) else None


def calls_by_function(computation: func.FuncOp) -> Mapping[func.FuncOp, list[Call]]:
    """The functions that `computation` reaches, itself first, each with the calls of it."""
    found: dict[func.FuncOp, list[Call]] = {computation: []}
    pending = [computation]
    while pending:
        for op in pending.pop().body.walk():
            if (callee := called_function(op)) is None:
                continue
            if callee not in found:
                found[callee] = []
                pending.append(callee)
            assert isinstance(op, Call)
            found[callee].append(op)
    return found
