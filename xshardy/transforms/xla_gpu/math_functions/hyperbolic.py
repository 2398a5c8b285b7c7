"""tanh, sinh and cosh."""

from collections.abc import Mapping

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.coefficients import LN2, SINH, TANH
from xshardy.transforms.xla_gpu.math_functions.double_word import fast_sum
from xshardy.transforms.xla_gpu.math_functions.exponentials import OVERFLOW, exp, exp_of_sum
from xshardy.transforms.xla_gpu.math_functions.formats import quotient
from xshardy.transforms.xla_gpu.math_functions.polynomials import polynomial

POLYNOMIAL_BELOW = 0.6
"""The end of the interval of `TANH`."""
ONE_FROM: Mapping[Attribute, float] = {f32: 10.0, f64: 22.0}
"""An argument whose hyperbolic tangent is rounded to 1."""


def tanh(x: Scalar) -> Scalar:
    """The hyperbolic tangent: a polynomial near 0, `1 - 2 / (exp(2|x|) + 1)` beyond, with the sign of `x`."""
    magnitude = abs(x)
    square = magnitude * magnitude
    near = (magnitude * square).fma(polynomial(square, TANH[x.type]), magnitude)
    power = exp(magnitude.minimum(ONE_FROM[x.type]) * 2.0)
    far = x.constant(1.0) - quotient(x.constant(2.0), power + 1.0)
    return magnitude.compare("<", POLYNOMIAL_BELOW).select(near, far).copysign(x)


def half_exp(x: Scalar) -> Scalar:
    """`exp(x) / 2` for x >= 0, finite where it is, although `exp(x)` is not."""
    high, low = LN2[x.type]
    difference = fast_sum(x.minimum(OVERFLOW[x.type] + 1), x.constant(-high))
    return exp_of_sum(difference.high, difference.low - low)


def sinh(x: Scalar) -> Scalar:
    """The hyperbolic sine: a polynomial near 0, `e/2 - 1/(2e)` with `e = exp(|x|)` beyond, with the sign of `x`."""
    magnitude = abs(x)
    clamped = magnitude.minimum(1.0)
    square = clamped * clamped
    near = (clamped * square).fma(polynomial(square, SINH[x.type]), clamped)
    half = half_exp(magnitude)
    far = half - x.constant(0.25) / half
    return magnitude.compare("<", 1.0).select(near, far).copysign(x)


def cosh(x: Scalar) -> Scalar:
    """The hyperbolic cosine: `e/2 + 1/(2e)` with `e = exp(|x|)`."""
    half = half_exp(abs(x))
    return half + x.constant(0.25) / half
