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


@dataclass(frozen=True, slots=True, eq=False)
class Buffer:
    """Memory whose size a node decides."""

    node: int
    bytes: Floats
    """By strategy of the node."""
    intervals: tuple[tuple[int, int], ...]
    """Half-open ranges of times. It counts once for each that holds a time: nodes that are alike may be one node."""


@dataclass(frozen=True, slots=True)
class Problem:
    """
    One strategy is chosen for each node.

    Costs of nodes and edges add up. At each time, the buffers that are alive stay within the limit.
    """

    costs: tuple[Floats, ...]
    """By node, by strategy; any unit. `FORBIDDEN` and more: not allowed."""
    edges: tuple[tuple[int, int], ...] = ()
    """Pairs of nodes; several for one pair are allowed."""
    tables: tuple[Floats, ...] = ()
    """By edge, the cost: [strategy of the first node, strategy of the second]."""
    buffers: tuple[Buffer, ...] = ()
    limit: float = inf
    """Bytes."""

    def __post_init__(self):
        sizes = [len(costs) for costs in self.costs]
        if any(len(buffer.bytes) != sizes[buffer.node] for buffer in self.buffers):
            raise ValueError("each buffer needs a size for each strategy of its node")
        if any((buffer.bytes < 0).any() for buffer in self.buffers):
            raise ValueError("sizes of buffers are bytes: a negative one is none")
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
        for buffer in self.buffers:
            size = float(buffer.bytes[choice[buffer.node]])
            for start, end in buffer.intervals:
                if start < end:
                    changes[start] = changes.get(start, 0.0) + size
                    changes[end] = changes.get(end, 0.0) - size
        used = np.cumsum([change for _, change in sorted(changes.items())])
        return max(float(used.max(initial=0.0)), 0.0)

    def fits(self, choice: Sequence[int]) -> bool:
        """Whether the peak of a choice is within the limit."""
        return self.limit == inf or self.peak(choice) <= self.limit * (1 + ROUNDING)
