"""erf and erfc."""

from collections.abc import Mapping

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.coefficients import ERF, ERFC
from xshardy.transforms.xla_gpu.math_functions.exponentials import exp_of_sum
from xshardy.transforms.xla_gpu.math_functions.formats import quotient
from xshardy.transforms.xla_gpu.math_functions.polynomials import polynomial

ZERO_FROM: Mapping[Attribute, float] = {f32: 10.5, f64: 28.0}
"""The end of the interval of `ERFC`; an argument whose complementary error function is rounded to 0."""


def erf_near_zero(x: Scalar) -> Scalar:
    """The error function for |x| <= 1."""
    return x.fma(polynomial(x * x, ERF[x.type]), x)


def erfc_of_positive(x: Scalar) -> Scalar:
    """
    `1 - erf(x)` for x >= 0.5: `exp(-x^2) / (1 + 2x)` times a polynomial in `(x - 3) / (x + 3)`.

    The square is a sum of two floats, since its error is multiplied by the exponential.
    """
    t = x.minimum(ZERO_FROM[x.type])
    square = t * t
    rest = t.fma(t, -square)
    power = exp_of_sum(-square, -rest)
    factor = polynomial(quotient(t - 3.0, t + 3.0), ERFC[x.type])
    return quotient(factor * power, t.fma(t.constant(2.0), 1.0))


def erf(x: Scalar) -> Scalar:
    """The error function."""
    magnitude = abs(x)
    far = x.constant(1.0) - erfc_of_positive(magnitude)
    return magnitude.compare("<", 1.0).select(erf_near_zero(magnitude), far).copysign(x)


DIFFERENCE_BELOW = 0.8
"""Below, `1 - erf(x)` is more accurate than `erfc_of_positive`."""


def erfc(x: Scalar) -> Scalar:
    """The complementary error function, `1 - erf(x)`, without the cancellation; within 4 units in the last place."""
    magnitude = abs(x)
    positive = erfc_of_positive(magnitude)
    far = x.compare("<", 0.0).select(x.constant(2.0) - positive, positive)
    return magnitude.compare("<", DIFFERENCE_BELOW).select(x.constant(1.0) - erf_near_zero(x), far)
