"""Rules for sorts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import numpy as np
from xdsl.ir import Block, Operation

from xshardy.dialects import stablehlo
from xshardy.interpreters.element_types import Array
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value

Comparator = Callable[[Sequence[Array]], Array]
"""Where the first of two rows of elements comes first; operands are pairs of both, as those of a comparator."""


def in_order(values: Sequence[Array], axis: int, comes_first: Comparator) -> list[Array]:
    """
    Odd-even transposition: in each of as many rounds as there are elements, neighbours that are out of order change
    places. Equal elements stay in order. Quadratic, but all slices are sorted at once.
    """
    values = [np.moveaxis(x, axis, -1).copy() for x in values]
    size = values[0].shape[-1]
    for round in range(size):
        first = round % 2
        pairs = (size - first) // 2
        if not pairs:
            continue
        left = [x[..., first : first + 2 * pairs : 2] for x in values]
        right = [x[..., first + 1 : first + 2 * pairs : 2] for x in values]
        is_swapped = comes_first([*chain.from_iterable(zip(right, left, strict=True))])
        for x, low, high in zip(values, left, right, strict=True):
            ordered = np.where(is_swapped, high, low), np.where(is_swapped, low, high)
            x[..., first : first + 2 * pairs : 2], x[..., first + 1 : first + 2 * pairs : 2] = ordered
    return [np.moveaxis(x, -1, axis) for x in values]


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
