"""
Choose the common axes of each factor of an operation's sharding rule, so that all its tensors agree.

Tensors agree if each factor has the same axes in all tensors that have it, no two factors share an axis, and no factor
that needs replication is sharded. If they disagree, the axes that shard the most elements win, so that the smaller
tensors move.
Source: Shardy's docs, "Export passes" (sdy-insert-explicit-reshards). Ties are resolved as in C++ Shardy.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

from xshardy.axes.spans import (
    Axes,
    Span,
    append,
    is_list_prefix,
    is_strict_prefix,
    overlaps,
    prefix_without,
    size_of,
)
from xshardy.sharding.factor_rule import FactorRule

FactorAxes = Mapping[int, Axes]
"""The axes of each factor that a tensor has."""


def common_axes(
    rule: FactorRule, tensors: Sequence[FactorAxes], elements: Sequence[int], names: Sequence[str]
) -> tuple[Axes, ...]:
    """
    The common axes of each factor of `tensors` (operands, then results); their own axes if they already agree.

    `elements` is the size of each tensor. `names` are the names of the axes; at a tie, the last name wins.
    """
    if (agreed := agreed_axes(rule, tensors)) is not None:
        return agreed
    if len(non_scalar_tensors(rule)) == 2 and not rule.need_replication and not _has_compound_dimension(rule):
        return _axes_of_preferred_tensor(rule, tensors, elements)
    chosen = _most_shared_axes(rule, tensors, elements, names)
    for factor in rule.need_replication:
        freed, chosen[factor] = chosen[factor], ()
        if factor in common_factors(rule):
            _extend_batch_factors(freed, rule, chosen)
    return tuple(chosen)


def non_scalar_tensors(rule: FactorRule) -> Sequence[int]:
    """The indices of the tensors that are not scalars."""
    return [index for index, dims in enumerate((*rule.operands, *rule.results)) if dims]


def common_factors(rule: FactorRule) -> Sequence[int]:
    """The factors that all tensors except scalars have."""
    present = [set(chain.from_iterable(dims)) for dims in (*rule.operands, *rule.results) if dims]
    return sorted(set(range(len(rule.sizes))).intersection(*present))


def _has_compound_dimension(rule: FactorRule) -> bool:
    """Whether a dimension has several factors."""
    return any(len(dim) > 1 for dims in (*rule.operands, *rule.results) for dim in dims)


def agreed_axes(rule: FactorRule, tensors: Sequence[FactorAxes]) -> tuple[Axes, ...] | None:
    """The axes of each factor, if `tensors` agree on all of them."""
    agreed: list[Axes] = []
    for factor in range(len(rule.sizes)):
        axes = axes_in_all(factor, tensors)
        if axes is None or (axes and factor in rule.need_replication):
            return None
        if any(overlaps(axis, other) for axis in axes for others in agreed for other in others):
            return None
        agreed.append(axes)
    return tuple(agreed)


def axes_in_all(factor: int, tensors: Iterable[FactorAxes]) -> Axes | None:
    """The axes of `factor` in all tensors that have it; empty if no tensor has it, None if they differ."""
    found = {tensor[factor] for tensor in tensors if factor in tensor}
    return None if len(found) > 1 else next(iter(found), ())


def _axes_of_preferred_tensor(
    rule: FactorRule, tensors: Sequence[FactorAxes], elements: Sequence[int]
) -> tuple[Axes, ...]:
    """
    The axes of one of two tensors, so that only the other one moves; plus the axes of the other that do not overlap.
    """

    def preference(index: int) -> tuple[bool, int, int]:
        tensor = tensors[index]
        permutes = any(tensor.get(factor) for factor in rule.permutation)
        return not permutes, elements[index], size_of(chain.from_iterable(tensor.values()))

    first, second = non_scalar_tensors(rule)
    if preference(first) < preference(second):
        first, second = second, first
    preferred, other = tensors[first], tensors[second]
    taken = tuple(chain.from_iterable(preferred.values()))
    chosen: list[Axes] = [()] * len(rule.sizes)
    for factor, axes in other.items():
        chosen[factor] = without(axes, taken)
    for factor, axes in preferred.items():
        chosen[factor] = axes
    return tuple(chosen)


def without(axes: Axes, taken: Axes) -> Axes:
    """The longest prefix of `axes` that does not overlap with `taken`."""
    for index, axis in enumerate(axes):
        prefix = prefix_without(axis, taken)
        if prefix != axis:
            return axes[:index] if prefix is None else (*axes[:index], prefix)
    return axes


# -- The axes that shard the most elements ----------------------------------------------------------------------------


class _Candidate(NamedTuple):
    """A proposal to shard `factor` along `axes`. The greatest candidate wins, compared field by field in this order."""

    elements: int
    """The sum of the sizes of all tensors whose factor is sharded along these axes, or along these and more."""
    precedence: int
    """The preference for the type of the factor: 0 for pass-through, less for reduction, permutation, replication."""
    gain: int
    """The number of parts into which each current part of the factor is divided."""
    factor: int
    order: tuple[int, Sequence[tuple[str, int, int]]]
    """The tie-breaker: the number of axes, then their names and spans."""
    axes: Axes


def _most_shared_axes(
    rule: FactorRule, tensors: Sequence[FactorAxes], elements: Sequence[int], names: Sequence[str]
) -> list[Axes]:
    """
    Choose the greatest candidate, remove its axes from the others, and repeat until no candidate is left.

    A factor has no candidates until all major factors of its dimension are fully sharded: its shards would not be
    contiguous.
    """

    def candidate(elements: int, factor: int, axes: Axes, before: Axes = ()) -> _Candidate:
        order = len(axes), [(names[axis.axis], axis.start, axis.end) for axis in axes]
        gain = size_of(axes) // size_of(before)
        return _Candidate(elements, _precedence(rule, factor), gain, factor, order, axes)

    def after(pick: _Candidate, other: _Candidate) -> _Candidate | None:
        """The rest of `other` after `pick` is chosen; None if nothing is left."""
        if other.factor == pick.factor:
            continues = is_strict_prefix(pick.axes, other.axes)
            return candidate(other.elements, other.factor, other.axes, pick.axes) if continues else None
        axes = without(other.axes, pick.axes)
        if axes == other.axes:
            return candidate(other.elements, other.factor, axes)
        before = chosen[other.factor]
        return candidate(other.elements, other.factor, axes, before) if axes != before else None

    chosen: list[Axes] = [()] * len(rule.sizes)
    majors = _major_neighbours(rule)
    offered = [
        candidate(_elements_sharded_by(factor, axes, tensors, elements), factor, axes)
        for factor, axes in _proposed_axes(tensors)
    ]
    while ready := [offer for offer in offered if not majors[offer.factor]]:
        pick = max(ready)
        chosen[pick.factor] = pick.axes
        if size_of(pick.axes) == rule.sizes[pick.factor]:
            for predecessors in majors:
                predecessors.discard(pick.factor)
        offered = [left for offer in offered if (left := after(pick, offer)) is not None]
    return chosen


def _precedence(rule: FactorRule, factor: int) -> int:
    costly = rule.reduction, rule.permutation, rule.need_replication
    return -next((cost for cost, group in enumerate(costly, 1) if factor in group), 0)


def _major_neighbours(rule: FactorRule) -> list[set[int]]:
    """For each factor, the next more major factor of each dimension that has one."""
    majors: list[set[int]] = [set() for _ in rule.sizes]
    for dims in (*rule.operands, *rule.results):
        for dim in dims:
            for before, factor in pairwise(dim):
                majors[factor].add(before)
    return majors


def _proposed_axes(tensors: Iterable[FactorAxes]) -> Iterator[tuple[int, Axes]]:
    """Each factor with its axes in each tensor, and with all prefixes of these."""
    seen: set[tuple[int, Axes]] = set()
    for tensor in tensors:
        for factor, axes in tensor.items():
            for count in range(len(axes), 0, -1):
                offer = factor, axes[:count]
                if offer not in seen:
                    seen.add(offer)
                    yield offer


def _elements_sharded_by(factor: int, axes: Axes, tensors: Sequence[FactorAxes], elements: Sequence[int]) -> int:
    return sum(
        size
        for tensor, size in zip(tensors, elements, strict=True)
        if factor in tensor and is_list_prefix(axes, tensor[factor])
    )


def _extend_batch_factors(freed: Sequence[Span], rule: FactorRule, chosen: list[Axes]) -> None:
    """Add `freed` axes to the factors that pass through all tensors, as far as they divide the sizes of the factors."""
    rest = list(reversed(freed))
    for factor in common_factors(rule):
        size, parts = rule.sizes[factor], size_of(chosen[factor])
        if factor in rule.special or size == 0 or size % parts:
            continue
        room, axes = size // parts, list(chosen[factor])
        while rest and room % rest[-1].size == 0:
            room //= rest[-1].size
            append(axes, rest.pop())
        chosen[factor] = tuple(axes)
