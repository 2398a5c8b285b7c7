"""
Numbers as unevaluated sums of two floats, with about twice the precision.

Source: T. J. Dekker, "A floating-point technique for extending the available precision" (1971), with fused operations
for the errors of products.
"""

from dataclasses import dataclass

from xshardy.transforms.scalars import Scalar


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
