"""
Which elements of its operands an operation reads to make one element of its result, as indexing maps.

A map goes from the indices of the result to those of an operand. Its domain are the indices of the result at which the
operand is read at all: `pad` and `concatenate` read each operand at some of them only. Layouts play no part, but for
`hlo.bitcast`. Source: rows XGPU-15, XGPU-16, XGPU-50.
"""

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import AnyTensorType, DenseArrayBase, IntegerType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from xshardy.dialects import hlo
from xshardy.dialects.stablehlo.elementwise_binary import BinaryElementwiseOp, ComplexOp
from xshardy.dialects.stablehlo.elementwise_unary import IsFiniteOp, UnaryElementwiseOp
from xshardy.dialects.stablehlo.selection import ClampOp, CompareOp, SelectOp
from xshardy.dialects.stablehlo.shape import (
    BitcastConvertOp,
    BroadcastInDimOp,
    ConcatenateOp,
    PadOp,
    ReshapeOp,
    ReverseOp,
    TransposeOp,
)
from xshardy.dialects.stablehlo.slicing import DynamicSliceOp, DynamicUpdateSliceOp, SliceOp
from xshardy.indexing.affine import add, constant, dim, floordiv, mod, mul, sym, total
from xshardy.indexing.indexing_map import IndexingMap, Variable
from xshardy.indexing.interval import Interval

Maps = tuple[tuple[IndexingMap, ...], ...]
"""For each operand the maps at which it is read; usually one."""


def shape_of(value: SSAValue) -> tuple[int, ...]:
    """The shape of a ranked tensor; no dimensions for a scalar."""
    return tuple(cast(AnyTensorType, value.type).get_shape())


# -- Places in memory -------------------------------------------------------------------------------------------------


def minor_to_major(value: SSAValue) -> tuple[int, ...]:
    """The dimensions of a value, the one that varies fastest in memory first."""
    layout = hlo.layout_of(value)
    return tuple(reversed(range(len(shape_of(value))))) if layout is None else layout


def linear_index(shape: Sequence[int], order: Sequence[int], indices: Sequence[AffineExpr]) -> AffineExpr:
    """The position in memory, in elements, of the element at `indices`; `order` names the dimensions, minor first."""
    stride, terms = 1, list[AffineExpr]()
    for d in order:
        terms.append(mul(indices[d], constant(stride)))
        stride *= shape[d]
    return total(list(reversed(terms)))


def delinearized(shape: Sequence[int], order: Sequence[int], linear: AffineExpr) -> tuple[AffineExpr, ...]:
    """The indices of the element at a position in memory: the inverse of `linear_index`."""
    results: list[AffineExpr] = [constant(0)] * len(shape)
    stride = 1
    for i, d in enumerate(order):
        quotient = floordiv(linear, constant(stride))
        # The most major dimension is not wrapped around: the position is in the tensor.
        results[d] = quotient if i == len(order) - 1 else mod(quotient, constant(shape[d]))
        stride *= shape[d]
    return tuple(results)


def bitcast_map(result: SSAValue, operand: SSAValue) -> IndexingMap:
    """From the indices of an element of `result` to those of the element of `operand` at the same place in memory."""
    return _relinearized(shape_of(result), minor_to_major(result), shape_of(operand), minor_to_major(operand))


def reshape_map(shape: Sequence[int], operand_shape: Sequence[int]) -> IndexingMap:
    """From the indices of an element to those of the element with the same number, in row-major order."""
    order, operand_order = (tuple(reversed(range(len(sizes)))) for sizes in (shape, operand_shape))
    return _relinearized(shape, order, operand_shape, operand_order)


def _relinearized(
    shape: Sequence[int], order: Sequence[int], operand_shape: Sequence[int], operand_order: Sequence[int]
) -> IndexingMap:
    if (shape, order) == (operand_shape, operand_order):
        return IndexingMap.identity(shape)
    if prod(shape) != prod(operand_shape):
        raise NotImplementedError(
            f"no indexing map between shapes {list(shape)} and {list(operand_shape)}: sizes differ"
        )
    if prod(shape) == 0:
        return IndexingMap.from_tensor_sizes([constant(0)] * len(operand_shape), shape)
    linear = linear_index(shape, order, [dim(i) for i in range(len(shape))])
    return IndexingMap.from_tensor_sizes(delinearized(operand_shape, operand_order, linear), shape).simplify()


# -- Operations -------------------------------------------------------------------------------------------------------


def _whole_scalar(result: SSAValue) -> IndexingMap:
    """The element of a tensor without dimensions, wherever the result is."""
    return IndexingMap.from_tensor_sizes((), shape_of(result))


