"""What proves a lower bound, and its check: sums and minima, no search."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil, inf

import numpy as np

from xshardy.search.core import Core, Infeasible
from xshardy.search.merging import merge
from xshardy.search.problem import Floats, Problem
from xshardy.search.reductions import reduce


@dataclass(frozen=True, slots=True)
class Certificate:
    """Prices of memory and messages, in the core of a problem. Any values prove some bound; good ones, a good one."""

    prices: Floats = field(default_factory=lambda: np.zeros(0))
    """By point of time of the core, cost per byte, not negative. Zero where there are none."""
    messages: Mapping[tuple[int, int], Floats] = field(default_factory=dict[tuple[int, int], Floats])
    """By pair `(a, b)`, what the strategies of `b` get from the table of the pair. Zero where there are none."""

    def check(self, problem: Problem) -> float:
        """A lower bound of the cost of any choice that is allowed and within the limit; infinite if there is none."""
        try:
            core = merge(problem).core
            reduce(core)
        except Infeasible:
            return inf
        bound = sum(self.parts(core)[0]) if core.costs else 0.0
        return rounded_down(bound + core.constant, problem)

    def parts(self, core: Core) -> tuple[Sequence[float], Sequence[Floats]]:
        """
        Numbers whose sum, with the constant of the core, is a lower bound; and the costs of nodes with all they get.

        A table gives what its two nodes get from it, which its least entry then lacks. Memory has a price at each point:
        who uses it pays, and the room up to the limit is given back.
        """
        prices = np.maximum(self.prices, 0.0) if len(self.prices) else np.zeros(len(core.room))
        total = np.concatenate([[0.0], prices.cumsum()])
        terms = [-float(prices @ core.room)] if len(prices) and prices.any() else []
        nodes: list[Floats] = []
        for node, costs in enumerate(core.costs):
            gets = costs.copy()
            for (start, end), usage in core.usages[node].items():
                gets += usage * (total[end] - total[start])
            for other, table in core.tables[node].items():
                if (message := self.messages.get((other, node))) is not None:
                    gets += message
                if node < other:
                    terms.append(float(self.rest(node, other, table).min()))
            nodes.append(gets)
            terms.append(float(gets.min()))
        return terms, nodes

    def rest(self, a: int, b: int, table: Floats) -> Floats:
        """The table of a pair, without what its nodes get from it."""
        to_a, to_b = self.messages.get((b, a)), self.messages.get((a, b))
        rest = table if to_a is None else table - to_a[:, None]
        return rest if to_b is None else rest - to_b


def rounded_down(bound: float, problem: Problem) -> float:
    """A bound without its rounding error; the next integer where all costs are integers."""
    safe = bound - 1e-11 * abs(bound)
    return float(ceil(safe - 1e-6)) if is_integral(problem) else safe


def is_integral(problem: Problem) -> bool:
    """Whether all costs are integers."""
    return all(not (costs % 1).any() for costs in (*problem.costs, *problem.tables))
