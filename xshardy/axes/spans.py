"""
The algebra of axes and sub-axes, as arithmetic on spans: overlap, prefix, difference, merging.

Splitting an axis of size n into factors k_1, ..., k_m numbers its devices in mixed radix, and a sub-axis is a run of
those digits. It spans from its pre-size (the product of the factors before it) to its next pre-size; a whole axis spans
from 1 to its size.
Source: rows SDY-ATTR-03, SDY-ATTR-04 and SDY-ATTR-16, and Shardy's docs, "Sharding representation".
"""

from collections.abc import Iterable
from math import prod
from typing import Generic, NamedTuple

from typing_extensions import TypeVar

AxisT = TypeVar("AxisT", bound=int | str, default=int)
"""What identifies an axis: its number in a mesh, or its name."""


class Span(NamedTuple, Generic[AxisT]):
    """The part of `axis` from pre-size `start` to next pre-size `end`, in devices."""

    axis: AxisT
    start: int
    end: int

    @property
    def size(self) -> int:
        """The number of devices along it."""
        return self.end // self.start


Axes = tuple[Span, ...]
"""Axes from major to minor."""


def size_of(axes: Iterable[Span[AxisT]]) -> int:
    """Into how many parts `axes` together divide a dimension."""
    return prod(axis.size for axis in axes)


# Two axes


def overlaps(a: Span[AxisT], b: Span[AxisT]) -> bool:
    """Whether the spans intersect. An axis of size 1, whose span is empty, overlaps with itself."""
    return a == b or (a.axis == b.axis and a.start < b.end and b.start < a.end)


def contains(a: Span[AxisT], b: Span[AxisT]) -> bool:
    """Whether `b` is `a` or a part of it."""
    return a.axis == b.axis and a.start <= b.start and b.end <= a.end


def is_prefix(a: Span[AxisT], b: Span[AxisT]) -> bool:
    """Whether `a` is `b` or a major part of it."""
    return a.axis == b.axis and a.start == b.start and a.end <= b.end


def is_suffix(a: Span[AxisT], b: Span[AxisT]) -> bool:
    """Whether `a` is `b` or a minor part of it."""
    return a.axis == b.axis and b.start <= a.start and a.end == b.end


def can_coexist(a: Span[AxisT], b: Span[AxisT]) -> bool:
    """Whether one splitting of the axis has both: their intersection and their differences are sub-axes."""
    if a.axis != b.axis:
        return True
    (first, second), (inner, outer) = sorted((a.start, b.start)), sorted((a.end, b.end))
    if second < inner:
        return second % first == 0 and inner % second == 0 and outer % inner == 0
    return second % inner == 0


def can_merge(major: Span[AxisT], minor: Span[AxisT]) -> bool:
    """Whether `minor` is the part of the axis right after `major`. An axis of size 1 has no parts."""
    return major.axis == minor.axis and major.start < major.end == minor.start


def merge(major: Span[AxisT], minor: Span[AxisT]) -> Span[AxisT]:
    """The axis that `major` and `minor` make up. Precondition: `can_merge`."""
    return Span(major.axis, major.start, minor.end)


# What is left of an axis


def prefix_without(axis: Span[AxisT], others: Iterable[Span[AxisT]]) -> Span[AxisT] | None:
    """The largest major part of `axis` that overlaps none of `others`; None if empty, or if two cannot coexist."""
    for other in others:
        if not can_coexist(axis, other):
            return None
        if overlaps(axis, other):
            if other.start <= axis.start:
                return None
            axis = Span(axis.axis, axis.start, other.start)
    return axis


def suffix_without(axis: Span[AxisT], other: Span[AxisT]) -> Span[AxisT] | None:
    """The largest minor part of `axis` that does not overlap `other`; None if empty, or if they cannot coexist."""
    if not can_coexist(axis, other):
        return None
    if not overlaps(axis, other):
        return axis
    return Span(axis.axis, other.end, axis.end) if other.end < axis.end else None


def difference(axis: Span[AxisT], others: Iterable[Span[AxisT]]) -> tuple[Span[AxisT], ...]:
    """The parts of `axis` that overlap none of `others`, major to minor. Precondition: all can coexist."""
    start = axis.start
    parts: list[Span[AxisT]] = []
    for _, other_start, other_end in sorted(other for other in others if overlaps(axis, other)):
        if start < other_start:
            parts.append(Span(axis.axis, start, other_start))
        start = max(start, other_end)
    if start < axis.end:
        parts.append(Span(axis.axis, start, axis.end))
    return tuple(parts)


# Lists of axes


def append(axes: list[Span[AxisT]], axis: Span[AxisT]) -> None:
    """Put `axis` at the minor end of `axes`, merged with the last one where it continues it."""
    if axes and can_merge(axes[-1], axis):
        axes[-1] = merge(axes[-1], axis)
    else:
        axes.append(axis)


def merged(axes: Iterable[Span[AxisT]]) -> tuple[Span[AxisT], ...]:
    """`axes` with consecutive sub-axes merged."""
    result: list[Span[AxisT]] = []
    for axis in axes:
        append(result, axis)
    return tuple(result)


def is_list_prefix(axes: Axes, other: Axes) -> bool:
    """Whether `other` starts with `axes`; the last of `axes` may be a prefix of its counterpart."""
    if not axes:
        return True
    last = len(axes) - 1
    return last < len(other) and axes[:last] == other[:last] and is_prefix(axes[last], other[last])


def is_strict_prefix(axes: Axes, other: Axes) -> bool:
    """Whether `other` continues `axes`, at least by more of the last axis."""
    return axes != other and is_list_prefix(axes, other)