def _elementwise(op: Operation) -> Maps:
    identity = IndexingMap.identity(shape_of(op.results[0]))
    return ((identity,),) * len(op.operands)


def elementwise_or_scalar(op: Operation, scalar: IndexingMap) -> Maps:
    """Elementwise, but `scalar` for an operand that is a scalar, to be used for every element."""
    shape = shape_of(op.results[0])
    identity = IndexingMap.identity(shape)
    return tuple((identity if shape_of(operand) == shape else scalar,) for operand in op.operands)


def _scalars_allowed(op: Operation) -> Maps:
    return elementwise_or_scalar(op, _whole_scalar(op.results[0]))


def _broadcast(op: BroadcastInDimOp) -> Maps:
    """Dimensions of size 1 stay at 0."""
    sizes = zip(op.broadcast_dimensions.get_values(), shape_of(op.operand), strict=True)
    results = [constant(0) if size == 1 else dim(d) for d, size in sizes]
    return ((IndexingMap.from_tensor_sizes(results, shape_of(op.result)),),)


def _transpose(op: TransposeOp) -> Maps:
    """Dimension `i` of the result is dimension `permutation[i]` of the operand."""
    results: list[AffineExpr] = [constant(0)] * len(shape_of(op.operand))
    for target, source in enumerate(op.permutation.get_values()):
        results[source] = dim(target)
    return ((IndexingMap.from_tensor_sizes(results, shape_of(op.result)),),)


def _reverse(op: ReverseOp) -> Maps:
    """`d -> size - 1 - d` in the reversed dimensions."""
    reversed_dims = set(_values(op.dimensions))
    results = [
        add(constant(size - 1), mul(dim(d), constant(-1))) if d in reversed_dims else dim(d)
        for d, size in enumerate(shape_of(op.operand))
    ]
    return ((IndexingMap.from_tensor_sizes(results, shape_of(op.result)),),)


def spread_out(
    shape: Sequence[int], starts: Sequence[int], strides: Sequence[int], target: Sequence[int]
) -> IndexingMap:
    """`d -> start + d * stride`, from a tensor of `shape` to one of shape `target`, where that is in it."""
    results = [
        add(mul(dim(d), constant(stride)), constant(start))
        for d, (start, stride) in enumerate(zip(starts, strides, strict=True))
    ]
    return _inside(IndexingMap.from_tensor_sizes(results, shape), results, target).simplify()


def gathered_up(
    shape: Sequence[int], starts: Sequence[int], strides: Sequence[int], target: Sequence[int]
) -> IndexingMap:
    """
    `d -> (d - start) floordiv stride`, the inverse of `spread_out`, from a tensor of `shape` to one of shape `target`.

    It holds where the division leaves no rest and its result is in the target.
    """
    shifted = [add(dim(d), constant(-start)) for d, start in enumerate(starts)]
    results = [floordiv(expr, constant(stride)) for expr, stride in zip(shifted, strides, strict=True)]
    map = _inside(IndexingMap.from_tensor_sizes(results, shape), results, target)
    for expr, stride in zip(shifted, strides, strict=True):
        map = map.constrained(mod(expr, constant(stride)), Interval.point(0))
    return map.simplify()


def _inside(map: IndexingMap, indices: Sequence[AffineExpr], shape: Sequence[int]) -> IndexingMap:
    """`map` where `indices` are those of an element of a tensor of this shape."""
    for index, size in zip(indices, shape, strict=True):
        map = map.constrained(index, Interval.of_size(size)) if size else map.nowhere()
    return map


def _slice(op: SliceOp) -> Maps:
    starts, strides = _values(op.start_indices), _values(op.strides)
    return ((spread_out(shape_of(op.result), starts, strides, shape_of(op.operand)),),)


def _pad(op: PadOp) -> Maps:
    """The padding value is a scalar; that it is read where the operand is not, its map does not say."""
    low, strides = _values(op.edge_padding_low), [gap + 1 for gap in _values(op.interior_padding)]
    return ((gathered_up(shape_of(op.result), low, strides, shape_of(op.operand)),), (_whole_scalar(op.result),))


def _concatenate(op: ConcatenateOp) -> Maps:
    """Operand `i` is read where the index along the dimension, less the sizes before it, is in the operand."""
    axis, offset, maps = op.dimension.value.data, 0, list[tuple[IndexingMap, ...]]()
    for operand in op.inputs:
        shape = shape_of(operand)
        results = [add(dim(d), constant(-offset)) if d == axis else dim(d) for d in range(len(shape))]
        map = IndexingMap.from_tensor_sizes(results, shape_of(op.result))
        inside = (
            map.nowhere()
            if shape[axis] == 0
            else map.constrained(dim(axis), Interval(offset, offset + shape[axis] - 1))
        )
        maps.append((inside,))
        offset += shape[axis]
    return tuple(maps)


