"""
The remainder of a division that is rounded towards zero, exactly.

Both numbers are integers times powers of two, `m 2^e`: the remainder of the integers, by long division with as many
digits at once as fit 64 bits.
"""

from math import inf, nan

from xdsl.dialects import arith
from xdsl.dialects.builtin import i64

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.branches import branch, repeat_while
from xshardy.transforms.xla_gpu.math_functions.formats import format_of, power_of_two


def remainder(x: Scalar, y: Scalar) -> Scalar:
    """`x - y * trunc(x / y)` without rounding, with the sign of `x`; NaN for infinite `x` and for `y` = 0."""
    dividend, divisor = abs(x), abs(y)
    is_less = dividend.compare("<", divisor)
    (magnitude,) = branch(is_less, lambda: (dividend,), lambda: (_long_division(dividend, divisor),))
    is_defined = dividend.compare("<", inf) & divisor.compare(">", 0.0)
    return is_defined.select(magnitude.copysign(x), x.constant(nan))


def _long_division(dividend: Scalar, divisor: Scalar) -> Scalar:
    """The remainder of positive numbers of which the first is not less; any number if one is 0 or not finite."""
    format = format_of(dividend)
    exponent, significand = _integer_and_exponent(dividend)
    least_exponent, modulus = _integer_and_exponent(divisor)
    modulus = modulus.maximum(1)
    digits = 64 - format.precision

    def is_left(rest: Scalar, left: Scalar) -> Scalar:
        return left.compare("!=", 0)

    def step(rest: Scalar, left: Scalar) -> tuple[Scalar, Scalar]:
        count = left.minimum(digits)
        return _modulo(rest << count, modulus), left - count

    is_greater = exponent.compare(">", least_exponent)
    left = is_greater.select(exponent - least_exponent, exponent.constant(0))
    rest, _ = repeat_while(is_left, step, (_modulo(significand, modulus), left))
    scale = power_of_two((least_exponent - format.bias).resize(format.integer), format.type)
    return rest.from_unsigned(format.type) * 2.0**-format.mantissa_bits * scale


def _integer_and_exponent(x: Scalar) -> tuple[Scalar, Scalar]:
    """The exponent as in the format, 1 for subnormal numbers, and the significand as an integer, both i64."""
    format = format_of(x)
    bits = x.bitcast(format.integer).resize(i64)
    exponent = bits >> format.mantissa_bits
    fraction = bits & ((1 << format.mantissa_bits) - 1)
    is_normal = exponent.compare("!=", 0)
    return exponent.maximum(1), is_normal.select(fraction | (1 << format.mantissa_bits), fraction)


def _modulo(x: Scalar, modulus: Scalar) -> Scalar:
    return x.insert(arith.RemUIOp(x.value, modulus.value))
