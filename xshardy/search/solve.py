"""The solver: reductions, bounds and improvement in turn, until the optimum is proved or the time is over."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from importlib.util import find_spec
from math import inf
from time import perf_counter

import numpy as np

from xshardy.search.certificate import Certificate, Stage, entries_below, is_integral, rounded_down
from xshardy.search.core import Infeasible
from xshardy.search.core_search import CoreSearch
from xshardy.search.merging import Merged, merge
from xshardy.search.peaks import least_peak, lower_peak
from xshardy.search.problem import Floats, Problem
from xshardy.search.reductions import reduce
from xshardy.search.solution import Progress, Solution, is_closed

SMALL = 150_000
"""Entries of tables up to which a core is small: a few forests and blocks at a time are enough."""

PART = 0.5
"""The part of the time that is left in which HiGHS chooses among promising strategies."""

SPARED = 0.01
"""The part of the time that is left to the last bound and to the floors that it proves."""

ASCENT, DESCENT = 0.1, 0.1
"""The parts of the time that is left for the bound, and each for forests and for blocks, at a time."""

NEAR = 0.1
"""The gap, as part of the cost, from which on floors can drop strategies of a large core."""

WORTHWHILE = 0.2
"""The part of the entries that must go for strategies to be dropped: what is left starts without messages."""

FORESTS, BLOCKS, IDLE = 60, 10, 3
"""Forests and blocks at a time for a small core; how often nothing may get better before the search ends."""


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

    `start` are choices that are known: the answer is never worse than the best of them that is allowed and fits. The
    same problem has the same answer when the search ends before its time.
    """
    search = _Search(problem, seconds, report)
    for choice in start:
        search.offer(tuple(map(int, choice)))
    try:
        search.run()
    except Infeasible:
        search.raise_bound(search.cutoff)
    if search.choice is None and search.least_peak < inf and problem.limit < inf:
        search.lower_peak()
    return search.solution()


