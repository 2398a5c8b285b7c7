"""Large neighbourhoods: the nodes of a forest take their best strategies together, while the others keep theirs."""

from collections.abc import Sequence
from math import inf
from random import Random

import numpy as np

from xshardy.search.arrays import Arrays
from xshardy.search.problem import Floats, Ints

RISE, FALL = 0.002, 0.998
"""The part of a choice's cost by which a step raises the cost of memory above the limit; else, the factor of prices."""


ROOT, OUTSIDE = -1, -2
"""Instead of a parent: a node of a forest that has none, and a node that is not in it."""


class Forests:
    """Random induced forests of a core in which each node has at most one later neighbour."""

    def __init__(self, arrays: Arrays, seed: int = 0):
        self.arrays = arrays
        self.random = Random(seed)
        self.before = [list[int]() for _ in arrays.nodes]
        self.after = [list[int]() for _ in arrays.nodes]
        for a, b in arrays.edges():
            self.after[a].append(b)
            self.before[b].append(a)

    def draw(self) -> list[int]:
        """By node, its later neighbour in a forest to which no node can be added; or `ROOT`, or `OUTSIDE`."""
        order = list(range(len(self.before)))
        self.random.shuffle(order)
        parents = [OUTSIDE] * len(order)
        for node in order:
            later = [other for other in self.after[node] if parents[other] != OUTSIDE]
            if len(later) > 1:
                continue
            earlier = [other for other in self.before[node] if parents[other] != OUTSIDE]
            if any(parents[other] != ROOT for other in earlier):
                continue
            parents[node] = later[0] if later else ROOT
            for other in earlier:
                parents[other] = node
        return parents

    def best(self, labels: Ints, costs: Floats) -> Ints:
        """
        Draw a forest, and choose its best strategies for the labels of all other nodes.

        `costs` are those of nodes, by strategy, with the price of their usage.
        """
        arrays, parents = self.arrays, self.draw()
        forest = np.array(parents, np.int64)
        is_inside = forest != OUTSIDE
        totals = costs.copy()
        for edges in arrays.directions:
            entries = np.where(is_inside[edges.sources], 0.0, edges.entries[edges.starts + labels[edges.sources]])
            totals += np.bincount(edges.targets, entries, len(totals))
        levels = self._levels(parents)
        for edges in levels:
            self._add_children(totals, edges)
        labels = labels.copy()
        self._label(labels, totals, np.flatnonzero(forest == ROOT))
        for edges in reversed(levels):
            self._add_parents(totals, labels, edges)
            self._label(labels, totals, arrays.forward.pairs[edges, 0])
        return labels

    def _levels(self, parents: Sequence[int]) -> list[Ints]:
        """The edges from children to parents, those of leaves first, then of nodes whose children are leaves."""
        heights = [0] * len(parents)
        for node, parent in enumerate(parents):
            if parent >= 0:
                heights[parent] = max(heights[parent], heights[node] + 1)
        children, later = self.arrays.forward.pairs.T
        edges = np.flatnonzero(np.array(parents, np.int64)[children] == later)
        height = np.array(heights, np.int64)[children[edges]]
        order = np.argsort(height, kind="stable")
        return np.split(edges[order], np.flatnonzero(np.diff(height[order])) + 1) if len(edges) else []

    def _add_children(self, totals: Floats, edges: Ints) -> None:
        """Add to each strategy of the parents the least that their children cost with it."""
        arrays, forward = self.arrays, self.arrays.forward
        children, parents = forward.pairs[edges].T
        heights = arrays.sizes[parents]
        messages, widths = ranges(forward.offsets[edges], heights), np.repeat(arrays.sizes[children], heights)
        entries = forward.entries[ranges(forward.starts[messages], widths)]
        entries += totals[ranges(np.repeat(arrays.offsets[children], heights), widths)]
        np.add.at(totals, forward.targets[messages], np.minimum.reduceat(entries, widths.cumsum() - widths))

    def _add_parents(self, totals: Floats, labels: Ints, edges: Ints) -> None:
        """Add to each strategy of the children what it costs with the label of their parent."""
        arrays, forward = self.arrays, self.arrays.forward
        children, parents = forward.pairs[edges].T
        rows, sizes = forward.starts[forward.offsets[edges] + labels[parents]], arrays.sizes[children]
        totals[ranges(arrays.offsets[children], sizes)] += forward.entries[ranges(rows, sizes)]

    def _label(self, labels: Ints, totals: Floats, nodes: Ints) -> None:
        """Give nodes the labels of their least totals (the first of equal ones), in place."""
        arrays, sizes = self.arrays, self.arrays.sizes[nodes]
        strategies = ranges(arrays.offsets[nodes], sizes)
        values = totals[strategies]
        least = np.repeat(np.minimum.reduceat(values, sizes.cumsum() - sizes), sizes)
        places = strategies[values == least][::-1]
        labels[arrays.owners[places]] = places - arrays.offsets[arrays.owners[places]]


def ranges(starts: Ints, sizes: Ints) -> Ints:
    """The integers from each of `starts` on, as many as its size says, one range after the other."""
    return np.repeat(starts - (sizes.cumsum() - sizes), sizes) + np.arange(int(sizes.sum()))


class Descent:
    """Lowers the cost of a choice, forest by forest, at prices of memory that follow what the choice uses."""

    def __init__(self, forests: Forests, labels: Ints, prices: Floats):
        self.forests, self.labels, self.prices = forests, labels, prices

    def step(self) -> Ints:
        """Choose a forest's best strategies; then raise the prices where memory is above the limit, or lower all."""
        arrays = self.forests.arrays
        self.labels = self.forests.best(self.labels, arrays.costs + arrays.usage_costs(self.prices))
        over = -arrays.slack(self.labels)
        if (over > 0).any():
            over[(over < 0) & (self.prices == 0)] = 0.0
            length = RISE * abs(arrays.cost(self.labels)) / float(over @ over)
            if length < inf:
                self.prices = np.maximum(0.0, self.prices + length * over)
        else:
            self.prices = FALL * self.prices
        return self.labels
