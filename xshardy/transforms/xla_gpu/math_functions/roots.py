"""The reciprocal of the square root."""

from xshardy.transforms.scalars import Scalar


def rsqrt(x: Scalar) -> Scalar:
    """
    `1 / sqrt(x)`, and a step of Newton's method, as root and quotient each have an error.

    Where the step gives NaN (0, infinity, negative numbers) the quotient is the result: infinity, 0, NaN.
    """
    estimate = x.constant(1.0) / x.sqrt()
    error = (-(x * estimate)).fma(estimate, 1.0)
    corrected = (estimate * 0.5).fma(error, estimate)
    return error.compare("==", error).select(corrected, estimate)
