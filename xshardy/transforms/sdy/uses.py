"""Inserting an operation between a value and its uses."""

from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint


def insert_point_after(value: SSAValue) -> InsertPoint:
    """Right after the operation that produces `value`, or at the start of the block whose argument it is."""
    if isinstance(value, BlockArgument):
        return InsertPoint.at_start(value.block)
    assert isinstance(value, OpResult)
    return InsertPoint.after(value.op)


def replace_other_uses(value: SSAValue, by: SSAValue, user: Operation, rewriter: PatternRewriter) -> None:
    """Replace each use of `value` by `by`, except the uses in `user`."""
    rewriter.replace_uses_with_if(value, by, lambda use: use.operation is not user)
