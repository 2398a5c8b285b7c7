"""Logic, shifts, and movement of bits. Source: PTX ISA, "Logic and Shift Instructions"; `prmt`, `bfe` and others."""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.instructions.form import Computation, Form, Rule
from xshardy.ptx.instructions.row import FOLDED, TWO_STEPS, Row, computation
from xshardy.ptx.types import STORAGE, TYPES, Kind

U32 = TYPES["u32"]
B32 = TYPES["b32"]


def logical(function: Callable[..., Array], operands: int) -> Rule:
    """The rule of `and`, `or`, `xor`, `not` of bits and of predicates."""

    def rule(form: Form) -> Computation:
        type = form.type()
        return Computation([type], [type] * operands, function)

    return rule


def is_zero(x: Array) -> Array:
    return (x == 0).astype(x.dtype)


def shift(direction: Callable[[Array, Array], Array], *, fills_by_sign: bool) -> Rule:
    """The rule of `shl` and `shr`: amounts from the width on shift everything out."""

    def rule(form: Form) -> Computation:
        type = form.type()
        last, dtype = type.bits - 1, type.dtype

        def function(x: Array, amount: Array) -> Array:
            inside = np.minimum(amount, last).astype(dtype)
            shifted = direction(x, inside)
            if fills_by_sign and type.kind is Kind.SIGNED:
                return shifted
            if amount.size == 1:
                return shifted if amount.flat[0] <= last else np.zeros_like(shifted)
            return np.where(amount <= last, shifted, dtype.type(0))

        return Computation([type], [type, U32], function)

    return rule


def funnel_shift(form: Form) -> Computation:
    """`shf.l`, `shf.r`: 32 bits of the 64 in two registers; the amount wraps around or is at most 32."""
    left, wraps = form.required("l", "r") == "l", form.required("wrap", "clamp") == "wrap"
    form.type()

    def function(low: Array, high: Array, amount: Array) -> Array:
        by = (amount & 31 if wraps else np.minimum(amount, 32)).astype(np.uint64)
        both = high.astype(np.uint64) << 32 | low
        return (both << by >> 32 if left else both >> by).astype(np.uint32)

    return Computation([B32], [B32, B32, U32], function)


def lookup_logic(form: Form) -> Computation:
    """`lop3`: each bit of the result is that of the table (an immediate) at the three bits of the operands."""
    form.type()

    def function(x: Array, y: Array, z: Array, table: Array) -> Array:
        entries = int(table.flat[0])
        result = np.zeros(np.broadcast_shapes(x.shape, y.shape, z.shape), np.uint32)
        for row in range(8):
            if entries >> row & 1:
                bits = [value if row & place else ~value for value, place in ((x, 4), (y, 2), (z, 1))]
                result |= bits[0] & bits[1] & bits[2]
        return result

    return Computation([B32], [B32, B32, B32, U32], function)


SELECTIONS: Mapping[str, tuple[tuple[int, ...], ...]] = {
    "f4e": ((0, 1, 2, 3), (1, 2, 3, 4), (2, 3, 4, 5), (3, 4, 5, 6)),
    "b4e": ((0, 7, 6, 5), (1, 0, 7, 6), (2, 1, 0, 7), (3, 2, 1, 0)),
    "rc8": tuple((i,) * 4 for i in range(4)),
    "ecl": ((0, 1, 2, 3), (1, 1, 2, 3), (2, 2, 2, 3), (3, 3, 3, 3)),
    "ecr": ((0, 0, 0, 0), (0, 1, 1, 1), (0, 1, 2, 2), (0, 1, 2, 3)),
    "rc16": ((0, 1, 0, 1), (2, 3, 2, 3), (0, 1, 0, 1), (2, 3, 2, 3)),
}
"""The modes of `prmt`: for the selector modulo 4, the source byte of each byte of the result."""


def permute_bytes(form: Form) -> Computation:
    """`prmt`: four bytes of the eight in two registers; bit 3 of a selector replicates the sign of the byte."""
    form.required("b32")
    mode = form.take(*SELECTIONS)

    def function(low: Array, high: Array, selector: Array) -> Array:
        both = high.astype(np.uint64) << 32 | low
        result = np.zeros(np.broadcast_shapes(both.shape, selector.shape), np.uint32)
        for byte in range(4):
            if mode is None:
                source = selector >> 4 * byte & 7
                sign = selector >> (4 * byte + 3) & 1
            else:
                source, sign = np.array(SELECTIONS[mode], np.uint32)[selector & 3, byte], np.uint32(0)
            found = (both >> (source * 8).astype(np.uint64)).astype(np.uint32) & 0xFF
            found = np.where(sign != 0, np.where(found & 0x80, np.uint32(0xFF), np.uint32(0)), found)
            result |= found << np.uint32(8 * byte)
        return result

    return Computation([B32], [B32] * 3, function)


