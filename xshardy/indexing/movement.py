"""
The maps of operations that only move elements: broadcast, transpose, slice, pad, reshape, bitcasts, ...

Each has a map from its result to every operand, and one back. Source: rows XGPU-15, XGPU-16; XLA indexing docs.
"""

from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import add, constant, dim, mul, sym
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects import hlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.shape import (
    BitcastConvertOp,
    BroadcastInDimOp,
    ConcatenateOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    TransposeOp,
)
from xshardy.dialects.stablehlo.slicing import SliceOp
from xshardy.indexing.tensor_maps import (
    Maps,
    bitcast_map,
    everywhere,
    gathered_up,
    reshape_map,
    same_bits_map,
    spread_out,
    values_of,
    whole_scalar,
)


def broadcast_operand(op: BroadcastInDimOp) -> Maps:
    """Dimensions of size 1 have index 0."""
    sizes = zip(values_of(op.broadcast_dimensions), shape_of(op.operand), strict=True)
    results = [constant(0) if size == 1 else dim(d) for d, size in sizes]
    return ((IndexingMap.from_tensor_sizes(results, shape_of(op.result)),),)


def broadcast_result(op: BroadcastInDimOp) -> Maps:
    """Dimensions that the operand lacks, or has with size 1, become range variables."""
    shape, operand_shape = shape_of(op.result), shape_of(op.operand)
    source = {d: i for i, d in enumerate(values_of(op.broadcast_dimensions)) if operand_shape[i] == shape[d]}
    spread = [d for d in range(len(shape)) if d not in source]
    results = [dim(source[d]) if d in source else sym(spread.index(d)) for d in range(len(shape))]
    return ((IndexingMap.from_tensor_sizes(results, operand_shape, [shape[d] for d in spread]),),)


def transpose_operand(op: TransposeOp) -> Maps:
    """Dimension `i` of the result is dimension `permutation[i]` of the operand."""
    results: list[AffineExpr] = [constant(0)] * len(shape_of(op.operand))
    for target, source in enumerate(values_of(op.permutation)):
        results[source] = dim(target)
    return ((IndexingMap.from_tensor_sizes(results, shape_of(op.result)),),)


def transpose_result(op: TransposeOp) -> Maps:
    results = [dim(source) for source in values_of(op.permutation)]
    return ((IndexingMap.from_tensor_sizes(results, shape_of(op.operand)),),)


def reverse(op: ReverseOp) -> Maps:
    """`d -> size - 1 - d` in the reversed dimensions. It is its own inverse."""
    reversed_dims = set(values_of(op.dimensions))
    results = [
        add(constant(size - 1), mul(dim(d), constant(-1))) if d in reversed_dims else dim(d)
        for d, size in enumerate(shape_of(op.operand))
    ]
    return ((IndexingMap.from_tensor_sizes(results, shape_of(op.result)),),)


def slice_operand(op: SliceOp) -> Maps:
    starts, strides = values_of(op.start_indices), values_of(op.strides)
    return ((spread_out(shape_of(op.result), starts, strides, shape_of(op.operand)),),)


def slice_result(op: SliceOp) -> Maps:
    starts, strides = values_of(op.start_indices), values_of(op.strides)
    return ((gathered_up(shape_of(op.operand), starts, strides, shape_of(op.result)),),)


def pad_operand(op: PadOp) -> Maps:
    """The padding value is a scalar. Its map does not exclude the region of the operand."""
    low, strides = values_of(op.edge_padding_low), [gap + 1 for gap in values_of(op.interior_padding)]
    return ((gathered_up(shape_of(op.result), low, strides, shape_of(op.operand)),), (whole_scalar(op.result),))


def pad_result(op: PadOp) -> Maps:
    """The map of the padding value does not exclude the region of the operand."""
    low, strides = values_of(op.edge_padding_low), [gap + 1 for gap in values_of(op.interior_padding)]
    return ((spread_out(shape_of(op.operand), low, strides, shape_of(op.result)),), (everywhere(op.result),))


def concatenate_operand(op: ConcatenateOp) -> Maps:
    """Operand `i` is read where the index along the dimension, minus the sizes before it, is one of its indices."""
    axis, offset, maps = op.dimension.value.data, 0, list[tuple[IndexingMap, ...]]()
    for operand in op.inputs:
        shape = shape_of(operand)
        results = [add(dim(d), constant(-offset)) if d == axis else dim(d) for d in range(len(shape))]
        map = IndexingMap.from_tensor_sizes(results, shape_of(op.result))
        last = offset + shape[axis] - 1
        maps.append((map.constrained(dim(axis), Interval(offset, last)) if shape[axis] else map.nowhere(),))
        offset += shape[axis]
    return tuple(maps)


def concatenate_result(op: ConcatenateOp) -> Maps:
    """Operand `i` follows those before it."""
    axis, offset, maps = op.dimension.value.data, 0, list[tuple[IndexingMap, ...]]()
    for operand in op.inputs:
        shape = shape_of(operand)
        starts = [offset if d == axis else 0 for d in range(len(shape))]
        maps.append((spread_out(shape, starts, [1] * len(shape), shape_of(op.result)),))
        offset += shape[axis]
    return tuple(maps)


def reshape_operand(op: ReshapeOp) -> Maps:
    """Row-major order of elements, independent of layouts."""
    return ((reshape_map(shape_of(op.result), shape_of(op.operand)),),)


def reshape_result(op: ReshapeOp) -> Maps:
    return ((reshape_map(shape_of(op.operand), shape_of(op.result)),),)


def bitcast_operand(op: hlo.BitcastOp) -> Maps:
    return ((bitcast_map(op.result, op.operand),),)


def bitcast_result(op: hlo.BitcastOp) -> Maps:
    return ((bitcast_map(op.operand, op.result),),)


def bitcast_convert_operand(op: BitcastConvertOp) -> Maps:
    return ((same_bits_map(shape_of(op.result), shape_of(op.operand)),),)


def bitcast_convert_result(op: BitcastConvertOp) -> Maps:
    return ((same_bits_map(shape_of(op.operand), shape_of(op.result)),),)
