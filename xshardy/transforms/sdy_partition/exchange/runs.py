"""Runs of consecutive elements that parts store or read. Plain integers, without IR."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod


@dataclass(frozen=True, slots=True)
class Runs:
    """A run of elements for each part, all of the same length."""

    starts: tuple[int, ...]
    """By part: the first element. There may be none by that number."""
    counts: tuple[int, ...]
    """By part: how many elements there are from the first one on. The rest of the run is padding."""
    length: int

    def shifted(self, distance: int) -> "Runs":
        """The runs if each element had a number larger by `distance`."""
        return Runs(tuple(start + distance for start in self.starts), self.counts, self.length)


def windows(parts: int, step: int, first: int, length: int) -> Runs:
    """Part `i` reads `length` elements from `first` plus `i` times `step` on."""
    return Runs(tuple(first + part * step for part in range(parts)), (length,) * parts, length)


def runs(sizes: Sequence[int], parts: Sequence[int]) -> Runs | None:
    """
    The runs of dimensions of these sizes in these numbers of parts; None if parts are not consecutive.

    Elements are numbered in row-major order. Parts, numbered major to minor, are consecutive if each dimension before
    the last divided one is in parts of one element. A dimension that does not divide is in parts of equal size, the
    last of which have padding behind their elements.
    """
    last = max((dim for dim, count in enumerate(parts) if count > 1), default=0)
    if any(parts[dim] != sizes[dim] for dim in range(last)):
        return None
    extents = [-(-size // count) for size, count in zip(sizes, parts, strict=True)]
    strides = [prod(sizes[dim + 1 :]) for dim in range(len(sizes))]
    starts: list[int] = []
    counts: list[int] = []
    for indices in product(*(range(count) for count in parts)):
        firsts = [index * extent for index, extent in zip(indices, extents, strict=True)]
        starts.append(sum(first * stride for first, stride in zip(firsts, strides, strict=True)))
        rows = zip(firsts, extents, sizes, strict=True)
        counts.append(prod(max(0, min(extent, size - first)) for first, extent, size in rows))
    return Runs(tuple(starts), tuple(counts), prod(extents))
