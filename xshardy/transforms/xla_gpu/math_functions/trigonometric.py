"""
sin, cos and tan.

`|x| = k pi/2 + r` with an integer k and |r| <= pi/4; the two lowest bits of k choose sin or cos of r, and the sign.
"""

from collections.abc import Mapping
from math import inf, nan

from xdsl.dialects.builtin import f32, f64, i32
from xdsl.ir import Attribute

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.branches import branch
from xshardy.transforms.xla_gpu.math_functions.coefficients import COS, HALF_PI, SIN, TWO_OVER_PI
from xshardy.transforms.xla_gpu.math_functions.formats import nearest_integer, quotient
from xshardy.transforms.xla_gpu.math_functions.large_arguments import reduce_large
from xshardy.transforms.xla_gpu.math_functions.polynomials import polynomial

LARGE_FROM: Mapping[Attribute, float] = {f32: 2.0**16, f64: 2.0**30}
"""Below, three parts of pi/2 are enough; from here on, as many digits of 2/pi as the exponent asks for."""


def reduced(x: Scalar) -> tuple[Scalar, Scalar]:
    """`k` modulo 4, in the two lowest bits of an i32, and `r`, for a positive, finite `x`."""
    k, bits = nearest_integer(x, TWO_OVER_PI[x.type][0])
    rest = x
    for part in HALF_PI[x.type]:
        rest = k.fma(k.constant(-part), rest)
    quadrant, rest = branch(
        x.compare("<", LARGE_FROM[x.type]), lambda: (bits.resize(i32), rest), lambda: reduce_large(x)
    )
    return quadrant, rest


def sin_of_rest(r: Scalar) -> Scalar:
    """The sine for |r| <= pi/4."""
    z = r * r
    return (r * z).fma(polynomial(z, SIN[r.type]), r)


def cos_of_rest(r: Scalar) -> Scalar:
    """The cosine for |r| <= pi/4: `1 - z/2 + z^2 C(z)`, where `1 - z/2` is rounded and its error added again."""
    z = r * r
    half = z * 0.5
    lead = r.constant(1.0) - half
    error = (r.constant(1.0) - lead) - half
    return lead + (z * z).fma(polynomial(z, COS[r.type]), error)


def in_quadrant(quadrant: Scalar, rest: Scalar) -> Scalar:
    """The sine of `quadrant * pi/2 + rest`."""
    is_odd = (quadrant & 1).compare("!=", 0)
    value = is_odd.select(cos_of_rest(rest), sin_of_rest(rest))
    return (quadrant & 2).compare("!=", 0).select(-value, value)


def finite_or_nan(result: Scalar, x: Scalar) -> Scalar:
    """`result`, or NaN where `x` is infinite or NaN."""
    return abs(x).compare("<", inf).select(result, x.constant(nan))


def sin(x: Scalar) -> Scalar:
    """The sine of `x`; 0 has its own sign."""
    magnitude = in_quadrant(*reduced(abs(x)))
    result = finite_or_nan(x.compare("<", 0.0).select(-magnitude, magnitude), x)
    return x.compare("==", 0.0).select(x, result)


def cos(x: Scalar) -> Scalar:
    """The cosine of `x`: the sine one quadrant further."""
    quadrant, rest = reduced(abs(x))
    return finite_or_nan(in_quadrant(quadrant + 1, rest), x)


def tan(x: Scalar) -> Scalar:
    """The tangent of `x`, within 3 units in the last place; 0 has its own sign."""
    quadrant, rest = reduced(abs(x))
    sine, cosine = sin_of_rest(rest), cos_of_rest(rest)
    is_odd = (quadrant & 1).compare("!=", 0)
    magnitude = quotient(is_odd.select(-cosine, sine), is_odd.select(sine, cosine))
    result = finite_or_nan(x.compare("<", 0.0).select(-magnitude, magnitude), x)
    return x.compare("==", 0.0).select(x, result)
