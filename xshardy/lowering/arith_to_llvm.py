"""`arith` to the llvm dialect, on scalars and vectors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from xdsl.dialects import arith, llvm
from xdsl.dialects.arith import IntegerOverflowFlag
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.dense_elements import is_splat
from xshardy.dialects.extensions.arith import IndexCastUIOp
from xshardy.dialects.extensions.llvm import (
    FCmpOp,
    FPToSIOp,
    FPToUIOp,
    SelectOp,
    UIToFPOp,
    condition_type,
)
from xshardy.dialects.extensions.llvm_intrinsics import (
    MaximumOp,
    MinimumOp,
    SMaxOp,
    SMinOp,
    UMaxOp,
    UMinOp,
)
from xshardy.ir import new_operation
from xshardy.lowering.conversion import (
    ConversionPass,
    ConversionPattern,
    FloatTwin,
    Operands,
    RowPattern,
    Twin,
    constant,
    fast_math,
    integer_attribute,
    integer_constant,
)
from xshardy.lowering.types import LLVMTypes

# --- families of operations -------------------------------------------------------------------------------------------

TWINS: Mapping[type[Operation], type[Operation]] = {
    arith.AndIOp: llvm.AndOp,
    arith.DivSIOp: llvm.SDivOp,
    arith.DivUIOp: llvm.UDivOp,
    arith.ExtSIOp: llvm.SExtOp,
    arith.ExtUIOp: llvm.ZExtOp,
    arith.FPToSIOp: FPToSIOp,
    arith.FPToUIOp: FPToUIOp,
    arith.MaxSIOp: SMaxOp,
    arith.MaxUIOp: UMaxOp,
    arith.MinSIOp: SMinOp,
    arith.MinUIOp: UMinOp,
    arith.OrIOp: llvm.OrOp,
    arith.RemSIOp: llvm.SRemOp,
    arith.RemUIOp: llvm.URemOp,
    arith.SIToFPOp: llvm.SIToFPOp,
    arith.ShRSIOp: llvm.AShrOp,
    arith.ShRUIOp: llvm.LShrOp,
    arith.TruncIOp: llvm.TruncOp,
    arith.UIToFPOp: UIToFPOp,
    arith.XOrIOp: llvm.XOrOp,
}

FLOAT_TWINS: Mapping[type[Operation], type[Operation]] = {
    arith.AddfOp: llvm.FAddOp,
    arith.DivfOp: llvm.FDivOp,
    arith.MaximumfOp: MaximumOp,
    arith.MaxnumfOp: llvm.VectorFMaxOp,
    arith.MinimumfOp: MinimumOp,
    arith.MinnumfOp: llvm.VectorFMinOp,
    arith.MulfOp: llvm.FMulOp,
    arith.SelectOp: SelectOp,
    arith.SubfOp: llvm.FSubOp,
}
"""`arith.remf` is missing: it is a function of libdevice, see `math_to_libdevice`."""

OVERFLOWING: Mapping[type[Operation], type[Operation]] = {
    arith.AddiOp: llvm.AddOp,
    arith.MuliOp: llvm.MulOp,
    arith.ShLIOp: llvm.ShlOp,
    arith.SubiOp: llvm.SubOp,
}

OVERFLOW_BITS: Mapping[IntegerOverflowFlag, int] = {IntegerOverflowFlag.NSW: 1, IntegerOverflowFlag.NUW: 2}


@dataclass(frozen=True)
class Overflowing(RowPattern):
    """`arith.f %a, %b overflow<nsw>` -> `llvm.f %a, %b overflow<nsw>`."""

    target: type[Operation]

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        flags = op.properties.get("overflowFlags")
        bits = sum(OVERFLOW_BITS[flag] for flag in flags.data) if isinstance(flags, arith.IntegerOverflowAttr) else 0
        properties = {"overflowFlags": integer_attribute(bits, i32)}
        return new_operation(self.target, operands, self.result_types(op), properties, op.attributes.copy())


RESIZED: Mapping[type[Operation], type[Operation]] = {arith.IndexCastOp: llvm.SExtOp, IndexCastUIOp: llvm.ZExtOp}
"""How a narrower integer is widened."""


@dataclass(frozen=True)
class Resize(RowPattern):
    """`arith.index_cast %a` -> `llvm.trunc %a`, the operation `widen`, or `%a` where the widths are equal."""

    widen: type[Operation]

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation | SSAValue:
        (operand,) = operands
        type = self.result_type(op)
        difference = element_width(type) - element_width(operand.type)
        if difference == 0:
            return operand
        return (self.widen if difference > 0 else llvm.TruncOp).create(operands=[operand], result_types=[type])


@lru_cache(maxsize=256)
def element_width(type: Attribute) -> int:
    """The bits of an integer type, or of the elements of a vector of integers."""
    element = type.element_type if isa(type, VectorType) else type
    assert isa(element, IntegerType)
    return element.width.data


BETWEEN_FLOATS: Mapping[type[Operation], type[Operation]] = {
    arith.ExtFOp: llvm.FPExtOp,
    arith.TruncFOp: llvm.FPTruncOp,
}


@dataclass(frozen=True)
class BetweenFloats(RowPattern):
    """`arith.extf` -> `llvm.fpext`, `arith.truncf` -> `llvm.fptrunc`, between floats that LLVM has."""

    target: type[Operation]

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        (source,), (result,), (operand,), type = op.operands, op.results, operands, self.result_type(op)
        if (source.type, result.type) != (operand.type, type):
            raise PassFailedException(
                f"LLVM has no conversion from {source.type} to {result.type}: run xla-gpu-expand-float-ops first"
            )
        return self.target.create(operands=operands, result_types=[type])


EXTENDED_PRODUCTS: Mapping[type[Operation], type[Operation]] = {
    arith.MulSIExtendedOp: llvm.SExtOp,
    arith.MulUIExtendedOp: llvm.ZExtOp,
}


@dataclass(frozen=True)
class MultiplyExtended(RowPattern):
    """`%low, %high = arith.mulsi_extended %a, %b` -> the halves of a product of twice the width."""

    extend: type[Operation]

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Sequence[SSAValue]:
        type = operands[0].type
        width = element_width(type)
        wide = IntegerType(2 * width)
        wide_type = VectorType(wide, type.get_shape()) if isa(type, VectorType) else wide
        a, b = (
            rewriter.insert(self.extend.create(operands=[operand], result_types=[wide_type])).results[0]
            for operand in operands
        )
        product = rewriter.insert(llvm.MulOp(a, b)).res
        low = rewriter.insert(llvm.TruncOp(product, type)).res
        distance = rewriter.insert(integer_constant(width, wide_type)).result
        upper = rewriter.insert(llvm.LShrOp(product, distance)).res
        return low, rewriter.insert(llvm.TruncOp(upper, type)).res


ROUNDING_DIVISIONS: Mapping[type[Operation], bool] = {arith.CeilDivSIOp: True, arith.FloorDivSIOp: False}
"""Whether the quotient is rounded up."""


@dataclass(frozen=True)
class RoundingDivision(RowPattern):
    """
    `ceil(a / b)` or `floor(a / b)`, signed -> the quotient towards zero, corrected by one.

    It is corrected where the division is inexact and rounding towards zero went the other way: if the operands have
    equal signs, for `up`; if they differ, for down.
    """

    up: bool

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        a, b = operands
        zero = rewriter.insert(integer_constant(0, a.type)).result
        quotient = rewriter.insert(llvm.SDivOp(a, b)).res
        remainder = rewriter.insert(llvm.SRemOp(a, b)).res
        inexact = rewriter.insert(compare("ne", remainder, zero)).res
        signs = rewriter.insert(llvm.XOrOp(a, b)).res
        wanted_signs = rewriter.insert(compare("sge" if self.up else "slt", signs, zero)).res
        correction = rewriter.insert(integer_constant(1 if self.up else -1, a.type)).result
        corrected = rewriter.insert(llvm.AddOp(quotient, correction)).res
        condition = rewriter.insert(llvm.AndOp(inexact, wanted_signs)).res
        return SelectOp(condition, corrected, quotient)


# --- single operations ------------------------------------------------------------------------------------------------


class LowerConstant(ConversionPattern[arith.ConstantOp]):
    """`arith.constant 1 : index` -> `llvm.mlir.constant(1 : i64) : i64`; a float that LLVM lacks becomes its bits."""

    def convert(self, op: arith.ConstantOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        type = self.result_type(op)
        return constant(constant_attribute(op.properties["value"], type), type)


def constant_attribute(value: Attribute, type: Attribute) -> Attribute:
    """The constant `value` as one of the LLVM type `type`. Its bits stay."""
    match value:
        case IntegerAttr():
            return integer_attribute(value.value.data, type) if isa(type, IntegerType) else value
        case FloatAttr():
            return IntegerAttr(float_bits(value.value.data, value.type), type) if isa(type, IntegerType) else value
        case DenseIntOrFPElementsAttr() if isa(type, VectorType) and value.type != type:
            return _dense_constant(value, type)
        case _:
            return value


def _dense_constant(value: DenseIntOrFPElementsAttr, type: VectorType) -> DenseIntOrFPElementsAttr:
    old = value.get_element_type()
    elements = value.get_values()[:1] if is_splat(value) else value.get_values()
    if isinstance(old, AnyFloat) and isa(type.element_type, IntegerType):
        elements = tuple(float_bits(float(element), old) for element in elements)  # pyright: ignore[reportArgumentType]
    return DenseIntOrFPElementsAttr.from_list(type, elements)  # pyright: ignore


def float_bits(value: float, type: AnyFloat) -> int:
    """The bits of `value` in the format of `type`, as an unsigned integer."""
    return int.from_bytes(type.pack((value,)), "little")


class LowerCmpi(ConversionPattern[arith.CmpiOp]):
    """`arith.cmpi slt, %a, %b` -> `llvm.icmp "slt" %a, %b`. The predicates have the same numbers."""

    def convert(self, op: arith.CmpiOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        return llvm.ICmpOp.create(
            operands=operands,
            properties={"predicate": op.properties["predicate"]},
            result_types=[condition_type(operands[0].type)],
        )


class LowerCmpf(ConversionPattern[arith.CmpfOp]):
    """`arith.cmpf olt, %a, %b` -> `llvm.fcmp "olt" %a, %b`. The predicates have the same numbers."""

    def convert(self, op: arith.CmpfOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        return FCmpOp.create(
            operands=operands,
            properties={"predicate": op.properties["predicate"], "fastmathFlags": fast_math(op)},
            result_types=[condition_type(operands[0].type)],
        )


class LowerNegf(ConversionPattern[arith.NegfOp]):
    """`arith.negf %a` -> `llvm.fneg %a`."""

    def convert(self, op: arith.NegfOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        return llvm.FNegOp(operands[0], fast_math(op))


class LowerBitcast(ConversionPattern[arith.BitcastOp]):
    """`arith.bitcast %a` -> `llvm.bitcast %a`; `%a`, between types that are one in LLVM."""

    def convert(self, op: arith.BitcastOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation | SSAValue:
        (operand,), type = operands, self.result_type(op)
        return operand if operand.type == type else llvm.BitcastOp(operand, type)


class LowerAddUIExtended(ConversionPattern[arith.AddUIExtendedOp]):
    """`%s, %c = arith.addui_extended %a, %b` -> `%s = llvm.add %a, %b; %c = llvm.icmp "ult" %s, %a`."""

    def convert(
        self, op: arith.AddUIExtendedOp, operands: Operands, rewriter: PatternRewriter, /
    ) -> Sequence[SSAValue]:
        a, b = operands
        total = rewriter.insert(llvm.AddOp(a, b)).res
        return total, rewriter.insert(compare("ult", total, a)).res


class LowerCeilDivUI(ConversionPattern[arith.CeilDivUIOp]):
    """`ceil(a / b)`, unsigned -> `a / b + (a mod b != 0)`."""

    def convert(self, op: arith.CeilDivUIOp, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        a, b = operands
        quotient = rewriter.insert(llvm.UDivOp(a, b)).res
        remainder = rewriter.insert(llvm.URemOp(a, b)).res
        zero = rewriter.insert(integer_constant(0, a.type)).result
        inexact = rewriter.insert(compare("ne", remainder, zero)).res
        return llvm.AddOp(quotient, rewriter.insert(llvm.ZExtOp(inexact, a.type)).res)


def compare(predicate: str, a: SSAValue, b: SSAValue) -> llvm.ICmpOp:
    """`llvm.icmp "predicate" %a, %b`."""
    return llvm.ICmpOp(a, b, IntegerAttr(llvm.ICmpPredicateFlag(predicate).to_int(), 64))


# --- the pass ---------------------------------------------------------------------------------------------------------


class ConvertArithToLLVMPass(ConversionPass):
    """Lower `arith`, on scalars and vectors, to the llvm dialect."""

    name = "convert-arith-to-llvm"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37), `convert-arith-to-llvm` of MLIR'

    def conversions(self, types: LLVMTypes) -> Sequence[RewritePattern]:
        return (
            *(Twin(types, op, target) for op, target in TWINS.items()),
            *(FloatTwin(types, op, target) for op, target in FLOAT_TWINS.items()),
            *(Overflowing(types, op, target) for op, target in OVERFLOWING.items()),
            *(Resize(types, op, widen) for op, widen in RESIZED.items()),
            *(BetweenFloats(types, op, target) for op, target in BETWEEN_FLOATS.items()),
            *(MultiplyExtended(types, op, extend) for op, extend in EXTENDED_PRODUCTS.items()),
            *(RoundingDivision(types, op, up) for op, up in ROUNDING_DIVISIONS.items()),
            LowerConstant(types),
            LowerCmpi(types),
            LowerCmpf(types),
            LowerNegf(types),
            LowerBitcast(types),
            LowerAddUIExtended(types),
            LowerCeilDivUI(types),
        )
