"""
The instructions of NVIDIA GPUs that convert pairs of floats of 4 and 8 bits.

They saturate to the largest number, so infinity, or NaN in formats without it, is selected afterwards. Source: PTX ISA,
`cvt`, the packed formats.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import (
    Float4E2M1FNType,
    Float8E4M3FNType,
    Float8E5M2Type,
    FloatNonfiniteBehavior,
    IntegerType,
    ReducedPrecisionFloatType,
    VectorType,
    f16,
    f32,
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
    """The instructions for a small format as LLVM intrinsics, and the oldest targets that have them."""

    since: tuple[Target, ...]
    extend: str
    """From i16, a pair of small floats, to two f16."""
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


def extended(pair: Scalar, instructions: Instructions) -> Scalar:
    """The two small floats in an i16 as a vector of two f16, lower one first."""
    return pair.insert(llvm.CallIntrinsicOp(instructions.extend, [pair.value], [PAIR]))


def element(vector: Scalar, position: int) -> Scalar:
    """The element of a vector at `position`."""
    return vector.insert(ExtractElementOp(vector.value, vector.constant(position, i32).value))


def with_elements(vector: Scalar, elements: Sequence[Scalar]) -> Scalar:
    """`vector` with its first elements replaced."""
    for position, value in enumerate(elements):
        index = vector.constant(position, i32)
        vector = vector.insert(llvm.InsertElementOp(vector.value, value.value, index.value))
    return vector


def truncated(low: Scalar, high: Scalar, instructions: Instructions) -> Scalar:
    """The pair of two floats as an i16. Precondition: an instruction accepts their type."""
    intrinsic = instructions.truncate[low.type]
    if low.type == f32:
        return low.insert(llvm.CallIntrinsicOp(intrinsic, [high.value, low.value], [i16]))
    floats = with_elements(low.insert(llvm.UndefOp(PAIR)), (low, high))
    return floats.insert(llvm.CallIntrinsicOp(intrinsic, [floats.value], [i16]))


def convertible(value: Scalar, instructions: Instructions) -> Scalar:
    """`value` as a float that an instruction accepts; other floats become f32. An f64 is then rounded twice."""
    return value if value.type in instructions.truncate else value.to_float(f32)


def has_infinity(small: ReducedPrecisionFloatType) -> bool:
    """Whether the format has infinity or NaN after the largest number, for overflow; instructions saturate."""
    return small.SEMANTICS.nonfinite != FloatNonfiniteBehavior.FINITE_ONLY


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
