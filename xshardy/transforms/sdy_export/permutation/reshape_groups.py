"""
Groups of dimensions that a reshape keeps apart, and which elements of a group a part has.

Plain integers, without IR. The elements of a group are numbered in row-major order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod


@dataclass(frozen=True, slots=True)
class ReshapeGroup:
    """Dimensions of the operand, and those of the result that have the same elements."""

    operand: range
    result: range


def reshape_groups(operand: Sequence[int], result: Sequence[int]) -> Iterator[ReshapeGroup]:
    """The smallest groups of a reshape between these shapes, without empty dimensions. Each has the same size."""
    i = j = 0
    while i < len(operand) or j < len(result):
        first_i, first_j = i, j
        before = after = 1
        if i < len(operand):
            before, i = operand[i], i + 1
        if j < len(result):
            after, j = result[j], j + 1
        while before != after:
            if before < after:
                before, i = before * operand[i], i + 1
            else:
                after, j = after * result[j], j + 1
        yield ReshapeGroup(range(first_i, i), range(first_j, j))


@dataclass(frozen=True, slots=True)
class Runs:
    """The elements of each part of a group, if they are consecutive: `length` from the entry of `starts` on."""

    starts: tuple[int, ...]
    """By part; parts are numbered major to minor. A start may be behind the last element."""
    length: int
    """With padding, in elements."""


def runs(sizes: Sequence[int], parts: Sequence[int]) -> Runs | None:
    """
    The runs of dimensions of these sizes in these numbers of parts; None if parts are not consecutive.

    They are if each dimension before the last divided one is in parts of one element. A dimension that does not divide
    is in parts of equal size nevertheless, the last of which are padded; then the next one starts where it would
    without padding.
    """
    divided = [dim for dim, count in enumerate(parts) if count > 1]
    last = divided[-1] if divided else 0
    if any(parts[dim] != sizes[dim] for dim in range(last)):
        return None
    extents = [-(-size // count) for size, count in zip(sizes, parts, strict=True)]
    strides = [prod(sizes[dim + 1 :]) for dim in range(len(sizes))]
    indices = product(*(range(count) for count in parts))
    starts = tuple(
        sum(index * extent * stride for index, extent, stride in zip(each, extents, strides, strict=True))
        for each in indices
    )
    return Runs(starts, prod(extents))
