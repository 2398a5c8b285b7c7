"""
Numbers as unevaluated sums of two floats, with about twice the precision.

Source: T. J. Dekker, "A floating-point technique for extending the available precision" (1971), with fused operations
for the errors of products.
"""

from dataclasses import dataclass

from xshardy.rewriting.scalars import Scalar


@dataclass(frozen=True, slots=True)
class DoubleWord:
    """`high + low`, with |low| at most about a unit in the last place of `high`."""

    high: Scalar
    low: Scalar

    def __add__(self, other: "DoubleWord") -> "DoubleWord":
        """The sum. Requires |self| >= |other|, or self = 0."""
        total = fast_sum(self.high, other.high)
        return fast_sum(total.high, total.low + (self.low + other.low))

    def __mul__(self, other: "DoubleWord") -> "DoubleWord":
        product = self.high * other.high
        error = self.high.fma(other.high, -product)
        error = self.high.fma(other.low, error)
        return fast_sum(product, self.low.fma(other.high, error))


def fast_sum(larger: Scalar, smaller: Scalar) -> DoubleWord:
    """`larger + smaller` exactly. Requires |larger| >= |smaller|, or larger = 0; for the sum alone, nothing."""
    total = larger + smaller
    return DoubleWord(total, smaller - (total - larger))


def exact_square(x: Scalar) -> DoubleWord:
    """The square of `x`."""
    square = x * x
    return DoubleWord(square, x.fma(x, -square))


def square_root(x: DoubleWord) -> DoubleWord:
    """The square root, by a step of Newton's method on the exact error; NaN for a negative number."""
    root = x.high.sqrt()
    error = (-root).fma(root, x.high) + x.low
    low = root.compare("==", 0.0).select(0.0, error / (root * 2.0))
    return DoubleWord(root, low)
