"""What is left of a problem while it is reduced, and how choices are carried there and back."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from xshardy.search.problem import Floats, Ints

Mask: TypeAlias = NDArray[np.bool_]
Span: TypeAlias = tuple[int, int]
"""A half-open range of points of time, as positions in `Core.room`."""


class Infeasible(Exception):
    """No choice is allowed and within the limit."""


class Step(Protocol):
    """One reduction. Choices are lists by node of the core, changed in place."""

    def forward(self, choice: list[int]) -> None:
        """Carry a choice of the problem before the step behind it: -1 where a node has no such strategy any more."""
        ...

    def backward(self, choice: list[int]) -> None:
        """Carry a choice of the problem behind the step to an equally good one before it."""
        ...

    def floors(self, floors: list[Floats], bound: float) -> None:
        """Carry lower bounds of choices with a strategy, by node, back; those of all choices are `bound`."""
        ...


@dataclass(frozen=True, slots=True)
class Keep:
    """Of a node's strategies, `kept` stay."""

    node: int
    kept: Ints
    instead: Ints
    """By strategy, a kept one that is at least as good in all choices; -1 where there is none."""
    otherwise: Floats | None = None
    """By strategy, a lower bound of the choices with it; infinite where there are none."""

    def forward(self, choice: list[int]) -> None:
        strategy = choice[self.node]
        better = int(self.instead[strategy]) if strategy >= 0 else -1
        choice[self.node] = int(np.searchsorted(self.kept, better)) if better >= 0 else -1

    def backward(self, choice: list[int]) -> None:
        choice[self.node] = int(self.kept[choice[self.node]])

    def floors(self, floors: list[Floats], bound: float) -> None:
        places = np.searchsorted(self.kept, self.instead)
        dropped = np.full(len(self.instead), inf) if self.otherwise is None else self.otherwise
        floors[self.node] = np.where(self.instead >= 0, floors[self.node][places], dropped)


@dataclass(frozen=True, slots=True)
class Eliminate:
    """A node is left out; `best` is its strategy, by the strategies of `neighbours`."""

    node: int
    neighbours: tuple[int, ...]
    best: Ints
    size: int
    """How many strategies the node had."""

    def forward(self, choice: list[int]) -> None:
        choice[self.node] = 0

    def backward(self, choice: list[int]) -> None:
        choice[self.node] = int(self.best[tuple(choice[neighbour] for neighbour in self.neighbours)])

    def floors(self, floors: list[Floats], bound: float) -> None:
        floors[self.node] = np.full(self.size, bound)


@dataclass(frozen=True, slots=True)
class Absorb(Eliminate):
    """A node whose strategy its one neighbour determines, at `best`, is left out."""

    def floors(self, floors: list[Floats], bound: float) -> None:
        values = np.full(self.size, inf)
        np.minimum.at(values, self.best, floors[self.neighbours[0]])
        floors[self.node] = values


