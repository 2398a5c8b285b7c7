"""
Shardings by factor: a dimension of a tensor consists of factors, and each factor has axes.

Projecting a sharding assigns the axes of a dimension, major to minor, to its factors, major to minor. A factor gets
axes until it is fully sharded, and an axis is split if only a part fits. The minor-most factor gets all remaining axes,
divisible or not. If an axis and the remaining size of a factor have no common divisor, that axis and those after it
overflow: they stay on the dimension, and the factors after this one get no axes.
Source: Shardy's docs, "Sharding representation" and "Sharding propagation".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

from xshardy.axes.spans import Axes, Span, append, is_strict_prefix, merged, size_of
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.sharding.factor_rule import TensorMapping
from xshardy.sharding.interning import DimSharding, Sharding


@dataclass(slots=True)
class FactorSharding:
    """The axes of a factor in one tensor. `overflow` are axes of its dimension that do not fit the factor."""

    axes: Axes = ()
    is_closed: bool = False
    is_minor_most: bool = False
    overflow: Axes = ()


@dataclass(slots=True)
class TensorFactors:
    """The sharding of one tensor by factor. `factors` has the factors of the tensor only."""

    factors: dict[int, FactorSharding]
    replicated: Axes = ()
    unreduced: Axes = ()
    reduction: ReductionOp = ReductionOp.SUM
    is_expanded: bool = False
    """Whether a factor was expanded since projection."""

    def axes_of(self, factor: int) -> Axes:
        """The axes of `factor`; none if the tensor does not have it."""
        sharding = self.factors.get(factor)
        return () if sharding is None else sharding.axes

    def expand(self, factor: int, axes: Axes) -> None:
        """Shard `factor` along `axes` if they continue the axes that it has."""
        sharding = self.factors.get(factor)
        if sharding is None or not is_strict_prefix(sharding.axes, axes):
            return
        self.factors[factor] = FactorSharding(axes, sharding.is_closed, sharding.is_minor_most, sharding.overflow)
        self.is_expanded = True


def project(mapping: TensorMapping, sharding: Sharding | None, sizes: Sequence[int]) -> TensorFactors:
    """
    The factor shardings of a tensor. Without a sharding, all factors are open and have no axes.

    `sizes` are those of the factors, in elements.
    """
    if sharding is None:
        return TensorFactors({f: FactorSharding(is_minor_most=f == dim[-1]) for dim in mapping for f in dim})
    factors: dict[int, FactorSharding] = {}
    for dim, dim_sharding in zip(mapping, sharding.dims, strict=True):
        _project_dimension(dim, dim_sharding, sizes, factors)
    return TensorFactors(factors, sharding.replicated, sharding.unreduced, sharding.reduction)


def _project_dimension(
    dim: tuple[int, ...], sharding: DimSharding, sizes: Sequence[int], factors: dict[int, FactorSharding]
) -> None:
    """Assign the axes of a dimension to its factors, and add these to `factors`."""
    if len(dim) == 1:
        factors[dim[0]] = FactorSharding(merged(sharding.axes), sharding.is_closed, is_minor_most=True)
        return
    rest = list(reversed(sharding.axes))
    for factor in dim[:-1]:
        axes, left = _take(rest, sizes[factor])
        factors[factor] = FactorSharding(axes, sharding.is_closed)
        if rest and left > 1:
            factors[factor].overflow = merged(rest[::-1])
            following = dim[dim.index(factor) + 1]
            factors[following] = FactorSharding(is_closed=True, is_minor_most=following == dim[-1])
            return
    if dim:
        factors[dim[-1]] = FactorSharding(merged(rest[::-1]), sharding.is_closed, is_minor_most=True)


def _take(rest: list[Span], size: int) -> tuple[Axes, int]:
    """
    Remove from the end of `rest` the axes that divide a factor of `size` elements; the last one may be split.

    Returns these axes, and the remaining size.
    """
    taken: list[Span] = []
    while rest:
        axis = rest[-1]
        part = gcd(size, axis.size)
        if part == 1 and axis.size > 1:
            break
        rest.pop()
        if part < axis.size:
            middle = axis.start * part
            rest.append(Span(axis.axis, middle, axis.end))
            axis = Span(axis.axis, axis.start, middle)
        taken.append(axis)
        size //= part
    return tuple(taken), size


def unproject(tensor: TensorFactors, mapping: TensorMapping, sizes: Sequence[int], mesh: int) -> Sharding:
    """
    The sharding of a tensor from its factor shardings, without priorities; `mesh` is the number of its mesh.

    Axes of factors after one that is not fully sharded are dropped: their shards would not be contiguous.
    """
    return Sharding(
        mesh,
        tuple(_unproject_dimension(tensor, dim, sizes) for dim in mapping),
        tensor.replicated,
        tensor.unreduced,
        tensor.reduction,
    )


def _unproject_dimension(tensor: TensorFactors, dim: tuple[int, ...], sizes: Sequence[int]) -> DimSharding:
    axes: list[Span] = []
    is_closed = False
    for factor in dim:
        sharding = tensor.factors[factor]
        is_closed |= sharding.is_closed
        _extend(axes, sharding.axes)
        if sharding.overflow:
            _extend(axes, sharding.overflow)
            break
        if size_of(sharding.axes) < sizes[factor]:
            break
    return DimSharding(tuple(axes), is_closed)


def _extend(axes: list[Span], more: Axes) -> None:
    """Append `more` to `axes`, merging only the first of `more` with the last of `axes`."""
    if more:
        append(axes, more[0])
        axes.extend(more[1:])
