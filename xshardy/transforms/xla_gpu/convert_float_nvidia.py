"""
Convert floats of 4 and 8 bits with instructions of NVIDIA GPUs, if the target has them.

An instruction converts a pair of floats. Adjacent elements of a vector form a pair; any other float is the lower one of
a pair whose upper one is unused. Run before `xla-gpu-expand-float-ops`, which expands the remaining conversions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import AnyFloat, IntegerType, ModuleOp, ReducedPrecisionFloatType, f16, f32, i16
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.gpus.capability import ComputeCapability, parse_target
from xshardy.lowering.ptx_versions import PTX_VERSIONS, is_specific
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.unused_operations import EraseUnusedOperation
from xshardy.transforms.xla_gpu.convert_float_pairs import ExtendPairs, TruncatePairs
from xshardy.transforms.xla_gpu.float_instructions import (
    Target,
    convertible,
    element,
    extended,
    has_infinity,
    instructions_for,
    is_too_large,
    truncated,
)


@dataclass(frozen=True, slots=True)
class ExtendByInstruction(RewritePattern):
    """
    `arith.extf %x : f8 to f32` -> an intrinsic on `%x` and a zero, and `arith.extf` of the first f16 of its result.
    """

    target: Target

    @match_op_type
    def match_and_rewrite(self, op: arith.ExtFOp, rewriter: PatternRewriter, /):
        source, result = op.input.type, op.result.type
        instructions = instructions_for(source, self.target)
        if instructions is None or not isinstance(source, ReducedPrecisionFloatType):
            return
        if not isinstance(result, AnyFloat) or isinstance(result, ReducedPrecisionFloatType):
            return
        bits = Scalar(op.input, rewriter).bitcast(IntegerType(source.bitwidth))
        pair = bits.insert(llvm.ZExtOp(bits.value, i16))
        value = element(extended(pair, instructions), 0)
        if result != f16:
            value = value.to_float(f32)
        rewriter.replace(op, (), (value.to_float(result).value,))


@dataclass(frozen=True, slots=True)
class TruncateByInstruction(RewritePattern):
    """
    `arith.truncf %x : f32 to f8` -> an intrinsic on `%x` and a zero, and a select for overflow.

    Floats that no instruction accepts become f32 first: an f64 is then rounded twice.
    """

    target: Target

    @match_op_type
    def match_and_rewrite(self, op: arith.TruncFOp, rewriter: PatternRewriter, /):
        source, result = op.input.type, op.result.type
        instructions = instructions_for(result, self.target)
        if instructions is None or not isinstance(result, ReducedPrecisionFloatType):
            return
        if not isinstance(source, AnyFloat) or isinstance(source, ReducedPrecisionFloatType):
            return
        value = convertible(Scalar(op.input, rewriter), instructions)
        pair = truncated(value, value.constant(0.0), instructions)
        bits = pair.insert(llvm.TruncOp(pair.value, IntegerType(result.bitwidth)))
        if has_infinity(result):
            # The instruction saturates, with the sign. Infinity, or NaN in formats without it, is the next code.
            bits = is_too_large(value, result).select(bits + 1, bits)
        rewriter.replace(op, (), (bits.bitcast(result).value,))


@dataclass(frozen=True)
class ConvertFloatNvidiaPass(PatternPass):
    """Convert small floats with instructions, as supported by the target and its version of PTX."""

    name = "xla-gpu-convert-float-nvidia"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM", convert_float_nvidia (XGPU-37); PTX ISA, `cvt`'
    compute_capability_major: int = 0
    compute_capability_minor: int = 0
    ptx_version_major: int = 0
    ptx_version_minor: int = 0
    specific: bool = True
    """Whether the target includes architecture-specific features, `sm_100a`: only these have floats of 4 bits."""

    @staticmethod
    def for_target(target: str) -> "ConvertFloatNvidiaPass":
        """The pass for a target such as `sm_90`. Raises `ValueError` for an unknown one."""
        capability, version = parse_target(target), PTX_VERSIONS.get(target, (0, 0))
        return ConvertFloatNvidiaPass(capability.major, capability.minor, *version, is_specific(target))

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        target = Target(
            ComputeCapability(self.compute_capability_major, self.compute_capability_minor),
            (self.ptx_version_major, self.ptx_version_minor),
            self.specific,
        )
        yield Step((EraseUnusedOperation(), ExtendPairs(target), TruncatePairs(target)))
        yield Step((EraseUnusedOperation(), ExtendByInstruction(target), TruncateByInstruction(target)))
