"""A core as flat arrays, level by level, so that one operation of numpy handles all edges of a level."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np

from xshardy.search.core import Core
from xshardy.search.problem import Floats, Ints


@dataclass(frozen=True, slots=True)
class Level:
    """
    The nodes of a level, and the edges that leave them in one direction. Positions count from the start of the level's.

    A *message* is an edge and a strategy of its target; a *source* is an edge and a strategy of its source. The entries
    of a message are the row of the table for its strategy.
    """

    strategies: slice
    nodes: slice
    node_starts: Ints
    """By node, the position of its first strategy."""
    messages: slice
    entries: Floats
    gather: Ints
    """By entry, the position of its source."""
    strategy_of: Ints
    """By source, the position of its strategy."""
    reverse: Ints
    """By source, the message of the other direction to it."""
    message_starts: Ints
    """By message, the position of its first entry."""
    edge_starts: Ints
    """By edge, the position of its first message."""
    edge_sizes: Ints
    """By edge, how many messages it has."""


@dataclass(frozen=True, slots=True)
class Direction:
    """The edges from nodes of lower levels to nodes of higher ones, or back; `levels` in the order of a sweep."""

    levels: tuple[Level, ...]
    entries: Floats
    starts: Ints
    """By message, its first entry."""
    targets: Ints
    """By message, the strategy of its target."""
    sources: Ints
    """By message, the node that it comes from."""
    pairs: Ints
    """By edge, its source and its target."""
    offsets: Ints
    """By edge, its first message."""


class Arrays:
    """The nodes of a core that have a choice, ordered by level. A strategy is a position among those of all nodes."""

    def __init__(self, core: Core):
        levels = _levels(core)
        order = sorted((node for node, costs in enumerate(core.costs) if len(costs) > 1), key=lambda node: levels[node])
        place = {node: position for position, node in enumerate(order)}
        self.core = core
        self.forbidden = _more_than_any_choice(core)
        """What entries cost that are not allowed: finite, so that differences are numbers."""
        self.nodes = np.array(order, np.int64)
        """By position, the node of the core."""
        self.sizes = np.array([len(core.costs[node]) for node in order], np.int64)
        self.offsets = np.cumsum([0, *self.sizes])
        self.owners = np.repeat(np.arange(len(order)), self.sizes)
        """By strategy, the position of its node."""
        self.costs = np.concatenate([np.zeros(0), *(core.costs[node] for node in order)])
        self.constant = core.constant + sum(float(costs[0]) for costs in core.costs if len(costs) == 1)
        pairs = np.array(
            [(place[a], place[b]) for a in order for b in core.tables[a] if levels[a] < levels[b]], np.int64
        )
        pairs = pairs.reshape(-1, 2)
        forward = pairs[np.lexsort(pairs.T[::-1])]
        backward = forward[np.lexsort(forward.T)][:, ::-1]
        bounds = np.searchsorted([levels[node] for node in order], np.arange(max(levels, default=0) + 2)).tolist()
        spans = [pair for pair in pairwise(bounds) if pair[0] < pair[1]]
        self.forward = self._direction(spans, forward, backward)
        self.backward = self._direction(spans[::-1], backward, forward)
        self.directions = (self.forward, self.backward)
        self._add_usages(place)

    def _direction(self, spans: list[tuple[int, int]], edges: Ints, reversed_edges: Ints) -> Direction:
        sources, targets = edges.T
        heights, widths = self.sizes[targets], self.sizes[sources]
        message_offsets, source_offsets = np.cumsum([0, *heights]), np.cumsum([0, *widths])
        edge_of = np.repeat(np.arange(len(edges)), heights)
        strategy = np.arange(len(edge_of)) - message_offsets[edge_of]
        starts = np.cumsum([0, *(heights * widths)])[edge_of] + strategy * widths[edge_of]
        gather = np.arange(int(heights @ widths)) - np.repeat(starts - source_offsets[edge_of], widths[edge_of])
        source_edge = np.repeat(np.arange(len(edges)), widths)
        source_strategy = np.arange(len(source_edge)) - source_offsets[source_edge]
        partner = np.argsort(np.lexsort(edges.T))  # the other direction is in the order of (target, source)
        reverse = np.cumsum([0, *self.sizes[reversed_edges[:, 1]]])[partner[source_edge]] + source_strategy
        ends: list[list[int]] = self.nodes[edges].tolist()
        tables = [self.core.tables[target][source].reshape(-1) for source, target in ends]
        entries = np.minimum(np.concatenate([np.zeros(0), *tables]), self.forbidden)
        levels: list[Level] = []
        for first, last in spans:
            own = slice(*np.searchsorted(sources, (first, last)).tolist())
            sent = slice(int(message_offsets[own.start]), int(message_offsets[own.stop]))
            used = slice(int(source_offsets[own.start]), int(source_offsets[own.stop]))
            begin, end = (int(starts[at]) if at < len(starts) else len(entries) for at in (sent.start, sent.stop))
            offset = int(self.offsets[first])
            levels.append(
                Level(
                    strategies=slice(offset, int(self.offsets[last])),
                    nodes=slice(first, last),
                    node_starts=self.offsets[first:last] - offset,
                    messages=sent,
                    entries=entries[begin:end],
                    gather=gather[begin:end] - used.start,
                    strategy_of=self.offsets[sources[source_edge[used]]] + source_strategy[used] - offset,
                    reverse=reverse[used],
                    message_starts=starts[sent] - begin,
                    edge_starts=message_offsets[own] - sent.start,
                    edge_sizes=heights[own],
                )
            )
        return Direction(
            levels=tuple(levels),
            entries=entries,
            starts=starts,
            targets=self.offsets[targets[edge_of]] + strategy,
            sources=sources[edge_of],
            pairs=edges,
            offsets=message_offsets[:-1],
        )

    def _add_usages(self, place: Mapping[int, int]) -> None:
        rows = [
            (place[node], start, end, usage)
            for node, usages in enumerate(self.core.usages)
            for (start, end), usage in usages.items()
        ]
        sizes = [len(usage) for *_, usage in rows]
        self.room = self.core.room
        self.row_node = np.array([row[0] for row in rows], np.int64)
        self.row_start = np.array([row[1] for row in rows], np.int64)
        self.row_end = np.array([row[2] for row in rows], np.int64)
        self.row_values = np.cumsum([0, *sizes])
        """By row (a node and a span), its first value."""
        self.value_row = np.repeat(np.arange(len(rows)), sizes)
        self.values = np.concatenate([np.zeros(0), *(usage for *_, usage in rows)])
        """By row and strategy of its node, bytes."""
        local = np.arange(len(self.values)) - self.row_values[self.value_row]
        self.value_strategy = self.offsets[self.row_node[self.value_row]] + local

    def edges(self) -> list[tuple[int, int]]:
        """The pairs of nodes that have a table, the one of the lower level first."""
        return [(int(a), int(b)) for a, b in self.forward.pairs]

    def usage_costs(self, prices: Floats) -> Floats:
        """By strategy, what its usage costs at a price per byte and point of time."""
        total = np.concatenate([[0.0], prices.cumsum()])
        by_row = total[self.row_end] - total[self.row_start]
        return np.bincount(self.value_strategy, self.values * by_row[self.value_row], len(self.costs)).astype(float)

    def slack(self, labels: Ints) -> Floats:
        """The bytes that are left below the limit at each point of time."""
        used = self.values[self.row_values[:-1] + labels[self.row_node]]
        change = np.zeros(len(self.room) + 1)
        np.subtract.at(change, self.row_start, used)
        np.add.at(change, self.row_end, used)
        return self.room + change.cumsum()[:-1]

    def fits(self, labels: Ints) -> bool:
        """Whether a choice is within the limit."""
        return bool((self.slack(labels) >= 0).all())

    def cost(self, labels: Ints) -> float:
        """The cost of a choice, without the limit; infinite if it is not allowed."""
        edges = self.forward
        sources, targets = edges.pairs.T
        between = edges.entries[edges.starts[edges.offsets + labels[targets]] + labels[sources]]
        if (between >= self.forbidden).any():
            return inf
        return float(self.costs[self.offsets[:-1] + labels].sum() + between.sum()) + self.constant

    def given(self, labels: Ints) -> Floats:
        """By strategy, what it costs with the labels of all other nodes."""
        total = self.costs.copy()
        for edges in self.directions:
            total += np.bincount(edges.targets, edges.entries[edges.starts + labels[edges.sources]], len(total))
        return total

    def least(self, values: Floats) -> Ints:
        """By node, the label of its least value (the first of equal ones)."""
        least = np.repeat(np.minimum.reduceat(values, self.offsets[:-1]), self.sizes)
        places = np.flatnonzero(values == least)[::-1]
        labels = np.zeros(len(self.nodes), np.int64)
        labels[self.owners[places]] = places
        return labels - self.offsets[:-1]

    def label(self, labels: Ints, level: Level, values: Floats) -> None:
        """Give the nodes of a level the labels of their least values, in place; as `least`."""
        own = values[level.strategies]
        least = np.repeat(np.minimum.reduceat(own, level.node_starts), self.sizes[level.nodes])
        places = np.flatnonzero(own == least)[::-1] + level.strategies.start
        owners = self.owners[places]
        labels[owners] = places - self.offsets[owners]

    def labels(self, choice: tuple[int, ...]) -> Ints:
        """A choice of the core, by position."""
        return np.array(choice, np.int64)[self.nodes]

    def choice(self, labels: Ints) -> tuple[int, ...]:
        """Labels as a choice of the core."""
        choice = np.zeros(len(self.core.costs), np.int64)
        choice[self.nodes] = labels
        return tuple(choice.tolist())


def _levels(core: Core) -> list[int]:
    """By node, the length of the longest path to it over edges from earlier nodes."""
    levels = [0] * len(core.costs)
    for node, tables in enumerate(core.tables):
        levels[node] = max((levels[other] + 1 for other in tables if other < node), default=0)
    return levels


def _more_than_any_choice(core: Core) -> float:
    tables = [table for _, _, table in core.pairs()]
    most = sum(float(np.abs(np.where(np.isfinite(table), table, 0.0)).max()) for table in tables)
    return 2 * most + 2 * sum(float(costs.max()) for costs in core.costs) + 1.0
