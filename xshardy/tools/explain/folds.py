"""Repeated runs of lines, such as the layers of a model: what a page shows once."""

import re
from collections.abc import Hashable, Iterator, Sequence
from typing import NamedTuple

WINDOW = 4
"""How many equal lines in a row suggest a repetition."""
MIN_COPIES = 3
"""How many copies are worth folding."""
MIN_LINES = 12
"""How many lines a fold hides at least."""


_NUMBERED = re.compile(r"(%[A-Za-z_$.-]*|@\w*?_)\d+(#\d+)?")
"""A value, or a function that got a number since its name was taken."""


class Fold(NamedTuple):
    """From line `start`, counted from 0, `period` lines occur `copies` times in a row."""

    start: int
    period: int
    copies: int


def folds(lines: Sequence[Hashable]) -> Iterator[Fold]:
    """
    Runs of equal lines that repeat without a gap, from the top, none inside of another. Linear in the lines.

    The period is the distance to the next occurrence of the next `WINDOW` lines.
    """
    following = _next_occurrences(lines)
    run_ends: dict[int, int] = {}
    """By period, the line up to which lines are known to equal those one period later."""
    start = 0
    while start < len(following):
        period = following[start] - start
        if period > 0:
            end = max(start, run_ends.get(period, 0))
            while end + period < len(lines) and lines[end] == lines[end + period]:
                end += 1
            run_ends[period] = end
            copies = (end - start) // period + 1
            if copies >= MIN_COPIES and (copies - 1) * period >= MIN_LINES:
                yield Fold(start, period, copies)
                start += copies * period
                continue
        start += 1


def _next_occurrences(lines: Sequence[Hashable]) -> Sequence[int]:
    """For each line, the next one at which the same `WINDOW` lines start; 0 if there is none."""
    windows = [tuple(lines[start : start + WINDOW]) for start in range(len(lines) - WINDOW + 1)]
    following = [0] * len(windows)
    last: dict[tuple[Hashable, ...], int] = {}
    for start in range(len(windows) - 1, -1, -1):
        following[start] = last.get(windows[start], 0)
        last[windows[start]] = start
    return following


def without_numbers(line: str) -> str:
    """`line` without the numbers in names of values and functions, by which copies differ."""
    return _NUMBERED.sub(r"\1", line)
