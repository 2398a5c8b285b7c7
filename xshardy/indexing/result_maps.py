"""
Which elements of its result an operation makes from one element of an operand, as indexing maps.

These are the maps of `operations.py` the other way round. What goes to many elements of the result goes there by range
variables. Source: XLA indexing docs, "Indexing Maps for Unfused Ops"; rows XGPU-04 to XGPU-06.
"""

from collections.abc import Callable, Mapping

from xdsl.ir import Operation, SSAValue

from xshardy.dialects import hlo
from xshardy.dialects.stablehlo.selection import ClampOp, SelectOp
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
from xshardy.indexing.affine import dim, sym
from xshardy.indexing.indexing_map import IndexingMap
from xshardy.indexing.operations import (
    ELEMENTWISE,
    Maps,
    bitcast_map,
    elementwise_or_scalar,
    gathered_up,
    operand_maps,
    reshape_map,
    same_bits_map,
    shape_of,
    spread_out,
)


def _everywhere(result: SSAValue) -> IndexingMap:
    """From a scalar to every element of the result."""
    shape = shape_of(result)
    return IndexingMap.from_tensor_sizes([sym(i) for i in range(len(shape))], (), shape)


def _scalars_allowed(op: Operation) -> Maps:
    return elementwise_or_scalar(op, _everywhere(op.results[0]))


def _broadcast(op: BroadcastInDimOp) -> Maps:
    """Dimensions that the operand lacks, or has with size 1, become range variables."""
    shape, operand_shape = shape_of(op.result), shape_of(op.operand)
    source = {d: i for i, d in enumerate(op.broadcast_dimensions.get_values()) if operand_shape[i] == shape[d]}
    spread = [d for d in range(len(shape)) if d not in source]
    results = [dim(source[d]) if d in source else sym(spread.index(d)) for d in range(len(shape))]
    return ((IndexingMap.from_tensor_sizes(results, operand_shape, [shape[d] for d in spread]),),)


def _transpose(op: TransposeOp) -> Maps:
    results = [dim(source) for source in op.permutation.get_values()]
    return ((IndexingMap.from_tensor_sizes(results, shape_of(op.operand)),),)


def _reverse(op: ReverseOp) -> Maps:
    """It is its own inverse."""
    return operand_maps(op)


def _slice(op: SliceOp) -> Maps:
    starts, strides = op.start_indices.get_values(), op.strides.get_values()
    return ((gathered_up(shape_of(op.operand), starts, strides, shape_of(op.result)),),)


def _pad(op: PadOp) -> Maps:
    """That the padding value goes only where the operand does not, its map does not say."""
    low, strides = op.edge_padding_low.get_values(), [gap + 1 for gap in op.interior_padding.get_values()]
    return ((spread_out(shape_of(op.operand), low, strides, shape_of(op.result)),), (_everywhere(op.result),))


def _concatenate(op: ConcatenateOp) -> Maps:
    """Operand `i` goes behind those before it."""
    axis, offset, maps = op.dimension.value.data, 0, list[tuple[IndexingMap, ...]]()
    for operand in op.inputs:
        shape = shape_of(operand)
        starts = [offset if d == axis else 0 for d in range(len(shape))]
        maps.append((spread_out(shape, starts, [1] * len(shape), shape_of(op.result)),))
        offset += shape[axis]
    return tuple(maps)


def _reshape(op: ReshapeOp) -> Maps:
    return ((reshape_map(shape_of(op.operand), shape_of(op.result)),),)


def _bitcast(op: hlo.BitcastOp) -> Maps:
    return ((bitcast_map(op.operand, op.result),),)


def _bitcast_convert(op: BitcastConvertOp) -> Maps:
    return ((same_bits_map(shape_of(op.operand), shape_of(op.result)),),)


RESULT_MAPS: Mapping[type[Operation], Callable[..., Maps]] = {
    BitcastConvertOp: _bitcast_convert,
    BroadcastInDimOp: _broadcast,
    ClampOp: _scalars_allowed,
    ConcatenateOp: _concatenate,
    PadOp: _pad,
    ReshapeOp: _reshape,
    ReverseOp: _reverse,
    SelectOp: _scalars_allowed,
    SliceOp: _slice,
    TransposeOp: _transpose,
    hlo.BitcastOp: _bitcast,
}
"""One row per operation that is not elementwise."""


def result_maps(op: Operation) -> Maps:
    """
    For each operand of `op` the maps from its indices to those of the result; none if it has no operands.

    Raises `NotImplementedError` for an operation that is neither elementwise nor in the table.
    """
    if not op.operands:
        return ()
    if (maps := RESULT_MAPS.get(type(op))) is not None:
        return maps(op)
    if isinstance(op, ELEMENTWISE):
        return operand_maps(op)
    raise NotImplementedError(f"no maps to the result of {op.name}: add a row to RESULT_MAPS")
