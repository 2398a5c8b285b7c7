"""A branch, for cases that are rare or expensive: only one side is executed."""

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Region
from xdsl.rewriter import InsertPoint

from xshardy.transforms.scalars import Scalar

Side = Callable[[], Sequence[Scalar]]
"""Inserts the operations of one side; gives its values."""


def branch(condition: Scalar, then: Side, otherwise: Side) -> list[Scalar]:
    """The values of one side of an `scf.if`, which both have the same types."""
    builder = condition.builder
    here = builder.insertion_point

    def region(side: Side) -> Region:
        block = Block()
        builder.insertion_point = InsertPoint.at_end(block)
        builder.insert(scf.YieldOp(*(value.value for value in side())))
        return Region(block)

    chosen, other = region(then), region(otherwise)
    last = chosen.block.last_op
    assert last is not None
    builder.insertion_point = here
    op = builder.insert(scf.IfOp(condition.value, last.operand_types, chosen, other))
    return [Scalar(result, builder) for result in op.results]
