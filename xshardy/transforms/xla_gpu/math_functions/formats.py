"""The bits of f32 and f64, and arithmetic that needs them: rounding to an integer, powers of two, exact quotients."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import AnyFloat, IntegerType, f32, f64, i32, i64
from xdsl.ir import Attribute

from xshardy.rewriting.scalars import Scalar


@dataclass(frozen=True, slots=True)
class Format:
    """A float type of IEEE 754."""

    type: AnyFloat
    integer: IntegerType
    """An integer of the same width."""
    precision: int
    """The bits of the significand, the leading one included."""
    bias: int
    """What is added to the exponent of a normal number."""

    @property
    def mantissa_bits(self) -> int:
        return self.precision - 1

    @property
    def smallest_normal(self) -> float:
        return 2.0 ** (1 - self.bias)

    @property
    def rounding_shift(self) -> float:
        """1.5 * 2^mantissa_bits: a number to which this is added is rounded to an integer, kept in the lowest bits."""
        return 1.5 * 2.0**self.mantissa_bits


FORMATS: Mapping[Attribute, Format] = {f32: Format(f32, i32, 24, 127), f64: Format(f64, i64, 53, 1023)}


def format_of(x: Scalar) -> Format:
    """The format of `x`, an f32 or f64."""
    return FORMATS[x.type]


def nearest_integer(x: Scalar, factor: float) -> tuple[Scalar, Scalar]:
    """
    `x * factor` rounded to nearest, as a float, and as an integer of the same width of which the low bits count.

    Requires a product below 2^(mantissa_bits - 1).
    """
    format = format_of(x)
    shifted = x.fma(x.constant(factor), format.rounding_shift)
    return shifted - format.rounding_shift, shifted.bitcast(format.integer)


def power_of_two(exponent: Scalar, type: Attribute) -> Scalar:
    """2^exponent as a `type`. Requires a normal result; bits of `exponent` beyond those of the format are ignored."""
    format = FORMATS[type]
    return ((exponent + format.bias) << format.mantissa_bits).bitcast(type)


def times_power_of_two(x: Scalar, exponent: Scalar) -> Scalar:
    """
    `x * 2^exponent`, in two factors: each is normal, also where the result overflows or is subnormal.

    `exponent` is an integer as `nearest_integer` gives it, so its high bits are those of the rounding shift: they are
    removed before it is halved.
    """
    format = format_of(x)
    number = exponent - x.constant(format.rounding_shift).bitcast(format.integer)
    half = number.shift_right_signed(1)
    return x * power_of_two(half, x.type) * power_of_two(number - half, x.type)


def quotient(numerator: Scalar, denominator: Scalar) -> Scalar:
    """
    `numerator / denominator`, correct to about half a unit in the last place where the target's division is not.

    f64 is divided exactly by PTX. For f32, a step of Newton's method corrects the quotient; the denominator and its
    reciprocal must be normal.
    """
    if numerator.type == f64:
        return numerator / denominator
    reciprocal = denominator.constant(1.0) / denominator
    estimate = numerator * reciprocal
    remainder = (-estimate).fma(denominator, numerator)
    return remainder.fma(reciprocal, estimate)
