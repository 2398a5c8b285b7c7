"""The rule for select-and-scatter."""

from __future__ import annotations

import numpy as np

from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.windows import window_elements
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import Array, numpy_dtype


def select_and_scatter(
    evaluator: Evaluator, op: stablehlo.SelectAndScatterOp, operand: Array, source: Array, init: Array
) -> Array:
    """
    First the selected element of each window, then the elements of `source`, one element of the window at a time: in
    different positions of the window, that is at different places. Padding is never selected. Elements are converted to
    the types of the computations, which may be wider.
    """
    operand = convert(operand, numpy_dtype(op.select.block.args[0].type))
    source, init = (convert(x, numpy_dtype(op.scatter.block.args[0].type)) for x in (source, init))
    window = op.window()
    taps = list(window_elements(operand, window, source.shape))
    selected = np.full(source.shape, -1)
    best = np.broadcast_to(np.zeros((), operand.dtype), source.shape)
    for number, (_, taken, inside) in enumerate(taps):
        (keeps,) = evaluator.run(op.select.block, [best, taken], elementwise=True)
        is_better = inside & ((selected < 0) | ~np.asarray(keeps))
        selected, best = np.where(is_better, number, selected), np.where(is_better, taken, best)
    result = np.full(operand.shape, init)
    for number, (tap, _, _) in enumerate(taps):
        kept: list[Array] = []
        places: list[Array] = []
        for dimension, index, count, size in zip(window, tap, source.shape, operand.shape, strict=True):
            along = np.arange(int(count)) * dimension.stride + index - dimension.low
            kept.append(np.flatnonzero((along >= 0) & (along < size)))
            places.append(along[kept[-1]])
        positions, there = np.ix_(*kept), np.ix_(*places)
        old = result[there]
        (combined,) = evaluator.run(op.scatter.block, [old, source[positions]], elementwise=True)
        result[there] = np.where(selected[positions] == number, np.asarray(combined), old)
    return result
