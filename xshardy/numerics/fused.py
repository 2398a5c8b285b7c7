"""
Fused multiply-add: a product and a sum, rounded once.

Source: Boldo and Melquiond, "Emulation of FMA and Correctly Rounded Sums: Proved Algorithms Using Rounding to Odd".
"""

import math
from fractions import Fraction

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.numerics.floats import narrowed, rounded_to_odd, two_product, two_sum

LARGEST_FACTOR, LARGEST_TERM, SMALLEST_PRODUCT = 2.0**990, 2.0**1020, 2.0**-960
"""Bounds within which the errors of a product and of a sum are numbers of f64."""


def fused_multiply_add(x: Array, y: Array, z: Array) -> Array:
    """`x * y + z`, rounded once, to nearest."""
    if x.dtype == np.float32:
        return _fused_f32(x, y, z)
    if x.dtype == np.float64:
        return product_and_sum(x, y, z)[0]
    # A product of two narrower numbers is exact in f64.
    total, error = two_sum(x.astype(np.float64) * y.astype(np.float64), z.astype(np.float64))
    return narrowed(rounded_to_odd(total, error), x.dtype)


def product_and_sum(x: Array, y: Array, z: Array) -> tuple[Array, Array]:
    """
    The number of f64 nearest to `x * y + z`, and a number with the sign of what rounding took away.

    That is 0 if nothing was, and if an operand is infinite or NaN.
    """
    product, low = two_product(x, y)
    middle, lowest = two_sum(z, low)
    high, rest = two_sum(product, middle)
    value, error = two_sum(high, rounded_to_odd(*two_sum(lowest, rest)))
    plain = product + z  # of numbers that are not finite, and of zeros, which have signs
    finite = np.isfinite(x) & np.isfinite(y) & np.isfinite(z)
    scaled = finite & (x != 0) & (y != 0)
    value = np.where(scaled, value, np.where(np.isfinite(x) & np.isfinite(y) & ~np.isnan(z), z, plain))
    value = np.where(finite & ~scaled, plain, value)
    error = np.where(scaled, error, 0.0)
    size = np.abs(product)
    out_of_range = scaled & (
        (np.maximum(np.abs(x), np.abs(y)) > LARGEST_FACTOR)
        | (np.maximum(size, np.abs(z)) > LARGEST_TERM)
        | (size < SMALLEST_PRODUCT)
    )
    for place in map(tuple, np.argwhere(out_of_range)):
        operands = (float(np.broadcast_to(operand, value.shape)[place]) for operand in (x, y, z))
        value[place], error[place] = _exactly(*map(Fraction, operands))
    return value, error


def _exactly(x: Fraction, y: Fraction, z: Fraction) -> tuple[float, float]:
    """As `product_and_sum`, of finite numbers of which `x` and `y` are not 0."""
    exact = x * y + z
    try:
        value = float(exact)
    except OverflowError:
        return (math.inf, -1.0) if exact > 0 else (-math.inf, 1.0)
    rest = exact - Fraction(value)
    return value, float((rest > 0) - (rest < 0))


def _fused_f32(x: Array, y: Array, z: Array) -> Array:
    """
    `fused_multiply_add` of f32. The sum in f64 may only be rounded where a second rounding sees a tie.

    A tie is halfway between two numbers of f32; for subnormal results it may be anywhere.
    """
    total = np.multiply(x, y, dtype=np.float64) + z
    result = total.astype(np.float32)
    tie = (total.view(np.int64) & 0x1FFFFFFF) == 0x10000000
    tie |= np.abs(total) < np.finfo(np.float32).smallest_normal
    if tie.any():
        x, y, z = (np.broadcast_to(operand, total.shape)[tie].astype(np.float64) for operand in (x, y, z))
        result[tie] = rounded_to_odd(*two_sum(x * y, z)).astype(np.float32)
    return result
