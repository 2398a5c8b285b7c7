"""atan, atan2, asin and acos."""

from math import inf, nan

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.coefficients import ATAN, HALF_PI
from xshardy.transforms.xla_gpu.math_functions.double_word import DoubleWord, exact_square, fast_sum, square_root
from xshardy.transforms.xla_gpu.math_functions.formats import format_of, power_of_two, quotient
from xshardy.transforms.xla_gpu.math_functions.polynomials import polynomial

POLYNOMIAL_BELOW = 0.4142
"""The end of the interval of `ATAN`, tan(pi/8)."""


def atan2(y: Scalar, x: Scalar) -> Scalar:
    """The angle of the point (x, y), from -pi to pi; the signs of zeros count. Infinite coordinates are equal."""
    high, low, _ = HALF_PI[x.type]
    angle, rest = _first_octants(abs(y), abs(x))
    bits = x.bitcast(format_of(x).integer)
    is_left = (bits >> format_of(x).integer.bitwidth - 1).compare("!=", 0)
    left = x.constant(2 * high) - (angle - (x.constant(2 * low) - rest))
    result = is_left.select(left, angle + rest).copysign(y)
    is_nan = x.compare("!=", x) | y.compare("!=", y)
    return is_nan.select(nan, result)


def atan(x: Scalar) -> Scalar:
    """The inverse of the tangent, from -pi/2 to pi/2."""
    return atan2(x, x.constant(1.0))


def asin(x: Scalar) -> Scalar:
    """The inverse of the sine, from -pi/2 to pi/2: the angle of the point (sqrt(1 - x^2), x)."""
    other = _other_coordinate(x)
    magnitude = abs(x)
    angle, rest = _first_octants(magnitude, other.high)
    result = (angle + (rest - magnitude * other.low)).copysign(x)
    return magnitude.compare("<=", 1.0).select(result, x.constant(nan))


def acos(x: Scalar) -> Scalar:
    """The inverse of the cosine, from 0 to pi: the angle of the point (x, sqrt(1 - x^2))."""
    high, low, _ = HALF_PI[x.type]
    other = _other_coordinate(x)
    magnitude = abs(x)
    angle, rest = _first_octants(other.high, magnitude)
    rest = magnitude.fma(other.low, rest)
    left = x.constant(2 * high) - (angle - (x.constant(2 * low) - rest))
    result = x.compare("<", 0.0).select(left, angle + rest)
    return magnitude.compare("<=", 1.0).select(result, x.constant(nan))


def _other_coordinate(x: Scalar) -> DoubleWord:
    """`sqrt(1 - x^2)` for |x| <= 1: a change of it by d moves the angle by x d, as x is the other coordinate."""
    square = exact_square(x)
    difference = fast_sum(x.constant(1.0), -square.high)
    return square_root(fast_sum(difference.high, difference.low - square.low))


def _first_octants(y: Scalar, x: Scalar) -> tuple[Scalar, Scalar]:
    """The angle of (x, y) and a small rest to add to it, for coordinates that are not negative."""
    high, low, _ = HALF_PI[x.type]
    is_steep = y.compare(">", x)
    small, large = _scaled(is_steep.select(x, y), is_steep.select(y, x))
    # The angle is that of (large, small), or pi/4 less that of (large + small, large - small).
    is_near_diagonal = small.compare(">", large * POLYNOMIAL_BELOW)
    numerator = is_near_diagonal.select(small - large, small)
    denominator = is_near_diagonal.select(small + large, large)
    t = quotient(numerator, denominator)
    square = t * t
    tail = t * square * polynomial(square, ATAN[x.type])
    lead = is_near_diagonal.select(high / 2, x.constant(0.0))
    rest = is_near_diagonal.select(low / 2, x.constant(0.0)) + tail
    lead, rest = is_near_diagonal.select(lead, t), is_near_diagonal.select(rest + t, rest)
    steep = x.constant(high) - lead
    return is_steep.select(steep, lead), is_steep.select(x.constant(low) - rest, rest)


def _scaled(small: Scalar, large: Scalar) -> tuple[Scalar, Scalar]:
    """
    Two numbers with the ratio of `small` and `large`, times a power of two so that `quotient` takes them.

    The second one is about 2^(bias / 2), or below 1 if `large` is subnormal. Infinities count as 1, 0/0 as 0.
    """
    format = format_of(large)
    exponent = large.bitcast(format.integer) >> format.mantissa_bits
    scale = exponent.constant(format.bias + format.bias // 2) - exponent.maximum(format.bias // 2 + 1)
    factor = power_of_two(scale, format.type)
    is_infinite = large.compare("==", inf)
    one, zero = large.constant(1.0), large.constant(0.0)
    small = is_infinite.select(small.compare("==", inf).select(one, zero), small * factor)
    return small, (is_infinite | large.compare("==", 0.0)).select(one, large * factor)
