"""
`math` to the llvm dialect: to calls of NVIDIA's libdevice, and to intrinsics of LLVM where PTX has an instruction.

libdevice has functions of f32 and f64. A narrower float is widened to f32 for the call and rounded again after it; a
vector is taken apart. Source: spec row XGPU-37, and MLIR's `convert-math-to-nvvm` for the names.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import e, log2
from typing import ClassVar, final

from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import (
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatAttr,
    IntegerType,
    VectorType,
    f32,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.extensions import llvm_intrinsics as intrinsics
from xshardy.dialects.extensions.arith import RemFOp
from xshardy.dialects.extensions.llvm import ExtractElementOp, PoisonOp
from xshardy.dialects.extensions.math import ErfcOp, IsFiniteOp, IsInfOp, IsNaNOp, IsNormalOp
from xshardy.lowering.conversion import (
    ConversionPass,
    FloatTwin,
    Operands,
    Refuse,
    RowPattern,
    Twin,
    constant,
    declare,
    fast_math,
    integer_constant,
)
from xshardy.lowering.types import LLVMTypes

# --- calls of libdevice -----------------------------------------------------------------------------------------------

LIBDEVICE: Mapping[type[Operation], str] = {
    RemFOp: "__nv_fmod",
    math.AcosOp: "__nv_acos",
    math.AcoshOp: "__nv_acosh",
    math.AsinOp: "__nv_asin",
    math.AsinhOp: "__nv_asinh",
    math.Atan2Op: "__nv_atan2",
    math.AtanOp: "__nv_atan",
    math.AtanhOp: "__nv_atanh",
    math.CbrtOp: "__nv_cbrt",
    math.CosOp: "__nv_cos",
    math.CoshOp: "__nv_cosh",
    math.ErfOp: "__nv_erf",
    ErfcOp: "__nv_erfc",
    math.Exp2Op: "__nv_exp2",
    math.ExpM1Op: "__nv_expm1",
    math.Log10Op: "__nv_log10",
    math.Log1pOp: "__nv_log1p",
    math.Log2Op: "__nv_log2",
    math.LogOp: "__nv_log",
    math.PowFOp: "__nv_pow",
    math.RsqrtOp: "__nv_rsqrt",
    math.SinOp: "__nv_sin",
    math.SinhOp: "__nv_sinh",
    math.TanOp: "__nv_tan",
    math.TanhOp: "__nv_tanh",
}
"""The function of f64 that computes an operation. The one of f32 has an `f` at the end of its name."""


class ElementwisePattern(RowPattern):
    """`math.f %v : vector<2xf32>` -> `math.f` of each element, converted by `scalar`; on scalars, `scalar` itself."""

    @abstractmethod
    def scalar(
        self, op: Operation, operands: Operands, type: Attribute, rewriter: PatternRewriter, /
    ) -> Operation | SSAValue:
        """What `op` computes from scalars, as a scalar of `type`."""

    @final
    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation | SSAValue:
        type = self.result_type(op)
        if not isa(type, VectorType):
            return self.scalar(op, operands, type, rewriter)
        (result,) = rewriter.insert(PoisonOp(type)).results
        for lane in range(type.get_shape()[0]):
            position = rewriter.insert(integer_constant(lane, i64)).result
            elements = [rewriter.insert(ExtractElementOp(operand, position)).results[0] for operand in operands]
            element = self.scalar(op, elements, type.element_type, rewriter)
            if isinstance(element, Operation):
                (element,) = rewriter.insert(element).results
            result = rewriter.insert(llvm.InsertElementOp(result, element, position)).res
        return result


@dataclass(frozen=True)
class CallLibdevice(ElementwisePattern):
    """`math.tanh %x : bf16` -> `llvm.fpext`, `llvm.call @__nv_tanhf : (f32) -> f32`, `llvm.fptrunc`."""

    function: str

    def scalar(
        self, op: Operation, operands: Operands, type: Attribute, rewriter: PatternRewriter, /
    ) -> Operation | SSAValue:
        widened = [_widened(operand, rewriter) for operand in operands]
        return _rounded(_call(self.function, widened, op, rewriter), type, rewriter)


class LowerExp(CallLibdevice):
    """
    `math.exp %x : bf16` -> `llvm.fpext`, `llvm.intr.exp2 (%x * log2(e)) : f32`, `llvm.fptrunc`; wider ones as the base.

    The relative error is at most 2^-16, for results near the largest bf16, and 2^-19 for all of f16: rounding to 8 or
    11 bits hides it. XLA does so, too, for bf16.
    """

    def scalar(
        self, op: Operation, operands: Operands, type: Attribute, rewriter: PatternRewriter, /
    ) -> Operation | SSAValue:
        if not isinstance(type, BFloat16Type | Float16Type):
            return super().scalar(op, operands, type, rewriter)
        exponent = _widened(operands[0], rewriter)
        factor = rewriter.insert(constant(FloatAttr(log2(e), f32), f32)).result
        exponent = rewriter.insert(llvm.FMulOp(exponent, factor)).res
        return llvm.FPTruncOp(rewriter.insert(llvm.FExp2Op(exponent)).res, type)


class LowerIntegerPower(ElementwisePattern):
    """`math.fpowi %x, %n` -> `__nv_powif`, or `__nv_powf` if `%n` is wider than the i32 that the former takes."""

    def scalar(
        self, op: Operation, operands: Operands, type: Attribute, rewriter: PatternRewriter, /
    ) -> Operation | SSAValue:
        base, exponent = operands
        base = _widened(base, rewriter)
        assert isa(exponent.type, IntegerType)
        width = exponent.type.width.data
        if width > i32.width.data:
            exponent = rewriter.insert(llvm.SIToFPOp(exponent, base.type)).results[0]
            return _rounded(_call("__nv_pow", [base, exponent], op, rewriter), type, rewriter)
        if width < i32.width.data:
            exponent = rewriter.insert(llvm.SExtOp(exponent, i32)).res
        return _rounded(_call("__nv_powi", [base, exponent], op, rewriter), type, rewriter)


def _widened(operand: SSAValue, rewriter: PatternRewriter) -> SSAValue:
    """A float as f32 or f64; a value that is not a float stays."""
    type = operand.type
    if not isinstance(type, AnyFloat) or isinstance(type, Float32Type | Float64Type):
        return operand
    if type.bitwidth > f32.bitwidth:
        raise PassFailedException(f"libdevice has no function of {type}: use f64")
    return rewriter.insert(llvm.FPExtOp(operand, f32)).results[0]


def _rounded(call: llvm.CallOp, type: Attribute, rewriter: PatternRewriter) -> Operation:
    """The result of `call`, rounded to the float `type`."""
    if call.results[0].type == type:
        return call
    return llvm.FPTruncOp(rewriter.insert(call).results[0], type)


def _call(name: str, operands: Operands, op: Operation, rewriter: PatternRewriter) -> llvm.CallOp:
    """
    A call of the function `name`, or of its f32 variant, which is declared in the module of `op`.

    The floats among `operands` are of one type, f32 or f64, which the function returns.
    """
    type = operands[0].type
    variant = f"{name}f" if type == f32 else name
    declare(variant, llvm.LLVMFunctionType([operand.type for operand in operands], type), op, rewriter)
    return llvm.CallOp(variant, *operands, return_type=type, fastmath=fast_math(op))


# --- intrinsics of LLVM -----------------------------------------------------------------------------------------------

INTRINSICS: Mapping[type[Operation], type[Operation]] = {
    math.AbsFOp: llvm.FAbsOp,
    math.CeilOp: llvm.FCeilOp,
    math.CopySignOp: llvm.FCopySignOp,
    math.FloorOp: llvm.FFloorOp,
    math.FmaOp: llvm.FMAOp,
    math.RoundEvenOp: intrinsics.RoundEvenOp,
    math.RoundOp: intrinsics.RoundOp,
    math.SqrtOp: llvm.FSqrtOp,
    math.TruncOp: intrinsics.FTruncOp,
}
"""Operations that LLVM has an intrinsic for, and GPUs an instruction or a short sequence."""

FLAGGED: Mapping[type[Operation], type[intrinsics.FlaggedIntegerIntrinsic]] = {
    math.AbsIOp: intrinsics.AbsOp,
    math.CountLeadingZerosOp: intrinsics.CountLeadingZerosOp,
    math.CountTrailingZerosOp: intrinsics.CountTrailingZerosOp,
}


@dataclass(frozen=True)
class Flagged(RowPattern):
    """`math.ctlz %x` -> `llvm.intr.ctlz %x`, with the flag for which the result is defined for every `%x`."""

    target: type[intrinsics.FlaggedIntegerIntrinsic]

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        return self.target(operands[0])


NAN, INFINITE, NORMAL, FINITE = 0b11, 0b10_0000_0100, 0b1_0000_1000, 0b1_1111_1000
"""Classes of floats, as the bits of `llvm.is.fpclass`."""

CLASSES: Mapping[type[Operation], int] = {
    IsFiniteOp: FINITE,
    IsInfOp: INFINITE,
    IsNaNOp: NAN,
    IsNormalOp: NORMAL,
}


@dataclass(frozen=True)
class Classify(RowPattern):
    """`math.isnan %x` -> `llvm.intr.is.fpclass %x`, whose bits are the classes that `math.isnan` tests."""

    classes: int

    def convert(self, op: Operation, operands: Operands, rewriter: PatternRewriter, /) -> Operation:
        return intrinsics.IsFPClassOp(operands[0], self.classes, self.result_type(op))


# --- the pass ---------------------------------------------------------------------------------------------------------


def intrinsic_conversions(types: LLVMTypes) -> Sequence[RewritePattern]:
    """The patterns of operations that are intrinsics of LLVM for every target."""
    return (
        *(FloatTwin(types, op, target) for op, target in INTRINSICS.items()),
        *(Flagged(types, op, target) for op, target in FLAGGED.items()),
        *(Classify(types, op, classes) for op, classes in CLASSES.items()),
        Twin(types, math.CtPopOp, intrinsics.CtPopOp),
    )


class ConvertMathToLibdevicePass(ConversionPass):
    """Lower `math` and `arith.remf` to calls of libdevice, and to intrinsics where PTX has an instruction."""

    name = "convert-math-to-libdevice"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37), `convert-math-to-nvvm` of MLIR'

    def conversions(self, types: LLVMTypes) -> Sequence[RewritePattern]:
        return (
            *(CallLibdevice(types, op, function) for op, function in LIBDEVICE.items()),
            LowerExp(types, math.ExpOp, "__nv_exp"),
            LowerIntegerPower(types, math.FPowIOp),
            *intrinsic_conversions(types),
        )


class ConvertMathToIntrinsicsPass(ConversionPass):
    """
    Lower `math` to intrinsics of LLVM, for AMD's GPUs, which have no library without ROCm.

    Refuses functions that have none: `xla-gpu-expand-math-functions` computes most of them by arithmetic.
    """

    name = "convert-math-to-intrinsics"
    source: ClassVar[str] = "`convert-math-to-rocdl` of MLIR, which calls ROCm's library instead"

    def conversions(self, types: LLVMTypes) -> Sequence[RewritePattern]:
        functions = (*LIBDEVICE, math.ExpOp, math.FPowIOp)
        return *(Refuse(types, op, NO_LIBRARY) for op in functions), *intrinsic_conversions(types)


NO_LIBRARY = "there is no library of functions for AMD's GPUs: run xla-gpu-expand-math-functions first"
