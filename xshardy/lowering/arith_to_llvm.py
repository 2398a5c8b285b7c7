"""`arith` to the llvm dialect, on scalars and vectors."""

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects import arith, llvm
from xdsl.dialects.arith import IntegerOverflowFlag
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    VectorType,
    i32,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.dense_elements import is_splat
from xshardy.dialects.extensions.arith import IndexCastUIOp
from xshardy.dialects.extensions.arith_elementwise import with_elementwise
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
from xshardy.lowering.conversion import Rule, Site, convert, fast_math, float_twin, twin

OVERFLOW_BITS: Mapping[IntegerOverflowFlag, int] = {IntegerOverflowFlag.NSW: 1, IntegerOverflowFlag.NUW: 2}


def overflowing(target: type[Operation]) -> Rule:
    """`arith.f %a, %b overflow<nsw>` -> `llvm.f %a, %b overflow<nsw>`."""

    def rule(at: Site) -> SSAValue:
        flags = at.op.properties.get("overflowFlags")
        bits = sum(OVERFLOW_BITS[flag] for flag in flags.data) if isinstance(flags, arith.IntegerOverflowAttr) else 0
        return at.insert(
            target.create(
                operands=at.operands,
                result_types=at.result_types,
                properties={"overflowFlags": IntegerAttr(bits, i32)},
                attributes=at.op.attributes,
            )
        )

    return rule


def lower_constant(at: Site) -> SSAValue:
    """`arith.constant 1 : index` -> `llvm.mlir.constant(1 : i64) : i64`; a float that LLVM lacks becomes its bits."""
    value = at.op.properties["value"]
    return at.insert(llvm.ConstantOp(constant_attribute(value, at.result_type), at.result_type))


def constant_attribute(value: Attribute, type: Attribute) -> Attribute:
    """The constant `value` as one of the LLVM type `type`. Its bits stay."""
    match value:
        case IntegerAttr():
            return IntegerAttr(value.value.data, type, truncate_bits=True) if isa(type, IntegerType) else value
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


def lower_cmpi(at: Site) -> SSAValue:
    """`arith.cmpi slt, %a, %b` -> `llvm.icmp "slt" %a, %b`. The predicates have the same numbers."""
    return at.insert(
        llvm.ICmpOp.create(
            operands=at.operands,
            properties={"predicate": at.op.properties["predicate"]},
            result_types=[condition_type(at.operands[0].type)],
        )
    )


def lower_cmpf(at: Site) -> SSAValue:
    """`arith.cmpf olt, %a, %b` -> `llvm.fcmp "olt" %a, %b`. The predicates have the same numbers."""
    return at.insert(
        FCmpOp.create(
            operands=at.operands,
            properties={"predicate": at.op.properties["predicate"], "fastmathFlags": fast_math(at.op)},
            result_types=[condition_type(at.operands[0].type)],
        )
    )


def lower_negf(at: Site) -> SSAValue:
    """`arith.negf %a` -> `llvm.fneg %a`."""
    return at.insert(llvm.FNegOp(at.operands[0], fast_math(at.op)))


def lower_bitcast(at: Site) -> SSAValue:
    """`arith.bitcast` -> `llvm.bitcast`; nothing, between types that LLVM does not tell apart."""
    (operand,) = at.operands
    return operand if operand.type == at.result_type else at.insert(llvm.BitcastOp(operand, at.result_type))


def _element_width(type: Attribute) -> int:
    element = type.element_type if isa(type, VectorType) else type
    assert isa(element, IntegerType)
    return element.width.data


def resize(widen: type[Operation]) -> Rule:
    """`arith.index_cast` -> `llvm.trunc`, the operation `widen`, or nothing where the widths are equal."""

    def rule(at: Site) -> SSAValue:
        (operand,) = at.operands
        difference = _element_width(at.result_type) - _element_width(operand.type)
        if difference == 0:
            return operand
        return at.insert(
            (widen if difference > 0 else llvm.TruncOp).create(operands=[operand], result_types=[at.result_type])
        )

    return rule


def between_floats(target: type[Operation]) -> Rule:
    """`arith.extf` -> `llvm.fpext`, `arith.truncf` -> `llvm.fptrunc`, between floats that LLVM has."""

    def rule(at: Site) -> SSAValue:
        if [at.op.operands[0].type, at.op.results[0].type] != [at.operands[0].type, at.result_type]:
            raise PassFailedException(
                f"LLVM has no conversion from {at.op.operands[0].type} to {at.op.results[0].type}: "
                "run xla-gpu-expand-float-ops first"
            )
        return at.insert(target.create(operands=at.operands, result_types=[at.result_type]))

    return rule


def lower_addui_extended(at: Site) -> tuple[SSAValue, SSAValue]:
    """`%s, %c = arith.addui_extended %a, %b` -> `%s = llvm.add %a, %b; %c = llvm.icmp "ult" %s, %a`."""
    a, b = at.operands
    total = at.insert(llvm.AddOp(a, b))
    return total, at.insert(compare("ult", total, a))


def multiply_extended(extend: type[Operation]) -> Rule:
    """`%low, %high = arith.mulsi_extended %a, %b` -> the halves of a product of twice the width."""

    def rule(at: Site) -> tuple[SSAValue, SSAValue]:
        type = at.operands[0].type
        width = _element_width(type)
        wide = IntegerType(2 * width) if isa(type, IntegerType) else VectorType(IntegerType(2 * width), at_shape(type))
        a, b = (at.insert(extend.create(operands=[operand], result_types=[wide])) for operand in at.operands)
        product = at.insert(llvm.MulOp(a, b))
        low = at.insert(llvm.TruncOp(product, type))
        high = at.insert(llvm.TruncOp(at.insert(llvm.LShrOp(product, at.constant(width, wide))), type))
        return low, high

    return rule


