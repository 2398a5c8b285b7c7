"""
Convert floats of 4 and 8 bits with the instructions of NVIDIA's GPUs, where the target has them.

Source: PTX ISA, `cvt`, the packed formats. An instruction converts two floats at once, of which one is used here. It
gives the largest number for what is too large, so that infinity, or NaN in a format without, is chosen afterwards. Run
before `xla-gpu-expand-float-ops`, which writes out the conversions that are left.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    FloatNonfiniteBehavior,
    IntegerType,
    ModuleOp,
    ReducedPrecisionFloatType,
    VectorType,
    f16,
    f32,
    i16,
    i32,
)
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    GreedyRewritePatternApplier,
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)

from xshardy.dialects.extensions.llvm import ExtractElementOp
from xshardy.lowering.targets import PTX_VERSIONS, is_specific
from xshardy.transforms.scalars import Scalar
from xshardy.transforms.xla_gpu.device import ComputeCapability, parse_target
from xshardy.transforms.xla_gpu.small_floats import largest_code

PAIR = VectorType(f16, [2])


@dataclass(frozen=True, slots=True)
class Target:
    """What decides which instructions there are: the GPU, the version of PTX, and whether other GPUs may run it too."""

    capability: ComputeCapability
    ptx: tuple[int, int]
    specific: bool = False

    def has(self, required: "Target") -> bool:
        """Whether this is no older than `required`, in both, and as specific."""
        if required.specific and not self.specific:
            return False
        return required.capability <= self.capability and required.ptx <= self.ptx


F8 = (Target(ComputeCapability(8, 9), (8, 1)), Target(ComputeCapability(9, 0), (7, 8)))
F4 = (Target(ComputeCapability(10, 0), (8, 6), specific=True),)
"""The oldest targets with the instructions for a size of floats."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """The instructions for a small format, as intrinsics of LLVM, and the oldest targets that have them."""

    since: tuple[Target, ...]
    extend: str
    """i16, a pair of small floats, to two f16."""
    truncate: Mapping[Attribute, str]
    """From two f16 or two f32 to an i16."""


INSTRUCTIONS: Mapping[type[Attribute], Instructions] = {
    Float8E4M3FNType: Instructions(
        F8,
        "llvm.nvvm.e4m3x2.to.f16x2.rn",
        {f16: "llvm.nvvm.f16x2.to.e4m3x2.rn", f32: "llvm.nvvm.ff.to.e4m3x2.rn"},
    ),
    Float8E5M2Type: Instructions(
        F8,
        "llvm.nvvm.e5m2x2.to.f16x2.rn",
        {f16: "llvm.nvvm.f16x2.to.e5m2x2.rn", f32: "llvm.nvvm.ff.to.e5m2x2.rn"},
    ),
    Float4E2M1FNType: Instructions(
        F4,
        "llvm.nvvm.e2m1x2.to.f16x2.rn",
        {f32: "llvm.nvvm.ff.to.e2m1x2.rn.satfinite"},
    ),
}


def instructions_for(type: Attribute, target: Target) -> Instructions | None:
    """The instructions for a small float; None if the target has none."""
    found = INSTRUCTIONS.get(type.__class__)
    return found if found and any(map(target.has, found.since)) else None


@dataclass(frozen=True, slots=True)
class ExtendByInstruction(RewritePattern):
    """`arith.extf %x : f8 to f32` -> an intrinsic on `%x` and a zero, and `arith.extf` of the first f16 it gives."""

    target: Target

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.ExtFOp, rewriter: PatternRewriter, /):
        source, result = op.input.type, op.result.type
        instructions = instructions_for(source, self.target)
        if instructions is None or not isinstance(source, ReducedPrecisionFloatType):
            return
        if not isinstance(result, AnyFloat) or isinstance(result, ReducedPrecisionFloatType):
            return
        bits = Scalar(op.input, rewriter).bitcast(IntegerType(source.bitwidth))
        pair = bits.insert(llvm.ZExtOp(bits.value, i16))
        floats = pair.insert(llvm.CallIntrinsicOp(instructions.extend, [pair.value], [PAIR]))
        value = floats.insert(ExtractElementOp(floats.value, floats.constant(0, i32).value))
        if result != f16:
            value = value.to_float(f32)
        rewriter.replace(op, (), (value.to_float(result).value,))


@dataclass(frozen=True, slots=True)
class TruncateByInstruction(RewritePattern):
    """
    `arith.truncf %x : f32 to f8` -> an intrinsic on `%x` and a zero, and what is too large replaced.

    Floats that no instruction takes become f32 first: an f64 is rounded twice then.
    """

    target: Target

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: arith.TruncFOp, rewriter: PatternRewriter, /):
        source, result = op.input.type, op.result.type
        instructions = instructions_for(result, self.target)
        if instructions is None or not isinstance(result, ReducedPrecisionFloatType):
            return
        if not isinstance(source, AnyFloat) or isinstance(source, ReducedPrecisionFloatType):
            return
        value = Scalar(op.input, rewriter)
        if source not in instructions.truncate:
            value = value.to_float(f32)
        intrinsic = instructions.truncate[value.type]
        bits = _truncated(value, intrinsic, IntegerType(result.bitwidth))
        if result.SEMANTICS.nonfinite != FloatNonfiniteBehavior.FINITE_ONLY:
            bits = _with_infinity(bits, value, result)
        rewriter.replace(op, (), (bits.bitcast(result).value,))


def _truncated(value: Scalar, intrinsic: str, bits: IntegerType) -> Scalar:
    """The bits of `value` in a small format, by an intrinsic that puts the second of two floats lowest."""
    zero = value.constant(0.0)
    if value.type == f32:
        pair = value.insert(llvm.CallIntrinsicOp(intrinsic, [zero.value, value.value], [i16]))
    else:
        index = value.constant(0, i32)
        empty = value.insert(llvm.UndefOp(PAIR))
        floats = value.insert(llvm.InsertElementOp(empty.value, value.value, index.value))
        pair = value.insert(llvm.CallIntrinsicOp(intrinsic, [floats.value], [i16]))
    return pair.insert(llvm.TruncOp(pair.value, bits))


def _with_infinity(bits: Scalar, value: Scalar, small: ReducedPrecisionFloatType) -> Scalar:
    """`bits`, but infinity, or NaN if there is none, with the same sign where `value` is too large and no NaN."""
    width, mantissa = (32, 23) if value.type == f32 else (16, 10)
    integer = value.bitcast(IntegerType(width))
    magnitude = integer & (1 << (width - 1)) - 1
    infinity = (1 << (width - 1)) - (1 << mantissa)
    too_large = magnitude.compare(">", last_rounded_down(value.type, small))
    is_infinite = magnitude.insert(arith.AndIOp(too_large.value, magnitude.compare("<=", infinity).value))
    # The instruction gave the largest number, with its sign. What follows it is infinity, or NaN if there is none.
    return is_infinite.select(bits + 1, bits)


def last_rounded_down(wide: Attribute, small: ReducedPrecisionFloatType) -> int:
    """
    The bits, as f16 or f32, of the greatest number that is rounded to the largest one of a small format.

    The middle between that one and what would follow goes to the even of the two.
    """
    format = small.SEMANTICS
    bias, mantissa = (127, 23) if wide == f32 else (15, 10)
    largest = largest_code(format)
    shift = mantissa - format.mantissa_bits
    middle = ((largest + ((bias - format.exponent_bias) << format.mantissa_bits)) << shift) + (1 << (shift - 1))
    return middle - (largest & 1)


@dataclass(frozen=True)
class ConvertFloatNvidiaPass(ModulePass):
    """Convert small floats with instructions, as far as the target and its version of PTX have them."""

    name = "xla-gpu-convert-float-nvidia"
    compute_capability_major: int = 0
    compute_capability_minor: int = 0
    ptx_version_major: int = 0
    ptx_version_minor: int = 0
    specific: bool = True
    """Whether the target is a GPU with what is its own, `sm_100a`: others have no floats of 4 bits."""

    @staticmethod
    def for_target(target: str) -> "ConvertFloatNvidiaPass":
        """The pass for a target such as `sm_90`. Raises `ValueError` for an unknown one."""
        capability, version = parse_target(target), PTX_VERSIONS.get(target, (0, 0))
        return ConvertFloatNvidiaPass(capability.major, capability.minor, *version, is_specific(target))

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        target = Target(
            ComputeCapability(self.compute_capability_major, self.compute_capability_minor),
            (self.ptx_version_major, self.ptx_version_minor),
            self.specific,
        )
        patterns = GreedyRewritePatternApplier([ExtendByInstruction(target), TruncateByInstruction(target)])
        PatternRewriteWalker(patterns, apply_recursively=False).rewrite_module(op)
