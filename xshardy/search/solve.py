"""The solver: reductions, bounds and improvement, until the optimum is proved or the time is over."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
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

WORTHWHILE = 0.2
"""The part of the entries that must go for strategies to be dropped: what is left starts without messages."""

SWEEPS, WINDOW, SLOW = 400, 40, 2e-3
"""Sweeps at a time; they end when `WINDOW` of them close less than this part of the gap."""

FORESTS, IDLE = 60, 3
"""Forests at a time for a small core; how often nothing may get better before the search ends."""

NODES, PROMISING, PART = 1_500, 60_000, 0.2
"""Nodes and entries up to which HiGHS gets a part of a large core, and the part of the time that is left that it gets."""

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
        self.final: Stage | None = None
        """The last stage, behind which nothing was dropped."""
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
        """Reduce; then raise the bound, lower the cost and drop what is too costly, in turn; let HiGHS solve a small rest."""
        self.merged = merged = merge(self.problem)
        core = merged.core
        reduce(core)
        work, idle = Work(self, merged), 0
        while not self.is_closed and self.left() > 0 and idle < IDLE:
            before = (self.cost, self.bound)
            is_small = core.entries <= SMALL
            work.ascend(0.1 * self.left(), SWEEPS)
            if not is_closed(self.cost, self.bound):
                work.descend(0.1 * self.left(), FORESTS if is_small else inf)
            shrunk, floors = self._eliminate(core, work)
            if shrunk and not self.is_closed:
                work = Work(self, merged)
            elif is_small and self._solve_rest(core, work):
                return
            elif not is_small:
                self._solve_promising(core, work, floors)
                continue
            cost, bound = self.cost, self.bound
            better = shrunk or cost < before[0] or bound - before[1] > 1e-3 * (cost - bound)
            idle = 0 if better else idle + 1

    def _eliminate(self, core: Core, work: "Work") -> tuple[bool, list[Floats]]:
        """Keep the bound and the floors; drop strategies if many are too costly. Returns whether it did, and the floors."""
        assert self.merged is not None
        stage = work.messages.stage(self.cost - self.unit * (1 - 1e-3) if self.cost < inf else inf)
        bound, floors = stage.floors(core)
        carried = core.floors_out_of(floors, bound)
        for node, (place, image) in enumerate(zip(self.merged.nodes, self.merged.images, strict=True)):
            exists = image >= 0
            values = np.full(len(self.floors[node]), inf)
            np.minimum.at(values, image[exists], carried[place][exists])
            self.floors[node] = np.maximum(self.floors[node], np.minimum(values, self.cutoff))
        entries = core.entries
        useful = stage.survivors(core, floors) < (1 - WORTHWHILE) * entries
        self.final = replace(stage, cutoff=inf)
        self.raise_bound(bound)
        if not useful:
            return False, floors
        self.stages.append(stage)
        self.final = None
        self.cutoff = min(self.cutoff, stage.cutoff)
        stage.eliminate(core, floors)
        return True, floors

    def _solve_rest(self, core: Core, work: "Work") -> bool:
        """Let HiGHS solve what is left, if it is installed. Returns whether it did."""
        try:
            from xshardy.search.milp import optimum
        except ImportError:
            return False
        assert self.merged is not None
        answer = optimum(core, self.until, work.priced_points(), work.choice())
        if answer.choice is not None:
            self.offer(self.merged.out_of(answer.choice))
        self.raise_bound(answer.bound + core.constant)
        return self.is_closed

    def _solve_promising(self, core: Core, work: "Work", floors: Sequence[Floats]) -> None:
        """Let HiGHS choose among the strategies of the lowest floors, and those of the best choice."""
        try:
            from xshardy.search.milp import optimum
        except ImportError:
            return
        best = work.choice()
        if best is None or len(work.arrays.nodes) > NODES:
            return
        floors = [floor.copy() for floor in floors]
        for floor, strategy in zip(floors, best, strict=True):
            floor[strategy] = -inf
        levels = np.unique(np.concatenate(floors))
        low, high = 0, len(levels)
        while high - low > 1:
            middle = (low + high) // 2
            fits = Stage(np.zeros(0), {}, float(levels[middle])).survivors(core, floors) <= PROMISING
            low, high = (middle, high) if fits else (low, middle)
        kept = [np.flatnonzero(floor <= levels[low]) for floor in floors]
        start = [int(np.searchsorted(own, strategy)) for own, strategy in zip(kept, best, strict=True)]
        until = perf_counter() + PART * self.left()
        try:
            answer = optimum(core.restricted(kept), until, work.priced_points(), start)
        except Infeasible:
            return
        if answer.choice is not None:
            labels = [int(own[strategy]) for own, strategy in zip(kept, answer.choice, strict=True)]
            work.offer(work.arrays.labels(tuple(labels)))

    def solution(self) -> Solution:
        """The answer."""
        bound = min(self.bound, self.cost)
        return Solution(
            choice=self.choice,
            cost=self.cost,
            bound=bound,
            seconds=perf_counter() - self.begin,
            certificate=Certificate((*self.stages, *([] if self.final is None else [self.final]))),
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
        self.ascent = Ascent(self.messages)
        self.descent: Descent | None = None
        self.best = inf
        """The least cost of labels that fit, and `labels` of that cost."""
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

    def ascend(self, seconds: float, sweeps: int) -> None:
        """Raise the bound, and offer what is found on the way, until that takes long."""
        ascent, end, last = self.ascent, perf_counter() + seconds, -inf
        for sweep in range(sweeps):
            labels = ascent.step(self.best)
            if not self.offer(labels) and sweep % 15 in (4, 14):
                self.mend(labels)
            if sweep % WINDOW == WINDOW - 1:
                if ascent.bound - last < SLOW * (self.best - ascent.bound):
                    break
                last = ascent.bound
            if is_closed(self.best, ascent.bound) or perf_counter() > end:
                break
        ascent.restore()
        self.messages.sweep()
        self.search.raise_bound(ascent.bound)

    def descend(self, seconds: float, steps: float) -> None:
        """Lower the cost of the best labels by forests."""
        if self.descent is None:
            labels = self.arrays.least(self.arrays.costs) if self.labels is None else self.labels
            self.descent = Descent(self.arrays, labels, self.messages.prices)
        end, step = perf_counter() + seconds, 0
        while perf_counter() < end and step < steps:
            step += 1
            labels = self.descent.step()
            if self.arrays.fits(labels) or step % 5 == 0:
                self.mend(labels)

    def choice(self) -> tuple[int, ...] | None:
        """The best labels as a choice of the core."""
        return None if self.labels is None else self.arrays.choice(self.labels)

    def priced_points(self) -> list[int]:
        """The points of time with the highest prices."""
        prices = self.messages.prices
        order = np.argsort(-prices, kind="stable")[:PRICED]
        return order[prices[order] > 0].tolist()


def least_peak(problem: Problem) -> float:
    """A lower bound of the peak: each node uses the least of its strategies."""
    least = [usages.min(keepdims=True) if len(usages) else np.zeros(1) for usages in problem.usages]
    return Problem(tuple(np.zeros(1) for _ in least), tuple(least), problem.intervals).peak([0] * len(least))
