"""
Integer arithmetic as XLA defines it: modulo the width, with a result for every division and shift.

The functions take integers of any width, including `bool` and the types of `ml_dtypes`, and return the type of their
first argument. That type determines the signedness; `as_signed` and `as_unsigned` select it for signless integers.
"""

from collections.abc import Callable
from functools import wraps

import ml_dtypes
import numpy as np

from xshardy.numerics.element_types import BITS, Array, DType

UNSIGNED_TWINS = {np.dtype(f"int{bits}"): np.dtype(f"uint{bits}") for bits in (8, 16, 32, 64)}
SIGNED_TWINS = {unsigned: signed for signed, unsigned in UNSIGNED_TWINS.items()}
NARROW_SIGNED = {np.dtype(ml_dtypes.int2), np.dtype(ml_dtypes.int4)}
NARROW_UNSIGNED = {np.dtype(ml_dtypes.uint2), np.dtype(ml_dtypes.uint4)}
NARROW = NARROW_SIGNED | NARROW_UNSIGNED


def signed(x: Array) -> Array:
    """The bits of `x` read as two's complement, in numpy's narrowest signed type that holds them. `True` is -1."""
    if x.dtype == np.bool_:
        return -x.astype(np.int8)
    if x.dtype in NARROW:
        unused = np.int8(8 - BITS[x.dtype])
        return (x.astype(np.int8) << unused) >> unused
    return x.view(SIGNED_TWINS.get(x.dtype, x.dtype))


def unsigned(x: Array) -> Array:
    """The bits of `x` read as a natural number, in numpy's narrowest unsigned type that holds them. `True` is 1."""
    if x.dtype == np.bool_:
        return x.astype(np.uint8)
    if x.dtype in NARROW:
        return x.astype(np.int8).view(np.uint8) & np.uint8((1 << BITS[x.dtype]) - 1)
    return x.view(UNSIGNED_TWINS.get(x.dtype, x.dtype))


def native(x: Array) -> Array:
    """The numbers in `x` in a type of numpy: `x` itself, or a byte each for types of fewer than 8 bits."""
    if x.dtype in NARROW_SIGNED:
        return x.astype(np.int8)
    return x.astype(np.uint8) if x.dtype == np.bool_ or x.dtype in NARROW_UNSIGNED else x


def wrapped(x: Array, dtype: DType) -> Array:
    """The integers `x` modulo the width of `dtype`; a `bool` keeps the lowest bit."""
    if dtype == np.bool_:
        return (x & x.dtype.type(1)).astype(np.bool_)
    return (
        x.view(dtype)
        if dtype in (UNSIGNED_TWINS.get(x.dtype), SIGNED_TWINS.get(x.dtype))
        else x.astype(dtype, copy=False)
    )


def computed_as(reading: Callable[[Array], Array]) -> Callable[[Callable[..., Array]], Callable[..., Array]]:
    """
    Make a function of numpy's integers one of all integers: its arguments are converted by `reading`, its result
    wrapped.
    """

    def decorate(function: Callable[..., Array]) -> Callable[..., Array]:
        @wraps(function)
        def on_any(x: Array, *more: Array) -> Array:
            return wrapped(function(reading(x), *map(reading, more)), x.dtype)

        return on_any

    return decorate


as_signed = computed_as(signed)
as_unsigned = computed_as(unsigned)
as_typed = computed_as(native)


def is_signed(x: Array) -> bool:
    return np.issubdtype(x.dtype, np.signedinteger)