def _reshape(op: ReshapeOp) -> Maps:
    """Layouts play no part."""
    return ((reshape_map(shape_of(op.result), shape_of(op.operand)),),)


def _bitcast(op: hlo.BitcastOp) -> Maps:
    return ((bitcast_map(op.result, op.operand),),)


def same_bits_map(shape: Sequence[int], target: Sequence[int]) -> IndexingMap:
    """
    From the elements of a tensor of `shape` to those of one of shape `target` with the same bits.

    Elementwise, but for the innermost dimension that the tensor of narrower elements has in addition.
    """
    results: list[AffineExpr] = [dim(d) for d in range(min(len(shape), len(target)))]
    if len(target) > len(shape):
        return IndexingMap.from_tensor_sizes([*results, sym(0)], shape, target[-1:])
    return IndexingMap.from_tensor_sizes(results, shape)


def _bitcast_convert(op: BitcastConvertOp) -> Maps:
    return ((same_bits_map(shape_of(op.result), shape_of(op.operand)),),)


def _start_variables(shape: Sequence[int], slice_shape: Sequence[int]) -> tuple[Variable, ...]:
    """Where a slice can start: start indices are moved so that all of it is inside."""
    return tuple(Variable("", Interval(0, max(size - part, 0))) for size, part in zip(shape, slice_shape, strict=True))


def _dynamic_slice(op: DynamicSliceOp) -> Maps:
    """`d -> d + start`, with the start indices as runtime variables; these are scalars."""
    box = IndexingMap.from_tensor_sizes((), shape_of(op.result))
    starts = _start_variables(shape_of(op.operand), shape_of(op.result))
    results = tuple(add(dim(d), sym(d)) for d in range(len(starts)))
    map = IndexingMap(results, box.dimensions, runtimes=starts, constraints=box.constraints)
    return ((map,), *((_whole_scalar(op.result),) for _ in op.start_indices))


def _dynamic_update_slice(op: DynamicUpdateSliceOp) -> Maps:
    """
    The update at `d - start`, where that is in it, with the start indices as runtime variables; these are scalars.

    The operand is read at `d`; that it is not where the update is, its map does not say.
    """
    shape, update_shape = shape_of(op.result), shape_of(op.update)
    identity = IndexingMap.identity(shape)
    results = tuple(add(dim(d), mul(sym(d), constant(-1))) for d in range(len(shape)))
    starts = _start_variables(shape, update_shape)
    map = IndexingMap(results, identity.dimensions, runtimes=starts, constraints=identity.constraints)
    return (
        (identity,),
        (_inside(map, results, update_shape),),
        *((_whole_scalar(op.result),) for _ in op.start_indices),
    )


def _values(array: DenseArrayBase[IntegerType]) -> tuple[int, ...]:
    return tuple(array.get_values())


OPERATION_MAPS: Mapping[type[Operation], Callable[..., Maps]] = {
    BitcastConvertOp: _bitcast_convert,
    BroadcastInDimOp: _broadcast,
    ClampOp: _scalars_allowed,
    ConcatenateOp: _concatenate,
    DynamicSliceOp: _dynamic_slice,
    DynamicUpdateSliceOp: _dynamic_update_slice,
    PadOp: _pad,
    ReshapeOp: _reshape,
    ReverseOp: _reverse,
    SelectOp: _scalars_allowed,
    SliceOp: _slice,
    TransposeOp: _transpose,
    hlo.BitcastOp: _bitcast,
}
"""One row per operation that is not elementwise."""

ELEMENTWISE = (UnaryElementwiseOp, BinaryElementwiseOp, CompareOp, ComplexOp, IsFiniteOp)
"""Operations that read every operand at the index of the result."""


def operand_maps(op: Operation) -> Maps:
    """
    For each operand of `op` the maps at which it is read; none if it has no operands.

    Raises `NotImplementedError` for an operation that is neither elementwise nor in the table.
    """
    if not op.operands:
        return ()
    if (maps := OPERATION_MAPS.get(type(op))) is not None:
        return maps(op)
    if isinstance(op, ELEMENTWISE):
        return _elementwise(op)
    raise NotImplementedError(f"no indexing maps for {op.name}: add a row to OPERATION_MAPS")
