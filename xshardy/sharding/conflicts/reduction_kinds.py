"""
How the parts of a result are combined when a dimension that an operation reduces is sharded.

Each device reduces its part of the dimension. An all-reduce then combines the partial results, by the same reduction.
`sdy.all_reduce` knows sums, maxima and minima. Other reductions need the whole dimension on each device.
"""

from collections.abc import Mapping

from xdsl.dialects.builtin import i1
from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.stablehlo.elementwise_binary import AddOp, AndOp, MaxOp, MinOp, MulOp, OrOp
from xshardy.dialects.stablehlo.quantized_types import quantized_element
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


def _kind_of(combined: SSAValue, accumulated: SSAValue, element: SSAValue) -> ReductionOp | None:
    """The reduction by which `combined` is made of exactly these two values; None if there is none."""
    op = combined.owner
    if isinstance(op, Block) or tuple(op.operands) not in ((accumulated, element), (element, accumulated)):
        return None
    kinds = KINDS_OF_BOOLEANS if tensor_type(combined).element_type == i1 else KINDS
    return kinds.get(type(op))


def kind_of_body(body: Block) -> ReductionOp | None:
    """
    The reduction that `body` computes of its accumulators and as many elements, the same for each.

    None if it computes anything else, such as a product, or an accumulator from the elements of another input.
    """
    end, arguments = body.last_op, body.args
    assert end is not None, "a body is verified to end in a return"
    inputs = len(arguments) // 2
    kinds = {_kind_of(value, arguments[index], arguments[inputs + index]) for index, value in enumerate(end.operands)}
    return kinds.pop() if len(kinds) == 1 else None


WITH_BODY = frozenset[type[Operation]]({ReduceOp, ScatterOp})
"""Operations whose body says how they reduce."""


def reduction_kind(op: Operation) -> ReductionOp | None:
    """
    How the partial results of `op` are combined; None if no reduction of `sdy` does that.

    Partial results of dot products, convolutions and gathers, and of operations with a rule of the user, are added up;
    not quantized ones, which have been rounded to the numbers of their type.
    """
    kind = kind_of_body(op.regions[0].block) if type(op) in WITH_BODY else ReductionOp.SUM
    is_rounded = kind is ReductionOp.SUM and any(quantized_element(result) is not None for result in op.results)
    return None if is_rounded else kind
