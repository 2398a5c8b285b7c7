"""
Expand float operations that the target lacks.

The target has no arithmetic on floats of less than 16 bits, and LLVM has no types for them: they are computed as f32
and converted with integer arithmetic, see `small_floats`. `math.erf` and, optionally, `math.tanh` are approximated.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp, ReducedPrecisionFloatType, f32
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.extensions.arith import RemFOp
from xshardy.rewriting import TO_FIXPOINT, PatternPass, Walk, match_op_type
from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.unused_operations import EraseUnusedOperation
from xshardy.transforms.xla_gpu import approximations
from xshardy.transforms.xla_gpu.small_floats import has_negative_zero, nan_code, narrow, widen

Arithmetic = (
    arith.FloatingPointLikeBinaryOperation
    | arith.NegfOp
    | math.FloatingPointLikeUnaryMathOperation
    | math.FloatingPointLikeBinaryMathOperation
    | math.FmaOp
    | RemFOp
)
"""An operation from floats of one type to the same."""


def is_small(type: Attribute) -> bool:
    """Whether `type` is a float type that both LLVM and the target lack."""
    return isinstance(type, ReducedPrecisionFloatType)


class ApproximateErf(RewritePattern):
    """`math.erf %x : f32` -> a quotient of polynomials."""

    @match_op_type
    def match_and_rewrite(self, op: math.ErfOp, rewriter: PatternRewriter, /):
        if op.operand.type == f32:
            rewriter.replace(op, (), (approximations.erf(Scalar(op.operand, rewriter)).value,))


class ApproximateTanh(RewritePattern):
    """`math.tanh %x : f32` -> a quotient of polynomials."""

    @match_op_type
    def match_and_rewrite(self, op: math.TanhOp, rewriter: PatternRewriter, /):
        if op.operand.type == f32:
            rewriter.replace(op, (), (approximations.tanh(Scalar(op.operand, rewriter)).value,))


class ExtendSmallFloat(RewritePattern):
    """`arith.extf %x : f8 to f16` -> integer arithmetic that gives an f32, which is converted to f16."""

    @match_op_type
    def match_and_rewrite(self, op: arith.ExtFOp, rewriter: PatternRewriter, /):
        if is_small(op.input.type):
            _convert(op, rewriter)


class TruncateToSmallFloat(RewritePattern):
    """`arith.truncf %x : f32 to f8` -> integer arithmetic."""

    @match_op_type
    def match_and_rewrite(self, op: arith.TruncFOp, rewriter: PatternRewriter, /):
        if is_small(op.result.type):
            _convert(op, rewriter)


def _convert(op: arith.ExtFOp | arith.TruncFOp, rewriter: PatternRewriter) -> None:
    target = op.result.type
    value = Scalar(op.input, rewriter)
    if is_small(value.type):
        value = widen(value)
    if isinstance(target, ReducedPrecisionFloatType):
        value = narrow(value, target)
    else:
        assert isinstance(target, AnyFloat)
        value = value.to_float(target)
    rewriter.replace(op, (), (value.value,))


class CompareSmallFloats(RewritePattern):
    """`arith.cmpf %x, %y : f8` -> `arith.cmpf` of both as f32, which is exact."""

    @match_op_type
    def match_and_rewrite(self, op: arith.CmpfOp, rewriter: PatternRewriter, /):
        if not is_small(op.lhs.type):
            return
        lhs, rhs = (widen(Scalar(operand, rewriter)).value for operand in op.operands)
        properties = {**op.properties}
        rewriter.replace(
            op, arith.CmpfOp.create(operands=[lhs, rhs], properties=properties, result_types=op.result_types)
        )


class AbsOfSmallFloat(RewritePattern):
    """`math.absf %x : f8` -> the bits without the sign; the code of minus zero is kept in formats where it is NaN."""

    @match_op_type
    def match_and_rewrite(self, op: math.AbsFOp, rewriter: PatternRewriter, /):
        type = op.operand.type
        if not isinstance(type, ReducedPrecisionFloatType):
            return
        format = type.SEMANTICS
        bits = Scalar(op.operand, rewriter).bitcast(IntegerType(format.bitwidth))
        magnitude = bits & (1 << format.sign_shift) - 1
        if not has_negative_zero(format):
            magnitude = bits.compare("==", nan_code(format)).select(bits, magnitude)
        rewriter.replace(op, (), (magnitude.bitcast(type).value,))


class SmallFloatToInteger(RewritePattern):
    """`arith.fptosi %x : f8 to i32` -> `arith.fptosi` of `%x` as f32, which is exact."""

    @match_op_type
    def match_and_rewrite(self, op: arith.FPToSIOp | arith.FPToUIOp, rewriter: PatternRewriter, /):
        if is_small(op.input.type):
            rewriter.replace(op, type(op)(widen(Scalar(op.input, rewriter)).value, op.result.type))


class IntegerToSmallFloat(RewritePattern):
    """
    `arith.sitofp %i : i32 to f8` -> `arith.sitofp` to f32, truncated.

    The double rounding is harmless: f32 rounds only integers beyond the range of f8.
    """

    @match_op_type
    def match_and_rewrite(self, op: arith.SIToFPOp | arith.UIToFPOp, rewriter: PatternRewriter, /):
        if not isinstance(op.result.type, ReducedPrecisionFloatType):
            return
        number = Scalar(op.input, rewriter).insert(type(op)(op.input, f32))
        rewriter.replace(op, (), (narrow(number, op.result.type).value,))


class ComputeSmallFloatsAsF32(RewritePattern):
    """
    `arith.addf %x, %y : f8` -> `arith.addf` of both as f32, truncated.

    The double rounding is harmless: f32 has more than twice the precision.
    """

    @match_op_type
    def match_and_rewrite(self, op: Arithmetic, rewriter: PatternRewriter, /):
        result_type = op.results[0].type
        if not isinstance(result_type, ReducedPrecisionFloatType):
            return
        operands = [widen(Scalar(operand, rewriter)).value for operand in op.operands]
        wide = type(op).create(
            operands=operands, result_types=[f32], properties=op.properties, attributes=op.attributes
        )
        number = Scalar(rewriter.insert(wide).results[0], rewriter)
        rewriter.replace(op, (), (narrow(number, result_type).value,))


SMALL_FLOAT_PATTERNS = (
    ExtendSmallFloat(),
    TruncateToSmallFloat(),
    CompareSmallFloats(),
    AbsOfSmallFloat(),
    SmallFloatToInteger(),
    IntegerToSmallFloat(),
    ComputeSmallFloatsAsF32(),
)


@dataclass(frozen=True)
class ExpandFloatOpsPass(PatternPass):
    """
    Expand float operations that the target lacks.

    With `approximate_tanh=false`, `math.tanh` is left to the target's library, which is slower and more accurate.
    """

    name = "xla-gpu-expand-float-ops"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM", expand_float_ops (XGPU-37)'
    walk: ClassVar[Walk] = TO_FIXPOINT
    approximate_tanh: bool = True

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        approximations = (ApproximateErf(), ApproximateTanh()) if self.approximate_tanh else (ApproximateErf(),)
        return (EraseUnusedOperation(), *approximations, *SMALL_FLOAT_PATTERNS)
