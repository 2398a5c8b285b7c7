"""
The operands of operations that have bounds: start indices, and integers that are compared with constants.

The row of an operation is in `INDICES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.calls import SLICE_TO_DYNAMIC
from xshardy.indexing.tensor_maps import values_of
from xshardy.interpreters.index_range import IndexRange, Ranges, bounded
from xshardy.interpreters.stablehlo.constants import constant_value
from xshardy.numerics.element_types import KINDS, Kind, numpy_dtype


def dynamic_slice_starts(op: stablehlo.DynamicSliceOp) -> Ranges:
    for start, size, part in zip(op.start_indices, shape_of(op.operand), shape_of(op.result), strict=True):
        yield start, bounded((), 0, size - part)


def dynamic_update_slice_starts(op: stablehlo.DynamicUpdateSliceOp) -> Ranges:
    for start, size, part in zip(op.start_indices, shape_of(op.operand), shape_of(op.update), strict=True):
        yield start, bounded((), 0, size - part)


def index_vectors(indices: SSAValue, axis: int, limits: Sequence[int], scatter: stablehlo.ScatterOp | None) -> Ranges:
    """Index vectors along `axis`, whose components are from 0 to these limits."""
    shape = shape_of(indices)
    along = [-1 if d == axis else 1 for d in range(len(shape))]
    upper = np.array(limits, np.int64).reshape(along if axis < len(shape) else ())
    yield indices, IndexRange(np.broadcast_to(np.int64(0), shape), np.broadcast_to(upper, shape), scatter=scatter)


def gather_starts(op: stablehlo.GatherOp) -> Ranges:
    numbers, parts = op.dimension_numbers, values_of(op.slice_sizes)
    limits = [shape_of(op.operand)[d] - parts[d] for d in values_of(numbers.start_index_map)]
    yield from index_vectors(op.start_indices, numbers.index_vector_dim.data, limits, None)


def scatter_starts(op: stablehlo.ScatterOp) -> Ranges:
    numbers = op.scatter_dimension_numbers
    sizes, update = shape_of(op.inputs[0]), shape_of(op.updates[0])
    dropped = (*values_of(numbers.inserted_window_dims), *values_of(numbers.input_batching_dims))
    windows = iter(values_of(numbers.update_window_dims))
    parts = [1 if d in dropped else update[next(windows)] for d in range(len(sizes))]
    limits = [sizes[d] - parts[d] for d in values_of(numbers.scatter_dims_to_operand_dims)]
    yield from index_vectors(op.scatter_indices, numbers.index_vector_dim.data, limits, op)


def compared(op: stablehlo.CompareOp) -> Ranges:
    """Integers compared with a constant or an iota: the values of that."""
    if KINDS[numpy_dtype(op.lhs.type)] is not Kind.INTEGER:
        return
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if (constant := constant_value(other)) is not None:
            bound = constant.astype(np.int64)
            yield value, IndexRange(bound, bound, is_compared=True)


def size_in_use(op: stablehlo.SetDimensionSizeOp) -> Ranges:
    """A size up to that of the operand; nothing if its own size is not known."""
    if (most := shape_of(op.operand)[op.dimension.value.data]) != DYNAMIC_INDEX:
        yield op.size, replace(bounded((), 0, most), is_size=True)


def sizes_in_use(op: stablehlo.CustomCallOp) -> Ranges:
    """Those that XLA's `SliceToDynamic` has for each dimension; nothing for other calls."""
    if op.call_target_name.data == SLICE_TO_DYNAMIC:
        for size, most in zip(op.inputs[1:], shape_of(op.inputs[0]), strict=False):
            yield size, replace(bounded((), 0, most), is_size=True)


INDICES: Mapping[type[Operation], Callable[..., Ranges]] = {
    stablehlo.CompareOp: compared,
    stablehlo.CustomCallOp: sizes_in_use,
    stablehlo.DynamicSliceOp: dynamic_slice_starts,
    stablehlo.DynamicUpdateSliceOp: dynamic_update_slice_starts,
    stablehlo.GatherOp: gather_starts,
    stablehlo.ScatterOp: scatter_starts,
    stablehlo.SetDimensionSizeOp: size_in_use,
}
"""The operands of operations that have bounds."""
