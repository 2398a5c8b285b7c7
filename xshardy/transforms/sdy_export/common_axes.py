"""
The axes that all tensors of an operation can share: for each factor of its sharding rule, those that it is to have.

Tensors agree if each factor has the same axes in all tensors that have it, if no two factors share an axis, and if no
factor is sharded that needs replication. Where they do not agree, moving the smaller tensors costs least: the axes by
which most elements are sharded already are kept.
Source: Shardy's docs, "Export passes" (sdy-insert-explicit-reshards). Ties are settled as C++ Shardy settles them.
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
    The axes of each factor on which `tensors` (operands, then results) are to agree; their own if they do agree.

    `elements` is the size of each tensor. `names` are those of the axes, of which the last one wins a tie.
    """
    if (agreed := agreed_axes(rule, tensors)) is not None:
        return agreed
    if len(whole_tensors(rule)) == 2 and not rule.need_replication and not _has_compound_dimension(rule):
        return _axes_of_the_preferred(rule, tensors, elements)
    chosen = _most_shared_axes(rule, tensors, elements, names)
    for factor in rule.need_replication:
        freed, chosen[factor] = chosen[factor], ()
        if factor in common_factors(rule):
            _give_to_batch_factors(freed, rule, chosen)
    return tuple(chosen)


def whole_tensors(rule: FactorRule) -> Sequence[int]:
    """Which tensors are not scalars."""
    return [index for index, dims in enumerate((*rule.operands, *rule.results)) if dims]


def common_factors(rule: FactorRule) -> Sequence[int]:
    """The factors that all tensors have but scalars."""
    present = [set(chain.from_iterable(dims)) for dims in (*rule.operands, *rule.results) if dims]
    return sorted(set(range(len(rule.sizes))).intersection(*present))


def _has_compound_dimension(rule: FactorRule) -> bool:
    """Whether a dimension is made of several factors."""
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
    """The axes of `factor` in all tensors that have it: none if none has it, and None if they differ."""
    found = {tensor[factor] for tensor in tensors if factor in tensor}
    return None if len(found) > 1 else next(iter(found), ())


def _axes_of_the_preferred(
    rule: FactorRule, tensors: Sequence[FactorAxes], elements: Sequence[int]
) -> tuple[Axes, ...]:
    """The axes of one of the two tensors, so that only the other one moves; and what is left of those of the other."""

    def preference(index: int) -> tuple[bool, int, int]:
        tensor = tensors[index]
        permutes = any(tensor.get(factor) for factor in rule.permutation)
        return not permutes, elements[index], size_of(chain.from_iterable(tensor.values()))

    first, second = whole_tensors(rule)
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
    """What `axes` begins with, up to where it shares something with `taken`."""
    for index, axis in enumerate(axes):
        prefix = prefix_without(axis, taken)
        if prefix != axis:
            return axes[:index] if prefix is None else (*axes[:index], prefix)
    return axes


# -- The axes by which most elements are sharded ----------------------------------------------------------------------


class _Candidate(NamedTuple):
    """A way to shard a factor. The greatest is chosen: the fields are in the order in which they decide."""

    elements: int
    """The sizes of all tensors that are sharded along these axes, and maybe along more."""
    precedence: int
    """How much its type speaks for sharding it: less if it takes a reduction, still less if it takes more than that."""
    gain: int
    """How many parts each part of the factor is divided into."""
    factor: int
    order: tuple[int, Sequence[tuple[str, int, int]]]
    """Of two ways that are as good as each other, the one with more axes goes first, then by the names of these."""
    axes: Axes


def _most_shared_axes(
    rule: FactorRule, tensors: Sequence[FactorAxes], elements: Sequence[int], names: Sequence[str]
) -> list[Axes]:
    """
    Shard the factor next that most elements are sharded by, with axes that are still free, until none is left.

    A factor has to wait until those before it in a dimension are fully sharded: its parts would lie apart otherwise.
    """

    def candidate(elements: int, factor: int, axes: Axes, before: Axes = ()) -> _Candidate:
        order = len(axes), [(names[axis.axis], axis.start, axis.end) for axis in axes]
        gain = size_of(axes) // size_of(before)
        return _Candidate(elements, _precedence(rule, factor), gain, factor, order, axes)

    def after(pick: _Candidate, other: _Candidate) -> _Candidate | None:
        """What `other` offers when `pick` has been chosen; None if nothing."""
        if other.factor == pick.factor:
            continues = is_strict_prefix(pick.axes, other.axes)
            return candidate(other.elements, other.factor, other.axes, pick.axes) if continues else None
        axes = without(other.axes, pick.axes)
        if axes == other.axes:
            return candidate(other.elements, other.factor, axes)
        before = chosen[other.factor]
        return candidate(other.elements, other.factor, axes, before) if axes != before else None

    chosen: list[Axes] = [()] * len(rule.sizes)
    waiting = _waiting(rule)
    offered = [
        candidate(_elements_sharded_by(factor, axes, tensors, elements), factor, axes)
        for factor, axes in _offered_axes(tensors)
    ]
    while ready := [offer for offer in offered if not waiting[offer.factor]]:
        pick = max(ready)
        chosen[pick.factor] = pick.axes
        if size_of(pick.axes) == rule.sizes[pick.factor]:
            for predecessors in waiting:
                predecessors.discard(pick.factor)
        offered = [left for offer in offered if (left := after(pick, offer)) is not None]
    return chosen


def _precedence(rule: FactorRule, factor: int) -> int:
    costly = rule.reduction, rule.permutation, rule.need_replication
    return -next((cost for cost, group in enumerate(costly, 1) if factor in group), 0)


def _waiting(rule: FactorRule) -> list[set[int]]:
    """For each factor, the factors that are right before it in a dimension."""
    waiting: list[set[int]] = [set() for _ in rule.sizes]
    for dims in (*rule.operands, *rule.results):
        for dim in dims:
            for before, factor in pairwise(dim):
                waiting[factor].add(before)
    return waiting


def _offered_axes(tensors: Iterable[FactorAxes]) -> Iterator[tuple[int, Axes]]:
    """Each factor with the axes that it has in some tensor, and with the first ones of these."""
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


def _give_to_batch_factors(freed: Sequence[Span], rule: FactorRule, chosen: list[Axes]) -> None:
    """Shard the factors further that pass through all tensors, along as many of the `freed` axes as divide them."""
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
