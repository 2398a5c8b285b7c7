"""
The instructions that convert pairs of floats of 4 and 8 bits, by vendor.

NVIDIA's saturate to the largest number, so infinity, or NaN in formats without it, is selected afterwards. Source: PTX
ISA, `cvt`, the packed formats. AMD's overflow to these; source: AMD's ISA documents of CDNA3 and RDNA4,
`V_CVT_PK_FP8_F32` and others, with `FP16_OVFL` of the mode register 0 as in all kernels of LLVM.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    AnyFloat,
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E4M3FNUZType,
    Float8E5M2FNUZType,
    Float8E5M2Type,
    FloatNonfiniteBehavior,
    IntegerType,
    ReducedPrecisionFloatType,
    VectorType,
    bf16,
    f16,
    f32,
    i1,
    i16,
    i32,
)
from xdsl.ir import Attribute

from xshardy.dialects.extensions.llvm import ExtractElementOp
from xshardy.gpus.capability import ComputeCapability
from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.small_floats import largest_code

PAIR = VectorType(f16, [2])


@dataclass(frozen=True, slots=True)
class Target:
    """
    The properties that determine the available instructions: the GPU, the PTX version, and architecture-specific
    features.
    """

    capability: ComputeCapability
    ptx: tuple[int, int]
    specific: bool = False

    def has(self, required: "Target") -> bool:
        """Whether this target is no older than `required` in both versions, and as specific."""
        if required.specific and not self.specific:
            return False
        return required.capability <= self.capability and required.ptx <= self.ptx


F8 = (Target(ComputeCapability(8, 9), (8, 1)), Target(ComputeCapability(9, 0), (7, 8)))
F4 = (Target(ComputeCapability(10, 0), (8, 6), specific=True),)
"""The oldest targets with instructions for each size of floats."""


@dataclass(frozen=True, slots=True)
class Instructions:
    """How the instructions of a target convert pairs of floats of a small format."""

    accepts: frozenset[Attribute]
    """The floats that become small ones."""
    extend: Callable[[Scalar], Scalar]
    """From i16, a pair of small floats, lower one first, to a vector of two f16 or f32."""
    extend_one: Callable[[Scalar], Scalar]
    """From an integer, the bits of one, to f16 or f32."""
    truncate: Callable[[Scalar, Scalar], Scalar]
    """From two floats of one of these types, lower one first, to an i16."""
    saturates: bool
    """Whether a float that is too large becomes the largest number."""


Available: TypeAlias = Mapping[type[Attribute], Instructions]
"""What a target has, by the small format."""


def _nvidia(extend: str, truncate: Mapping[Attribute, str]) -> Instructions:
    """The instructions behind LLVM's intrinsics: from i16 to two f16, and from two f16 or two f32 to an i16."""

    def extended(pair: Scalar) -> Scalar:
        return pair.insert(llvm.CallIntrinsicOp(extend, [pair.value], [PAIR]))

    def extended_one(bits: Scalar) -> Scalar:
        return element(extended(bits.insert(llvm.ZExtOp(bits.value, i16))), 0)

    def truncated(low: Scalar, high: Scalar) -> Scalar:
        intrinsic = truncate[low.type]
        if low.type == f32:
            return low.insert(llvm.CallIntrinsicOp(intrinsic, [high.value, low.value], [i16]))
        floats = with_elements(low.insert(llvm.UndefOp(PAIR)), (low, high))
        return floats.insert(llvm.CallIntrinsicOp(intrinsic, [floats.value], [i16]))

    return Instructions(frozenset(truncate), extended, extended_one, truncated, saturates=True)


NVIDIA_INSTRUCTIONS: Mapping[type[Attribute], tuple[tuple[Target, ...], Instructions]] = {
    Float8E4M3FNType: (
        F8,
        _nvidia(
            "llvm.nvvm.e4m3x2.to.f16x2.rn",
            {f16: "llvm.nvvm.f16x2.to.e4m3x2.rn", f32: "llvm.nvvm.ff.to.e4m3x2.rn"},
        ),
    ),
    Float8E5M2Type: (
        F8,
        _nvidia(
            "llvm.nvvm.e5m2x2.to.f16x2.rn",
            {f16: "llvm.nvvm.f16x2.to.e5m2x2.rn", f32: "llvm.nvvm.ff.to.e5m2x2.rn"},
        ),
    ),
    Float4E2M1FNType: (
        F4,
        _nvidia("llvm.nvvm.e2m1x2.to.f16x2.rn", {f32: "llvm.nvvm.ff.to.e2m1x2.rn.satfinite"}),
    ),
}
"""The oldest targets with instructions for a format, and these."""


