"""Conversions between all element types, with XLA's results: integers wrap around, floats saturate, NaN becomes 0."""

import numpy as np

from xshardy.numerics.element_types import BITS, KINDS, SIGNED_INTEGERS, Array, DType, Kind
from xshardy.numerics.floats import WIDE, narrowed
from xshardy.numerics.integers import is_signed, native, wrapped


def convert(x: Array, dtype: DType) -> Array:
    """
    The numbers in `x` converted to `dtype`.

    To a predicate: whether it is not 0. From an integer to an integer: modulo the width. From a float to an integer:
    rounded towards zero, saturated at the bounds. To a float: rounded once, to nearest. From a complex number to any
    other kind: the conversion of its real part.
    """
    source, target = KINDS[x.dtype], KINDS[dtype]
    if x.dtype == dtype:
        return x
    if source is Kind.COMPLEX and target is not Kind.COMPLEX:
        return convert(np.real(x), dtype)
    if target is Kind.PRED:
        return x != x.dtype.type(0)
    if target is Kind.COMPLEX:
        return (x if source is Kind.COMPLEX else convert(x, np.dtype(np.float64))).astype(dtype)
    if source is Kind.FLOAT:
        return narrowed(x, dtype) if target is Kind.FLOAT else saturated(x, dtype)
    return wrapped(native(x), dtype) if target is Kind.INTEGER else float_of_integer(native(x), dtype)


def saturated(x: Array, dtype: DType) -> Array:
    """The floats `x` rounded towards zero to the integers of `dtype`; saturated at the bounds; 0 for NaN."""
    wide = x.astype(np.float64)
    bits = BITS[dtype]
    signed = dtype in SIGNED_INTEGERS.values()
    lower, upper = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    storage = np.dtype(np.int64 if signed else np.uint64)
    below, above = wide <= lower, wide >= upper + 1
    inside = np.where(below | above | np.isnan(wide), 0.0, wide).astype(storage)
    result = np.where(below, storage.type(lower), np.where(above, storage.type(upper), inside))
    return wrapped(result, dtype)


def float_of_integer(x: Array, dtype: DType) -> Array:
    """The integers `x` as floats, rounded once. Narrow floats are rounded from 53 bits of which the last is sticky."""
    if dtype in WIDE:
        return x.astype(dtype)
    negative = x < 0
    magnitude = (
        np.where(negative, np.negative(x, dtype=np.int64), x).astype(np.uint64) if is_signed(x) else x.astype(np.uint64)
    )
    large = magnitude >> np.uint64(53) != 0
    sticky = (magnitude & np.uint64(0x7FF)) != 0
    magnitude = np.where(large, (magnitude >> np.uint64(11)) | sticky, magnitude).astype(np.float64)
    exact = np.where(large, magnitude * 2048, magnitude)
    return narrowed(np.where(negative, -exact, exact), dtype)
