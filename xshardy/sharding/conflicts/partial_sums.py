"""
Which operations may read partial results: parts of operands that are still to be combined between devices.

An operation is linear in a group of its operands if, applied to the parts of these on each device, and to the same
other operands everywhere, it gives parts of its result: `f(a + b, y) = f(a, y) + f(b, y)`. For maxima and minima, `max`
and `min` stand for `+`. All other operations need operands that are reduced.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import AnyFloat, ComplexType, IntegerType, i1
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.hints import isa

from xshardy.dialects import chlo, hlo, mhlo, stablehlo
from xshardy.dialects.dense_elements import first_values, has_elements, is_splat
from xshardy.dialects.sdy import ops as sdy
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.collectives import Collective
from xshardy.dialects.stablehlo.quantized_types import quantized_element
from xshardy.dialects.stablehlo.types import bit_width, real_element, tensor_type
from xshardy.sharding.conflicts.reduction_kinds import KINDS, kind_of_body

Groups = Sequence[Sequence[int]]
"""Groups of operands by index. An operation is linear in each group while the other operands stay the same."""

FIRST: Groups = ((0,),)
BOTH: Groups = ((0, 1),)
EACH: Groups = ((0,), (1,))

MOVES: Mapping[type[Operation], Groups] = {
    **dict.fromkeys((hlo.CopyOp, mhlo.CopyOp, sdy.PropagationBarrierOp), FIRST),
    **dict.fromkeys((stablehlo.BroadcastInDimOp, stablehlo.BroadcastOp, stablehlo.DynamicBroadcastInDimOp), FIRST),
    **dict.fromkeys((stablehlo.ReshapeOp, stablehlo.DynamicReshapeOp), FIRST),
    **dict.fromkeys((stablehlo.ReverseOp, stablehlo.TransposeOp), FIRST),
    **dict.fromkeys((stablehlo.SliceOp, stablehlo.DynamicSliceOp, stablehlo.RealDynamicSliceOp), FIRST),
    **dict.fromkeys((stablehlo.GatherOp, stablehlo.DynamicGatherOp), FIRST),
    **dict.fromkeys((stablehlo.PadOp, stablehlo.DynamicPadOp, stablehlo.DynamicUpdateSliceOp), BOTH),
    stablehlo.SelectOp: ((1, 2),),
}
"""Operations whose results consist of elements of the operands in these groups: parts stay parts, however combined."""

SUMS: Mapping[type[Operation], Groups] = {
    **dict.fromkeys((stablehlo.AddOp, stablehlo.SubtractOp, stablehlo.ComplexOp), BOTH),
    **dict.fromkeys((stablehlo.NegOp, stablehlo.RealOp, stablehlo.ImagOp, stablehlo.FftOp), FIRST),
    **dict.fromkeys((stablehlo.MulOp, stablehlo.DotOp, stablehlo.DotGeneralOp, stablehlo.ConvolutionOp), EACH),
    **dict.fromkeys((chlo.RaggedDotOp, mhlo.RaggedDotOp), EACH),
    stablehlo.TriangularSolveOp: ((1,),),
}
"""Operations that are linear in the sense of sums."""


def _all_operands(op: Operation) -> Sequence[int]:
    return range(len(op.operands))


COMBINES: Mapping[type[Operation], Callable[[Any], Sequence[int]]] = {
    stablehlo.ReduceOp: _all_operands,
    stablehlo.ReduceWindowOp: _all_operands,
    stablehlo.ScatterOp: lambda op: [index for index in _all_operands(op) if index != len(op.inputs)],
    stablehlo.SelectAndScatterOp: lambda op: (1, 2),
}
"""Operations with a body that combines elements of a group: linear if it combines them as parts are combined."""


ACCUMULATING = (
    stablehlo.DotOp,
    stablehlo.DotGeneralOp,
    stablehlo.ConvolutionOp,
    stablehlo.ReduceOp,
    stablehlo.ReduceWindowOp,
)
"""Operations whose results may have a wider type than their operands."""


def linear_groups(op: Operation, kind: ReductionOp, *, may_round: bool = False) -> Groups:
    """
    The groups of operands in which `op` is linear, for parts that are combined by `kind`; empty for other operations.

    With `may_round`, a conversion to a less exact type counts as linear: each part is rounded on its own.
    """
    groups = MOVES.get(op_type := type(op))
    if op_type is stablehlo.ConcatenateOp:
        groups = (_all_operands(op),)
    elif groups is None and op_type in COMBINES:
        body = op.regions[-1].block
        groups = (COMBINES[op_type](op),) if kind_of_body(body) is kind else ()
    elif groups is None and kind is ReductionOp.SUM:
        groups = _groups_of_sum(op, may_round=may_round)
    elif groups is None:
        groups = BOTH if op_type in KINDS and KINDS[op_type] is kind else ()  # pyright: ignore[reportArgumentType]
    is_quantized = groups and any(quantized_element(value) is not None for value in (*op.operands, *op.results))
    if is_quantized or (groups and kind is ReductionOp.SUM and _widens_integers(op)):
        return ()
    return groups


def _widens_integers(op: Operation) -> bool:
    """Whether integers are read as such of a wider type, or floats: sums of them would wrap around by another width."""
    after = tensor_type(op.results[0]).element_type
    elements = {tensor_type(value).element_type for value in op.operands} if type(op) in ACCUMULATING else ()
    return any(element != after and not converts_sums(element, after, may_round=True) for element in elements)


def _groups_of_sum(op: Operation, *, may_round: bool) -> Groups:
    match op:
        case stablehlo.DivOp():  # of integers, each quotient is rounded
            element = tensor_type(op.result).element_type
            return FIRST if isinstance(element, AnyFloat) or isa(element, ComplexType) else ()
        case stablehlo.ConvertOp():
            before, after = (tensor_type(value).element_type for value in (op.operand, op.result))
            return FIRST if converts_sums(before, after, may_round=may_round) else ()
        case stablehlo.ReducePrecisionOp():
            return FIRST if may_round else ()
        case _:
            return SUMS.get(type(op), ())


def converts_sums(before: Attribute, after: Attribute, *, may_round: bool) -> bool:
    """
    Whether sums of numbers of type `before` may be converted to `after` part by part.

    Exact are conversions between integers that keep the last bits, and those to a wider type of floating point. With
    `may_round`, so are all of floating point. Sums of integers wrap around, so that one converted to a wider type or to
    floating point is not the sum of converted ones.
    """
    if before == i1 or after == i1:
        return False
    if isa(before, IntegerType) or isa(after, IntegerType):
        return isa(before, IntegerType) and isa(after, IntegerType) and bit_width(after) <= bit_width(before)
    if may_round or before == after:
        return True
    pair = real_element(before), real_element(after)
    keeps_imaginary_part = isa(after, ComplexType) or not isa(before, ComplexType)
    is_wider = bit_width(pair[1]) >= 32 and (pair[0] == pair[1] or bit_width(pair[1]) > bit_width(pair[0]))
    return keeps_imaginary_part and is_wider and isinstance(pair[0], AnyFloat)


PASS_ZEROS_ON = (
    *(Collective, sdy.ReshardOp, sdy.ShardingConstraintOp),
    *(stablehlo.BroadcastInDimOp, stablehlo.ConvertOp, stablehlo.ReshapeOp, stablehlo.SliceOp, stablehlo.TransposeOp),
)
"""Operations whose result is zero if their first operand is."""


def is_zero(value: SSAValue) -> bool:
    """Whether `value` is known to be zero: so are all its parts, along any axes."""
    source = value.owner
    while isinstance(source, PASS_ZEROS_ON):
        source = source.operands[0].owner
    if not isinstance(source, stablehlo.ConstantOp | sdy.ConstantOp) or not has_elements(source.value):
        return False
    return not any(source.value.data.data) or (is_splat(source.value) and not any(first_values(source.value)))
