"""Scatter: combine slices sequentially with the elements at their index vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Value, unsupported
from xshardy.interpreters.stablehlo.shapes import index_vectors
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import Array, numpy_dtype

Window = tuple[slice, ...]


def scatter(evaluator: Evaluator, op: stablehlo.ScatterOp, *operands: Array) -> Sequence[Value]:
    """
    A slice that is not inside of the input is skipped entirely, as in XLA; StableHLO skips single elements.

    Elements are converted to the types of the computation, which may be wider.
    """
    if (reason := op.refused_indices()) is not None:
        raise unsupported(op, reason)
    count = len(op.inputs)
    block = op.update_computation.block
    types = [numpy_dtype(argument.type) for argument in block.args]
    results = [convert(x, dtype).copy() for x, dtype in zip(operands[:count], types[:count], strict=True)]
    updates = [convert(x, dtype) for x, dtype in zip(operands[count + 1 :], types[count:], strict=True)]
    for where, chosen in windows(op, results[0].shape, operands[count], updates[0].shape):
        shape = results[0][where].shape
        new = [update[chosen].reshape(shape) for update in updates]
        combined = evaluator.run(block, [*(x[where] for x in results), *new], elementwise=True)
        for x, value in zip(results, combined, strict=True):
            x[where] = value
    return results


def windows(
    op: stablehlo.ScatterOp, shape: Sequence[int], indices: Array, update_shape: Sequence[int]
) -> Iterator[tuple[Window, tuple[int | slice, ...]]]:
    """
    For each index vector whose window is inside of an input of `shape`: the window, and the part of the update for it.
    """
    dims = op.scatter_dimension_numbers.dims
    slice_dims, offset_of = dims.batch_dims(len(update_shape)), dims.offset_of(len(shape))
    sizes = [update_shape[offset_of[d]] if d in offset_of else 1 for d in range(len(shape))]
    vectors = index_vectors(dims, indices)
    for number in np.ndindex(*(update_shape[d] for d in slice_dims)):
        start = [0] * len(shape)
        for component, d in zip(vectors[number], dims.started, strict=True):
            start[d] += int(component)
        for d, place in dims.batch_of.items():
            start[d] += number[place]
        if any(not 0 <= first <= whole - size for first, whole, size in zip(start, shape, sizes, strict=True)):
            continue
        where = tuple(slice(first, first + size) for first, size in zip(start, sizes, strict=True))
        yield (
            where,
            tuple(number[slice_dims.index(d)] if d in slice_dims else slice(None) for d in range(len(update_shape))),
        )
