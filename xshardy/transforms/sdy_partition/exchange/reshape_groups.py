"""Groups of dimensions that a reshape keeps apart. Plain integers, without IR."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass


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
