"""
Maps between tensors of given shapes: the building blocks of the maps of operations.

Only `bitcast_map` depends on layouts. Source: XLA indexing docs, "Indexing Maps for Unfused Ops"; rows XGPU-15,
XGPU-16, XGPU-50.
"""

from collections.abc import Sequence
from functools import lru_cache
from math import prod

from xdsl.dialects.builtin import DenseArrayBase, IntegerType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from xshardy.affine.expressions import add, constant, dim, floordiv, mod, mul, sym, total
from xshardy.affine.indexing_map import IndexingMap
from xshardy.affine.interval import Interval
from xshardy.dialects import hlo
from xshardy.dialects.shapes import shape_of

Maps = tuple[tuple[IndexingMap, ...], ...]
"""For each operand the maps at which it is read; usually one."""


def values_of(array: DenseArrayBase[IntegerType]) -> tuple[int, ...]:
    """The integers of `array<i64: 1, 2>`."""
    return tuple(array.get_values())


# -- Places in memory -------------------------------------------------------------------------------------------------


def minor_to_major(value: SSAValue) -> tuple[int, ...]:
    """The layout of a value: its dimensions, the one that varies fastest in memory first."""
    layout = hlo.layout_of(value)
    return row_major(shape_of(value)) if layout is None else layout


def row_major(shape: Sequence[int]) -> tuple[int, ...]:
    """The row-major layout of a shape: its dimensions, the one that varies fastest first."""
    return tuple(reversed(range(len(shape))))


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
        # The most major dimension needs no remainder: the position is in bounds.
        results[d] = quotient if i == len(order) - 1 else mod(quotient, constant(shape[d]))
        stride *= shape[d]
    return tuple(results)


def bitcast_map(result: SSAValue, operand: SSAValue) -> IndexingMap:
    """
    The map from the indices of an element of `result` to those of the element of `operand` at the same position in
    memory.
    """
    return _relinearized(shape_of(result), minor_to_major(result), shape_of(operand), minor_to_major(operand))


def reshape_map(shape: Sequence[int], operand_shape: Sequence[int]) -> IndexingMap:
    """The map from the indices of an element to those of the element with the same row-major number."""
    return _relinearized(tuple(shape), row_major(shape), tuple(operand_shape), row_major(operand_shape))


@lru_cache(maxsize=4096)
def _relinearized(
    shape: tuple[int, ...], order: tuple[int, ...], operand_shape: tuple[int, ...], operand_order: tuple[int, ...]
) -> IndexingMap:
    """The map between elements at the same position in memory. The layers of a model have the same shapes."""
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


# -- Scalars ----------------------------------------------------------------------------------------------------------


def scalar_operand_map(result: SSAValue) -> IndexingMap:
    """The element of a tensor without dimensions, for every index of the result."""
    return IndexingMap.from_tensor_sizes((), shape_of(result))


def scalar_result_map(result: SSAValue) -> IndexingMap:
    """From a scalar to every element of the result."""
    shape = shape_of(result)
    return IndexingMap.from_tensor_sizes([sym(i) for i in range(len(shape))], (), shape)


# -- Parts of tensors -------------------------------------------------------------------------------------------------


def inside(map: IndexingMap, indices: Sequence[AffineExpr], shape: Sequence[int]) -> IndexingMap:
    """`map` restricted to `indices` that are in bounds of a tensor of this shape."""
    for index, size in zip(indices, shape, strict=True):
        map = map.constrained(index, Interval.of_size(size)) if size else map.nowhere()
    return map


def strided_map(
    shape: Sequence[int], starts: Sequence[int], strides: Sequence[int], target: Sequence[int]
) -> IndexingMap:
    """
    `d -> start + d * stride`, from a tensor of `shape` to one of shape `target`, restricted to indices of the target.
    """
    results = [
        add(mul(dim(d), constant(stride)), constant(start))
        for d, (start, stride) in enumerate(zip(starts, strides, strict=True))
    ]
    return inside(IndexingMap.from_tensor_sizes(results, shape), results, target).simplify()


def inverse_strided_map(
    shape: Sequence[int], starts: Sequence[int], strides: Sequence[int], target: Sequence[int]
) -> IndexingMap:
    """
    `d -> (d - start) floordiv stride`, the inverse of `strided_map`, from a tensor of `shape` to one of shape `target`.

    Restricted to exact divisions with results in bounds of the target.
    """
    shifted = [add(dim(d), constant(-start)) for d, start in enumerate(starts)]
    results = [floordiv(expr, constant(stride)) for expr, stride in zip(shifted, strides, strict=True)]
    map = inside(IndexingMap.from_tensor_sizes(results, shape), results, target)
    return divisible(map, shifted, strides).simplify()


def divisible(map: IndexingMap, exprs: Sequence[AffineExpr], divisors: Sequence[int]) -> IndexingMap:
    """`map` where each of `exprs` is a multiple of its divisor."""
    for expr, divisor in zip(exprs, divisors, strict=True):
        map = map.constrained(mod(expr, constant(divisor)), Interval.point(0))
    return map


def same_bits_map(shape: Sequence[int], target: Sequence[int]) -> IndexingMap:
    """
    The map from the elements of a tensor of `shape` to those of one of shape `target` with the same bits.

    Elementwise, except for the additional innermost dimension of the tensor of narrower elements.
    """
    results: list[AffineExpr] = [dim(d) for d in range(min(len(shape), len(target)))]
    if len(target) > len(shape):
        return IndexingMap.from_tensor_sizes([*results, sym(0)], shape, target[-1:])
    return IndexingMap.from_tensor_sizes(results, shape)