def extract_field(form: Form) -> Computation:
    """`bfe`: `length` bits from bit `position` on, extended by the sign for signed types."""
    type = form.type()
    signed, storage = type.kind is Kind.SIGNED, STORAGE[type.bits].type

    def function(x: Array, position: Array, length: Array) -> Array:
        at, count = (position & 0xFF).astype(np.uint64), (length & 0xFF).astype(np.uint64)
        wide = x.astype(np.int64) if signed else x.astype(np.uint64)
        shifted = wide >> np.minimum(at, 63).astype(wide.dtype)
        if not signed:
            shifted = np.where(at > 63, storage(0), shifted)
        mask = np.where(count > 63, ~np.uint64(0), (np.uint64(1) << np.minimum(count, 63)) - np.uint64(1))
        bits = shifted.view(np.uint64) & mask
        if not signed:
            return bits.astype(type.dtype)
        last = np.minimum(at + count - np.uint64(1), np.uint64(type.bits - 1)).astype(np.int64)
        negative = (wide >> last & 1 != 0) & (count != 0)
        return np.where(negative, bits | ~mask, bits).view(np.int64).astype(type.dtype)

    return Computation([type], [type, U32, U32], function)


def insert_field(form: Form) -> Computation:
    """`bfi`: `y` with `length` bits of `x` from bit `position` on."""
    type = form.type()

    def function(x: Array, y: Array, position: Array, length: Array) -> Array:
        at, count = (position & 0xFF).astype(np.uint64), (length & 0xFF).astype(np.uint64)
        mask = np.where(count > 63, ~np.uint64(0), (np.uint64(1) << np.minimum(count, 63)) - np.uint64(1))
        near = np.minimum(at, 63)
        place = np.where(at > 63, np.uint64(0), mask << near)
        return (y.astype(np.uint64) & ~place | x.astype(np.uint64) << near & place).astype(type.dtype)

    return Computation([type], [type, type, U32, U32], function)


def bit_mask(form: Form) -> Computation:
    """`bmsk`: a mask of `length` bits from bit `position` on."""
    wraps = form.required("wrap", "clamp") == "wrap"
    form.type()

    def function(position: Array, length: Array) -> Array:
        at, count = (p & 31 if wraps else np.minimum(p, 32) for p in (position, length))
        one = np.uint64(1)
        return (((one << count.astype(np.uint64)) - one) << at.astype(np.uint64)).astype(np.uint32)

    return Computation([B32], [U32, U32], function)


def extend(form: Form) -> Computation:
    """`szext`: the lower `length` bits, extended by their sign or by zeros."""
    wraps, type = form.required("wrap", "clamp") == "wrap", form.type()

    def function(x: Array, length: Array) -> Array:
        unused = np.uint64(64) - (length & 31 if wraps else np.minimum(length, 32)).astype(np.uint64)
        wide = np.where(unused > 63, np.uint64(0), x.astype(np.uint64) << np.minimum(unused, 63))
        wide = wide.view(np.int64) if type.kind is Kind.SIGNED else wide
        return (wide >> np.minimum(unused, 63).astype(wide.dtype)).astype(type.dtype)

    return Computation([type], [type, U32], function)


def counting(function: Callable[[Array], Array]) -> Rule:
    """The rule of an instruction of bits whose result is a u32."""

    def rule(form: Form) -> Computation:
        type = form.type()

        def count(x: Array) -> Array:
            return function(x).astype(np.uint32)

        return Computation([U32], [type], count)

    return rule


def bit_length(x: Array) -> Array:
    """The number of bits from the highest 1 on."""
    result = np.zeros(x.shape, np.uint32)
    rest = x.astype(np.uint64)
    for step in (32, 16, 8, 4, 2, 1):
        high = rest >= np.uint64(1) << np.uint64(step)
        result += np.where(high, np.uint32(step), np.uint32(0))
        rest = np.where(high, rest >> np.uint64(step), rest)
    return result + (rest != 0)


def leading_zeros(x: Array) -> Array:
    return np.uint32(8 * x.itemsize) - bit_length(x)


def find_highest(form: Form) -> Computation:
    """`bfind`: the place of the highest bit that is no sign, or with `.shiftamt` its distance from the top."""
    amount, type = form.has("shiftamt"), form.type()

    def function(x: Array) -> Array:
        value = np.where(x < 0, ~x, x).view(STORAGE[type.bits]) if type.kind is Kind.SIGNED else x
        length = bit_length(value)
        found = np.uint32(type.bits) - length if amount else length - np.uint32(1)
        return np.where(length == 0, np.uint32(0xFFFFFFFF), found)

    return Computation([U32], [type], function)


def reverse_bits(x: Array) -> Array:
    bytes = np.unpackbits(np.ascontiguousarray(x)[..., None].view(np.uint8), axis=-1)
    return np.packbits(bytes[..., ::-1], axis=-1).view(x.dtype)[..., 0]


BITS: Mapping[str, Row] = {
    "and": computation(logical(np.bitwise_and, 2), TWO_STEPS),
    "or": computation(logical(np.bitwise_or, 2), TWO_STEPS),
    "xor": computation(logical(np.bitwise_xor, 2), TWO_STEPS),
    "not": computation(logical(np.invert, 1), FOLDED),
    "cnot": computation(logical(is_zero, 1)),
    "shl": computation(shift(np.left_shift, fills_by_sign=False), TWO_STEPS),
    "shr": computation(shift(np.right_shift, fills_by_sign=True), TWO_STEPS),
    "shf": computation(funnel_shift),
    "lop3": computation(lookup_logic),
    "prmt": computation(permute_bytes),
    "bfe": computation(extract_field),
    "bfi": computation(insert_field),
    "bmsk": computation(bit_mask),
    "szext": computation(extend),
    "popc": computation(counting(np.bitwise_count)),
    "clz": computation(counting(leading_zeros)),
    "bfind": computation(find_highest),
    "brev": computation(logical(reverse_bits, 1)),
}
