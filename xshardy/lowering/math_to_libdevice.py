"""
`math` to the llvm dialect: to calls of NVIDIA's libdevice, and to intrinsics of LLVM where PTX has an instruction.

libdevice has functions of f32 and f64. A narrower float is widened to f32 for the call and rounded again after it; a
vector is taken apart. Source: spec row XGPU-37, and MLIR's `convert-math-to-nvvm` for the names.
"""

from collections.abc import Callable, Mapping

from xdsl.context import Context
from xdsl.dialects import llvm, math
from xdsl.dialects.builtin import AnyFloat, Float32Type, Float64Type, IntegerType, ModuleOp, VectorType, f32, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.dialects.extensions import llvm_intrinsics as intrinsics
from xshardy.dialects.extensions.arith import RemFOp
from xshardy.dialects.extensions.llvm import ExtractElementOp, PoisonOp
from xshardy.dialects.extensions.math import ErfcOp, IsFiniteOp, IsInfOp, IsNaNOp, IsNormalOp
from xshardy.lowering.conversion import Rule, Site, convert, fast_math, float_twin, twin

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
    math.ExpOp: "__nv_exp",
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
"""Operations that LLVM has an intrinsic for, and PTX an instruction or a short sequence."""

NAN, INFINITE, NORMAL, FINITE = 0b11, 0b10_0000_0100, 0b1_0000_1000, 0b1_1111_1000
"""Classes of floats, as the bits of `llvm.is.fpclass`."""


def elementwise(build: Callable[[Site, list[SSAValue], Attribute], SSAValue]) -> Rule:
    """Apply `build`, which makes a scalar of the given type from scalars, to each element of vectors, or to scalars."""

    def rule(at: Site) -> SSAValue:
        type = at.result_type
        if not isa(type, VectorType):
            return build(at, list(at.operands), type)
        result = at.insert(PoisonOp(type))
        for lane in range(type.get_shape()[0]):
            position = at.constant(lane, i64)
            elements = [at.insert(ExtractElementOp(operand, position)) for operand in at.operands]
            result = at.insert(llvm.InsertElementOp(result, build(at, elements, type.element_type), position))
        return result

    return rule


def call_libdevice(name: str) -> Rule:
    """`math.tanh %x : bf16` -> `llvm.fpext`, `llvm.call @__nv_tanhf : (f32) -> f32`, `llvm.fptrunc`."""

    def build(at: Site, operands: list[SSAValue], type: Attribute) -> SSAValue:
        return _rounded(at, _call(at, name, [_widened(at, operand) for operand in operands]), type)

    return elementwise(build)


def _widened(at: Site, operand: SSAValue) -> SSAValue:
    """A float as f32 or f64; what is no float stays."""
    type = operand.type
    if not isinstance(type, AnyFloat) or isinstance(type, Float32Type | Float64Type):
        return operand
    if type.bitwidth > f32.bitwidth:
        raise PassFailedException(f"libdevice has no function of {type}: use f64")
    return at.insert(llvm.FPExtOp(operand, f32))


def _rounded(at: Site, value: SSAValue, type: Attribute) -> SSAValue:
    return value if value.type == type else at.insert(llvm.FPTruncOp(value, type))


def _call(at: Site, name: str, operands: list[SSAValue]) -> SSAValue:
    """The function `name`, or its f32 variant, applied to floats of one type, f32 or f64, which it returns."""
    type = operands[0].type
    variant = f"{name}f" if type == f32 else name
    at.converter.declare(variant, llvm.LLVMFunctionType([operand.type for operand in operands], type))
    return at.insert(llvm.CallOp(variant, *operands, return_type=type, fastmath=fast_math(at.op)))


def _integer_power(at: Site, operands: list[SSAValue], type: Attribute) -> SSAValue:
    """`math.fpowi %x, %n` -> `__nv_powif`, or `__nv_powf` if `%n` is wider than the i32 that the former takes."""
    base, exponent = operands
    base = _widened(at, base)
    assert isa(exponent.type, IntegerType)
    width = exponent.type.width.data
    if width > i32.width.data:
        return _rounded(at, _call(at, "__nv_pow", [base, at.insert(llvm.SIToFPOp(exponent, base.type))]), type)
    if width < i32.width.data:
        exponent = at.insert(llvm.SExtOp(exponent, i32))
    return _rounded(at, _call(at, "__nv_powi", [base, exponent]), type)


def classify(classes: int) -> Rule:
    """`math.isnan %x` -> `llvm.intr.is.fpclass`."""
    return lambda at: at.insert(intrinsics.IsFPClassOp(at.operands[0], classes, at.result_type))


def flagged(target: type[intrinsics.FlaggedIntegerIntrinsic]) -> Rule:
    """`math.ctlz %x` -> `llvm.intr.ctlz`, whose result is defined for every `%x`."""
    return lambda at: at.insert(target(at.operands[0]))


RULES: Mapping[type[Operation], Rule] = {
    **{op: call_libdevice(name) for op, name in LIBDEVICE.items()},
    **{op: float_twin(target) for op, target in INTRINSICS.items()},
    IsFiniteOp: classify(FINITE),
    IsInfOp: classify(INFINITE),
    IsNaNOp: classify(NAN),
    IsNormalOp: classify(NORMAL),
    math.AbsIOp: flagged(intrinsics.AbsOp),
    math.CountLeadingZerosOp: flagged(intrinsics.CountLeadingZerosOp),
    math.CountTrailingZerosOp: flagged(intrinsics.CountTrailingZerosOp),
    math.CtPopOp: twin(intrinsics.CtPopOp),
    math.FPowIOp: elementwise(_integer_power),
}


class ConvertMathToLibdevicePass(ModulePass):
    """Lower `math` and `arith.remf` to calls of libdevice, and to intrinsics where PTX has an instruction."""

    name = "convert-math-to-libdevice"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        convert(op, RULES)
