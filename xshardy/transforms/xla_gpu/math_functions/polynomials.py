"""Polynomials with constant coefficients."""

from collections.abc import Sequence

from xshardy.rewriting.scalars import Scalar


def polynomial(x: Scalar, coefficients: Sequence[float]) -> Scalar:
    """`coefficients[0] + coefficients[1] * x + ...` by Horner's rule with fused operations."""
    *lower, highest = coefficients
    result = x.constant(highest)
    for coefficient in reversed(lower):
        result = result.fma(x, coefficient)
    return result
