"""The problem of choice of a program: a node for each class of alike ones, times in nanoseconds, memory in bytes."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import NamedTuple

import numpy as np
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.planning.auto.buffers import Lifetimes
from xshardy.planning.auto.choices import Placements
from xshardy.planning.auto.classes import classes_of
from xshardy.planning.auto.move_times import MoveTimes
from xshardy.planning.auto.nodes import Node, ProgramNodes
from xshardy.planning.auto.placements import Placement
from xshardy.search.problem import Buffer, Floats, Problem

NANOSECONDS = 1e9
"""In a second."""
OF_ARGUMENTS = 1e-6
"""Nanoseconds for each byte of an argument that a device holds: of equal choices, that with the smaller arguments."""


@dataclass(frozen=True, slots=True)
class Layout:
    """What a choice means for the program."""

    values: Mapping[SSAValue, Placement]
    """How each value is divided where it is produced."""
    reads: Mapping[tuple[Operation, int], Placement]
    """How an operand is divided where it is read, if that is otherwise."""


class _Edge(NamedTuple):
    """Reads that are alike."""

    source: int
    """The class that produces the value."""
    reader: int
    type: Attribute
    before: Placements
    after: Placements


class Space:
    """The problem of a program, and what its choices mean."""

    def __init__(self, nodes: ProgramNodes, moves: MoveTimes):
        self.nodes, self._moves = nodes, moves
        self.classes = classes_of(nodes)
        self._edges = self._summed_edges()
        self._buffers = self._summed_buffers()

    def problem(self, limit: float = inf) -> Problem:
        """The problem with `limit` bytes of memory per device."""
        tables = [(pair, table) for pair, table in self._edges.items() if pair[0] != pair[1]]
        return Problem(
            costs=tuple(self._costs()),
            edges=tuple(pair for pair, _ in tables),
            tables=tuple(table for _, table in tables),
            buffers=self._buffers,
            limit=limit,
        )

    def _costs(self) -> Sequence[Floats]:
        costs: dict[int, Floats] = {}
        for node, number in self.classes.items():
            mine = node.choices.seconds * node.count * NANOSECONDS
            if not node.operations and node.results:
                (value, placements), *_ = node.results.items()
                sizes = self._moves.part_bytes(value.type, placements.distinct)
                mine = mine + OF_ARGUMENTS * sizes[placements.index]
            costs[number] = costs.get(number, 0) + mine
        for (a, b), table in self._edges.items():
            if a == b:
                costs[a] = costs[a] + np.diagonal(table)
        return [costs[number] for number in range(len(costs))]

    def _summed_edges(self) -> Mapping[tuple[int, int], Floats]:
        """By pair of classes, the times of all reads between them."""
        counts = Counter[_Edge]()
        for node in self.nodes.nodes:
            for read in node.reads:
                ends = self.classes[read.source], self.classes[node]
                counts[_Edge(*ends, read.value.type, read.produced, read.placements)] += read.count
        edges: dict[tuple[int, int], Floats] = {}
        for edge, count in counts.items():
            times = self._moves.table(edge.type, edge.before.distinct, edge.after.distinct)
            table = times[np.ix_(edge.before.index, edge.after.index)] * (count * NANOSECONDS)
            is_ordered = edge.source <= edge.reader
            pair = (edge.source, edge.reader) if is_ordered else (edge.reader, edge.source)
            edges[pair] = edges.get(pair, 0) + (table if is_ordered else table.T)
        return edges

    def _summed_buffers(self) -> tuple[Buffer, ...]:
        """By class and size, the memory of all values, with the times at which each is alive."""
        lifetimes = Lifetimes(self.nodes)
        times = defaultdict[tuple[int, Attribute, Placements], list[tuple[int, int]]](list)
        for node in self.nodes.nodes:
            for value, placements in node.results.items():
                if (lifetime := lifetimes.of(value)) is not None:
                    times[self.classes[node], value.type, placements].append(lifetime)
        return tuple(
            Buffer(number, self._moves.part_bytes(type, placements.distinct)[placements.index], tuple(intervals))
            for (number, type, placements), intervals in times.items()
        )

    def layout(self, choice: Sequence[int]) -> Layout:
        """What `choice`, by class, means."""
        values = {
            value: placements[choice[number]]
            for node, number in self.classes.items()
            for value, placements in node.results.items()
        }
        reads = {
            use: needed
            for node, number in self.classes.items()
            for read in node.reads
            if (needed := read.placements[choice[number]]) != values[read.value]
            for use in read.uses
        }
        return Layout(values, reads)

    def class_of(self, value: SSAValue) -> int:
        """The class of the node that produces `value`."""
        return self.classes[self.nodes.of[value]]

    def nearest(self, placements: Mapping[SSAValue, Placement]) -> tuple[int, ...]:
        """
        The choice that divides values as `placements` does, as far as there is one, and moves least between them.

        The first node of a class decides. A copy is divided as its first reader needs it.
        """
        choice: dict[int, int] = {}
        for node, number in self.classes.items():
            if number not in choice and (node.operations or node.results):
                choice[number] = self._nearest(node, placements)
        for node, number in self.classes.items():
            for read in node.reads:
                if (copy := self.classes[read.source]) not in choice:
                    needed = read.placements[choice[number]]
                    choice[copy] = read.produced.distinct.index(needed)
        return tuple(choice[number] for number in range(len(choice)))

    def _nearest(self, node: Node, placements: Mapping[SSAValue, Placement]) -> int:
        differing = np.zeros(len(node.choices.seconds))
        for value, offered in node.results.items():
            wanted = placements.get(value)
            differing += np.array([placement != wanted for placement in offered.distinct])[offered.index]
        seconds = node.choices.seconds * node.count
        for read in node.reads:
            if (given := placements.get(read.value)) is not None:
                times = self._moves.table(read.value.type, (given,), read.placements.distinct)[0]
                seconds = seconds + times[read.placements.index] * read.count
        return int(np.lexsort((seconds, differing))[0])

    def changes(self, choice: Sequence[int]) -> Sequence[Floats]:
        """By class and strategy, by how many seconds the choice gets slower if only this class takes the strategy."""
        total = [costs.copy() for costs in self._costs()]
        for (a, b), table in self._edges.items():
            if a != b:
                total[a] = total[a] + table[:, choice[b]]
                total[b] = total[b] + table[choice[a]]
        return [(costs - costs[strategy]) / NANOSECONDS for costs, strategy in zip(total, choice, strict=True)]
