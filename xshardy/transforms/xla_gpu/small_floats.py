"""
Floats of 4 to 8 bits as integers: conversion to f32, and from f32 or f64.

The rules work on the `FloatSemantics` of a small format. Two formats have special rules: f8E5M2, an f16 without its
lower half, and f8E8M0FNU, only an exponent. Results are those of the package ml_dtypes: rounding is to nearest, ties to
even; overflow gives infinity, in a format without infinities NaN, and in one without NaN the largest number.
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import (
    BFloat16Type,
    Float8E5M2Type,
    Float16Type,
    Float32Type,
    Float64Type,
    FloatNanEncoding,
    FloatNonfiniteBehavior,
    FloatSemantics,
    IntegerType,
    ReducedPrecisionFloatType,
    f16,
    f32,
    i16,
    i32,
)

from xshardy.rewriting.scalars import Scalar


@dataclass(frozen=True, slots=True)
class WideFormat:
    """The layout of f32 or f64: total bits, mantissa bits, and exponent bias."""

    bits: int
    mantissa: int
    bias: int

    def code(self, exponent: int) -> int:
        """The bits of `2**exponent`, a normal number."""
        return (exponent + self.bias) << self.mantissa

    @property
    def infinity(self) -> int:
        """The bits of infinity: greater than those of all numbers, less than those of NaNs."""
        return self.code(self.bias + 1)

    @property
    def sign(self) -> int:
        """The sign bit."""
        return 1 << (self.bits - 1)


F32 = WideFormat(32, 23, 127)
F64 = WideFormat(64, 52, 1023)


def infinity_code(format: FloatSemantics) -> int:
    """The bits of the result of an overflow."""
    match format.nonfinite:
        case FloatNonfiniteBehavior.IEEE:
            return format.max_exponent << format.mantissa_bits
        case FloatNonfiniteBehavior.NAN_ONLY:
            return nan_code(format)
        case FloatNonfiniteBehavior.FINITE_ONLY:
            return largest_code(format)


def nan_code(format: FloatSemantics) -> int:
    """The bits of NaN, without a sign if it may have one; those of minus zero in the format without NaN."""
    if format.nonfinite == FloatNonfiniteBehavior.FINITE_ONLY:
        return 1 << format.sign_shift
    match format.nan_encoding:
        case FloatNanEncoding.IEEE:
            return infinity_code(format) | 1 << (format.mantissa_bits - 1)
        case FloatNanEncoding.ALL_ONES:
            return (1 << format.sign_shift) - 1
        case FloatNanEncoding.NEGATIVE_ZERO:
            return 1 << format.sign_shift


def largest_code(format: FloatSemantics) -> int:
    """The bits of the largest number."""
    match format.nonfinite, format.nan_encoding:
        case FloatNonfiniteBehavior.IEEE, _:
            return infinity_code(format) - 1
        case FloatNonfiniteBehavior.NAN_ONLY, FloatNanEncoding.ALL_ONES:
            return nan_code(format) - 1
        case _:
            return (1 << format.sign_shift) - 1


def has_negative_zero(format: FloatSemantics) -> bool:
    """Whether minus zero is a number; its code is NaN in the FNUZ formats."""
    return format.nan_encoding != FloatNanEncoding.NEGATIVE_ZERO


# -- Small to wide -----------------------------------------------------------------------------------------------------


def widen(x: Scalar) -> Scalar:
    """The small float `x` as an f32, which represents all its values."""
    assert isinstance(x.type, ReducedPrecisionFloatType)
    format = x.type.SEMANTICS
    bits = x.bitcast(IntegerType(format.bitwidth))
    if isinstance(x.type, Float8E5M2Type):
        return (bits.resize(i16) << 8).bitcast(f16).to_float(f32)
    bits = bits.resize(i32)
    if not format.has_sign:
        return _widen_exponent(bits, format)

    magnitude = bits & (1 << format.sign_shift) - 1
    shifted = magnitude << (F32.mantissa - format.mantissa_bits)
    # Read as an f32, only the exponent bias is wrong; a subnormal becomes normal by its correction.
    number = (shifted.bitcast(f32) * 2.0 ** (F32.bias - format.exponent_bias)).bitcast(i32)
    match format.nonfinite, format.nan_encoding:
        case FloatNonfiniteBehavior.IEEE, _:
            number = magnitude.compare(">=", infinity_code(format)).select(shifted | F32.infinity, number)
        case FloatNonfiniteBehavior.NAN_ONLY, FloatNanEncoding.ALL_ONES:
            number = magnitude.compare("==", nan_code(format)).select(shifted | F32.infinity, number)
        case FloatNonfiniteBehavior.NAN_ONLY, _:
            number = bits.compare("==", nan_code(format)).select(F32.infinity | 1 << (F32.mantissa - 1), number)
        case _:
            pass
    sign = (bits & 1 << format.sign_shift) << (F32.bits - format.bitwidth)
    return (number | sign).bitcast(f32)


def _widen_exponent(bits: Scalar, format: FloatSemantics) -> Scalar:
    """Shift the exponent to its position; the smallest power of two is a subnormal f32, and all ones are NaN."""
    assert format.exponent_bias == F32.bias
    number = bits << F32.mantissa
    number = bits.compare("==", 0).select(1 << (F32.mantissa - 1), number)
    return bits.compare("==", nan_code(format)).select(F32.infinity | 1 << (F32.mantissa - 1), number).bitcast(f32)


# -- Wide to small -----------------------------------------------------------------------------------------------------


def narrow(x: Scalar, to: ReducedPrecisionFloatType) -> Scalar:
    """The float `x`, of 16 bits or more, rounded to the small type `to`."""
    match x.type, to:
        case Float16Type(), Float8E5M2Type():
            return _drop_lower_half(x, to)
        case BFloat16Type(), Float8E5M2Type():
            # No double rounding: f16 rounds the 8 bits of a bf16 only where f8E5M2 has 0 or infinity.
            return _drop_lower_half(x.to_float(f32).to_float(f16), to)
        case Float16Type() | BFloat16Type(), _:
            return _narrow(x.to_float(f32), F32, to)
        case Float32Type(), _:
            return _narrow(x, F32, to)
        case Float64Type(), _:
            return _narrow(x, F64, to)
        case _:
            raise TypeError(f"no conversion from {x.type} to {to}")


def _narrow(x: Scalar, wide: WideFormat, to: ReducedPrecisionFloatType) -> Scalar:
    format = to.SEMANTICS
    bits = x.bitcast(IntegerType(wide.bits))
    magnitude = bits & wide.sign - 1
    if not format.has_sign:
        return _narrow_to_exponent(bits, wide, format).resize(IntegerType(format.bitwidth)).bitcast(to)

    dropped = wide.mantissa - format.mantissa_bits
    smallest_exponent = 1 - format.exponent_bias
    code = (_round(magnitude, dropped) >> dropped) - (wide.bias - format.exponent_bias << format.mantissa_bits)
    code = code.compare(">", largest_code(format)).select(infinity_code(format), code)
    # Adding this power of two rounds a number at the last bit of the format's smallest numbers. Its own bits are above
    # those of the format.
    magic = bits.constant(wide.code(smallest_exponent + dropped)).bitcast(x.type)
    subnormal = (magnitude.bitcast(x.type) + magic).bitcast(bits.type)
    code = magnitude.compare("<", wide.code(smallest_exponent)).select(subnormal, code)

    small = IntegerType(format.bitwidth)
    sign = ((bits >> (wide.bits - format.bitwidth)) & 1 << format.sign_shift).resize(small)
    code = magnitude.compare(">", wide.infinity).select(nan_code(format), code).resize(small)
    if has_negative_zero(format):
        return (code | sign).bitcast(to)
    return code.compare("==", 0).select(0, code | sign).bitcast(to)


def _round(bits: Scalar, dropped: int) -> Scalar:
    """`bits` plus a rounding increment, so that truncation of the lowest bits rounds to nearest, ties to even."""
    return bits + ((bits >> dropped) & 1) + ((1 << (dropped - 1)) - 1)


def _drop_lower_half(x: Scalar, to: ReducedPrecisionFloatType) -> Scalar:
    """f16 to f8E5M2: equal exponents, so rounding needs no cases, and a carry gives infinity."""
    bits = x.bitcast(i16)
    magnitude = bits & 0x7FFF
    infinity = 0x7C00
    rounded = magnitude.compare(">", infinity).select(nan_code(to.SEMANTICS) << 8, _round(magnitude, 8))
    i8 = IntegerType(8)
    return ((rounded | bits & 0x8000) >> 8).resize(i8).bitcast(to)


def _narrow_to_exponent(bits: Scalar, wide: WideFormat, format: FloatSemantics) -> Scalar:
    """
    The exponent of a positive number, rounded with ties up; NaN for other numbers, overflow and NaN.

    As in ml_dtypes, numbers greater than the smallest power of two round to at least the next one.
    """
    half = 1 << (wide.mantissa - 1)
    code = ((bits + half) >> wide.mantissa) - (wide.bias - format.exponent_bias)
    code = bits.compare("<=", _smallest_power(wide, format)).select(0, code.maximum(1))
    code = code.compare(">", largest_code(format)).select(nan_code(format), code)
    # With a sign, the bits exceed those of infinity, as those of NaNs do.
    code = bits.compare(">", wide.infinity).select(nan_code(format), code)
    return bits.compare("==", 0).select(nan_code(format), code)


def _smallest_power(wide: WideFormat, format: FloatSemantics) -> int:
    """The bits of the number with code 0 of `format`: a subnormal f32, a normal f64."""
    if format.exponent_bias < wide.bias:
        return wide.code(-format.exponent_bias)
    return 1 << (wide.mantissa - 1)
