"""Rules for sorts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, Operation

from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value
from xshardy.numerics.element_types import Array

IndexArray = NDArray[np.int64]

Comparator = Callable[[Sequence[Array]], Array]
"""Where the first of two rows of elements comes first; operands are pairs of both, as those of a comparator."""


def rounds_of_exchanges(size: int) -> Iterator[tuple[IndexArray, IndexArray]]:
    """
    Batcher's merge exchange: the pairs of places, low and high, whose elements are put in order in each round.

    The pairs of a round do not overlap. There are about log2(size)^2 / 2 rounds. Source: Knuth, The Art of Computer
    Programming, volume 3, 5.2.2, algorithm M.
    """
    longest = 1 << max(size - 1, 0).bit_length() >> 1
    step = longest
    while step:
        distance, block, following = step, longest, 0
        while True:
            low = np.arange(size - distance)
            low = low[low & step == following]
            yield low, low + distance
            if block == step:
                break
            distance, block, following = block - step, block >> 1, step
        step >>= 1


def in_order(values: Sequence[Array], axis: int, comes_first: Comparator) -> list[Array]:
    """`values` sorted along `axis`, all slices at once. Equal elements stay in order: their places are compared."""
    tracked: list[Array] = [np.moveaxis(x, axis, -1).copy() for x in values]
    shape: tuple[int, ...] = tracked[0].shape
    tracked.append(np.broadcast_to(np.arange(shape[-1]), shape).copy())
    for low, high in rounds_of_exchanges(shape[-1]):
        left, right = [x[..., low] for x in tracked], [x[..., high] for x in tracked]
        is_in_order = comes_first(alternating(left[:-1], right[:-1]))
        is_swapped = comes_first(alternating(right[:-1], left[:-1])) | (~is_in_order & (right[-1] < left[-1]))
        for x, a, b in zip(tracked, left, right, strict=True):
            x[..., low], x[..., high] = np.where(is_swapped, b, a), np.where(is_swapped, a, b)
    return [np.moveaxis(x, -1, axis) for x in tracked[:-1]]


def alternating(first: Sequence[Array], second: Sequence[Array]) -> list[Array]:
    """The operands of a comparator that is asked whether the elements of `first` come before those of `second`."""
    return [*chain.from_iterable(zip(first, second, strict=True))]


def by_block(evaluator: Evaluator, comparator: Block) -> Comparator:
    """The order of `comparator`, a block that says whether the first element of each pair comes first."""

    def comes_first(pairs: Sequence[Array]) -> Array:
        (answer,) = evaluator.run(comparator, pairs, elementwise=True)
        return np.asarray(answer)

    return comes_first


def sort(evaluator: Evaluator, op: stablehlo.SortOp, *operands: Array) -> Sequence[Value]:
    axis = -1 if op.dimension is None else op.dimension.value.data
    return in_order(operands, axis, by_block(evaluator, op.comparator.block))


SORTING: Mapping[type[Operation], Rule] = {stablehlo.SortOp: sort}
