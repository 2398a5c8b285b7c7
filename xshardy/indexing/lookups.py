"""
The maps of operations with indices known only at run time: dynamic slice, dynamic update slice, and gather.

Runtime variables stand for the clamped start indices. Source: XLA indexing docs, "DynamicSlice", "DynamicUpdateSlice",
"Gather".
"""

from collections.abc import Sequence

from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import add, constant, dim, mul, sym
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.gather import GatherOp
from xshardy.dialects.stablehlo.slicing import DynamicSliceOp, DynamicUpdateSliceOp
from xshardy.indexing.tensor_maps import Maps, inside, scalar_operand_map, scalar_result_map, values_of


def start_variable(size: int, part: int) -> Variable:
    """The runtime variable of the start of a slice of `part` elements in a dimension of `size`."""
    return Variable("", Interval(0, max(size - part, 0)))


def _shifted(shape: Sequence[int], sign: int, starts: Sequence[Variable], target: Sequence[int]) -> IndexingMap:
    """
    `d -> d + sign * start`, from a tensor of `shape` to one of shape `target`, restricted to indices of the target.
    """
    box = IndexingMap.from_tensor_sizes((), shape)
    results = tuple(add(dim(d), mul(sym(d), constant(sign))) for d in range(len(starts)))
    map = IndexingMap(results, box.dimensions, runtimes=tuple(starts), constraints=box.constraints)
    return inside(map, results, target)


# -- Dynamic slices ---------------------------------------------------------------------------------------------------


def _slice_starts(op: DynamicSliceOp) -> list[Variable]:
    return [start_variable(*sizes) for sizes in zip(shape_of(op.operand), shape_of(op.result), strict=True)]


def dynamic_slice_operand(op: DynamicSliceOp) -> Maps:
    """`d -> d + start`; the start indices are scalar operands."""
    map = _shifted(shape_of(op.result), 1, _slice_starts(op), shape_of(op.operand))
    return ((map,), *((scalar_operand_map(op.result),) for _ in op.start_indices))


def dynamic_slice_result(op: DynamicSliceOp) -> Maps:
    """`d -> d - start`, restricted to indices of the result."""
    map = _shifted(shape_of(op.operand), -1, _slice_starts(op), shape_of(op.result))
    return ((map,), *((scalar_result_map(op.result),) for _ in op.start_indices))


def _update_starts(op: DynamicUpdateSliceOp) -> list[Variable]:
    return [start_variable(*sizes) for sizes in zip(shape_of(op.result), shape_of(op.update), strict=True)]


def dynamic_update_slice_operand(op: DynamicUpdateSliceOp) -> Maps:
    """
    The update at `d - start`, restricted to its indices; the start indices are scalar operands.

    The operand is read at `d`. The map does not exclude the region of the update.
    """
    shape = shape_of(op.result)
    map = _shifted(shape, -1, _update_starts(op), shape_of(op.update))
    return ((IndexingMap.identity(shape),), (map,), *((scalar_operand_map(op.result),) for _ in op.start_indices))


def dynamic_update_slice_result(op: DynamicUpdateSliceOp) -> Maps:
    """The update goes to `d + start`. The map of the operand does not exclude the overwritten region."""
    shape = shape_of(op.result)
    map = _shifted(shape_of(op.update), 1, _update_starts(op), shape)
    return ((IndexingMap.identity(shape),), (map,), *((scalar_result_map(op.result),) for _ in op.start_indices))


# -- Gather -----------------------------------------------------------------------------------------------------------


def _gather_starts(op: GatherOp) -> list[Variable]:
    """One runtime variable per component of the index vector."""
    shape, sizes = shape_of(op.operand), values_of(op.slice_sizes)
    return [start_variable(shape[d], sizes[d]) for d in op.dimension_numbers.dims.started]


def _batch_dims(op: GatherOp) -> tuple[int, ...]:
    """The dimensions of the result that number the slices."""
    return op.dimension_numbers.dims.batch_dims(len(shape_of(op.result)))


def _walked(op: GatherOp) -> dict[int, int]:
    """The dimension of the result for each batching dimension of the operand."""
    batch_dims = _batch_dims(op)
    return {d: batch_dims[place] for d, place in op.dimension_numbers.dims.batch_of.items()}


def gather_operand(op: GatherOp) -> Maps:
    """
    The operand at the start, in runtime variables, plus the offset in the slice; the index vector along a range
    variable.
    """
    dims, batching = op.dimension_numbers.dims, _walked(op)
    starts, offsets = dims.started, dims.offset_of(len(shape_of(op.operand)))
    box = IndexingMap.from_tensor_sizes((), shape_of(op.result))

    def place(d: int) -> AffineExpr:
        moving = dim(offsets[d]) if d in offsets else dim(batching[d]) if d in batching else constant(0)
        return add(moving, sym(starts.index(d))) if d in starts else moving

    results = tuple(place(d) for d in range(len(shape_of(op.operand))))
    operand = IndexingMap(results, box.dimensions, runtimes=tuple(_gather_starts(op)), constraints=box.constraints)
    return (operand,), (_gather_indices(op),)


def _gather_indices(op: GatherOp) -> IndexingMap:
    shape, vector_dim = shape_of(op.start_indices), op.dimension_numbers.dims.index_vector
    results: list[AffineExpr] = [dim(d) for d in _batch_dims(op)]
    if vector_dim == len(shape):  # each element is a vector of one component
        return IndexingMap.from_tensor_sizes(results, shape_of(op.result))
    results.insert(vector_dim, sym(0))
    return IndexingMap.from_tensor_sizes(results, shape_of(op.result), [shape[vector_dim]])


def gather_result(op: GatherOp) -> Maps:
    """
    An element of the operand goes to every slice that contains it: range variables number the slices.

    An index vector goes to all elements of its slice: range variables number these.
    """
    shape, operand_shape, sizes = shape_of(op.result), shape_of(op.operand), values_of(op.slice_sizes)
    dims, batching = op.dimension_numbers.dims, _walked(op)
    starts, offsets = dims.started, dims.offset_of(len(operand_shape))
    free = [d for d in _batch_dims(op) if d not in batching.values()]

    results: list[AffineExpr] = [constant(0)] * len(shape)
    for number, d in enumerate(free):
        results[d] = sym(number)
    for source, d in batching.items():
        results[d] = dim(source)
    box = IndexingMap.from_tensor_sizes((), operand_shape, [shape[d] for d in free])
    in_slice: list[AffineExpr] = []
    for d in range(len(operand_shape)):
        start = sym(len(free) + starts.index(d)) if d in starts else constant(0)
        in_slice.append(constant(0) if d in batching else add(dim(d), mul(start, constant(-1))))
        if d in offsets:
            results[offsets[d]] = in_slice[d]
    map = IndexingMap(tuple(results), box.dimensions, box.ranges, tuple(_gather_starts(op)), box.constraints)
    return (inside(map, in_slice, sizes),), (_gather_result_of_indices(op),)


def _gather_result_of_indices(op: GatherOp) -> IndexingMap:
    shape, indices_shape = shape_of(op.result), shape_of(op.start_indices)
    vector_dim, batch_dims = op.dimension_numbers.dims.index_vector, _batch_dims(op)
    index_dims = [d for d in range(len(indices_shape)) if d != vector_dim]
    walked = [d for d in range(len(shape)) if d not in batch_dims]
    results = [sym(walked.index(d)) if d in walked else dim(index_dims[batch_dims.index(d)]) for d in range(len(shape))]
    return IndexingMap.from_tensor_sizes(results, indices_shape, [shape[d] for d in walked])
