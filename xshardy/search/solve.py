"""The solver: reductions, bounds and improvement, until the optimum is proved or the time is over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from time import perf_counter

import numpy as np

from xshardy.search.arrays import Arrays
from xshardy.search.certificate import Certificate, Stage, is_integral, rounded_down
from xshardy.search.core import Core, Infeasible
from xshardy.search.forests import Descent
from xshardy.search.merging import Merged, merge
from xshardy.search.messages import Ascent, Messages
from xshardy.search.moves import Moves
from xshardy.search.problem import Floats, Ints, Problem
from xshardy.search.reductions import reduce

SMALL = 150_000
"""Entries of tables up to which HiGHS gets what is left of a problem."""

PRICED = 30
"""Points of time, those of the highest prices, whose memory HiGHS sees from the start."""

CLOSED = 1e-9
"""The gap, as part of the cost, at which a choice counts as optimal."""


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
    """What proves a bound without a search: `bound` itself, or a lower one where HiGHS proved more."""
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

    `start` are choices that are known: the answer is never worse than the best of them that is allowed and fits. The
    same problem has the same answer when the search ends before its time.
    """
    search = Search(problem, seconds, report)
    for choice in start:
        search.offer(tuple(map(int, choice)))
    try:
        search.run()
    except Infeasible:
        search.raise_bound(search.cutoff)
    return search.solution()


def is_closed(cost: float, bound: float) -> bool:
    """Whether a bound proves that a cost is the optimum."""
    return cost < inf and cost - bound <= CLOSED * abs(cost)


class Search:
    """What is known while a problem is solved."""

    def __init__(self, problem: Problem, seconds: float, report: Callable[[Progress], None]):
        self.problem, self.report = problem, report
        self.begin = perf_counter()
        self.until = self.begin + seconds
        self.unit = 1.0 if is_integral(problem) else 0.0
        """Two costs differ by this at least, or not at all."""
        self.choice: tuple[int, ...] | None = None
        self.cost = self.bound = inf
        self.bound = -inf
        self.cutoff = inf
        """Choices of a cost up to this are in the core; others were dropped."""
        self.nearest: tuple[int, ...] | None = None
        self.peak = inf
        self.stages: list[Stage] = []
        self.floors: list[Floats] = [np.full(len(costs), -inf) for costs in problem.costs]
        self.merged: Merged | None = None

    def offer(self, choice: tuple[int, ...]) -> None:
        """Keep a choice of the problem if it is the best one so far, or the one with the lowest peak."""
        cost = self.problem.cost(choice)
        if cost == inf:
            return
        peak = self.problem.peak(choice)
        if peak < self.peak:
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
        """Reduce, raise the bound, drop what is too costly, as often as that helps; then improve, or solve the rest."""
        self.merged = merged = merge(self.problem)
        core = merged.core
        reduce(core)
        while True:
            size = core.entries
            is_small = size <= SMALL
            work = Work(self, merged)
            prices = work.ascend(self.left() * (0.3 if is_small else 0.4), 400 if is_small else 10_000)
            if not self.is_closed and not is_small:
                work.descend(prices, self.left() * 0.8)
            elif not self.is_closed:
                work.descend(prices, self.left() * 0.1, 60)
            self._eliminate(core, work)
            if self.is_closed or self.left() <= 0:
                return
            if core.entries > 0.7 * size:
                break
        work = Work(self, merged)
        if core.entries <= SMALL and self._solve_rest(core, work):
            return
        work.descend(work.ascend(self.left() * 0.3, 1000), self.left(), 1000)

    def _eliminate(self, core: Core, work: "Work") -> None:
        assert self.merged is not None
        stage = work.messages.stage(self.cost - self.unit * (1 - 1e-3) if self.cost < inf else inf)
        bound, floors = stage.floors(core)
        self.raise_bound(bound)
        limit = self.cutoff
        carried = core.floors_out_of(floors, bound)
        for node, (place, image) in enumerate(zip(self.merged.nodes, self.merged.images, strict=True)):
            exists = image >= 0
            values = np.full(len(self.floors[node]), inf)
            np.minimum.at(values, image[exists], carried[place][exists])
            self.floors[node] = np.maximum(self.floors[node], np.minimum(values, limit))
        self.stages.append(stage)
        self.cutoff = min(self.cutoff, stage.cutoff)
        stage.eliminate(core, floors)

    def _solve_rest(self, core: Core, work: "Work") -> bool:
        """Let HiGHS solve what is left, if it is installed. Returns whether it did."""
        try:
            from xshardy.search.milp import optimum
        except ImportError:
            return False
        assert self.merged is not None
        answer = optimum(core, self.until, points=work.priced_points())
        if answer.choice is not None:
            self.offer(self.merged.out_of(answer.choice))
        self.raise_bound(answer.bound + core.constant)
        return self.is_closed

    def solution(self) -> Solution:
        """The answer."""
        bound = min(self.bound, self.cost)
        return Solution(
            choice=self.choice,
            cost=self.cost,
            bound=bound,
            seconds=perf_counter() - self.begin,
            certificate=Certificate(tuple(self.stages)),
            floors=tuple(np.maximum(floors, bound) for floors in self.floors),
            least_peak=least_peak(self.problem),
            nearest=self.nearest,
        )


