"""Operations that combine elements along dimensions or in windows, and sorting."""

from collections.abc import Mapping
from typing import NamedTuple

from xdsl.dialects.builtin import I64, DenseArrayBase
from xdsl.ir import Operation

from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.dialects.stablehlo.select_and_scatter import SelectAndScatterOp
from xshardy.dialects.stablehlo.sorting import SortOp
from xshardy.dialects.stablehlo.windows import ReduceWindowOp, padding_pairs
from xshardy.sharding.rules.builder import Factor, Factors, FactorType, Row, Shapes


def reduce(shapes: Shapes, dimensions: tuple[int, ...]) -> Factors:
    """`([i, j], [])->([i]) reduction={j}`: the first half of the operands are inputs, the others initial values."""
    count = len(shapes.operands) // 2
    initial = [None] * count
    target = 0
    for dim, size in enumerate(shapes.operands[0]):
        if dim in dimensions:
            yield Factor([dim] * count + initial, [None] * count, size, FactorType.REDUCTION)
        else:
            yield Factor([dim] * count + initial, [target] * count, size)
            target += 1


class Windows(NamedTuple):
    """The size, stride and low and high padding of the windows along each dimension; empty where none are given."""

    sizes: tuple[int, ...]
    strides: tuple[int, ...]
    paddings: tuple[tuple[int, int], ...]

    def are_elements(self, dim: int) -> bool:
        """Whether each element along `dim` has a window for itself, so that it stays where it is."""
        return (
            (not self.sizes or self.sizes[dim] == 1)
            and (not self.strides or self.strides[dim] == 1)
            and (not self.paddings or self.paddings[dim] == (0, 0))
        )


def reduce_window(shapes: Shapes, windows: Windows) -> Factors:
    """`([i, j], [])->([i, j]) permutation={j}`: a factor per dimension, as large as there are windows along it."""
    for dim, size in enumerate(shapes.results[0]):
        if windows.are_elements(dim):
            yield shapes.factor(dim, size)
        else:
            yield shapes.factor(dim, size, FactorType.PERMUTATION, blocked=shapes.conservative)


def select_and_scatter(shapes: Shapes, windows: Windows) -> Factors:
    """`([j], [i], [])->([j]) need_replication={i} permutation={j}`: the source has an element for each window."""
    _, source, _ = shapes.operands
    for dim, size in enumerate(shapes.results[0]):
        if windows.are_elements(dim):
            yield shapes.factor(dim, size)
            continue
        blocked = shapes.conservative
        yield Factor((None, dim, None), (None,), source[dim], FactorType.NEED_REPLICATION, blocked)
        yield Factor((dim, None, None), (dim,), size, FactorType.PERMUTATION, blocked)


def sort(shapes: Shapes, sorted_dim: int) -> Factors:
    """`([i, j])->([i, j]) need_replication={j}`: propagation along it is blocked if there is no other to shard."""
    shape = shapes.operands[0]
    alone = all(size == 1 for dim, size in enumerate(shape) if dim != sorted_dim)
    for dim, size in enumerate(shape):
        if dim == sorted_dim:
            yield shapes.factor(dim, size, FactorType.NEED_REPLICATION, blocked=alone)
        else:
            yield shapes.factor(dim, size)


def _dimensions(op: ReduceOp) -> tuple[int, ...]:
    return op.dimensions.get_values()


def _windows(op: ReduceWindowOp | SelectAndScatterOp) -> Windows:
    return Windows(
        _values(op.window_dimensions),
        _values(op.window_strides),
        () if op.padding is None else padding_pairs(op.padding),
    )


def _values(values: DenseArrayBase[I64] | None) -> tuple[int, ...]:
    return () if values is None else values.get_values()


def _sorted_dimension(op: SortOp) -> int:
    """The dimension as written. As in upstream, -1 does not count as the last dimension."""
    return -1 if op.dimension is None else op.dimension.value.data


RULES: Mapping[type[Operation], Row] = {
    ReduceOp: Row(reduce, _dimensions),
    ReduceWindowOp: Row(reduce_window, _windows),
    SelectAndScatterOp: Row(select_and_scatter, _windows),
    SortOp: Row(sort, _sorted_dimension),
}
