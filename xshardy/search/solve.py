"""The solver: reductions, bounds and improvement, until the optimum is proved or the time is over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from time import perf_counter

import numpy as np

from xshardy.search.certificate import Certificate, rounded_down
from xshardy.search.core import Core, Infeasible
from xshardy.search.merging import Merged, merge
from xshardy.search.problem import Floats, Problem
from xshardy.search.reductions import reduce


@dataclass(frozen=True, slots=True)
class Progress:
    """What is known at some time after the start, in seconds."""

    seconds: float
    cost: float
    bound: float


@dataclass(frozen=True, slots=True)
class Solution:
    """The best choice that was found, and what is proved about it."""

    choice: tuple[int, ...] | None
    """By node, its strategy. None where no choice was found that is allowed and fits."""
    cost: float
    """The cost of the choice; infinite where there is none."""
    bound: float
    """No choice that is allowed and fits costs less; infinite where there is none."""
    seconds: float
    certificate: Certificate
    """What proves a bound without a search: `bound` itself, or a lower one where branching proved more."""
    floors: tuple[Floats, ...]
    """By node and strategy, a lower bound of the cost of any choice that has it, is allowed and fits."""
    least_peak: float
    """No allowed choice has a lower peak, in bytes."""
    nearest: tuple[int, ...] | None
    """The allowed choice with the lowest peak that was found."""

    @property
    def gap(self) -> float:
        """By which part of its cost the choice may be above the optimum, at most."""
        return inf if self.choice is None else max(self.cost - self.bound, 0.0) / max(abs(self.cost), 1e-300)


def ignore(progress: Progress) -> None:
    """Report nothing."""


def solve(
    problem: Problem,
    *,
    seconds: float,
    start: Sequence[Sequence[int]] = (),
    report: Callable[[Progress], None] = ignore,
) -> Solution:
    """
    Choose a strategy for each node, so that the cost is low and the peak within the limit, in about `seconds`.

    `start` are choices that are known: the answer is never worse than the best of them that is allowed and fits.
    """
    begin = perf_counter()
    until = begin + seconds
    known = [tuple(map(int, choice)) for choice in start]
    known = [choice for choice in known if problem.cost(choice) < inf]
    fitting = [choice for choice in known if problem.fits(choice)]
    bound = -inf
    try:
        merged = merge(problem)
        reduce(merged.core)
        bound = rounded_down(merged.core.constant + sum(Certificate().parts(merged.core)[0]), problem)
        choice, proved = _search(merged, until)
        bound = max(bound, rounded_down(proved + merged.core.constant, problem))
        if choice is not None:
            known.append(choice)
            fitting += [choice] if problem.fits(choice) else []
    except Infeasible:
        bound = inf
    best = min(fitting, key=problem.cost, default=None)
    cost = inf if best is None else problem.cost(best)
    report(Progress(perf_counter() - begin, cost, bound))
    return Solution(
        choice=best,
        cost=cost,
        bound=min(bound, cost),
        seconds=perf_counter() - begin,
        certificate=Certificate(),
        floors=tuple(np.full(len(costs), min(bound, cost)) for costs in problem.costs),
        least_peak=least_peak(problem),
        nearest=min(known, key=problem.peak, default=None),
    )


def least_peak(problem: Problem) -> float:
    """A lower bound of the peak: each node uses the least of its strategies."""
    least = [usages.min(keepdims=True) if len(usages) else np.zeros(1) for usages in problem.usages]
    return Problem(tuple(np.zeros(1) for _ in least), tuple(least), problem.intervals).peak([0] * len(least))


def _search(merged: Merged, until: float) -> tuple[tuple[int, ...] | None, float]:
    """A choice of the problem, and a bound of its cost in the core."""
    try:
        from xshardy.search.milp import optimum
    except ImportError:
        return merged.out_of(_descent(merged.core)), -inf
    answer = optimum(merged.core, until)
    return None if answer.choice is None else merged.out_of(answer.choice), answer.bound


def _descent(core: Core) -> tuple[int, ...]:
    """The best strategy of each node, one after the other, given those of its neighbours."""
    labels = [int(costs.argmin()) for costs in core.costs]
    for _ in range(10):
        for node, costs in enumerate(core.costs):
            total = costs + sum((table[:, labels[other]] for other, table in core.tables[node].items()), np.zeros(1))
            labels[node] = int(total.argmin())
    return tuple(labels)