class _Search:
    """What is known while a problem is solved."""

    def __init__(self, problem: Problem, seconds: float, report: Callable[[Progress], None]):
        self.problem, self.report = problem, report
        self.has_highs = find_spec("highspy") is not None
        self.begin = perf_counter()
        self.until = self.begin + (1 - SPARED) * seconds
        self.unit = 1.0 if is_integral(problem) else 0.0
        """Two costs differ by this at least, or not at all."""
        self.choice: tuple[int, ...] | None = None
        self.cost, self.bound = inf, -inf
        self.cutoff = inf
        """Choices of a cost up to this are in the core; others were dropped."""
        self.nearest: tuple[int, ...] | None = None
        self.peak = self.least_peak = inf
        self.stages: list[Stage] = []
        self.last: Stage | None = None
        """The stage behind which nothing was dropped."""
        self.floors: list[Floats] = [np.full(len(costs), -inf) for costs in problem.costs]

    def offer(self, choice: tuple[int, ...]) -> None:
        """Keep a choice of the problem if it is the best one so far, or the one with the lowest peak."""
        cost = self.problem.cost(choice)
        if cost == inf:
            return
        if (peak := self.problem.peak(choice)) < self.peak:
            self.nearest, self.peak = choice, peak
        if cost < self.cost and self.problem.fits(choice):
            self.choice, self.cost = choice, cost
            self._tell()

    def raise_bound(self, bound: float) -> None:
        """Keep a bound of the choices in the core."""
        bound = rounded_down(min(bound, self.cutoff), self.problem)
        if bound > self.bound:
            self.bound = bound
            self._tell()

    def _tell(self) -> None:
        self.report(Progress(perf_counter() - self.begin, self.cost, min(self.bound, self.cost)))

    @property
    def is_closed(self) -> bool:
        """Whether the optimum is proved."""
        return is_closed(self.cost, self.bound)

    def left(self) -> float:
        """The seconds that are left."""
        return self.until - perf_counter()

    def run(self) -> None:
        """Reduce; then in turn raise the bound, lower the cost, drop what is too costly; HiGHS solves a small rest."""
        merged = merge(self.problem)
        least = self.problem.limit - merged.core.room  # of the merged nodes, at each point
        self.least_peak = max(least_peak(self.problem), float(least.max(initial=0.0)))
        reduce(merged.core)
        work, idle, is_first, floors = self._work(merged), 0, True, None
        while is_first or (not self.is_closed and self.left() > 0 and idle < IDLE):
            is_first, before = False, (self.cost, self.bound)
            is_small = work.core.entries <= SMALL
            work.ascend(ASCENT * self.left())
            self.raise_bound(work.ascent.bound)
            if not self.is_closed:
                work.descend(DESCENT * self.left(), FORESTS if is_small else inf)
            if not self.is_closed and not is_small:
                work.improve(DESCENT * self.left())
            is_near = self.cost - self.bound <= NEAR * abs(self.cost) or work.is_for_highs
            floors = self._bound(merged, work) if is_small or is_near else None
            goes_on = floors is not None and work.is_for_highs
            while floors is not None and goes_on and not self.is_closed and self.left() > 0:
                bound, goes_on = work.solve(floors, perf_counter() + PART * self.left())
                self.raise_bound(bound)
            if floors is not None and (rest := self._drop(merged, work, floors)):
                work, idle, floors = rest, 0, None
                continue
            if is_small and not self.is_closed:
                work.improve(DESCENT * self.left(), BLOCKS)
                is_better = self.cost < before[0] or self.bound - before[1] > 1e-3 * (self.cost - self.bound)
                idle = 0 if is_better else idle + 1
        if floors is None:
            self._bound(merged, work)

    def _work(self, merged: Merged, before: CoreSearch | None = None) -> CoreSearch:
        start = None if self.choice is None else merged.into(self.choice)
        return CoreSearch(merged.core, lambda choice: self.offer(merged.out_of(choice)), start, self.has_highs, before)

    def _bound(self, merged: Merged, work: CoreSearch) -> list[Floats]:
        """Keep the bound and the floors that messages prove. Returns the floors of the core."""
        self.last = work.messages.stage()
        bound, floors = self.last.floors(work.core)
        self.raise_bound(bound)
        carried = work.core.floors_out_of(floors, bound)
        for node, (place, image) in enumerate(zip(merged.nodes, merged.images, strict=True)):
            exists = image >= 0
            values = np.full(len(self.floors[node]), inf)
            np.minimum.at(values, image[exists], carried[place][exists])
            self.floors[node] = np.maximum(self.floors[node], np.minimum(values, self.cutoff))
        return floors

    def _drop(self, merged: Merged, work: CoreSearch, floors: list[Floats]) -> CoreSearch | None:
        """Drop the strategies whose choices are no better than the best. None: they are not worth it."""
        assert self.last is not None
        if self.cost == inf or self.is_closed:
            return None
        stage = replace(self.last, cutoff=self.cost - self.unit * (1 - 1e-3))
        if entries_below(work.core, floors, stage.cutoff) > (1 - WORTHWHILE) * work.core.entries:
            return None
        self.stages.append(stage)
        self.last, self.cutoff = None, min(self.cutoff, stage.cutoff)
        stage.eliminate(work.core, floors)
        return self._work(merged, work)

    def lower_peak(self) -> None:
        """Look for the choice with the lowest peak, and for a bound of that."""
        seconds = max(self.left(), 0.1 * (self.until - self.begin))
        bound, choices = lower_peak(self.problem, lambda problem: solve(problem, seconds=seconds / 8))
        self.least_peak = max(self.least_peak, bound)
        for choice in choices:
            self.offer(choice)

    def solution(self) -> Solution:
        """The answer."""
        bound = min(self.bound, self.cost)
        return Solution(
            choice=self.choice,
            cost=self.cost,
            bound=bound,
            seconds=perf_counter() - self.begin,
            certificate=Certificate((*self.stages, *([self.last] if self.last else []))),
            floors=tuple(np.maximum(floors, bound) for floors in self.floors),
            least_peak=min(self.least_peak, self.peak),
            nearest=self.nearest,
        )
