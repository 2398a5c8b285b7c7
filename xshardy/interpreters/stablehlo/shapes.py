"""Rules for ops that move elements without computing."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from xdsl.dialects import arith
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.quantized_types import quantized_element
from xshardy.dialects.stablehlo.slice_dims import SliceDims
from xshardy.interpreters.constants import constant_array
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, unsupported
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import BITS, Array, DType, numpy_dtype, stored_dtype
from xshardy.numerics.integers import native, unsigned, wrapped


def constant(evaluator: Evaluator, op: stablehlo.ConstantOp) -> Array:
    value = constant_array(op.value)
    return value if quantized_element(op.output) is None else wrapped(value, stored_dtype(op.output.type))


def arith_constant(evaluator: Evaluator, op: arith.ConstantOp) -> Array:
    return constant_array(op.value)


def counted(dimension: int, shape: Sequence[int], dtype: DType) -> Array:
    """0, 1, ... along `dimension` of a tensor of `shape`."""
    along = np.arange(shape[dimension]).reshape([-1 if d == dimension else 1 for d in range(len(shape))])
    return np.broadcast_to(convert(along, dtype), shape)


def iota(evaluator: Evaluator, op: stablehlo.IotaOp) -> Array:
    return counted(op.iota_dimension.value.data, shape_of(op.output), numpy_dtype(op.output.type))


def repeated(x: Array, dimensions: Sequence[int], shape: Sequence[int]) -> Array:
    """Dimension `i` of `x` becomes dimension `dimensions[i]`; dimensions of size 1 and new ones repeat the elements."""
    placed = [1] * len(shape)
    for size, dimension in zip(x.shape, dimensions, strict=True):
        placed[dimension] = size
    return np.broadcast_to(x.transpose(np.argsort(dimensions)).reshape(placed), shape)


def broadcast_in_dim(evaluator: Evaluator, op: stablehlo.BroadcastInDimOp, x: Array) -> Array:
    """Raises `InterpretationError` if only the result has a dynamic dimension: nothing says of which size."""
    dimensions: Sequence[int] = op.broadcast_dimensions.get_values()
    known = {
        to: own
        for to, own, size in zip(dimensions, x.shape, shape_of(op.operand), strict=True)
        if size == DYNAMIC_INDEX
    }
    shape = [known.get(d, size) if size == DYNAMIC_INDEX else size for d, size in enumerate(shape_of(op.result))]
    if DYNAMIC_INDEX in shape:
        raise unsupported(op, f"nothing says of which size dimension {shape.index(DYNAMIC_INDEX)} of the result is")
    return repeated(x, dimensions, shape)


def transpose(evaluator: Evaluator, op: stablehlo.TransposeOp, x: Array) -> Array:
    return x.transpose(op.permutation.get_values())


def reshape(evaluator: Evaluator, op: stablehlo.ReshapeOp, x: Array) -> Array:
    return x.reshape(shape_of(op.result))


def reverse(evaluator: Evaluator, op: stablehlo.ReverseOp, x: Array) -> Array:
    return np.flip(x, op.dimensions.get_values())


def concatenate(evaluator: Evaluator, op: stablehlo.ConcatenateOp, *operands: Array) -> Array:
    return np.concatenate(operands, op.dimension.value.data)


def padded(
    x: Array, padding_value: Array, lows: Sequence[int], highs: Sequence[int], interiors: Sequence[int]
) -> Array:
    """
    Interior padding spreads the elements of `x`, low padding precedes them.

    Negative padding drops elements.
    """
    sides = zip(x.shape, lows, highs, interiors, strict=True)
    limits = [low + size + max(size - 1, 0) * interior + high for size, low, high, interior in sides]
    result = np.full(limits, padding_value)
    source: list[Array] = []
    target: list[Array] = []
    for size, limit, low, interior in zip(x.shape, limits, lows, interiors, strict=True):
        places = low + np.arange(int(size)) * (interior + 1)
        kept = np.flatnonzero((places >= 0) & (places < limit))
        source.append(kept)
        target.append(places[kept])
    result[np.ix_(*target)] = x[np.ix_(*source)]
    return result


def pad(evaluator: Evaluator, op: stablehlo.PadOp, x: Array, padding_value: Array) -> Array:
    amounts = (op.edge_padding_low, op.edge_padding_high, op.interior_padding)
    return padded(x, padding_value, *(amount.get_values() for amount in amounts))


def slice_(evaluator: Evaluator, op: stablehlo.SliceOp, x: Array) -> Array:
    bounds = (op.start_indices.get_values(), op.limit_indices.get_values(), op.strides.get_values())
    return x[tuple(slice(*bound) for bound in zip(*bounds, strict=True))]


def clamped_window(x: Array, starts: Sequence[Array], sizes: Sequence[int]) -> tuple[slice, ...]:
    """The window of these sizes at `starts`, clamped so that it lies inside of `x`."""
    first = [
        min(max(int(native(start)), 0), whole - size) for start, whole, size in zip(starts, x.shape, sizes, strict=True)
    ]
    return tuple(slice(start, start + size) for start, size in zip(first, sizes, strict=True))


def dynamic_slice(evaluator: Evaluator, op: stablehlo.DynamicSliceOp, x: Array, *starts: Array) -> Array:
    return x[clamped_window(x, starts, op.slice_sizes.get_values())]


def dynamic_update_slice(
    evaluator: Evaluator, op: stablehlo.DynamicUpdateSliceOp, x: Array, update: Array, *starts: Array
) -> Array:
    result = x.copy()
    result[clamped_window(x, starts, update.shape)] = update
    return result


def index_vectors(dims: SliceDims, indices: Array) -> Array:
    """The index vectors, along the last dimension."""
    has_vectors = dims.index_vector < indices.ndim
    return native(np.moveaxis(indices, dims.index_vector, -1) if has_vectors else indices[..., None])


def gathered(dims: SliceDims, sizes: Sequence[int], x: Array, indices: Array) -> Array:
    """One slice of `sizes` per index vector: an element is at the start of its slice plus its offset in the slice."""
    vectors = index_vectors(dims, indices)
    batch_rank, rank = vectors.ndim - 1, vectors.ndim - 1 + len(dims.offset)
    offset_axis = {d: batch_rank + place for place, d in enumerate(dims.offset_of(x.ndim))}

    def along(axis: int, size: int) -> Array:
        """0, 1, ... along one axis of the batch dimensions followed by the offsets."""
        return np.arange(size).reshape([-1 if a == axis else 1 for a in range(rank)])

    where: list[Array] = []
    for d in range(x.ndim):
        place = along(offset_axis[d], sizes[d]) if d in offset_axis else np.zeros([1] * rank, np.int64)
        if d in dims.started:
            start = np.clip(vectors[..., dims.started.index(d)], 0, x.shape[d] - sizes[d]).astype(np.int64)
            place = place + start.reshape(start.shape + (1,) * len(dims.offset))
        if d in dims.batching:
            place = place + along(dims.batch_of[d], x.shape[d])
        where.append(place)
    slices = np.broadcast_to(x[tuple(where)], (*vectors.shape[:-1], *(sizes[d] for d in offset_axis)))
    return slices.transpose(dims.places(rank))


def gather(evaluator: Evaluator, op: stablehlo.GatherOp, x: Array, indices: Array) -> Array:
    """Zeros if there is nothing to gather: a collapsed slice of size 0 has one element all the same."""
    if not x.size:
        return np.zeros(shape_of(op.result), x.dtype)
    return gathered(op.dimension_numbers.dims, op.slice_sizes.get_values(), x, indices)


def bitcast_convert(evaluator: Evaluator, op: stablehlo.BitcastConvertOp, x: Array) -> Array:
    """
    The bits of each element as one element of the other type, as a last dimension of several narrower ones, or the
    reverse.
    """
    return reinterpreted(op, x.reshape(-1)).reshape(shape_of(op.result))


def reinterpreted(op: Operation, elements: Array) -> Array:
    """
    The bits of flat `elements` as elements of the result's type, lowest bits first.

    Raises `InterpretationError` between a predicate, which takes a byte, and a type of another width.
    """
    dtype = stored_dtype(op.results[0].type)
    width, target = (BITS.get(kind, 8 * kind.itemsize) for kind in (elements.dtype, dtype))
    if width == target or min(width, target) >= 8:
        return np.ascontiguousarray(elements).view(dtype)
    if np.dtype(np.bool_) in (elements.dtype, dtype):
        raise unsupported(op, f"no bitcast from {elements.dtype} to {dtype}: convert to a type of 8 bits first")
    places = np.arange(target, dtype=np.uint64)
    bits = unsigned_bits(elements, width).reshape(-1, target)
    numbers = (bits << places).sum(axis=-1, dtype=np.uint64)
    return wrapped(numbers, dtype) if dtype in BITS else numbers.astype(f"u{dtype.itemsize}").view(dtype)


def unsigned_bits(elements: Array, width: int) -> Array:
    """The bits of each of `elements`, lowest first, concatenated: zeros and ones of u64."""
    numbers = unsigned(elements) if elements.dtype in BITS else np.ascontiguousarray(elements).view(f"u{width // 8}")
    return (numbers.astype(np.uint64)[:, None] >> np.arange(width, dtype=np.uint64) & np.uint64(1)).reshape(-1)


def get_dimension_size(evaluator: Evaluator, op: stablehlo.GetDimensionSizeOp, x: Array) -> Array:
    return np.array(x.shape[op.dimension.value.data], np.int32)


def set_dimension_size(evaluator: Evaluator, op: stablehlo.SetDimensionSizeOp, x: Array, size: Array) -> Array:
    """Raises `InterpretationError` for a size that `x` does not have: nothing is padded up to a bound."""
    dimension, wanted = op.dimension.value.data, int(size)
    if not 0 <= wanted <= x.shape[dimension]:
        raise unsupported(op, f"the size {wanted} is not between 0 and {x.shape[dimension]}, the size of the operand")
    return x.take(range(wanted), dimension)


def major_to_minor(value: SSAValue) -> tuple[int, ...]:
    """The dimensions of a tensor from the outermost in memory to the innermost."""
    layout = hlo.layout_of(value)
    return tuple(range(len(shape_of(value)))) if layout is None else tuple(reversed(layout))


def bitcast(evaluator: Evaluator, op: hlo.BitcastOp, x: Array) -> Array:
    """The same memory with another shape and layout."""
    in_memory = x.transpose(major_to_minor(op.operand)).reshape(-1)
    order = major_to_minor(op.result)
    shape = shape_of(op.result)
    elements = reinterpreted(op, in_memory).reshape([shape[d] for d in order])
    return elements.transpose(np.argsort(order)) if order else elements


def copy(evaluator: Evaluator, op: hlo.CopyOp, x: Array) -> Array:
    return x


def scalars(evaluator: Evaluator, op: Operation, x: Array) -> Array:
    """The bits of each of many scalars as the result type; itself where that is the type of `x`."""
    return reinterpreted(op, x.reshape(-1)).reshape(x.shape)


def also_on_scalars(rule: Callable[[Evaluator, Any, Array], Array]) -> Rule:
    """`rule`; in a block that is applied to arrays of scalars, element by element, `scalars`."""

    def either(evaluator: Evaluator, op: Operation, x: Array) -> Array:
        return (scalars if evaluator.is_elementwise else rule)(evaluator, op, x)

    return either


SHAPES: Mapping[type[Operation], Rule] = {
    hlo.BitcastOp: also_on_scalars(bitcast),
    hlo.CopyOp: copy,
    stablehlo.BitcastConvertOp: also_on_scalars(bitcast_convert),
    stablehlo.BroadcastInDimOp: also_on_scalars(broadcast_in_dim),
    stablehlo.ConcatenateOp: concatenate,
    stablehlo.ConstantOp: constant,
    arith.ConstantOp: arith_constant,
    stablehlo.DynamicSliceOp: dynamic_slice,
    stablehlo.DynamicUpdateSliceOp: dynamic_update_slice,
    stablehlo.GatherOp: gather,
    stablehlo.GetDimensionSizeOp: get_dimension_size,
    stablehlo.IotaOp: iota,
    stablehlo.PadOp: pad,
    stablehlo.ReshapeOp: also_on_scalars(reshape),
    stablehlo.ReverseOp: reverse,
    stablehlo.SetDimensionSizeOp: set_dimension_size,
    stablehlo.SliceOp: slice_,
    stablehlo.TransposeOp: also_on_scalars(transpose),
}
