"""
log and log1p.

`x = 2^k m` with m between sqrt(1/2) and sqrt(2), and `log(m) = 2 atanh(s)` with `s = (m - 1) / (m + 1)`: s times a
polynomial in s^2.
"""

from dataclasses import dataclass
from math import inf, nan, sqrt

from xdsl.dialects.builtin import AnyFloat

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.coefficients import LN2, LOG
from xshardy.transforms.xla_gpu.math_functions.formats import format_of, quotient
from xshardy.transforms.xla_gpu.math_functions.polynomials import polynomial


@dataclass(frozen=True, slots=True)
class Normalized:
    """A positive number as `2^exponent * mantissa`, both floats, with the mantissa between sqrt(1/2) and sqrt(2)."""

    exponent: Scalar
    mantissa: Scalar


def sqrt_half_bits(type: AnyFloat) -> int:
    """The bits of sqrt(1/2) as a `type`."""
    return int.from_bytes(type.pack([sqrt(0.5)]), "little")


def normalized(x: Scalar) -> Normalized:
    """The exponent and mantissa of a positive, finite `x`, also of a subnormal one. Others give any finite numbers."""
    format = format_of(x)
    is_subnormal = x.compare("<", format.smallest_normal)
    bits = is_subnormal.select(x * 2.0**format.precision, x).bitcast(format.integer)
    exponent = (bits - sqrt_half_bits(format.type)).shift_right_signed(format.mantissa_bits)
    mantissa = (bits - (exponent << format.mantissa_bits)).bitcast(format.type)
    shift = is_subnormal.select(-float(format.precision), x.constant(0.0))
    return Normalized(exponent.from_signed(format.type) + shift, mantissa)


def log_of_normalized(number: Normalized, correction: Scalar | None = None) -> Scalar:
    """The logarithm of `number`, plus a small `correction`."""
    k, f = number.exponent, number.mantissa - 1.0
    high, low = LN2[f.type]
    s = f / (f + 2.0)
    z = s * s
    half_square = f * 0.5 * f
    tail = s * z.fma(polynomial(z, LOG[f.type]), half_square)  # log(m) = f - half_square + tail
    tail = k.fma(k.constant(low), tail)
    if correction is not None:
        tail = tail + correction
    return k.fma(k.constant(high), f - (half_square - tail))


def with_special_values(result: Scalar, x: Scalar, pole: float) -> Scalar:
    """`result`, but infinity for infinity, -infinity for `pole`, NaN below it and for NaN."""
    result = x.compare("==", inf).select(x, result)
    result = x.compare("==", pole).select(-inf, result)
    return x.compare(">=", pole).select(result, x.constant(nan))


def log(x: Scalar) -> Scalar:
    """The natural logarithm of `x`."""
    return with_special_values(log_of_normalized(normalized(x)), x, 0.0)


def log1p(x: Scalar) -> Scalar:
    """
    `log(1 + x)`, without the rounding of the sum: `log(u) + c / u` with `1 + x = u + c` exactly.

    A tiny `x` is its own result, with its sign.
    """
    u = x + 1.0
    rounded_x = u - 1.0
    c = (x - rounded_x) + ((rounded_x - u) + 1.0)
    result = with_special_values(log_of_normalized(normalized(u), quotient(c, u)), x, -1.0)
    return abs(x).compare("<", 2.0 ** -(format_of(x).precision + 1)).select(x, result)
