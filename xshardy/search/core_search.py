"""The search in one core: its bound is raised, and choices are found and improved."""

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import partial
from math import inf
from time import perf_counter

import numpy as np

from xshardy.search.arrays import Arrays
from xshardy.search.blocks import Blocks
from xshardy.search.certificate import entries_below
from xshardy.search.core import Core, Infeasible
from xshardy.search.forests import Descent, Forests
from xshardy.search.messages import Ascent, Messages
from xshardy.search.moves import Moves
from xshardy.search.problem import Floats, Ints
from xshardy.search.solution import is_closed

SWEEPS, WINDOW, SLOW = 400, 40, 2e-3
"""Sweeps at a time; they end when `WINDOW` of them close less than this part of the gap."""

PRICED = 30
"""Points of time, those of the highest prices, whose memory HiGHS sees from the start."""

RATE = 10_000
"""Entries of tables that HiGHS is given for each second that it has: it overruns its time in a large relaxation."""

BLOCK = 4
"""Seconds that HiGHS has for a block at most."""

NODES = 1_500
"""Nodes up to which HiGHS chooses among promising strategies."""


class CoreSearch:
    """
    The arrays of a core, the best labels that fit, and what improves them.

    With `before`, the search starts from the prices and sizes of that of the same core before strategies were dropped.
    """

    def __init__(
        self,
        core: Core,
        found: Callable[[tuple[int, ...]], None],
        start: tuple[int, ...] | None,
        has_highs: bool,
        before: "CoreSearch | None" = None,
    ):
        self.core, self.found, self.has_highs = core, found, has_highs
        self.arrays = Arrays(core)
        self.times = core.points
        """By point of time, its position in `room` when the core was made."""
        self.points: Sequence[int] = ()
        """Points of time that have needed a row of memory so far."""
        self.promising = 15_000
        """Entries of tables that HiGHS is given when it chooses among promising strategies."""
        prices, rise = np.zeros(len(core.room)), 0.0
        if before is not None:
            places = np.searchsorted(before.times, core.points)
            self.points = np.flatnonzero(np.isin(places, before.points)).tolist()
            self.promising = before.promising
            prices, rise = before.ascent.best[0][places], before.ascent.rise
        self.messages = Messages(self.arrays, prices)
        self.ascent = Ascent(self.messages, rise)
        self.moves = Moves(self.arrays)
        self.forests = Forests(self.arrays)
        self.descents = 0
        self.mended: Ints | None = None
        """The last labels of a sweep that were brought within the limit."""
        self.blocks = Blocks(self.arrays)
        self.best = inf
        """The cost of `labels`."""
        self.labels: Ints | None = None
        if start is not None:
            self.offer(self.arrays.labels(start))

    def offer(self, labels: Ints) -> bool:
        """Keep labels if they fit and cost less than all before. Returns whether they do."""
        cost = self.arrays.cost(labels)
        if cost >= self.best or not self.arrays.fits(labels):
            return False
        self.best, self.labels = cost, labels.copy()
        self.found(self.arrays.choice(labels))
        return True

    def mend(self, labels: Ints) -> Ints | None:
        """Bring labels within the limit, improve, offer and return them. None: they do not get there."""
        labels = self.moves.repair(labels)
        if not self.arrays.fits(labels):
            return None
        labels = self.moves.improve(labels)
        self.offer(labels)
        return labels

    def ascend(self, seconds: float) -> None:
        """Raise the bound, and offer what is found on the way, until that gets slow."""
        ascent, end, last = self.ascent, perf_counter() + seconds, -inf
        for sweep in range(SWEEPS):
            labels = ascent.step()
            if not self.offer(labels) and sweep % 15 in (4, 14) and (mended := self.mend(labels)) is not None:
                self.mended = mended
            if sweep % WINDOW == WINDOW - 1:
                if ascent.bound - last < SLOW * (self.best - ascent.bound):
                    break
                last = ascent.bound
            if is_closed(self.best, ascent.bound) or perf_counter() > end:
                break
        ascent.restore()
        self.messages.sweep()

    def descend(self, seconds: float, steps: float) -> None:
        """Lower the cost by forests, by turns of the best labels and of others that the bound has led to."""
        labels = self.arrays.least(self.arrays.costs) if self.labels is None else self.labels
        if self.descents % 2 and self.mended is not None:
            labels = self.mended
        self.descents += 1
        descent = Descent(self.forests, labels, self.messages.prices)
        end, step = perf_counter() + seconds, 0
        while perf_counter() < end and step < steps:
            step += 1
            labels = descent.step()
            if self.arrays.fits(labels) or step % 5 == 0:
                self.mend(labels)

    def improve(self, seconds: float, steps: float = inf) -> None:
        """Lower the cost by blocks."""
        end, step, totals = perf_counter() + seconds, 0, self.messages.totals()
        while self.labels is not None and len(self.labels) and perf_counter() < end and step < steps:
            step += 1
            solver = partial(_solve_block, until=min(end, perf_counter() + BLOCK)) if self.has_highs else _leave_block
            self.offer(self.blocks.best(self.labels, totals, solver))

    @property
    def choice(self) -> tuple[int, ...] | None:
        """The best labels as a choice of the core."""
        return None if self.labels is None else self.arrays.choice(self.labels)

    @property
    def is_for_highs(self) -> bool:
        """Whether HiGHS can choose among promising strategies of all nodes."""
        return self.has_highs and len(self.arrays.nodes) <= NODES

    def solve(self, floors: Sequence[Floats], until: float) -> tuple[float, bool]:
        """
        Let HiGHS choose among the strategies of the lowest floors, and those of the best choice.

        Returns the bound that this proves, as what HiGHS leaves out costs its floor at least, and whether HiGHS was
        done in time, there is more to choose from, and HiGHS can have more. Raises `Infeasible`.
        """
        from xshardy.search.highs import optimum

        allowed = RATE * (until - perf_counter())
        kept = self._promising(floors, min(self.promising, allowed))
        rest = min(float(np.delete(floor, own).min(initial=inf)) for floor, own in zip(floors, kept, strict=True))
        start = None if self.choice is None else _places(kept, self.choice)
        try:
            answer = optimum(self.core.restricted(kept), until, self.points or self._priced_points(), start)
        except Infeasible:
            if self.labels is not None:  # within HiGHS's tolerances
                return -inf, False
            if rest == inf:
                raise
            self.promising *= 2
            return rest, True
        self.points = answer.points
        is_done = perf_counter() < until
        self.promising = 2 * self.promising if is_done else self.promising // 2
        if answer.choice is not None:
            labels = [int(own[strategy]) for own, strategy in zip(kept, answer.choice, strict=True)]
            self.mend(self.arrays.labels(tuple(labels)))
        return min(rest, answer.bound + self.core.constant), is_done and rest < self.best and self.promising < allowed

    def _promising(self, floors: Sequence[Floats], size: float) -> list[Ints]:
        """By node, the strategies of the lowest floors that have `size` entries together, and the best one."""
        best = self.choice or tuple(int(floor.argmin()) for floor in floors)
        floors = [floor.copy() for floor in floors]
        for floor, strategy in zip(floors, best, strict=True):
            floor[strategy] = -inf
        levels = np.unique(np.concatenate([floor[floor <= self.best] for floor in floors]))
        entries = partial(entries_below, self.core, floors)
        cutoff = levels[max(bisect_right(levels, size, key=entries) - 1, 0)]
        return [np.flatnonzero(floor <= cutoff) for floor in floors]

    def _priced_points(self) -> list[int]:
        prices = self.messages.prices
        order = np.argsort(-prices, kind="stable")[:PRICED]
        return order[prices[order] > 0].tolist()


def _places(kept: Sequence[Ints], choice: Sequence[int]) -> list[int]:
    return [int(np.searchsorted(own, strategy)) for own, strategy in zip(kept, choice, strict=True)]


def _solve_block(block: Core, until: float) -> tuple[int, ...] | None:
    from xshardy.search.highs import optimum

    return optimum(block, until).choice


def _leave_block(block: Core) -> None:
    """What is there without HiGHS for a block that the reductions do not solve."""