def divide_with_remainder(x: Array, y: Array) -> tuple[Array, Array]:
    """
    `x / y` rounded towards zero, and the remainder, which has the sign of `x`.

    For `y` 0: all bits set, and `x`. For the least integer divided by -1: itself, and 0.
    """
    one = x.dtype.type(1)
    by_zero = y == 0
    divisor = np.where(by_zero, one, y)
    if is_signed(x):
        by_minus_one = y == -1  # numpy warns for the least integer, although the subtraction wraps around as intended
        rest = np.fmod(x, np.where(by_minus_one, one, divisor))
        quotient = np.where(by_minus_one, np.negative(x), (x - rest) // np.where(by_minus_one, one, divisor))
    else:
        quotient, rest = np.divmod(x, divisor)
    return np.where(by_zero, ~x.dtype.type(0), quotient), np.where(by_zero, x, rest)


def quotient(x: Array, y: Array) -> Array:
    return divide_with_remainder(x, y)[0]


def rest(x: Array, y: Array) -> Array:
    return divide_with_remainder(x, y)[1]


def floor_quotient(x: Array, y: Array) -> Array:
    """`x / y` rounded towards minus infinity."""
    towards_zero, left = divide_with_remainder(x, y)
    return towards_zero - ((left != 0) & ((x < 0) != (y < 0))).astype(x.dtype)


def ceil_quotient(x: Array, y: Array) -> Array:
    """`x / y` rounded towards plus infinity."""
    towards_zero, left = divide_with_remainder(x, y)
    return towards_zero + ((left != 0) & ((x < 0) == (y < 0))).astype(x.dtype)


def integer_power(x: Array, y: Array) -> Array:
    """
    `x` to the power `y`, modulo the width.

    For negative `y`, the exact result rounded towards zero (0 for the base 0): 1 for the base 1, 1 or -1 for -1, else
    0.
    """
    result, base, exponent = np.ones_like(x + y), x, unsigned(y)
    while exponent.any():
        result = np.where(exponent & exponent.dtype.type(1), result * base, result)
        base = base * base
        exponent = exponent >> exponent.dtype.type(1)
    if not is_signed(y):
        return result
    alternating = 1 - 2 * (y & y.dtype.type(1))
    inverse = np.where(x == 1, 1, np.where(x == -1, alternating, 0)).astype(x.dtype)
    return np.where(y < 0, inverse, result)


def high_half(x: Array, y: Array) -> Array:
    """The upper half of the bits of the product of unsigned numbers of 8 to 64 bits."""
    width = 8 * x.itemsize
    if width < 64:
        product = x.astype(np.uint64) * y.astype(np.uint64)
        return (product >> np.uint64(width)).astype(x.dtype)
    low, half = np.uint64(0xFFFFFFFF), np.uint64(32)
    middle = (x >> half) * (y & low) + ((x & low) * (y & low) >> half)
    carried = (x & low) * (y >> half) + (middle & low)
    return (x >> half) * (y >> half) + (middle >> half) + (carried >> half)


def multiply_unsigned_extended(x: Array, y: Array) -> tuple[Array, Array]:
    """The lower and the upper half of the product of `x` and `y`, read as unsigned."""
    ux, uy = unsigned(x), unsigned(y)
    return wrapped(ux * uy, x.dtype), wrapped(high_half(ux, uy), x.dtype)


def multiply_signed_extended(x: Array, y: Array) -> tuple[Array, Array]:
    """The lower and the upper half of the product of `x` and `y`, read as signed."""
    ux, uy = unsigned(x), unsigned(y)
    zero = ux.dtype.type(0)
    high = high_half(ux, uy) - np.where(signed(x) < 0, uy, zero) - np.where(signed(y) < 0, ux, zero)
    return wrapped(ux * uy, x.dtype), wrapped(high, x.dtype)


def add_unsigned_extended(x: Array, y: Array) -> tuple[Array, Array]:
    """The sum modulo the width, and whether it overflowed, both read as unsigned."""
    total = add(x, y)
    return total, unsigned(total) < unsigned(x)


divide = as_typed(quotient)
remainder = as_typed(rest)
floor_divide = as_typed(floor_quotient)
power = as_typed(integer_power)
sign = as_typed(np.sign)
absolute = as_typed(np.abs)
negate = as_typed(np.negative)
add = as_typed(np.add)
subtract = as_typed(np.subtract)
multiply = as_typed(np.multiply)


def shifted(shift: Callable[[Array, Array], Array], bits: Array, amount: Array, width: int, beyond: Array) -> Array:
    """`shift` of `bits` by `amount`, unsigned; `beyond` where `amount` is at least `width`."""
    count = unsigned(amount)
    inside = count < width
    return np.where(inside, shift(bits, np.where(inside, count, count.dtype.type(0)).astype(bits.dtype)), beyond)


def shift_left(x: Array, amount: Array) -> Array:
    """`x * 2**amount` modulo the width; 0 where `amount`, unsigned, is at least the width."""
    bits = unsigned(x)
    return wrapped(shifted(np.left_shift, bits, amount, BITS[x.dtype], np.zeros_like(bits)), x.dtype)


def shift_right_logical(x: Array, amount: Array) -> Array:
    """`x` shifted right with zeros; 0 where `amount`, unsigned, is at least the width."""
    bits = unsigned(x)
    return wrapped(shifted(np.right_shift, bits, amount, BITS[x.dtype], np.zeros_like(bits)), x.dtype)


def shift_right_arithmetic(x: Array, amount: Array) -> Array:
    """`x` shifted right with the sign; all sign bits where `amount`, unsigned, is at least the width."""
    bits = signed(x)
    signs = bits >> bits.dtype.type(8 * bits.itemsize - 1)
    return wrapped(shifted(np.right_shift, bits, amount, BITS[x.dtype], signs), x.dtype)


def population_count(x: Array) -> Array:
    """The number of set bits of `x`."""
    return wrapped(np.bitwise_count(unsigned(x)), x.dtype)


def bit_length(bits: Array) -> Array:
    """
    The number of bits that the natural numbers `bits` need; 0 for 0.

    Sets all bits below the highest one, then counts.
    """
    for distance in (1, 2, 4, 8, 16, 32):
        if distance < 8 * bits.itemsize:
            bits = bits | (bits >> bits.dtype.type(distance))
    return np.bitwise_count(bits)


def count_leading_zeros(x: Array) -> Array:
    """The number of bits of `x` before the highest set one; the width for 0."""
    return wrapped(np.uint8(BITS[x.dtype]) - bit_length(unsigned(x)), x.dtype)


def count_trailing_zeros(x: Array) -> Array:
    """The number of bits of `x` after the lowest set one; the width for 0."""
    bits = unsigned(x)
    below_lowest = ~bits & (bits - bits.dtype.type(1))
    count = np.where(bits == 0, np.uint8(BITS[x.dtype]), np.bitwise_count(below_lowest))
    return wrapped(count, x.dtype)