class Work:
    """The arrays of a core, and what changes choices of it."""

    def __init__(self, search: Search, merged: Merged):
        self.search, self.merged = search, merged
        self.arrays = Arrays(merged.core)
        self.messages = Messages(self.arrays)
        self.moves = Moves(self.arrays)
        self.best = inf
        self.labels: Ints | None = None
        own = None if search.choice is None else merged.into(search.choice)
        if own is not None:
            self.offer(self.arrays.labels(own))

    def offer(self, labels: Ints) -> bool:
        """Keep labels that are the best ones of the core that fit. Returns whether they are."""
        cost = self.arrays.cost(labels)
        if cost >= self.best or not self.arrays.fits(labels):
            return False
        self.best, self.labels = cost, labels.copy()
        self.search.offer(self.merged.out_of(self.arrays.choice(labels)))
        return True

    def mend(self, labels: Ints) -> bool:
        """Bring labels within the limit, improve and offer them. Returns whether they are the best ones."""
        labels = self.moves.repair(labels)
        if not self.arrays.fits(labels):
            return False
        return self.offer(self.moves.improve(labels))

    def ascend(self, seconds: float, sweeps: int) -> Floats:
        """Raise the bound, and offer what is found on the way. Returns the prices of the best bound."""
        search, ascent = self.search, Ascent(self.messages)
        end, last = perf_counter() + seconds, -inf
        for sweep in range(sweeps):
            target = self.best if self.best < inf else 1.1 * abs(ascent.bound) if sweep else 0.0
            labels = ascent.step(target)
            if not self.offer(labels) and sweep % 15 in (4, 14):
                self.mend(labels)
            if sweep % 15 == 14:
                search.raise_bound(ascent.bound)
                if ascent.bound - last < 1e-3 * (self.best - ascent.bound):
                    break
                last = ascent.bound
            if is_closed(self.best, ascent.bound) or perf_counter() > end:
                break
        ascent.restore()
        self.messages.sweep()
        return self.messages.prices

    def descend(self, prices: Floats, seconds: float, steps: int = 100_000) -> None:
        """Lower the cost of the best labels by forests."""
        labels = self.labels if self.labels is not None else self.arrays.least(self.arrays.costs)
        descent, end = Descent(self.arrays, labels, prices), perf_counter() + seconds
        for step in range(steps):
            if perf_counter() > end:
                break
            labels = descent.step()
            if self.arrays.fits(labels) or step % 5 == 4:
                self.mend(labels)

    def priced_points(self) -> list[int]:
        """The points of time with the highest prices."""
        prices = self.messages.prices
        order = np.argsort(-prices, kind="stable")[:PRICED]
        return order[prices[order] > 0].tolist()


def least_peak(problem: Problem) -> float:
    """A lower bound of the peak: each node uses the least of its strategies."""
    least = [usages.min(keepdims=True) if len(usages) else np.zeros(1) for usages in problem.usages]
    return Problem(tuple(np.zeros(1) for _ in least), tuple(least), problem.intervals).peak([0] * len(least))
