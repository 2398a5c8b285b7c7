"""
Approximations of functions of f32 by arithmetic.

`f(x) = x * P(x^2) / Q(x^2)` where the rounded result is less than 1; beyond that, 1 with the sign of `x`. The
coefficients minimize the maximal relative error (least squares with Lawson's weights). The maximal error, with the
rounding of f32, is 6 units in the last place.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.polynomials import polynomial


@dataclass(frozen=True, slots=True)
class OddRational:
    """`x * P(x^2) / Q(x^2)` for `|x| < one_from`; coefficients in ascending order of powers."""

    numerator: Sequence[float]
    denominator: Sequence[float]
    one_from: float
    """The smallest argument at which the function, rounded to f32, is 1."""

    def __call__(self, x: Scalar) -> Scalar:
        """The value at `x`, an f32; NaN gives NaN."""
        square = x * x
        quotient = x * polynomial(square, self.numerator) / polynomial(square, self.denominator)
        one = x.constant(1.0)
        inside = quotient.minimum(1.0).maximum(-1.0)
        return abs(x).compare(">=", self.one_from).select(one.copysign(x), inside)


erf = OddRational(
    numerator=(1.1283791, 1.8966433e-1, 5.1491506e-2, 3.5788885e-3, 2.3034084e-4),
    denominator=(1.0, 5.0141805e-1, 1.1277726e-1, 1.4422047e-2, 1.0532998e-3, 2.3161125e-5, -1.1225627e-7),
    one_from=3.9192,
)
"""The error function."""

tanh = OddRational(
    numerator=(1.0, 1.3379672e-1, 3.4939789e-3, 2.058255e-5, 1.3317779e-8),
    denominator=(1.0, 4.6712986e-1, 2.5870863e-2, 3.283001e-4, 7.7614897e-7),
    one_from=9.02,
)
"""The hyperbolic tangent."""
