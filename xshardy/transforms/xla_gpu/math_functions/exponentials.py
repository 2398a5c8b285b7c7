"""
exp and expm1.

`x = k ln 2 + r` with an integer k and |r| <= ln(2) / 2, so `exp(x) = 2^k exp(r)`; a polynomial gives `exp(r)`.
"""

from collections.abc import Mapping

from xdsl.dialects.builtin import f32, f64
from xdsl.ir import Attribute

from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.coefficients import EXP, LN2, LOG2_E
from xshardy.transforms.xla_gpu.math_functions.formats import (
    format_of,
    nearest_integer,
    power_of_two,
    times_power_of_two,
)
from xshardy.transforms.xla_gpu.math_functions.polynomials import polynomial

OVERFLOW: Mapping[Attribute, float] = {f32: 89.0, f64: 710.0}
"""An argument whose exponential is infinite."""
UNDERFLOW: Mapping[Attribute, float] = {f32: -104.0, f64: -746.0}
"""An argument whose exponential is rounded to 0."""
MINUS_ONE: Mapping[Attribute, float] = {f32: -25.0, f64: -50.0}
"""An argument whose exponential less 1 is rounded to -1."""


def reduced(x: Scalar) -> tuple[Scalar, Scalar]:
    """`r`, and `k` as `nearest_integer` gives it, for `x = k ln 2 + r`."""
    high, low = LN2[x.type]
    k, bits = nearest_integer(x, LOG2_E[x.type][0])
    return k.fma(x.constant(-low), k.fma(x.constant(-high), x)), bits


def expm1_of_reduced(r: Scalar) -> Scalar:
    """`exp(r) - 1` for |r| <= ln(2) / 2."""
    return (r * r).fma(polynomial(r, EXP[r.type]), r)


def exp_of_sum(high: Scalar, low: Scalar | None) -> Scalar:
    """`exp(high + low)`; `low` is None or much smaller than `high`. NaN gives NaN."""
    x = high.maximum(UNDERFLOW[high.type]).minimum(OVERFLOW[high.type])
    r, k = reduced(x)
    if low is not None:
        r = r + low
    return times_power_of_two(expm1_of_reduced(r) + 1.0, k)


def exp(x: Scalar) -> Scalar:
    """The exponential of `x`."""
    return exp_of_sum(x, None)


def expm1(x: Scalar) -> Scalar:
    """
    `exp(x) - 1`, without the cancellation: `2^k (exp(r) - 1) + (2^k - 1)`.

    Computed with half of 2^k, which is finite where the result is. A tiny `x` is its own result, with its sign.
    """
    r, k = reduced(x.maximum(MINUS_ONE[x.type]).minimum(OVERFLOW[x.type]))
    half = power_of_two(k - 1, x.type)
    result = expm1_of_reduced(r).fma(half, half - 0.5) * 2.0
    return abs(x).compare("<", 2.0 ** -(format_of(x).precision + 1)).select(x, result)
