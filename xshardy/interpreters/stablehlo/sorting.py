"""Rules for sorts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

import numpy as np
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.interpreters.element_types import Array
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value


def sort(evaluator: Evaluator, op: stablehlo.SortOp, *operands: Array) -> Sequence[Value]:
    """
    Odd-even transposition: in each of as many rounds as there are elements, neighbours that are out of order change
    places. Equal elements stay in order. Quadratic, but all slices are sorted at once.
    """
    axis = -1 if op.dimension is None else op.dimension.value.data
    values = [np.moveaxis(x, axis, -1).copy() for x in operands]
    size = values[0].shape[-1]
    for round in range(size):
        first = round % 2
        pairs = (size - first) // 2
        if not pairs:
            continue
        left = [x[..., first : first + 2 * pairs : 2] for x in values]
        right = [x[..., first + 1 : first + 2 * pairs : 2] for x in values]
        swapped = [*chain.from_iterable(zip(right, left, strict=True))]
        (comes_first,) = evaluator.run(op.comparator.block, swapped, elementwise=True)
        for x, low, high in zip(values, left, right, strict=True):
            ordered = np.where(comes_first, high, low), np.where(comes_first, low, high)
            x[..., first : first + 2 * pairs : 2], x[..., first + 1 : first + 2 * pairs : 2] = ordered
    return [np.moveaxis(x, -1, axis) for x in values]


SORTING: Mapping[type[Operation], Rule] = {stablehlo.SortOp: sort}
