"""
Maxima and minima of floats over devices, as those of integers.

XLA's collectives on the CPU compare floats with `<`, so that a NaN of one device is lost, and a row of NaN becomes an
infinity. A maximum of StableHLO is NaN if an operand is.
"""

from collections.abc import Mapping
from typing import TypeAlias

from xdsl.builder import Builder
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType, ModuleOp, TensorType
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.building import Tensors, element_type, reducer
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.ir.replacement import erase_op, replace_uses
from xshardy.rewriting.walk import operations_of
from xshardy.sharding.conflicts.reduction_kinds import kind_of_body

FLOATS = BFloat16Type, Float16Type, Float32Type, Float64Type
"""The types whose bits are ordered as their values, with NaN of either sign at the ends."""

Extreme: TypeAlias = type[stablehlo.MaxOp | stablehlo.MinOp]
EXTREMES: Mapping[ReductionOp | None, Extreme] = {
    ReductionOp.MAX: stablehlo.MaxOp,
    ReductionOp.MIN: stablehlo.MinOp,
}


def extremes_as_integers(module: ModuleOp) -> None:
    """`all_reduce %x` with `maximum` -> `float(all_reduce(integer(%x)))`, so that NaN is the result if one is NaN."""
    for op in [*operations_of(module, stablehlo.AllReduceOp, stablehlo.ReduceScatterOp)]:
        block = op.computation.block
        extreme, floats = EXTREMES.get(kind_of_body(block)), element_type(block.args[0])
        if extreme is None or any(element_type(x) != floats for x in op.operands) or not isinstance(floats, FLOATS):
            continue
        t, integers = Tensors(Builder(InsertPoint.before(op))), IntegerType(bit_width(floats))
        reduced = type(op).create(
            operands=[_ordered(t, x, integers, extreme) for x in op.operands],
            result_types=[TensorType(integers, shape_of(result)) for result in op.results],
            properties=op.properties,
            attributes=op.attributes,
            regions=[reducer(extreme, integers)],
        )
        t(reduced)
        for old, new in zip(op.results, reduced.results, strict=True):
            replace_uses(old, t(stablehlo.BitcastConvertOp(_flipped(t, new), old.type)))
        erase_op(op)


def _ordered(t: Tensors, x: SSAValue, integers: IntegerType, extreme: Extreme) -> SSAValue:
    """Signed integers in the order of the floats `x`, in which NaN is the largest, or the smallest of a minimum."""
    bits = _flipped(t, t(stablehlo.BitcastConvertOp(x, TensorType(integers, shape_of(x)))))
    largest = (1 << bit_width(integers) - 1) - 1
    nan = t.like(largest if extreme is stablehlo.MaxOp else -largest - 1, bits)
    return t.select(t.compare(x, stablehlo.ComparisonDirection.NE, x), nan, bits)


def _flipped(t: Tensors, bits: SSAValue) -> SSAValue:
    """The bits of negative floats inverted but for the sign, so that larger floats are larger integers; and back."""
    width = bit_width(element_type(bits))
    signs = t(stablehlo.ShiftRightArithmeticOp(bits, t.like(width - 1, bits)))
    return t.xor(bits, t.both(signs, t.like((1 << width - 1) - 1, bits)))
