"""A choice of one strategy per node: costs of nodes and of pairs, and a memory limit at each point of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, inf
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

FORBIDDEN = 1e15
"""From this cost on, a strategy or a pair of strategies is not allowed."""

ROUNDING = 1e-12
"""By which part of the limit a peak may exceed it: the rounding of sums of usages that are no integers."""


@dataclass(frozen=True, slots=True)
class Problem:
    """
    One strategy is chosen for each node.

    Costs of nodes and edges add up. At each time, the usages of the nodes that are alive stay within the limit.
    """

    costs: tuple[Floats, ...]
    """By node, by strategy; any unit. `FORBIDDEN` and more: not allowed."""
    usages: tuple[Floats, ...]
    """By node, by strategy; bytes."""
    intervals: tuple[tuple[int, int], ...]
    """By node, the half-open range of times at which its usage counts; in an empty one, it never does."""
    edges: tuple[tuple[int, int], ...] = ()
    """Pairs of nodes; several for one pair are allowed."""
    tables: tuple[Floats, ...] = ()
    """By edge, the cost: [strategy of the first node, strategy of the second]."""
    limit: float = inf
    """Bytes."""

    def __post_init__(self):
        sizes = [len(costs) for costs in self.costs]
        if [len(usages) for usages in self.usages] != sizes or len(self.intervals) != len(sizes):
            raise ValueError("each node needs a usage for each of its strategies, and one interval")
        if any((usages < 0).any() for usages in self.usages):
            raise ValueError("usages are bytes: a negative one is none")
        if [table.shape for table in self.tables] != [(sizes[a], sizes[b]) for a, b in self.edges]:
            raise ValueError("each edge needs a table of the strategies of its first node by those of its second")

    def cost(self, choice: Sequence[int]) -> float:
        """The cost of a choice, without the limit; exact for integers below 2^53. Infinite if it is not allowed."""
        terms = [float(costs[strategy]) for costs, strategy in zip(self.costs, choice, strict=True)]
        terms += [float(table[choice[a], choice[b]]) for (a, b), table in zip(self.edges, self.tables, strict=True)]
        return inf if any(term >= FORBIDDEN for term in terms) else fsum(terms)

    def peak(self, choice: Sequence[int]) -> float:
        """The most memory that a choice uses at any point of time, in bytes; exact for integers below 2^53."""
        changes: dict[int, float] = {}
        for usages, (start, end), strategy in zip(self.usages, self.intervals, choice, strict=True):
            if start < end:
                changes[start] = changes.get(start, 0.0) + float(usages[strategy])
                changes[end] = changes.get(end, 0.0) - float(usages[strategy])
        used = np.cumsum([change for _, change in sorted(changes.items())])
        return max(float(used.max(initial=0.0)), 0.0)

    def fits(self, choice: Sequence[int]) -> bool:
        """Whether the peak of a choice is within the limit."""
        return self.limit == inf or self.peak(choice) <= self.limit * (1 + ROUNDING)
