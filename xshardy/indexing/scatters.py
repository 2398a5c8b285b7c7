"""
The maps of scatter: the updates that an element of the result may depend on, and the targets of an update.

Range variables number the slices of the updates. Runtime variables are the index vector of a slice; those for which the
slice is out of bounds are ignored. Source: StableHLO's specification of `scatter`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import add, constant, dim, mul, sym
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.scatter import ScatterOp
from xshardy.dialects.stablehlo.slice_dims import SliceDims
from xshardy.indexing.lookups import start_variable
from xshardy.indexing.tensor_maps import Maps


@dataclass(frozen=True, eq=False)
class SliceDimensions:
    """The correspondence between dimensions of the operand, the index vectors and the updates of a scatter."""

    op: ScatterOp

    @cached_property
    def operand_shape(self) -> tuple[int, ...]:
        """The shape of each operand, and of each result."""
        return shape_of(self.op.inputs[0])

    @cached_property
    def dims(self) -> SliceDims:
        """The dimension numbers."""
        return self.op.scatter_dimension_numbers.dims

    @property
    def window_dims(self) -> tuple[int, ...]:
        """The dimensions of the updates inside of a slice."""
        return self.dims.offset

    @cached_property
    def slice_dims(self) -> tuple[int, ...]:
        """The dimensions of the updates that number the slices."""
        return self.dims.batch_dims(len(shape_of(self.op.updates[0])))

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The number of slices along each of `slice_dims`."""
        return tuple(shape_of(self.op.updates[0])[d] for d in self.slice_dims)

    @property
    def count(self) -> int:
        """The number of slices."""
        return prod(self.shape)

    @cached_property
    def window(self) -> tuple[int, ...]:
        """The sizes of a slice along `window_dims`."""
        return tuple(shape_of(self.op.updates[0])[d] for d in self.window_dims)

    @cached_property
    def window_of(self) -> Mapping[int, int]:
        """For each dimension of the operand that a slice spans, the corresponding one of `window_dims`."""
        return {d: number for number, d in enumerate(self.dims.offset_of(len(self.operand_shape)))}

    @cached_property
    def batch_of(self) -> Mapping[int, int]:
        """For each batching dimension of the operand, the corresponding one of `slice_dims`."""
        return self.dims.batch_of

    @property
    def vector_dim(self) -> int:
        """
        The dimension of the indices that holds the index vectors; equal to the rank for implicit vectors of one
        component.
        """
        return self.dims.index_vector

    @property
    def has_vectors(self) -> bool:
        """Whether a dimension of the indices holds the index vectors."""
        return self.vector_dim < len(shape_of(self.op.scatter_indices))

    @property
    def started(self) -> tuple[int, ...]:
        """The dimensions of the operand that the components of an index vector refer to."""
        return self.dims.started

    def extent(self, d: int) -> int:
        """The extent of a slice along a dimension of the operand, in elements."""
        return self.window[self.window_of[d]] if d in self.window_of else 1

    def last_start(self, d: int) -> int:
        """The last start of a slice along a dimension of the operand. Precondition: the dimension is not empty."""
        return self.operand_shape[d] - self.extent(d)


def scatter_operand(op: ScatterOp) -> Maps:
    """
    The operand at `d`; all index vectors; the updates at `d - start`, restricted to indices of the updates.

    The last range variable of an index vector runs along its components.
    """
    slices = SliceDimensions(op)
    whole = (IndexingMap.identity(slices.operand_shape),)
    updates = (_updates(slices),)
    return (*(whole for _ in op.inputs), (_index_vectors(slices),), *(updates for _ in op.updates))


def _index_vectors(slices: SliceDimensions) -> IndexingMap:
    results: list[AffineExpr] = [sym(i) for i in range(len(slices.shape))]
    if not slices.has_vectors:
        return IndexingMap.from_tensor_sizes(results, slices.operand_shape, slices.shape)
    results.insert(slices.vector_dim, sym(len(slices.shape)))
    return IndexingMap.from_tensor_sizes(results, slices.operand_shape, (*slices.shape, len(slices.started)))


def _updates(slices: SliceDimensions) -> IndexingMap:
    box = IndexingMap.from_tensor_sizes((), slices.operand_shape, slices.shape)
    starts = tuple(start_variable(slices.operand_shape[d], slices.extent(d)) for d in slices.started)
    map = IndexingMap((), box.dimensions, box.ranges, starts, box.constraints)
    results: dict[int, AffineExpr] = {d: sym(i) for i, d in enumerate(slices.slice_dims)}
    for d in range(len(slices.operand_shape)):
        start = sym(len(slices.shape) + slices.started.index(d)) if d in slices.started else constant(0)
        first = add(sym(slices.batch_of[d]), start) if d in slices.batch_of else start
        offset = add(dim(d), mul(first, constant(-1)))
        map = map.constrained(offset, Interval.of_size(slices.extent(d))) if slices.extent(d) else map.nowhere()
        if d in slices.window_of:
            results[slices.window_dims[slices.window_of[d]]] = offset
    return map.with_results(results[d] for d in range(len(results)))


def scatter_result(op: ScatterOp) -> Maps:
    """The operand maps to the same index, an update to `start + d`; an index vector may affect every element."""
    slices = SliceDimensions(op)
    whole = (IndexingMap.identity(slices.operand_shape),)
    update = (_result_of_update(slices),)
    return (*(whole for _ in op.inputs), (_result_of_index(slices),), *(update for _ in op.updates))


def _result_of_update(slices: SliceDimensions) -> IndexingMap:
    box = IndexingMap.from_tensor_sizes((), shape_of(slices.op.updates[0]))
    starts = tuple(start_variable(slices.operand_shape[d], slices.extent(d)) for d in slices.started)

    def place(d: int) -> AffineExpr:
        start = sym(slices.started.index(d)) if d in slices.started else constant(0)
        if d in slices.batch_of:
            start = add(dim(slices.slice_dims[slices.batch_of[d]]), start)
        return add(dim(slices.window_dims[slices.window_of[d]]), start) if d in slices.window_of else start

    results = tuple(place(d) for d in range(len(slices.operand_shape)))
    return IndexingMap(results, box.dimensions, runtimes=starts, constraints=box.constraints)


def _result_of_index(slices: SliceDimensions) -> IndexingMap:
    results = [sym(d) for d in range(len(slices.operand_shape))]
    return IndexingMap.from_tensor_sizes(results, shape_of(slices.op.scatter_indices), slices.operand_shape)