def nvidia_instructions(target: Target) -> Available:
    """What an NVIDIA GPU has."""
    return {type: found for type, (since, found) in NVIDIA_INSTRUCTIONS.items() if any(map(target.has, since))}


def _amd(format: str) -> Instructions:
    """The instructions behind LLVM's intrinsics for a format that AMD calls `fp8` or `bf8`, whichever it is."""

    def extended(pair: Scalar) -> Scalar:
        word = pair.insert(llvm.ZExtOp(pair.value, i32))
        half = word.constant(0, i1)
        return word.insert(
            llvm.CallIntrinsicOp(f"llvm.amdgcn.cvt.pk.f32.{format}", [word.value, half.value], [VectorType(f32, [2])])
        )

    def extended_one(bits: Scalar) -> Scalar:
        word = bits.insert(llvm.ZExtOp(bits.value, i32))
        operands = [word.value, word.constant(0).value]
        return word.insert(llvm.CallIntrinsicOp(f"llvm.amdgcn.cvt.f32.{format}", operands, [f32]))

    def truncated(low: Scalar, high: Scalar) -> Scalar:
        operands = [low.value, high.value, low.constant(0, i32).value, low.constant(0, i1).value]
        word = low.insert(llvm.CallIntrinsicOp(f"llvm.amdgcn.cvt.pk.{format}.f32", operands, [i32]))
        return word.insert(llvm.TruncOp(word.value, i16))

    return Instructions(frozenset((f32,)), extended, extended_one, truncated, saturates=False)


F8_TYPES: Mapping[str, type[Attribute]] = {
    type.name: type for type in (Float8E4M3FNType, Float8E4M3FNUZType, Float8E5M2Type, Float8E5M2FNUZType)
}


def amd_instructions(formats: Mapping[str, str]) -> Available:
    """What an AMD GPU has that calls the formats of these types (values) so (keys)."""
    return {F8_TYPES[type]: _amd(format) for format, type in formats.items()}


def element(vector: Scalar, position: int) -> Scalar:
    """The element of a vector at `position`."""
    return vector.insert(ExtractElementOp(vector.value, vector.constant(position, i32).value))


def with_elements(vector: Scalar, elements: Sequence[Scalar]) -> Scalar:
    """`vector` with its first elements replaced."""
    for position, value in enumerate(elements):
        index = vector.constant(position, i32)
        vector = vector.insert(llvm.InsertElementOp(vector.value, value.value, index.value))
    return vector


def convertible(value: Scalar, instructions: Instructions) -> Scalar:
    """`value` as a float that an instruction accepts; other floats become f32. An f64 is then rounded twice."""
    return value if value.type in instructions.accepts else value.to_float(f32)


def widened(value: Scalar, type: AnyFloat) -> Scalar:
    """A small float that has become f16 or f32 as another float, exactly: upper bits of an f32 are a bf16."""
    if value.type == f32 and type == bf16:
        bits = value.insert(llvm.BitcastOp(value.value, i32)) >> 16
        return value.insert(llvm.BitcastOp(bits.resize(i16).value, bf16))
    return value if value.type == type else value.to_float(f32).to_float(type)


def misses_overflow(small: ReducedPrecisionFloatType, instructions: Instructions) -> bool:
    """Whether instructions saturate, and the format has infinity or NaN after the largest number."""
    return instructions.saturates and small.SEMANTICS.nonfinite != FloatNonfiniteBehavior.FINITE_ONLY


def is_too_large(value: Scalar, small: ReducedPrecisionFloatType) -> Scalar:
    """Whether `value` rounds to infinity, or to NaN in formats without it, and is not NaN itself."""
    width, mantissa = (32, 23) if value.type == f32 else (16, 10)
    integer = value.bitcast(IntegerType(width))
    magnitude = integer & (1 << (width - 1)) - 1
    infinity = (1 << (width - 1)) - (1 << mantissa)
    too_large = magnitude.compare(">", greatest_not_overflowing(value.type, small))
    return magnitude.insert(arith.AndIOp(too_large.value, magnitude.compare("<=", infinity).value))


def greatest_not_overflowing(wide: Attribute, small: ReducedPrecisionFloatType) -> int:
    """
    The bits, as f16 or f32, of the greatest number that rounds to the largest one of a small format.

    A tie, halfway to the next code, rounds to even.
    """
    format = small.SEMANTICS
    bias, mantissa = (127, 23) if wide == f32 else (15, 10)
    largest = largest_code(format)
    shift = mantissa - format.mantissa_bits
    middle = ((largest + ((bias - format.exponent_bias) << format.mantissa_bits)) << shift) + (1 << (shift - 1))
    return middle - (largest & 1)
