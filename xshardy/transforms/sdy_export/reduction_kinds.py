"""
How the parts of a result are combined when a dimension that an operation reduces is sharded.

Each device reduces its part of the dimension. An all-reduce then combines the partial results, by the same reduction.
`sdy.all_reduce` knows sums, maxima and minima. Other reductions need the whole dimension on each device.
"""

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.stablehlo.control_flow import ReturnOp
from xshardy.dialects.stablehlo.elementwise_binary import AddOp, AndOp, MaxOp, MinOp, MulOp, OrOp
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.stablehlo.types import tensor_type

KINDS: Mapping[type[Operation], ReductionOp] = {
    AddOp: ReductionOp.SUM,
    MaxOp: ReductionOp.MAX,
    MinOp: ReductionOp.MIN,
}
"""The reduction of `sdy` that combines elements as an operation does."""

KINDS_OF_BOOLEANS: Mapping[type[Operation], ReductionOp] = {
    AddOp: ReductionOp.MAX,
    AndOp: ReductionOp.MIN,
    MaxOp: ReductionOp.MAX,
    MinOp: ReductionOp.MIN,
    MulOp: ReductionOp.MIN,
    OrOp: ReductionOp.MAX,
}
"""The same for booleans, where `false` is less than `true`."""


def _kind_of(combined: SSAValue, arguments: tuple[SSAValue, SSAValue]) -> ReductionOp | None:
    """The reduction by which `combined` is made of exactly the two `arguments`; None if there is none."""
    op = combined.owner
    if isinstance(op, Block) or {*op.operands} != {*arguments}:
        return None
    kinds = KINDS_OF_BOOLEANS if tensor_type(combined).element_type == i1 else KINDS
    return kinds.get(type(op))


def kind_of_body(body: Block, inputs: int) -> ReductionOp | None:
    """
    The reduction that `body` computes of `inputs` accumulators and as many elements, the same for each.

    None if it computes anything else, such as a product, or an accumulator from the elements of another input.
    """
    end = body.last_op
    if not isinstance(end, ReturnOp) or len(body.args) != 2 * inputs or len(end.operands) != inputs:
        return None
    kinds = {_kind_of(value, (body.args[index], body.args[inputs + index])) for index, value in enumerate(end.operands)}
    return kinds.pop() if len(kinds) == 1 else None


def _kind_of_reduce(op: ReduceOp) -> ReductionOp | None:
    return kind_of_body(op.body.block, len(op.inputs))


def _kind_of_scatter(op: ScatterOp) -> ReductionOp | None:
    return kind_of_body(op.update_computation.block, len(op.inputs))


WITH_BODY: Mapping[type[Operation], Callable[[Any], ReductionOp | None]] = {
    ReduceOp: _kind_of_reduce,
    ScatterOp: _kind_of_scatter,
}
"""Operations whose body says how they reduce."""


def has_body(op: Operation) -> bool:
    """Whether a body of `op` says how it reduces."""
    return type(op) in WITH_BODY


def reduction_kind(op: Operation) -> ReductionOp | None:
    """
    How the partial results of `op` are combined; None if no reduction of `sdy` does that.

    Partial results of dot products, convolutions and gathers, and of operations with a rule of the user, are added up.
    """
    kind = WITH_BODY.get(type(op))
    return ReductionOp.SUM if kind is None else kind(op)
