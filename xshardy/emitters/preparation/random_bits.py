"""
`rng_bit_generator` as elementwise operations: each element is a function of the state and its own number.

The generators are those of `facts/random_generators.py`. The assignment of numbers to elements and the next state
follow XLA's RNG library.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import NamedTuple

from xdsl.dialects.builtin import IntegerType, Signedness, TensorType
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.random_numbers import RngAlgorithm
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.facts.random_generators import (
    PHILOX_MULTIPLIERS,
    PHILOX_ROUNDS,
    PHILOX_WEYL,
    THREEFRY_GROUPS,
    THREEFRY_PARITY,
    THREEFRY_ROTATIONS,
)
from xshardy.rewriting import match_op_type

U32, U64 = (IntegerType(width, Signedness.UNSIGNED) for width in (32, 64))

# -- The generators: numbers of u32 from a counter and a key ----------------------------------------------------------


def halves(t: Tensors, x: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The low and the high word of elements of u64."""
    return t.convert(x, U32), t.convert(t.shifted_right(x, 32), U32)


def joined(t: Tensors, low: SSAValue, high: SSAValue) -> SSAValue:
    """Elements of u64 from their words."""
    return t.either(t.convert(low, U64), t.shifted_left(t.convert(high, U64), 32))


def rotated_left(t: Tensors, x: SSAValue, distance: int) -> SSAValue:
    return t.either(t.shifted_left(x, distance), t.shifted_right(x, 32 - distance))


def threefry(
    t: Tensors, counter: tuple[SSAValue, SSAValue], key: tuple[SSAValue, SSAValue]
) -> tuple[SSAValue, SSAValue]:
    """Threefry-2x32 of 20 rounds: two words from a counter and a key of two words each."""
    keys = (*key, t.xor(t.xor(t.like(THREEFRY_PARITY, key[0]), key[0]), key[1]))
    x, y = (t.add(word, k) for word, k in zip(counter, key, strict=True))
    for group in range(THREEFRY_GROUPS):
        for distance in THREEFRY_ROTATIONS[group % 2]:
            x = t.add(x, y)
            y = t.xor(x, rotated_left(t, y, distance))
        x = t.add(x, keys[(group + 1) % 3])
        y = t.add(t.add(y, keys[(group + 2) % 3]), t.like(group + 1, y))
    return x, y


def philox(t: Tensors, counter: Sequence[SSAValue], key: Sequence[SSAValue]) -> Sequence[SSAValue]:
    """Philox-4x32 of 10 rounds: four words from a counter of four and a key of two."""
    for _ in range(PHILOX_ROUNDS):
        (low0, high0), (low1, high1) = (
            halves(t, t.multiply(t.convert(word, U64), t.constant(multiplier, U64, shape_of(word))))
            for word, multiplier in zip((counter[0], counter[2]), PHILOX_MULTIPLIERS, strict=True)
        )
        counter = [t.xor(t.xor(high1, counter[1]), key[0]), low1, t.xor(t.xor(high0, counter[3]), key[1]), low0]
        key = [t.add(word, t.like(step, word)) for word, step in zip(key, PHILOX_WEYL, strict=True)]
    return counter


# -- The number of each element ----------------------------------------------------------------------------------------


class Bits(NamedTuple):
    """Random elements of u32 or u64, and the next state."""

    elements: SSAValue
    state: SSAValue


