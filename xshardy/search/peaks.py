"""The lowest peak of a problem: what to say when no choice fits."""

from collections.abc import Callable
from dataclasses import replace
from math import inf

import numpy as np

from xshardy.search.problem import FORBIDDEN, Problem
from xshardy.search.solution import Solution

ROUNDS = 4
"""How many sets of points of time are tried."""


def least_peak(problem: Problem) -> float:
    """A lower bound of the peak, in bytes: each node uses the least of its strategies."""
    least = [usages.min(keepdims=True) if len(usages) else np.zeros(1) for usages in problem.usages]
    return Problem(tuple(np.zeros(1) for _ in least), tuple(least), problem.intervals).peak([0] * len(least))


def lower_peak(problem: Problem, solver: Callable[[Problem], Solution]) -> tuple[float, list[tuple[int, ...]]]:
    """
    A lower bound of the peak, and allowed choices with a low one.

    The cost of a strategy is its usage at some times, without a limit: the least cost, divided by the number of times,
    is at most the peak of any choice. The next time is that of the peak of the choice that was found.
    """
    bound, times, choices = 0.0, list[int](), list[tuple[int, ...]]()
    tables = tuple(np.where(table < FORBIDDEN, 0.0, table) for table in problem.tables)
    for _ in range(ROUNDS):
        points = [sum(start <= time < end for time in times) for start, end in problem.intervals]
        costs = tuple(
            np.where(costs < FORBIDDEN, usages * count, costs)
            for costs, usages, count in zip(problem.costs, problem.usages, points, strict=True)
        )
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
    starts = sorted({start for start, end in problem.intervals if start < end}) or [0]
    change = np.zeros(len(starts) + 1)
    for usages, (start, end), strategy in zip(problem.usages, problem.intervals, choice, strict=True):
        if start < end:
            change[np.searchsorted(starts, start)] += usages[strategy]
            change[np.searchsorted(starts, end)] -= usages[strategy]
    return starts[int(change.cumsum()[:-1].argmax())]
