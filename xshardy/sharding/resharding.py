"""
The collectives that reshard a tensor: along which axes, in which order.

Collectives that make shards smaller come first, then those that keep their size, then those that make them larger: a
slice, a permutation of devices, all-to-alls, a gather. Among equivalent sequences the choice is that of C++ Shardy.
Source: Shardy's docs, "Export passes",
`sdy-reshard-to-collectives`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import chain, combinations, takewhile
from math import gcd

from xshardy.axes.spans import Axes, Span, append, can_coexist, contains, merged, overlaps, prefix_without, size_of

AxesPerDim = tuple[Axes, ...]


@dataclass(frozen=True, slots=True)
class AllSlice:
    """Each device keeps its part along `axes` of each dimension."""

    axes: AxesPerDim
    after: AxesPerDim
    """How dimensions are sharded after this step; the same in all steps."""


@dataclass(frozen=True, slots=True)
class CollectivePermute:
    """Each device sends its part to another."""

    after: AxesPerDim


@dataclass(frozen=True, slots=True)
class AllToAll:
    """The last axes of dimension `source`, which are `axes`, go to the end of dimension `target`."""

    axes: Axes
    source: int
    target: int
    after: AxesPerDim


@dataclass(frozen=True, slots=True)
class AllGather:
    """Each device gets the parts of the others along `axes`, the last of each dimension."""

    axes: AxesPerDim
    after: AxesPerDim


Step = AllSlice | CollectivePermute | AllToAll | AllGather


def cut(axis: Span, others: Iterable[Span]) -> Iterator[Span]:
    """Split `axis` at the boundaries of `others`, which are sorted."""
    for other in others:
        if not overlaps(axis, other):
            continue
        if contains(other, axis) or not can_coexist(axis, other):
            break
        if axis.start < other.start:
            yield Span(axis.axis, axis.start, other.start)
        yield Span(axis.axis, max(axis.start, other.start), min(axis.end, other.end))
        if axis.end <= other.end:
            return
        axis = Span(axis.axis, other.end, axis.end)
    yield axis


def aligned(lists: Iterable[Iterable[Span]], others: Iterable[Span]) -> list[list[Span]]:
    """`lists` with each axis split at the boundaries of `others`, so that axes that overlap are equal."""
    others = sorted(others)
    return [[part for axis in axes for part in cut(axis, others)] for axes in lists]


def fit(axis: Span, capacity: int) -> tuple[Span, Span | None] | None:
    """
    The major part of `axis` that divides a dimension into no more than `capacity` parts, and the rest if there is one.

    None if there is no room, or if neither the size of the axis nor the capacity divides the other.
    """
    if capacity <= 1 or (axis.size % capacity and capacity % axis.size):
        return None
    if axis.size <= capacity:
        return axis, None
    middle = axis.start * capacity
    return Span(axis.axis, axis.start, middle), Span(axis.axis, middle, axis.end)


def drop_last(axes: list[Span], dropped: Iterable[Span]) -> None:
    """Remove `dropped` from the end of `axes`; each may be the minor part of an axis there."""
    for axis in reversed([*dropped]):
        before = prefix_without(axes.pop(), (axis,))
        if before is not None:
            axes.append(before)


@dataclass(slots=True)
class Resharding:
    """
    The state of a tensor between two shardings. Common leading axes of a dimension stay in place; the others are split
    so that two axes that overlap are equal, and each part is then moved as a whole.
    """

    shape: Sequence[int]
    """The extents of the whole tensor, in elements."""
    current: list[list[Span]]
    """For each dimension, what it is sharded along now."""
    have: list[list[Span]]
    """The axes at the end of `current` that are not where they are wanted, or not wanted at all."""
    want: list[list[Span]]
    """The axes that are to come after those of `current` that stay."""
    other_devices: bool
    """Whether the devices are to stand in another order, so that a permutation is due in any case."""
    rank: int = field(init=False)

    def __post_init__(self):
        self.rank = len(self.shape)

    @staticmethod
    def between(
        before: Sequence[Axes], after: Sequence[Axes], shape: Sequence[int], *, other_devices: bool = False
    ) -> Resharding:
        """From dimensions sharded along `before` to dimensions sharded along `after`."""
        have = aligned(before, chain.from_iterable(after))
        want = aligned(after, chain.from_iterable(before))
        for of_have, of_want in zip(have, want, strict=True):
            while of_have and of_want and of_have[0] == of_want[0]:
                del of_have[0], of_want[0]
        return Resharding(shape, [list(axes) for axes in before], have, want, other_devices)

    def steps(self) -> Iterator[Step]:
        """
        The collectives, in order.

        Where no splitting has both an axis of one sharding and an axis of the other, as (1)2 and (3)2 of an axis of
        size 6, a tensor on the way may not be sharded along both: its parts would not be equally many. Everything that
        is not in its place is then gathered, and sliced again.
        """
        have, want = chain.from_iterable(self.have), chain.from_iterable(self.want)
        if _all_coexist({*have, *want}):
            yield from self._in_rounds()
            return
        steps = list(deepcopy(self)._in_rounds())
        are_shardings = all(_all_coexist(chain.from_iterable(step.after)) for step in steps)
        yield from steps if are_shardings else self._in_rounds(0)

    def _in_rounds(self, count: int = 2) -> Iterator[Step]:
        """
        The collectives of `count` rounds. What is not in its place after these is gathered, to be sliced again.

        One round is enough where all sizes are powers of two; else it can take two.
        """
        for _ in range(count):
            if not self.is_done and not self._has_conflict():
                yield from self._slice()
                yield from self._permute()
                yield from self._exchange(in_place=True)
                yield from self._exchange(in_place=False)
                yield from self._gather(set(chain.from_iterable(self.want)))
        yield from self._gather(set())
        if self.other_devices:
            yield CollectivePermute(self._after())
        if any(self.want):
            wanted = tuple(map(merged, self.want))
            for current, axes in zip(self.current, wanted, strict=True):
                for axis in axes:
                    append(current, axis)
            yield AllSlice(wanted, self._after())

    @property
    def is_done(self) -> bool:
        return not (self.other_devices or any(self.have) or any(self.want))

    def _has_conflict(self) -> bool:
        """Whether axes overlap that are not equal: cutting has not helped."""
        wanted = set(chain.from_iterable(self.want))
        return any(overlaps(have, want) for have in self._placed() - wanted for want in wanted)

    # What there is

    def _after(self) -> AxesPerDim:
        return tuple(map(tuple, self.current))

    def _placed(self) -> set[Span]:
        """The axes along which the tensor is sharded already, in the right place or not."""
        return set(chain.from_iterable(self.have))

    def _places(self) -> dict[Span, tuple[int, int]]:
        """The dimension that each axis is wanted in, and its place there."""
        return {axis: (dim, index) for dim, axes in enumerate(self.want) for index, axis in enumerate(axes)}

    # Slices

    def _slice(self) -> Iterator[AllSlice]:
        """Slice along axes that are nowhere yet, in their dimension if it is to be divided further, or in another."""
        sizes = [(size_of(have), size_of(want)) for have, want in zip(self.have, self.want, strict=True)]
        room = [after // gcd(before, after) for before, after in sizes]
        slices: list[list[Span]] = [[] for _ in range(self.rank)]
        for dim in range(self.rank):
            for axis in self._ahead_of_exchange(dim, room):
                self.have[dim].append(axis)
                self._add(slices, dim, axis)
        elsewhere: list[Span] = []
        for dim in range(self.rank):
            elsewhere += self._slice_where_wanted(dim, room, slices)
        for dim, axis in self._fill(room, [elsewhere] * self.rank):
            self._add(slices, dim, axis)
        if any(slices):
            yield AllSlice(tuple(map(tuple, slices)), self._after())

    def _add(self, slices: list[list[Span]], dim: int, axis: Span) -> None:
        append(slices[dim], axis)
        append(self.current[dim], axis)

    def _ahead_of_exchange(self, source: int, room: list[int]) -> Sequence[Span]:
        """
        What can be sliced in dimension `source` so that one all-to-all brings it, with the axes before it, elsewhere.

        For `have` [x] here and `want` [x, y, z] there: [y, z]. If they were sliced there, x could not go before them.
        The room for all of this is taken from the other dimension.
        """
        have = self.have[source]
        if not have or self.want[source]:
            return ()
        places, placed = self._places(), self._placed()
        target, index = places.get(have[-1], (source, 0))
        if target == source or self.have[target]:
            return ()
        want = self.want[target]
        sliced = list(takewhile(lambda axis: axis not in placed, want[index + 1 :]))
        if not sliced:
            return ()
        common = 0
        while common < len(have) and common <= index and have[-1 - common] == want[index - common]:
            common += 1
        if any(axis in want for axis in have[:-common]):
            return ()
        if self.shape[source] % (size_of(self.current[source]) * size_of(sliced)):
            return ()
        room[target] //= size_of(have[-common:]) * size_of(sliced)
        return sliced

    def _slice_where_wanted(self, dim: int, room: list[int], slices: list[list[Span]]) -> list[Span]:
        """Slice dimension `dim` along wanted axes as far as there is room. Returns what is left of those to slice."""
        have, want, placed = self.have[dim], self.want[dim], self._placed()
        left: list[Span] = []
        index = 0
        while index < len(want):
            axis = want[index]
            if axis in placed:
                index += 1
                continue
            if (fitting := fit(axis, room[dim])) is None:
                left.append(axis)
                index += 1
                continue
            part, rest = fitting
            room[dim] //= part.size
            self._add(slices, dim, part)
            if have or index:
                have.append(part)
                want[index] = part
                index += 1
            else:
                del want[0]
            if rest is not None:
                want.insert(index, rest)
                left.append(rest)
                index += 1
        return left

    def _fill(
        self, room: list[int], pools: Sequence[list[Span]], *, in_front: bool = False
    ) -> Sequence[tuple[int, Span]]:
        """Take axes from `pools[dim]` into each dimension as long as there is room. Returns dimensions and axes."""
        filled: list[tuple[int, Span]] = []
        parts: list[Span] = []
        for dim, (have, pool) in enumerate(zip(self.have, pools, strict=True)):
            place = 0 if in_front else len(have)
            for axis in list(pool):
                if (fitting := fit(axis, room[dim])) is None:
                    continue
                part, rest = fitting
                room[dim] //= part.size
                pool.remove(axis)
                have.insert(place, part)
                place += 1
                filled.append((dim, part))
                if rest is not None:
                    parts.append(part)
                    pool.insert(0, rest)
        self.want = aligned(self.want, parts)
        return filled

    # The permutation

    def _permute(self) -> Iterator[CollectivePermute]:
        """Put as much as can be where it is wanted without dividing a dimension into more or fewer parts."""
        permuted = self._is_out_of_place() and self._exchange_in_place()
        if permuted or self.other_devices:
            self.other_devices = False
            yield CollectivePermute(self._after())

    def _is_out_of_place(self) -> bool:
        """Whether something can be put nearer to its place by sending parts from one device to another."""
        places, placed = self._places(), self._placed()
        superfluous: Span | None = None
        missing: Span | None = None
        for dim, (have, want) in enumerate(zip(self.have, self.want, strict=True)):
            if have and want and _divide(have[0], want[0]):
                return True  # the one takes the place of the other
            missing = next((axis for axis in reversed(want) if axis not in placed), missing)
            seen: set[int] = set()
            last: tuple[int, int] | None = None
            last_index = 0
            for axis in have:
                place = places.get(axis)
                if place is not None:
                    target, index = place
                    follows = last is not None and last[0] == target and index == last_index + 1
                    if (target == dim or target in seen) and not follows:
                        return True  # axes for one dimension are apart, or in another order
                    seen.add(target)
                    last_index = index
                elif last is not None and not want:
                    return True  # what is to be gathered stands behind what is to go elsewhere
                else:
                    superfluous = axis
                last = place
        return missing is not None and superfluous is not None and _divide(missing, superfluous)

    def _exchange_in_place(self) -> bool:
        """
        Take out all of `have`, and fill up again: with what is wanted there, with what is wanted at all, with it.

        Where that does not divide each dimension as it was, nothing is done. Returns whether something was.
        """
        former = [[list(axes) for axes in lists] for lists in (self.current, self.have, self.want)]
        places = self._places()
        room: list[int] = []
        wanted: list[Span] = []
        unwanted: list[list[Span]] = []
        for have, want, current in zip(self.have, self.want, self.current, strict=True):
            drop_last(current, have)
            left = taken = size_of(have)
            while want and (fitting := fit(want[0], left)) is not None:
                part, rest = fitting
                left //= part.size
                append(current, part)
                want[:1] = () if rest is None else (rest,)
            wanted += want
            room.append(left)
            unwanted.append(_rotated([axis for axis in have if axis not in places], taken // left))
            have.clear()
        self._fill(room, [wanted] * self.rank)
        self._fill(room, unwanted, in_front=True)
        self._fill(room, [list(chain.from_iterable(unwanted))] * self.rank, in_front=True)
        for have, current in zip(self.have, self.current, strict=True):
            for axis in have:
                append(current, axis)
        if any(size_of(now) != size_of(then) for now, then in zip(self.current, former[0], strict=True)):
            self.current, self.have, self.want = former
            return False
        return True

    # All-to-alls

    def _exchange(self, *, in_place: bool) -> Iterator[AllToAll]:
        """Move axes to the dimension they are wanted in; with `in_place`, only to where in it they belong."""
        for source in range(self.rank):
            while (step := self._exchange_from(source, in_place=in_place)) is not None:
                yield step

    def _exchange_from(self, source: int, *, in_place: bool) -> AllToAll | None:
        """Move the last axes of dimension `source` that are wanted in one other dimension; None if there are none."""
        have, places = self.have[source], self._places()
        target, _ = places.get(have[-1], (source, 0)) if have else (source, 0)
        if target == source:
            return None
        moved = list(takewhile(lambda axis: axis in places and places[axis][0] == target, reversed(have)))[::-1]
        want = self.want[target]
        if in_place and want[: len(moved)] != moved:
            return None
        drop_last(self.current[source], moved)
        del have[-len(moved) :]
        for axis in moved:
            append(self.current[target], axis)
            if not self.have[target] and want[0] == axis:
                del want[0]
            else:
                self.have[target].append(axis)
        return AllToAll(merged(moved), source, target, self._after())

    # The gather

    def _gather(self, kept: Collection[Span]) -> Iterator[AllGather]:
        """Gather the last axes of each dimension, up to one that is to be `kept`."""
        gathered: list[Axes] = []
        for have, current in zip(self.have, self.current, strict=True):
            last = list(takewhile(lambda axis: axis not in kept, reversed(have)))[::-1]
            drop_last(current, last)
            del have[len(have) - len(last) :]
            gathered.append(merged(last))
        if any(gathered):
            yield AllGather(tuple(gathered), self._after())


def _all_coexist(axes: Iterable[Span]) -> bool:
    """Whether one splitting of each axis of the mesh has all of `axes`."""
    return all(can_coexist(a, b) for a, b in combinations(axes, 2))


def _divide(a: Span, b: Span) -> bool:
    """Whether the size of one is a multiple of that of the other."""
    return a.size % b.size == 0 or b.size % a.size == 0


def _rotated(axes: list[Span], size: int) -> list[Span]:
    """`axes` with the first ones, as many as divide a dimension into `size` parts, after the others."""
    first: list[Span] = []
    while axes and (fitting := fit(axes[0], size)) is not None:
        part, rest = fitting
        size //= part.size
        first.append(part)
        axes[:1] = () if rest is None else (rest,)
    return axes + first
