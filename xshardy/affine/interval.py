"""Intervals: the integers between two bounds, both included. They bound the variables of an indexing map."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """The integers from `lower` to `upper`. Raises `ValueError` when there are none."""

    lower: int
    upper: int

    def __post_init__(self):
        if self.lower > self.upper:
            raise ValueError(f"empty interval [{self.lower}, {self.upper}]: swap the bounds, or drop the variable")

    @staticmethod
    def of_size(size: int) -> Interval:
        """`[0, size - 1]`: the indices of a tensor dimension of `size` elements. Raises `ValueError` for `size < 1`."""
        return Interval(0, size - 1)

    @staticmethod
    def point(value: int) -> Interval:
        """The interval that holds `value` only."""
        return Interval(value, value)

    @property
    def size(self) -> int:
        """The number of integers."""
        return self.upper - self.lower + 1

    @property
    def is_point(self) -> bool:
        return self.lower == self.upper

    def contains(self, value: int) -> bool:
        return self.lower <= value <= self.upper

    def includes(self, other: Interval) -> bool:
        """Whether `other` is a subset."""
        return self.lower <= other.lower and other.upper <= self.upper

    def intersect(self, other: Interval) -> Interval | None:
        """The intersection; None if it is empty."""
        lower, upper = max(self.lower, other.lower), min(self.upper, other.upper)
        return Interval(lower, upper) if lower <= upper else None

    def __str__(self) -> str:
        return f"[{self.lower}, {self.upper}]"


def at_corners(f: Callable[[int, int], int]) -> Callable[[Interval, Interval], Interval]:
    """The range of `f` over a box, for an `f` monotone in each argument: its extremes are at the corners."""

    def range_over(a: Interval, b: Interval) -> Interval:
        corners = (f(a.lower, b.lower), f(a.lower, b.upper), f(a.upper, b.lower), f(a.upper, b.upper))
        return Interval(min(corners), max(corners))

    return range_over


def mod_range(a: Interval, m: Interval) -> Interval:
    """The range of `a mod m`, for m > 0: `a` moved to its remainders if it stays in one period; else all of [0, m)."""
    if m.is_point and a.lower // m.lower == a.upper // m.lower:
        return Interval(a.lower % m.lower, a.upper % m.lower)
    return Interval(0, m.upper - 1)
