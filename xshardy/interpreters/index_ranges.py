"""
The parameters of a computation that are used as indices, and the values for which these are in bounds.

An analysis backwards along the data flow: the start indices of gathers, scatters and dynamic slices have ranges, and so
have integers that are compared with constants. Each operation maps the range of its result to ranges of its operands.
Operations without a rule, and those on tensors of unknown size, end the flow.
"""

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from xshardy.dialects.shapes import is_static
from xshardy.dialects.stablehlo import CustomCallOp, SetDimensionSizeOp
from xshardy.interpreters.calls import called_function, calls_by_function
from xshardy.interpreters.index_limits import INDICES
from xshardy.interpreters.index_range import IndexRange, Ranges
from xshardy.interpreters.operand_ranges import BACKWARD
from xshardy.numerics.element_types import as_tensor_type

MOST_RANGES = 8
"""The number of ranges of one value that are followed: each may come by several ways."""


def index_ranges(computation: func.FuncOp) -> Mapping[int, Sequence[IndexRange]]:
    """The parameters of `computation` that are used as indices, by number, with the different ranges of their uses."""
    calls = calls_by_function(computation)
    callers = {function.body.block: called_by for function, called_by in calls.items()}
    operations = [op for function in calls for op in function.body.walk() if type(op) in INDICES and is_followed(op)]
    pending: list[tuple[SSAValue, IndexRange]] = [found for op in operations for found in INDICES[type(op)](op)]
    followed: dict[SSAValue, list[IndexRange]] = {}
    while pending:
        value, wanted = pending.pop()
        known = followed.setdefault(value, [])
        if len(known) >= MOST_RANGES or wanted.is_empty() or any(map(wanted.equals, known)):
            continue
        known.append(wanted)
        op = value.owner
        if isinstance(value, BlockArgument):
            pending += [(call.operands[value.index], wanted) for call in callers.get(value.block, ())]
        elif isinstance(op, Operation) and has_sizes(op):
            rule = BACKWARD.get(type(op))
            pending += returned(value, wanted) if rule is None else rule(op, wanted)
    arguments = enumerate(computation.body.block.args)
    return {number: followed[argument] for number, argument in arguments if followed.get(argument)}


def is_followed(op: Operation) -> bool:
    """Whether the limits of the operands of `op` are known: the size of a dynamic dimension has one."""
    return has_sizes(op) or isinstance(op, (SetDimensionSizeOp, CustomCallOp))


def has_sizes(op: Operation) -> bool:
    """Whether the size of every tensor that `op` reads or writes is known."""
    tensors = (as_tensor_type(value.type) for value in (*op.operands, *op.results))
    return all(tensor is None or is_static(tensor) for tensor in tensors)


def returned(value: SSAValue, wanted: IndexRange) -> Ranges:
    """What the function of a call returns has the range of the result. Nothing for the result of another operation."""
    assert isinstance(value, OpResult)
    callee = called_function(value.op)
    last = callee.body.block.last_op if callee is not None else None
    if last is not None and len(last.operands) == len(value.op.results):
        yield last.operands[value.index], wanted
