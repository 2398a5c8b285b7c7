"""
`rng_bit_generator`: deterministic random bits from a state, equal to XLA's; and `rng`, which has a hidden state.

The generators are those of `facts/random_generators.py`; the assignment of numbers to elements is XLA's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod

import numpy as np
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.random_numbers import RngAlgorithm, RngDistribution
from xshardy.facts.random_generators import (
    PHILOX_MULTIPLIERS,
    PHILOX_ROUNDS,
    PHILOX_WEYL,
    THREEFRY_GROUPS,
    THREEFRY_PARITY,
    THREEFRY_ROTATIONS,
)
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value, unsupported
from xshardy.numerics.element_types import BITS, KINDS, Array, DType, Kind, numpy_dtype
from xshardy.numerics.integers import wrapped

LOW_WORD = np.uint64(0xFFFFFFFF)
WORD = np.uint64(32)


def words(x: Array) -> tuple[Array, Array]:
    """The low and the high 32 bits, as u32."""
    return (x & LOW_WORD).astype(np.uint32), (x >> WORD).astype(np.uint32)


def double_word(low: Array, high: Array) -> Array:
    return low.astype(np.uint64) | high.astype(np.uint64) << WORD


def threefry(counter: Array, key: Array) -> tuple[Array, Array]:
    """Threefry-2x32 of 20 rounds: two words of u32 for each counter of u64."""
    k0, k1 = words(key)
    keys = [k0, k1, np.uint32(THREEFRY_PARITY) ^ k0 ^ k1]
    x, y = (word + k for word, k in zip(words(counter), keys, strict=False))
    for group in range(THREEFRY_GROUPS):
        for left in THREEFRY_ROTATIONS[group % 2]:
            x = x + y
            y = x ^ (y << np.uint32(left) | y >> np.uint32(32 - left))
        x = x + keys[(group + 1) % 3]
        y = y + keys[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


def philox(low: Array, high: Array, key: Array) -> tuple[Array, Array, Array, Array]:
    """Philox-4x32 of 10 rounds: four words of u32 for each counter, given as two words of u64."""
    a, b, c, d = (*words(low), *words(high))
    (k0, k1), (of_a, of_c), (w0, w1) = words(key), map(np.uint64, PHILOX_MULTIPLIERS), map(np.uint32, PHILOX_WEYL)
    for _ in range(PHILOX_ROUNDS):
        low_a, high_a = words(a.astype(np.uint64) * of_a)
        low_c, high_c = words(c.astype(np.uint64) * of_c)
        a, b, c, d = high_c ^ b ^ k0, low_c, high_a ^ d ^ k1, low_a
        k0, k1 = k0 + w0, k1 + w1
    return a, b, c, d


def threefry_bits(state: Array, shape: Sequence[int], width: int) -> tuple[Array, Array]:
    """
    One counter gives an element of 64 bits, or two narrower ones.

    These two are neighbours along the first dimension of even size, otherwise along the first of the largest ones.
    """
    key, start = state
    if width == 64 or not shape:
        low, high = threefry(start + np.arange(prod(shape), dtype=np.uint64), key)
        bits = double_word(low, high) if width == 64 else low
        return bits.reshape(shape), np.array([key, start + np.uint64(prod(shape))])
    even = [d for d, size in enumerate(shape) if size % 2 == 0]
    axis = even[0] if even else int(np.argmax(shape))
    halved = [-(-size // 2) if d == axis else size for d, size in enumerate(shape)]
    pair = threefry(start + np.arange(prod(halved), dtype=np.uint64).reshape(halved), key)
    both = np.stack(pair, axis + 1).reshape([2 * size if d == axis else size for d, size in enumerate(halved)])
    return both.take(range(shape[axis]), axis), np.array([key, start + np.uint64(prod(halved))])


def philox_bits(state: Array, shape: Sequence[int], width: int) -> tuple[Array, Array]:
    """
    One counter gives four elements of 32 bits, or two of 64, in row-major order.

    In a state of two words, the key is also the high word of the counter.
    """
    key, low, high, *_ = np.split(np.append(state, state[0]), len(state) + 1)
    per_counter = 2 if width == 64 else 4
    count = np.arange(-(-prod(shape) // per_counter), dtype=np.uint64)

    def counters(number: Array) -> tuple[Array, Array]:
        return low + number, high + (low + number < low).astype(np.uint64)

    a, b, c, d = philox(*counters(count), key)
    outputs = [double_word(a, b), double_word(c, d)] if width == 64 else [a, b, c, d]
    bits = np.stack(outputs, axis=-1).reshape(-1)[: prod(shape)].reshape(shape)
    return bits, np.concatenate([key, *counters(np.array([len(count)], np.uint64))])[: len(state)]


GENERATORS: Mapping[RngAlgorithm, Callable[[Array, Sequence[int], int], tuple[Array, Array]]] = {
    RngAlgorithm.DEFAULT: philox_bits,
    RngAlgorithm.PHILOX: philox_bits,
    RngAlgorithm.THREE_FRY: threefry_bits,
}


def rng_bit_generator(evaluator: Evaluator, op: stablehlo.RngBitGeneratorOp, state: Array) -> Sequence[Value]:
    return generated(op, op.rng_algorithm.data, state, op.output.type.get_shape(), numpy_dtype(op.output.type))


def generated(
    op: Operation, algorithm: RngAlgorithm, state: Array, shape: Sequence[int], dtype: DType
) -> tuple[Array, Array]:
    """
    The state after `state`, and random bits.

    Raises `InterpretationError` about `op` for a state that is not of two or three u64: a key and a counter.
    """
    if state.dtype != np.uint64 or state.shape not in ((2,), (3,)):
        raise unsupported(op, f"a state of {state.dtype}{list(state.shape)}: expected two or three ui64")
    width = BITS.get(dtype, 8 * dtype.itemsize)
    bits, new = GENERATORS[algorithm](state, shape, width)
    if dtype in BITS:
        return new, wrapped(bits, dtype)
    return new, bits.astype(f"u{dtype.itemsize}").view(dtype)


def rng(evaluator: Evaluator, op: stablehlo.RngOp, a: Array, b: Array, shape: Array) -> Array:
    """
    Numbers of a stream of this op, which goes on each time it is executed. They are not XLA's, whose hidden state is
    its own affair. As XLA's, all devices start from one state: an op draws the same numbers on each.
    """
    evaluator.device.times[op] += 1
    generator = np.random.default_rng(evaluator.device.times[op])
    dtype, sizes = numpy_dtype(op.result.type), op.result.type.get_shape()
    if op.rng_distribution.data is RngDistribution.NORMAL:
        return (generator.standard_normal(sizes) * float(b) + float(a)).astype(dtype)
    if KINDS[dtype] is Kind.FLOAT:
        low, high = float(a), float(b)
        return (generator.random(sizes) * (high - low) + low).astype(dtype)
    return generator.integers(int(a), max(int(b), int(a) + 1), sizes).astype(dtype)


RANDOM_BITS: Mapping[type[Operation], Rule] = {
    stablehlo.RngBitGeneratorOp: rng_bit_generator,
    stablehlo.RngOp: rng,
}
