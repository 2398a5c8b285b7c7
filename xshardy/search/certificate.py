"""What proves a lower bound, and its check: sums and minima, no search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil, inf

import numpy as np

from xshardy.search.core import Core, Infeasible
from xshardy.search.merging import merge
from xshardy.search.problem import Floats, Problem
from xshardy.search.reductions import reduce


@dataclass(frozen=True, slots=True)
class Stage:
    """Prices and messages for a core: they prove a bound, whatever numbers they are, and good ones a good one."""

    prices: Floats
    """By point of time of the core, cost per byte; not negative."""
    messages: Mapping[tuple[int, int], Floats]
    """By pair `(a, b)` of nodes, what each strategy of `b` gets from their table; zero where there are none."""
    cutoff: float = inf
    """Strategies that only choices of a higher cost have are dropped behind the stage."""

    def floors(self, core: Core) -> tuple[float, list[Floats]]:
        """
        A lower bound of all choices, and by node of the core and strategy, of those that have it.

        What messages add to costs of nodes, the tables lack. A node pays the price of its usage, and the price of the
        room is given back. The bound is the sum of the least costs of nodes and tables, each for itself; with one
        strategy fixed, its node and the tables of its node have to take it.
        """
        prices = np.maximum(self.prices, 0.0)
        total = np.concatenate([[0.0], prices.cumsum()])
        bound, floors = core.constant - float(prices @ core.room), [costs.copy() for costs in core.costs]
        for floor, usages in zip(floors, core.usages, strict=True):
            for (start, end), usage in usages.items():
                floor += usage * (total[end] - total[start])
        for (_, node), message in self.messages.items():
            floors[node] += message
        for floor in floors:
            least = float(floor.min())
            bound += least
            floor -= least
        for a, b, table in core.pairs():
            rest = table - self._to(b, a, table.shape[0])[:, None] - self._to(a, b, table.shape[1])
            least = float(rest.min())
            bound += least
            floors[a] += rest.min(1) - least
            floors[b] += rest.min(0) - least
        return bound, [floor + bound for floor in floors]

    def _to(self, source: int, target: int, size: int) -> Floats:
        message = self.messages.get((source, target))
        return np.zeros(size) if message is None else message

    def eliminate(self, core: Core, floors: list[Floats]) -> None:
        """Drop the strategies whose floor is above the cutoff, and reduce what is left. Raises `Infeasible`."""
        if self.cutoff == inf:
            return
        tolerance = 1e-9 * abs(self.cutoff)
        changed = set[int]()
        for node, floor in enumerate(floors):
            kept = np.flatnonzero(floor <= self.cutoff + tolerance)
            if len(kept) < len(floor):
                core.keep(node, kept, otherwise=floor)
                changed.update((node, *core.tables[node]))
        if changed:
            reduce(core, changed)


@dataclass(frozen=True, slots=True)
class Certificate:
    """Stages, each for the core that the one before leaves; the first, for the core of the problem."""

    stages: tuple[Stage, ...] = ()

    def check(self, problem: Problem) -> float:
        """
        A lower bound of the cost of any choice that is allowed and within the limit; infinite if there is none.

        What a stage drops costs more than its cutoff, so that a later bound counts up to there only. Trusted are the
        reductions and this module. Raises `ValueError` if the certificate is one of another problem.
        """
        best, cutoff = -inf, inf
        try:
            core = merge(problem).core
            reduce(core)
            for stage in self.stages or (Stage(np.zeros(len(core.room)), {}),):
                _check_shapes(stage, core)
                bound, floors = stage.floors(core)
                best = max(best, min(cutoff, bound))
                cutoff = min(cutoff, stage.cutoff)
                stage.eliminate(core, floors)
        except Infeasible:
            best = cutoff
        return rounded_down(best, problem)


def entries_below(core: Core, floors: Sequence[Floats], cutoff: float) -> int:
    """How many entries of tables are left when strategies whose floor is above the cutoff go."""
    sizes = [int((floor <= cutoff).sum()) for floor in floors]
    return sum(sizes[a] * sizes[b] for a, b, _ in core.pairs())


def _check_shapes(stage: Stage, core: Core) -> None:
    if len(stage.prices) != len(core.room):
        raise ValueError("the certificate has prices for other points of time: it is one of another problem")
    for (a, b), message in stage.messages.items():
        if not (0 <= a < len(core.costs) and b in core.tables[a] and len(message) == len(core.costs[b])):
            raise ValueError(f"the certificate has a message for {(a, b)}: it is one of another problem")


def rounded_down(bound: float, problem: Problem) -> float:
    """A bound without its rounding error; the next integer where all costs are integers."""
    if not np.isfinite(bound):
        return bound
    safe = bound - 1e-11 * abs(bound)
    return float(ceil(safe - 1e-6)) if is_integral(problem) else safe


def is_integral(problem: Problem) -> bool:
    """Whether all costs are integers."""
    return all((np.floor(costs) == costs).all() for costs in (*problem.costs, *problem.tables))
