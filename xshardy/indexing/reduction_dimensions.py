"""Reductions normalized to three dimensions, in memory order. Source: XLA:GPU's rules for reductions; row XGPU-07."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from xshardy.affine.expressions import constant, dim, floordiv
from xshardy.affine.indexing_map import IndexingMap
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.indexing.tensor_maps import delinearized, linear_index, minor_to_major


@dataclass(frozen=True, slots=True)
class ReductionDimensions:
    """
    A row reduction of `[reduced, kept, reduced]`, or a column reduction of `[kept, reduced, kept]`, major first.

    Adjacent dimensions are merged; missing dimensions have size 1.
    """

    is_row: bool
    sizes: tuple[int, int, int]

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The sizes of the kept dimensions."""
        major, middle, minor = self.sizes
        return (middle,) if self.is_row else (major, minor)


def reduction_dimensions(op: ReduceOp) -> ReductionDimensions | None:
    """The dimensions of `op`; None if neither the reduced nor the kept dimensions are contiguous in memory."""
    shape = shape_of(op.inputs[0])
    order = tuple(reversed(minor_to_major(op.inputs[0])))
    reduced = frozenset(op.dimensions.get_values())
    kept = frozenset(range(len(shape))) - reduced
    if (parts := _around(shape, order, kept)) is not None:
        major, middle, minor = parts
        if middle == 1:
            return ReductionDimensions(True, (1, 1, major * minor))
        if minor == 1:
            return ReductionDimensions(False, (1, major, middle))
        return ReductionDimensions(True, parts)
    if (parts := _around(shape, order, reduced)) is not None:
        major, middle, minor = parts
        return ReductionDimensions(True, (1, major, middle)) if minor == 1 else ReductionDimensions(False, parts)
    return None


def kept_order(op: ReduceOp) -> tuple[int, ...]:
    """The dimensions of the result of `op` in the order of the input's layout, minor first."""
    reduced = op.dimensions.get_values()
    order = [d for d in minor_to_major(op.inputs[0]) if d not in reduced]
    return tuple(sorted(order).index(d) for d in order)


def _around(shape: Sequence[int], order: Sequence[int], dims: Collection[int]) -> tuple[int, int, int] | None:
    """
    The elements before, in and after `dims` in `order`; None if `dims` are not adjacent.

    Dimensions from major to minor.
    """
    places = [place for place, d in enumerate(order) if d in dims]
    if places != list(range(places[0], places[-1] + 1) if places else ()):
        return None
    sizes = [shape[d] for d in order]
    first, end = (places[0], places[-1] + 1) if places else (len(order), len(order))
    return prod(sizes[:first]), prod(sizes[first:end]), prod(sizes[end:])


def row_map(value: SSAValue, hero: ReduceOp, minor: int) -> IndexingMap:
    """
    The map from the indices of `value` to those of the result of `hero` for the same row.

    Precondition: `value` has as many elements as `hero` reduces, or as it has results, in the same order of memory.
    """
    return map_to_row(value, shape_of(hero.results[0]), kept_order(hero), minor)


def map_to_row(value: SSAValue, rows: Sequence[int], order: Sequence[int], minor: int) -> IndexingMap:
    """
    The map from the indices of `value` to those of its row in a tensor of shape `rows`, with the layout `order`.

    Precondition: `value` has one element for each row, or `minor`.
    """
    shape = shape_of(value)
    place = linear_index(shape, minor_to_major(value), [dim(i) for i in range(len(shape))])
    row = place if prod(shape) == prod(rows) else floordiv(place, constant(minor))
    return IndexingMap.from_tensor_sizes(delinearized(rows, order, row), shape).simplify()
