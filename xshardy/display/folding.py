"""Values of many threads or elements in few lines: equal ones once."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from xshardy.display.ranges import ranges

FEWEST = 4
"""So many integers with equal steps between them are folded."""
IN_A_LINE = 8
"""So many values that are not folded are in one line."""


def fold_mask(mask: NDArray[np.bool_], blocks: Sequence[int]) -> str:
    """`block 0: threads 0-31; blocks 1-3: threads 0-63`: where an array [blocks, threads] holds."""
    alike: dict[str, list[int]] = {}
    for row in np.flatnonzero(mask.any(axis=1)).tolist():
        alike.setdefault(_named("thread", np.flatnonzero(mask[row]).tolist()), []).append(blocks[row])
    return "; ".join(f"{_named('block', some)}: {threads}" for threads, some in alike.items())


def fold(
    values: NDArray[Any], mask: NDArray[np.bool_], column: str, blocks: Sequence[int] | None = None, first: int = 0
) -> Iterator[str]:
    """
    Lines for an array [blocks, columns] where `mask` holds: `block 0: threads 0-31: 5`. The first column has the number
    `first`. Blocks with equal values are in one line; so are equal neighbours, and integers with equal steps between
    them. Without `blocks` there is one row, which has no name.
    """
    alike: dict[tuple[str, ...], list[int]] = {}
    for row in np.flatnonzero(mask.any(axis=1)).tolist():
        columns = np.flatnonzero(mask[row])
        lines = tuple(_folded(values[row][columns], (columns + first).tolist(), column))
        alike.setdefault(lines, []).append(blocks[row] if blocks is not None else 0)
    for lines, some in alike.items():
        prefix = "" if blocks is None else f"{_named('block', some)}: "
        yield from (prefix + line for line in lines)


def _folded(values: NDArray[Any], columns: Sequence[int], column: str) -> Iterator[str]:
    alone: list[int] = []
    """Values that are not folded."""
    for first, end in _runs(values):
        if end - first == 1:
            alone.append(first)
        if alone and (end - first > 1 or end == len(values) or len(alone) == IN_A_LINE):
            listed = ", ".join(str(value) for value in values[alone])
            yield f"{_named(column, [columns[number] for number in alone])}: {listed}"
            alone.clear()
        if end - first > 1:
            is_equal = _step(values[first], values[first + 1]) == 0
            shown = str(values[first]) if is_equal else f"{values[first]}, {values[first + 1]}, ..., {values[end - 1]}"
            yield f"{_named(column, columns[first:end])}: {shown}"


def _runs(values: NDArray[Any]) -> Iterator[tuple[int, int]]:
    """Where values with equal steps begin and end, and each other value."""
    steps = [_step(one, other) for one, other in pairwise(values)]
    first = 0
    while first < len(values):
        end = first + 1
        while end <= len(steps) and steps[end - 1] is not None and steps[end - 1] == steps[first]:
            end += 1
        if steps[first : first + 1] != [0] and end - first < FEWEST:
            end = first + 1
        yield first, end
        first = end


def _step(one: Any, other: Any) -> int | None:
    """From one value to the next; None if they differ and are no integers."""
    if str(one) == str(other):
        return 0
    is_integer = np.asarray(one).dtype.kind in "iu"
    return int(other) - int(one) if is_integer else None


def _named(what: str, numbers: Sequence[int]) -> str:
    return f"{what}{'s' if len(numbers) > 1 else ''} {ranges(numbers)}"
