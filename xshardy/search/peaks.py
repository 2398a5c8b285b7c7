"""The lowest peak of a problem: what to say when no choice fits."""

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np

from xshardy.search.problem import FORBIDDEN, Buffer, Problem
from xshardy.search.solution import Solution

ROUNDS = 4
"""How many sets of points of time are tried."""


def least_peak(problem: Problem) -> float:
    """A lower bound of the peak, in bytes: each buffer has its least size."""
    least = tuple(Buffer(0, np.array([min(each.bytes, default=0.0)]), each.intervals) for each in problem.buffers)
    return Problem((np.zeros(1),), buffers=least).peak([0])


def lower_peak(problem: Problem, solver: Callable[[Problem], Solution]) -> tuple[float, list[tuple[int, ...]]]:
    """
    A lower bound of the peak, and allowed choices with a low one.

    The cost of a strategy is the size of its buffers at some times, without a limit: the least cost, divided by the
    number of times, is at most the peak of any choice. The next time is that of the peak of the choice that was found.
    """
    bound, times, choices = 0.0, list[int](), list[tuple[int, ...]]()
    tables = tuple(np.where(table < FORBIDDEN, 0.0, table) for table in problem.tables)
    for _ in range(ROUNDS):
        used = [np.zeros(len(costs)) for costs in problem.costs]
        for buffer in problem.buffers:
            used[buffer.node] += buffer.bytes * sum(
                start <= time < end for time in times for start, end in buffer.intervals
            )
        pairs = zip(problem.costs, used, strict=True)
        costs = tuple(np.where(costs < FORBIDDEN, usage, costs) for costs, usage in pairs)
        solution = solver(replace(problem, costs=costs, tables=tables, limit=inf))
        if solution.choice is None:
            break
        bound = max(bound, solution.bound / max(len(times), 1))
        choices.append(solution.choice)
        if (time := peak_time(problem, solution.choice)) in times:
            break
        times.append(time)
    return bound, choices


def peak_time(problem: Problem, choice: tuple[int, ...]) -> int:
    """The first time at which a choice uses most."""
    intervals = [(buffer, *interval) for buffer in problem.buffers for interval in buffer.intervals]
    starts = sorted({start for _, start, end in intervals if start < end}) or [0]
    change = np.zeros(len(starts) + 1)
    for buffer, start, end in intervals:
        if start < end:
            change[np.searchsorted(starts, start)] += buffer.bytes[choice[buffer.node]]
            change[np.searchsorted(starts, end)] -= buffer.bytes[choice[buffer.node]]
    return starts[int(change.cumsum()[:-1].argmax())]
