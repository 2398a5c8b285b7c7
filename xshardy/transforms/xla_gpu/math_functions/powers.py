"""
pow.

`x^y = exp(y log|x|)` with the logarithm and the product as sums of two floats: an error of the product is one of the
result, relative to it. Special values are those of `pow` in C (Annex F of its standard).
"""

from math import inf, nan

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.coefficients import LN2, LOG_TAIL, TWO_THIRDS
from xshardy.transforms.xla_gpu.math_functions.double_word import DoubleWord, fast_sum
from xshardy.transforms.xla_gpu.math_functions.exponentials import OVERFLOW, UNDERFLOW, exp_of_sum
from xshardy.transforms.xla_gpu.math_functions.logarithms import normalized
from xshardy.transforms.xla_gpu.math_functions.polynomials import polynomial


def accurate_log(x: Scalar) -> DoubleWord:
    """The logarithm of a positive, finite `x`: `k ln 2 + 2s + s z (2/3 + z P(z))` with z = s^2."""
    number = normalized(x)
    k, m = number.exponent, number.mantissa
    f = m - 1.0
    sum_ = fast_sum(m.constant(1.0), m)
    estimate = f / sum_.high
    rest = (-estimate).fma(sum_.high, f) - estimate * sum_.low
    s = fast_sum(estimate, rest / sum_.high)
    z = s * s
    slope = fast_sum(x.constant(TWO_THIRDS[x.type][0]), z.high * polynomial(z.high, LOG_TAIL[x.type]))
    slope = fast_sum(slope.high, slope.low + TWO_THIRDS[x.type][1])
    twice = DoubleWord(s.high * 2.0, s.low * 2.0)
    log_m = twice + s * z * slope
    high, low = LN2[x.type]
    exponent_part = DoubleWord(k, x.constant(0.0)) * DoubleWord(x.constant(high), x.constant(low))
    return exponent_part + log_m


def magnitude_of_power(x: Scalar, y: Scalar) -> Scalar:
    """`x^y` for a positive, finite `x` and a finite `y`."""
    log = accurate_log(x)
    product = y * log.high
    rest = y.fma(log.low, y.fma(log.high, -product))
    in_range = abs(product).compare("<", max(OVERFLOW[x.type], -UNDERFLOW[x.type]))
    return exp_of_sum(product, in_range.select(rest, x.constant(0.0)))


def power(x: Scalar, y: Scalar) -> Scalar:
    """`x` to the power `y`."""
    magnitude = abs(x)
    is_whole = y.truncated().compare("==", y)
    half = y * 0.5
    is_odd = is_whole & half.truncated().compare("!=", half)

    result = magnitude_of_power(magnitude, y)
    zero, infinity = x.constant(0.0), x.constant(inf)
    # 0 and infinity, as base or exponent: the power of a small base and that of a great one.
    grows = magnitude.compare(">", 1.0) ^ y.compare("<", 0.0)
    is_extreme = magnitude.compare("==", 0.0) | magnitude.compare("==", inf) | abs(y).compare("==", inf)
    result = is_extreme.select(grows.select(infinity, zero), result)
    result = is_odd.select(result.copysign(x), result)
    is_negative = x.compare("<", 0.0) & x.compare("!=", -inf)
    result = is_whole.select(result, is_negative.select(nan, result))
    is_nan = x.compare("!=", x) | y.compare("!=", y)
    result = is_nan.select(nan, result)
    # Whatever the other operand is, NaN included.
    is_unit = magnitude.compare("==", 1.0) & abs(y).compare("==", inf)
    is_one = x.compare("==", 1.0) | y.compare("==", 0.0) | is_unit
    return is_one.select(1.0, result)
