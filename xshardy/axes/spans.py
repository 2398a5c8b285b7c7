"""
Axes as spans of integers, which is all that the arithmetic of sharding propagation needs to know of them.

A sub-axis spans from its pre-size to its next pre-size, a whole axis from 1 to its size; the axis itself is its place
in the mesh. `sharding/axes.py` has the same algebra over the attributes of the dialect, which need no mesh.
Source: row SDY-ATTR-16, and Shardy's docs, "Sharding representation".
"""

from collections.abc import Iterable
from math import prod
from typing import NamedTuple


class Span(NamedTuple):
    """The digits of axis number `axis` from pre-size `start` to next pre-size `end`, in devices."""

    axis: int
    start: int
    end: int

    @property
    def size(self) -> int:
        """The number of devices along it."""
        return self.end // self.start


Axes = tuple[Span, ...]
"""Axes from major to minor."""


def size_of(axes: Iterable[Span]) -> int:
    """Into how many parts `axes` together divide a dimension."""
    return prod(axis.size for axis in axes)


def overlaps(a: Span, b: Span) -> bool:
    """Whether the spans have something in common. An axis of size 1, which spans nothing, overlaps with itself."""
    return a == b or (a.axis == b.axis and a.start < b.end and b.start < a.end)


def contains(a: Span, b: Span) -> bool:
    """Whether `b` is `a` or a part of it."""
    return a.axis == b.axis and a.start <= b.start and b.end <= a.end


def is_prefix(a: Span, b: Span) -> bool:
    """Whether `a` is `b` or a major part of it."""
    return a.axis == b.axis and a.start == b.start and a.end <= b.end


def can_coexist(a: Span, b: Span) -> bool:
    """Whether one splitting of the axis has both: what they share, and the parts in which they differ, are sub-axes."""
    if a.axis != b.axis:
        return True
    (first, second), (inner, outer) = sorted((a.start, b.start)), sorted((a.end, b.end))
    if second < inner:
        return second % first == 0 and inner % second == 0 and outer % inner == 0
    return second % inner == 0


def prefix_without(axis: Span, others: Iterable[Span]) -> Span | None:
    """The largest major part of `axis` that shares nothing with any of `others`; None if there is none."""
    for other in others:
        if not can_coexist(axis, other):
            return None
        if overlaps(axis, other):
            if other.start <= axis.start:
                return None
            axis = Span(axis.axis, axis.start, other.start)
    return axis


def append(axes: list[Span], axis: Span) -> None:
    """Put `axis` at the minor end of `axes`, merged with the last one where it continues it."""
    if axes and axes[-1].axis == axis.axis and axes[-1].end == axis.start:
        axes[-1] = Span(axis.axis, axes[-1].start, axis.end)
    else:
        axes.append(axis)


def is_strict_prefix(axes: Axes, other: Axes) -> bool:
    """Whether `other` continues `axes`, be it only by more of the last axis."""
    return axes != other and is_list_prefix(axes, other)


def is_list_prefix(axes: Axes, other: Axes) -> bool:
    """Whether `axes` is `other` or what it begins with; of its last axis a prefix is enough."""
    if not axes:
        return True
    last = len(axes) - 1
    return last < len(other) and axes[:last] == other[:last] and is_prefix(axes[last], other[last])