def at_shape(type: Attribute) -> tuple[int, ...]:
    """The shape of a vector type."""
    assert isa(type, VectorType)
    return type.get_shape()


def compare(predicate: str, a: SSAValue, b: SSAValue) -> llvm.ICmpOp:
    """`llvm.icmp "predicate" %a, %b`."""
    flag = llvm.ICmpPredicateFlag(predicate)
    return llvm.ICmpOp(a, b, IntegerAttr(flag.to_int(), 64))


def lower_ceildivui(at: Site) -> SSAValue:
    """`ceil(a / b)`, unsigned -> `a / b + (a mod b != 0)`."""
    a, b = at.operands
    quotient = at.insert(llvm.UDivOp(a, b))
    inexact = at.insert(compare("ne", at.insert(llvm.URemOp(a, b)), at.constant(0, a.type)))
    return at.insert(llvm.AddOp(quotient, at.insert(llvm.ZExtOp(inexact, a.type))))


def rounding_division(*, up: bool) -> Rule:
    """
    `ceil(a / b)` or `floor(a / b)`, signed -> the quotient towards zero, corrected by one.

    It is corrected where the division leaves a rest and rounding towards zero went the other way: if the operands have
    equal signs, for `up`; if they differ, for down.
    """

    def rule(at: Site) -> SSAValue:
        a, b = at.operands
        zero = at.constant(0, a.type)
        quotient = at.insert(llvm.SDivOp(a, b))
        inexact = at.insert(compare("ne", at.insert(llvm.SRemOp(a, b)), zero))
        wanted_signs = at.insert(compare("sge" if up else "slt", at.insert(llvm.XOrOp(a, b)), zero))
        corrected = at.insert(llvm.AddOp(quotient, at.constant(1 if up else -1, a.type)))
        return at.insert(SelectOp(at.insert(llvm.AndOp(inexact, wanted_signs)), corrected, quotient))

    return rule


RULES: Mapping[type[Operation], Rule] = {
    arith.AddUIExtendedOp: lower_addui_extended,
    arith.AddfOp: float_twin(llvm.FAddOp),
    arith.AddiOp: overflowing(llvm.AddOp),
    arith.AndIOp: twin(llvm.AndOp),
    arith.BitcastOp: lower_bitcast,
    arith.CeilDivSIOp: rounding_division(up=True),
    arith.CeilDivUIOp: lower_ceildivui,
    arith.CmpfOp: lower_cmpf,
    arith.CmpiOp: lower_cmpi,
    arith.ConstantOp: lower_constant,
    arith.DivSIOp: twin(llvm.SDivOp),
    arith.DivUIOp: twin(llvm.UDivOp),
    arith.DivfOp: float_twin(llvm.FDivOp),
    arith.ExtFOp: between_floats(llvm.FPExtOp),
    arith.ExtSIOp: twin(llvm.SExtOp),
    arith.ExtUIOp: twin(llvm.ZExtOp),
    arith.FPToSIOp: twin(FPToSIOp),
    arith.FPToUIOp: twin(FPToUIOp),
    arith.FloorDivSIOp: rounding_division(up=False),
    arith.IndexCastOp: resize(llvm.SExtOp),
    IndexCastUIOp: resize(llvm.ZExtOp),
    arith.MaxSIOp: twin(SMaxOp),
    arith.MaxUIOp: twin(UMaxOp),
    arith.MaximumfOp: float_twin(MaximumOp),
    arith.MaxnumfOp: float_twin(llvm.VectorFMaxOp),
    arith.MinSIOp: twin(SMinOp),
    arith.MinUIOp: twin(UMinOp),
    arith.MinimumfOp: float_twin(MinimumOp),
    arith.MinnumfOp: float_twin(llvm.VectorFMinOp),
    arith.MulSIExtendedOp: multiply_extended(llvm.SExtOp),
    arith.MulUIExtendedOp: multiply_extended(llvm.ZExtOp),
    arith.MulfOp: float_twin(llvm.FMulOp),
    arith.MuliOp: overflowing(llvm.MulOp),
    arith.NegfOp: lower_negf,
    arith.OrIOp: twin(llvm.OrOp),
    arith.RemSIOp: twin(llvm.SRemOp),
    arith.RemUIOp: twin(llvm.URemOp),
    arith.SIToFPOp: twin(llvm.SIToFPOp),
    arith.SelectOp: float_twin(SelectOp),
    arith.ShLIOp: overflowing(llvm.ShlOp),
    arith.ShRSIOp: twin(llvm.AShrOp),
    arith.ShRUIOp: twin(llvm.LShrOp),
    arith.SubfOp: float_twin(llvm.FSubOp),
    arith.SubiOp: overflowing(llvm.SubOp),
    arith.TruncFOp: between_floats(llvm.FPTruncOp),
    arith.TruncIOp: twin(llvm.TruncOp),
    arith.UIToFPOp: twin(UIToFPOp),
    arith.XOrIOp: twin(llvm.XOrOp),
}
"""`arith.remf` is missing: it is a function of libdevice, see `math_to_libdevice`."""


class ConvertArithToLLVMPass(ModulePass):
    """Lower `arith`, on scalars and vectors, to the llvm dialect."""

    name = "convert-arith-to-llvm"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op, with_elementwise(RULES))
