"""
Dot products and convolutions, element by element: a loop that sums products.

Floats narrower than f32 are multiplied and added as f32. Source: row XGPU-14; XLA's elemental emitter.
"""

from collections.abc import Sequence
from itertools import repeat

from xdsl.dialects.builtin import f32
from xdsl.ir import Attribute, SSAValue

from xshardy.dialects.stablehlo import AddOp, MulOp
from xshardy.dialects.stablehlo.contraction import DotGeneralOp
from xshardy.dialects.stablehlo.convolution import ConvolutionOp
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.emitters.elemental import OPS
from xshardy.emitters.elemental.conversions import convert
from xshardy.emitters.elemental.kinds import Kind, element_type_of, emitted_type, kind_of
from xshardy.emitters.elemental.scalars import Scalars
from xshardy.emitters.indices import Indices, loop_over
from xshardy.emitters.operations.operands import Operands


def accumulator_type(result: Attribute) -> Attribute:
    """The StableHLO element type of the accumulator, for a result of this element type."""
    is_narrow = kind_of(result) in (Kind.FLOAT, Kind.SMALL_FLOAT) and bit_width(result) < 32
    return f32 if is_narrow else result


def contraction(operands: Operands, op: DotGeneralOp | ConvolutionOp, indices: Indices) -> Sequence[SSAValue]:
    """The sum of products of both operands over the points of the loop. The algorithm may require rounded factors."""
    result = element_type_of(op.result.type)
    type = accumulator_type(result)
    sources = [element_type_of(value.type) for value in (op.lhs, op.rhs)]
    algorithm = op.algorithm if isinstance(op, DotGeneralOp) else None
    rounded = sources if algorithm is None or algorithm.rounding is None else algorithm.rounding
    add, multiply = (OPS[kind_of(type)][op_type] for op_type in (AddOp, MulOp))

    def body(s: Scalars, variables: Indices, results: Indices, carried: Sequence[SSAValue]) -> Sequence[SSAValue]:
        factors = map(convert, repeat(s), operands.part(op, 0, s, indices, variables), sources, rounded)
        lhs, rhs = map(convert, repeat(s), factors, rounded, repeat(type))
        return (s(add(carried[0], s(multiply(lhs, rhs)))),)

    zero = operands.s.constant(0, emitted_type(type))
    (total,) = loop_over(operands.s, operands.reads(op)[0].map, indices, [zero], body)
    return (convert(operands.s, total, type, result),)
