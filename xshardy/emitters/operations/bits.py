"""`bitcast_convert` between element types of different widths. Source: StableHLO's specification."""

from collections.abc import Sequence

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerType
from xdsl.ir import SSAValue

from xshardy.dialects.stablehlo.shape import BitcastConvertOp
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.emitters.elemental.conversions import same_bits
from xshardy.emitters.elemental.kinds import element_type_of, emitted_type
from xshardy.emitters.indices import Indices
from xshardy.emitters.operations.operands import Operands


def bitcast_convert(operands: Operands, op: BitcastConvertOp, indices: Indices) -> Sequence[SSAValue]:
    """
    The bits of the operand: a part of one wider element, or all of several narrower ones, the first in the lowest bits.
    """
    s = operands.s
    source, target = (element_type_of(value.type) for value in (op.operand, op.result))
    width, result_width = bit_width(source), bit_width(target)
    bits, result_bits, result_type = IntegerType(width), IntegerType(result_width), emitted_type(target)
    if width == result_width:
        return (same_bits(s, operands.operand(op, 0, indices), result_type),)
    if width > result_width:
        whole = same_bits(s, operands.operand(op, 0, indices), bits)
        place = s(arith.MuliOp(s(arith.IndexCastOp(indices[-1], bits)), s.constant(result_width, bits)))
        part = s(arith.TruncIOp(s(arith.ShRUIOp(whole, place)), result_bits))
        return (same_bits(s, part, result_type),)
    result = s.constant(0, result_bits)
    for i in range(result_width // width):
        part = same_bits(s, operands.operand(op, 0, indices, (s.constant(i, IndexType()),)), bits)
        shifted = s(arith.ShLIOp(s(arith.ExtUIOp(part, result_bits)), s.constant(i * width, result_bits)))
        result = s(arith.OrIOp(result, shifted))
    return (same_bits(s, result, result_type),)
