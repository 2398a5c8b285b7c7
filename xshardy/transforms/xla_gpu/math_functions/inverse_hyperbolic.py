"""
asinh, acosh and atanh: logarithms of sums of two floats.

`log(u + c) = log(u) + c / u` for a `c` of about a unit in the last place of `u`, also where `u` is next to 1 and its
logarithm is small.
"""

from math import inf, nan

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.double_word import DoubleWord, exact_square, fast_sum, square_root
from xshardy.transforms.xla_gpu.math_functions.formats import format_of, quotient
from xshardy.transforms.xla_gpu.math_functions.logarithms import Normalized, log_of_normalized, normalized


def asinh(x: Scalar) -> Scalar:
    """The inverse of the hyperbolic sine: `log(|x| + sqrt(x^2 + 1))` with the sign of `x`."""
    magnitude = abs(x)
    square = exact_square(magnitude)
    one = x.constant(1.0)
    is_large = square.high.compare(">", 1.0)
    sum_ = fast_sum(is_large.select(square.high, one), is_large.select(one, square.high))
    root = square_root(fast_sum(sum_.high, sum_.low + square.low))
    result = _log_of_sum(root, magnitude, root_is_larger=True).copysign(x)
    return magnitude.compare("<", _own_result_below(x)).select(x, result)


def acosh(x: Scalar) -> Scalar:
    """The inverse of the hyperbolic cosine, from 0 on: `log(x + sqrt(x^2 - 1))`."""
    square = exact_square(x)
    difference = fast_sum(square.high, x.constant(-1.0))
    root = square_root(fast_sum(difference.high, difference.low + square.low))
    return x.compare(">=", 1.0).select(_log_of_sum(root, x, root_is_larger=False), x.constant(nan))


def atanh(x: Scalar) -> Scalar:
    """The inverse of the hyperbolic tangent: `log((1 + |x|) / (1 - |x|)) / 2` with the sign of `x`."""
    magnitude = abs(x)
    one = x.constant(1.0)
    numerator, denominator = fast_sum(one, magnitude), fast_sum(one, -magnitude)
    ratio = numerator.high / denominator.high
    rest = (-ratio).fma(denominator.high, numerator.high) + (-ratio).fma(denominator.low, numerator.low)
    logarithm = log_of_normalized(normalized(ratio), quotient(rest / denominator.high, ratio))
    result = (logarithm * 0.5).copysign(x)
    result = magnitude.compare("<", _own_result_below(x)).select(x, result)
    result = magnitude.compare("==", 1.0).select(x.constant(inf).copysign(x), result)
    return magnitude.compare("<=", 1.0).select(result, x.constant(nan))


def _own_result_below(x: Scalar) -> float:
    """A magnitude below which an odd function with slope 1 at 0 is its argument."""
    return 2.0 ** -(format_of(x).precision // 2 + 1)


def _log_of_sum(root: DoubleWord, x: Scalar, root_is_larger: bool) -> Scalar:
    """`log(root + x)` for `sqrt(x^2 + 1)` or `sqrt(x^2 - 1)`: of `2 x` where `x` is so large that it is the root."""
    sum_ = fast_sum(root.high, x) if root_is_larger else fast_sum(x, root.high)
    is_large = x.compare(">", 2.0 ** (format_of(x).precision // 2 + 1))
    number = normalized(is_large.select(x, sum_.high))
    exponent = number.exponent + is_large.select(1.0, x.constant(0.0))
    correction = is_large.select(0.0, quotient(sum_.low + root.low, sum_.high))
    result = log_of_normalized(Normalized(exponent, number.mantissa), correction)
    return x.compare("<", inf).select(result, x)
