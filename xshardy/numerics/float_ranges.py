"""
The numbers that a float type can hold, from the bytes that xDSL gives them, without numpy.

Raises `NotImplementedError` for a type that xDSL has no bytes for, such as `f80`.
"""

from functools import cache
from math import inf, isfinite, isinf

from xdsl.dialects.builtin import AnyFloat, Float8E8M0FNUType, f32

BYTE = 8


def has_infinities(type: AnyFloat) -> bool:
    """Whether a number that is too large becomes an infinity, and not a NaN or the largest number."""
    return isinf(type.round(inf))


@cache
def largest_finite(type: AnyFloat) -> float:
    """The largest finite number: the one below infinity, or the largest of all; a type without infinities is narrow."""
    if has_infinities(type):
        below = int.from_bytes(type.pack((inf,)), "little") - 1
        return type.unpack(below.to_bytes(type.compile_time_size, "little"), 1)[0]
    return max(finite_numbers(type))


@cache
def smallest_finite(type: AnyFloat) -> float:
    """The most negative finite number, or the least positive one of a type without a sign."""
    return min(finite_numbers(type)) if isinstance(type, Float8E8M0FNUType) else -largest_finite(type)


def is_finite_in(value: float, type: AnyFloat) -> bool:
    """
    Whether a finite `value` rounds to a finite number of `type`.

    A type without a sign has no zero, and here nothing that is zero in f32, by way of which `ml_dtypes` rounds; xDSL
    would give the least number for these.
    """
    if isinstance(type, Float8E8M0FNUType) and f32.round(value) <= 0:
        return False
    return isfinite(type.round(value))


def finite_numbers(type: AnyFloat) -> list[float]:
    """All finite numbers of a type of at most a byte."""
    assert type.bitwidth <= BYTE
    return [*filter(isfinite, type.unpack(bytes(range(1 << type.bitwidth)), 1 << type.bitwidth))]
