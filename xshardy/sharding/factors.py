"""
Shardings seen from the loops of an operation: a tensor's dimensions are made of factors, and each factor has its axes.

Projecting a sharding gives the major axes of a dimension to its major factor until that is fully sharded, splitting an
axis where it must, and so on; the minor-most factor takes the rest, divisible or not. Where an axis and what is left of
a factor have no common divisor, it and what follows overflow: they stay with the dimension, and factors after it get
nothing.
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
    """The axes of a factor in one tensor. `overflow` are those that its dimension has but it has no room for."""

    axes: Axes = ()
    is_closed: bool = False
    is_minor_most: bool = False
    overflow: Axes = ()


@dataclass(slots=True)
class TensorFactors:
    """The sharding of one tensor by factor. A factor that the tensor does not have is not in `factors`."""

    factors: dict[int, FactorSharding]
    replicated: Axes = ()
    unreduced: Axes = ()
    reduction: ReductionOp = ReductionOp.SUM
    is_expanded: bool = False
    """Whether some factor got more axes than the sharding of the tensor had."""

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

    def copy(self) -> TensorFactors:
        """The same factor shardings, to be expanded by themselves."""
        return TensorFactors(dict(self.factors), self.replicated, self.unreduced, self.reduction, self.is_expanded)


def project(mapping: TensorMapping, sharding: Sharding | None, sizes: Sequence[int]) -> TensorFactors:
    """
    The factor shardings of a tensor; one without a sharding is open and has no axes.

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
    """Give the axes of a dimension to its factors, and add these to `factors`."""
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
    Take from the end of `rest` the axes that divide a factor of `size` elements, the last of them split if need be.

    Returns them, and what is left of the size.
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
    The sharding that the factor shardings of a tensor make up, without priorities; `mesh` is the number of its mesh.

    A factor after one that is not fully sharded is left out: its parts would lie apart from each other.
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
    """Put `more` at the minor end of `axes`; only where the two meet are sub-axes merged."""
    if more:
        append(axes, more[0])
        axes.extend(more[1:])
