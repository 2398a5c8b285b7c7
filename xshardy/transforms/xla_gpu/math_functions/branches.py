"""Branches, for cases that are rare or expensive, and loops."""

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.ir import Block, Region
from xdsl.rewriter import InsertPoint

from xshardy.rewriting.scalars import Scalar

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


def repeat_while(
    condition: Callable[..., Scalar], body: Callable[..., Sequence[Scalar]], values: Sequence[Scalar]
) -> list[Scalar]:
    """`scf.while`: `values`, replaced by what `body` makes of them as long as `condition` holds for them."""
    builder = values[0].builder
    here = builder.insertion_point
    types = [value.type for value in values]
    before, after = Block(arg_types=types), Block(arg_types=types)
    builder.insertion_point = InsertPoint.at_end(before)
    builder.insert(scf.ConditionOp(condition(*(Scalar(x, builder) for x in before.args)).value, *before.args))
    builder.insertion_point = InsertPoint.at_end(after)
    builder.insert(scf.YieldOp(*(value.value for value in body(*(Scalar(x, builder) for x in after.args)))))
    builder.insertion_point = here
    loop = builder.insert(scf.WhileOp([value.value for value in values], types, Region(before), Region(after)))
    return [Scalar(result, builder) for result in loop.results]