def element_numbers(t: Tensors, shape: Sequence[int], parts: Mapping[int, SSAValue] | None = None) -> SSAValue:
    """The row-major number of each element of `shape`, as u64; `parts` replaces the indices of some dimensions."""
    number, stride = t.constant(0, U64, shape), 1
    parts = parts or {}
    for d, size in reversed(list(enumerate(shape))):
        count = size if d not in parts else -(-size // 2)
        if count > 1:
            index = parts.get(d) or t.iota(d, U64, shape)
            number = t.add(number, t.multiply(index, t.constant(stride, U64, shape)))
        stride *= count
    return number


def split_dimension(shape: Sequence[int]) -> int | None:
    """
    The dimension in which two consecutive elements share a counter: the first of even size, otherwise the first of the
    largest.
    """
    even = [d for d, size in enumerate(shape) if size % 2 == 0]
    return even[0] if even else max(range(len(shape)), key=lambda d: shape[d], default=None)


def threefry_bits(t: Tensors, state: SSAValue, shape: Sequence[int], width: int) -> Bits:
    """
    One counter gives one u64 element, or two u32 elements that are neighbours.

    The state is the key and the counter.
    """
    key, start = t.element(state, 0), t.element(state, 1)
    keys = halves(t, t.splat(key, shape))
    axis = split_dimension(shape) if width < 64 else None
    if axis is None:
        counter = t.add(element_numbers(t, shape), t.splat(start, shape))
        low, high = threefry(t, halves(t, counter), keys)
        count, elements = prod(shape), joined(t, low, high) if width == 64 else low
    else:
        index = t.iota(axis, U64, shape)
        number = element_numbers(t, shape, {axis: t.shifted_right(index, 1)})
        low, high = threefry(t, halves(t, t.add(number, t.splat(start, shape))), keys)
        is_first = t.compare(t.both(index, t.like(1, index)), stablehlo.ComparisonDirection.EQ, t.like(0, index))
        elements = t.select(is_first, low, high)
        count = prod(shape) // shape[axis] * -(-shape[axis] // 2) if shape[axis] else 0
    return Bits(elements, t.vector([key, t.add(start, t.constant(count, U64))]))


def philox_bits(t: Tensors, state: SSAValue, shape: Sequence[int], width: int) -> Bits:
    """
    One counter of two u64 words gives four u32 or two consecutive u64 elements.

    In a state of two words, the key is also the high word of the counter.
    """
    words = shape_of(state)[0]
    key, low = t.element(state, 0), t.element(state, 1)
    high = t.element(state, 2) if words > 2 else key
    per_counter = 2 if width == 64 else 4
    number = element_numbers(t, shape)
    start, carry = _added(t, (low, high), t.shifted_right(number, per_counter.bit_length() - 1))
    outputs = philox(t, [*halves(t, start), *halves(t, carry)], halves(t, t.splat(key, shape)))
    if width == 64:
        outputs = [joined(t, *outputs[:2]), joined(t, *outputs[2:])]
    lane = t.both(number, t.like(per_counter - 1, number))
    *others, elements = outputs
    for i, output in reversed(list(enumerate(others))):
        elements = t.select(t.compare(lane, stablehlo.ComparisonDirection.EQ, t.like(i, lane)), output, elements)
    counters = -(-prod(shape) // per_counter)
    new = _added(t, (low, high), t.constant(counters, U64))
    return Bits(elements, t.vector([key, *new][:words]))


def _added(t: Tensors, wide: tuple[SSAValue, SSAValue], number: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The sum of a number of two u64 words, low word first, and a number of one word."""
    shape = shape_of(number)
    low, high = (t.splat(word, shape) if shape else word for word in wide)
    total = t.add(low, number)
    overflows = t.compare(total, stablehlo.ComparisonDirection.LT, low)
    return total, t.select(overflows, t.add(high, t.like(1, high)), high)


GENERATORS: Mapping[RngAlgorithm, Callable[[Tensors, SSAValue, Sequence[int], int], Bits]] = {
    RngAlgorithm.DEFAULT: philox_bits,
    RngAlgorithm.PHILOX: philox_bits,
    RngAlgorithm.THREE_FRY: threefry_bits,
}
"""XLA's generator on GPUs for each algorithm."""


class ExpandRngBitGenerator(RewritePattern):
    """`rng_bit_generator(state)` -> elementwise operations on the number of each element."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.RngBitGeneratorOp, rewriter: PatternRewriter, /):
        if element_type(op.initial_state) != U64 or shape_of(op.initial_state) not in ((2,), (3,)):
            raise PassFailedException(
                f"{op.name}: a state of type {op.initial_state.type} cannot be emitted; pass two or three ui64: a key "
                "and a counter"
            )
        t = Tensors(rewriter)
        target, shape = element_type(op.output), shape_of(op.output)
        width = bit_width(target)
        bits, state = GENERATORS[op.rng_algorithm.data](t, op.initial_state, shape, width)
        if width < 32:
            bits = t.convert(bits, IntegerType(width, Signedness.UNSIGNED))
        if element_type(bits) != target:
            bits = t(stablehlo.BitcastConvertOp(bits, TensorType(target, shape)))
        rewriter.replace(op, [], [state, bits])
