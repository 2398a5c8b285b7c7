"""The reciprocal of the square root, and the cube root."""

from collections.abc import Mapping
from math import inf

from xdsl.dialects import arith
from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.formats import Format, format_of


def rsqrt(x: Scalar) -> Scalar:
    """
    `1 / sqrt(x)`, and a step of Newton's method, as root and quotient each have an error.

    Where the step gives NaN (0, infinity, negative numbers) the quotient is the result: infinity, 0, NaN.
    """
    estimate = x.constant(1.0) / x.sqrt()
    error = (-(x * estimate)).fma(estimate, 1.0)
    corrected = (estimate * 0.5).fma(error, estimate)
    return error.compare("==", error).select(corrected, estimate)


HALLEY_STEPS: Mapping[Attribute, int] = {f32: 2, f64: 3}
"""The first estimate is within 6 %; each step triples the number of correct digits."""
SUBNORMAL_SHIFT: Mapping[Attribute, int] = {f32: 24, f64: 54}
"""A multiple of 3: 2 to this power makes a subnormal number normal."""


def cbrt(x: Scalar) -> Scalar:
    """The cube root, by a third of the exponent, steps of Halley's method, and one of Newton's on the exact error."""
    format = format_of(x)
    magnitude = abs(x)
    is_subnormal = magnitude.compare("<", format.smallest_normal)
    shift = SUBNORMAL_SHIFT[format.type]
    a = is_subnormal.select(magnitude * 2.0**shift, magnitude)
    root = _third_of_exponent(a, format)
    quarter = a * 0.25  # of `a` and of cubes: a multiple of the greatest number would overflow
    for _ in range(HALLEY_STEPS[format.type]):
        cube = root * root * (root * 0.25)
        root = root.fma((quarter - cube) / cube.fma(cube.constant(2.0), quarter), root)
    square = root * root
    rounding = root.fma(root, -square)
    error = (-square).fma(root * 0.25, quarter) - rounding * (root * 0.25)
    root = root + error / (square * 0.75)
    root = is_subnormal.select(root * 2.0 ** -(shift // 3), root)
    is_usual = magnitude.compare(">", 0.0) & magnitude.compare("<", inf)
    return is_usual.select(root.copysign(x), x)


def _third_of_exponent(a: Scalar, format: Format) -> Scalar:
    """A number within 6 % of the cube root of `a`: its bits, as an integer, are about a logarithm."""
    bits = a.bitcast(format.integer)
    third = a.insert(arith.DivUIOp(bits.value, bits.constant(3).value))
    offset = round((format.bias - format.bias / 3 - 0.033) * 2**format.mantissa_bits)  # 0.033 balances the error
    return (third + offset).bitcast(format.type)