@dataclass(slots=True)
class Core:
    """
    A problem whose pairs of nodes have one table each, without forbidden strategies of nodes.

    Entries of `tables` may be infinite, costs of nodes are not. A cost here plus `constant` is the one of the problem.
    """

    costs: list[Floats]
    """By node, by strategy. A node that is left out has one strategy that costs nothing, and no tables."""
    tables: list[dict[int, Floats]]
    """By node and neighbour, [strategy of the node, of the neighbour]. That of the neighbour is a transposed view."""
    usages: list[dict[Span, Floats]]
    """By node and span, by strategy: bytes above the least of the node's strategies."""
    room: Floats
    """By point of time, the bytes below the limit when each node has its least usage."""
    constant: float = 0.0
    steps: list[Step] = field(default_factory=list[Step])
    dominance: dict[Hashable, Ints] = field(default_factory=dict[Hashable, Ints])
    """
    By costs, usages and tables of a node, the strategy that replaces each, until the end of `reduce`. Nodes of repeated
    layers are alike: of 47,637 in graph R of the IOPDDL contest, 11,463 differ; without, `reduce` takes 6.7 seconds of
    the CPU and not 5.0.
    """
    points: Ints = field(init=False)
    """By point of time, its position in `room` when the core was made."""

    def __post_init__(self):
        self.points = np.arange(len(self.room))

    def connect(self, a: int, b: int, table: Floats) -> None:
        """Add a table to the pair of two nodes."""
        known = self.tables[a].get(b)
        total = table if known is None else known + table
        self.tables[a][b], self.tables[b][a] = total, total.T

    def disconnect(self, a: int, b: int) -> None:
        """Drop the table of a pair."""
        del self.tables[a][b], self.tables[b][a]

    def use(self, node: int, span: Span, usage: Floats) -> None:
        """Add to the usage of a node, by strategy; what all of them use is taken from the room."""
        least = usage.min()
        self.room[slice(*span)] -= least
        known = self.usages[node].pop(span, None)
        total = usage - least if known is None else known + (usage - least)
        if total.any():
            rest = total.min()
            self.room[slice(*span)] -= rest
            self.usages[node][span] = total - rest

    def keep(self, node: int, kept: Ints, instead: Ints | None = None, otherwise: Floats | None = None) -> None:
        """Drop the strategies of a node that are not in `kept`. Raises `Infeasible` when that is empty. See `Keep`."""
        size = len(self.costs[node])
        if len(kept) == size:
            return
        if not len(kept):
            raise Infeasible
        if instead is None:
            instead = np.full(size, -1)
            instead[kept] = kept
        self.steps.append(Keep(node, kept, instead, otherwise))
        self.costs[node] = self.costs[node][kept]
        for other, table in self.tables[node].items():
            rest = np.ascontiguousarray(table[kept])
            self.tables[node][other], self.tables[other][node] = rest, rest.T
        usages, self.usages[node] = self.usages[node], {}
        for span, usage in usages.items():
            self.use(node, span, usage[kept])

    def restricted(self, kept: Sequence[Ints]) -> "Core":
        """A core of its own with some of the strategies of each node."""
        core = Core([costs[own] for costs, own in zip(self.costs, kept, strict=True)], [], [], self.room.copy())
        core.tables = [
            {other: table[kept[node][:, None], kept[other]] for other, table in tables.items()}
            for node, tables in enumerate(self.tables)
        ]
        core.usages = [{} for _ in kept]
        for node, usages in enumerate(self.usages):
            for span, usage in usages.items():
                core.use(node, span, usage[kept[node]])
        return core

    def leave_out(self, step: Eliminate) -> None:
        """Drop a node whose cost and usage are accounted for elsewhere."""
        node = step.node
        for other in tuple(self.tables[node]):
            self.disconnect(node, other)
        self.usages[node] = {}
        self.costs[node] = np.zeros(1)
        self.steps.append(step)

    def into(self, choice: Sequence[int]) -> tuple[int, ...] | None:
        """A choice before all steps, as one of the core; None if it has no such one."""
        labels = list(choice)
        for step in self.steps:
            step.forward(labels)
        return None if min(labels, default=0) < 0 else tuple(labels)

    def out_of(self, choice: Sequence[int]) -> tuple[int, ...]:
        """A choice of the core, as one before all steps."""
        labels = list(choice)
        for step in reversed(self.steps):
            step.backward(labels)
        return tuple(labels)

    def floors_out_of(self, floors: Sequence[Floats], bound: float) -> list[Floats]:
        """By node and strategy of the core, lower bounds of the choices with it, as bounds before all steps."""
        values = list(floors)
        for step in reversed(self.steps):
            step.floors(values, bound)
        return values

    def slack(self, choice: Sequence[int]) -> Floats:
        """The bytes that a choice leaves below the limit, at each point of time."""
        change = np.zeros(len(self.room) + 1)
        for usages, strategy in zip(self.usages, choice, strict=True):
            for (start, end), usage in usages.items():
                change[start] += usage[strategy]
                change[end] -= usage[strategy]
        return self.room - change.cumsum()[:-1]

    def pairs(self) -> Iterator[tuple[int, int, Floats]]:
        """Each pair of nodes that has a table, the lower node first, and the table."""
        for a, tables in enumerate(self.tables):
            yield from ((a, b, table) for b, table in tables.items() if a < b)

    @property
    def entries(self) -> int:
        """How many entries the tables have."""
        return sum(table.size for _, _, table in self.pairs())
