"""Large neighbourhoods: the nodes of a forest take their best strategies together, while the others keep theirs."""

from math import inf
from random import Random

import numpy as np

from xshardy.search.arrays import Arrays
from xshardy.search.core import Mask
from xshardy.search.problem import Floats, Ints

RISE, FALL = 0.002, 0.998
"""The part of a choice's cost by which a step raises the cost of memory above the limit; else, the factor of prices."""


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

    def draw(self) -> Mask:
        """By node, whether it is in a forest to which no node can be added."""
        order = list(range(len(self.before)))
        self.random.shuffle(order)
        inside, parents = [False] * len(order), [0] * len(order)
        for node in order:
            later = sum(inside[other] for other in self.after[node])
            if later > 1:
                continue
            for other in self.before[node]:
                if inside[other] and parents[other]:
                    break
            else:
                inside[node], parents[node] = True, later
                for other in self.before[node]:
                    parents[other] += 1
        return np.array(inside)

    def best(self, labels: Ints, costs: Floats) -> Ints:
        """
        Draw a forest, and choose its best strategies for the labels of all other nodes.

        `costs` are those of nodes, by strategy, with the price of their usage.
        """
        arrays, inside = self.arrays, self.draw()
        totals = costs.copy()
        for edges in arrays.directions:
            entries = np.where(inside[edges.sources], 0.0, edges.entries[edges.starts + labels[edges.sources]])
            totals += np.bincount(edges.targets, entries, len(totals))
        for level in arrays.forward.levels:
            if not len(level.entries):
                continue
            entries = totals[level.strategies][level.strategy_of][level.gather]
            entries += level.entries
            messages = np.minimum.reduceat(entries, level.message_starts)
            messages *= inside[arrays.forward.sources[level.messages]]
            np.add.at(totals, arrays.forward.targets[level.messages], messages)
        labels = labels.copy()
        backward = arrays.backward
        for level in backward.levels:
            arrays.label(labels, level, totals, inside)
            if len(level.entries):
                sources = backward.sources[level.messages]
                entries = level.entries[level.message_starts + labels[sources]]
                np.add.at(totals, backward.targets[level.messages], entries * inside[sources])
        return labels


class Descent:
    """Lowers the cost of a choice, forest by forest, at prices of memory that follow what the choice uses."""

    def __init__(self, arrays: Arrays):
        self.arrays, self.forests = arrays, Forests(arrays)
        self.start(np.zeros(len(arrays.nodes), np.int64), np.zeros(len(arrays.room)))

    def start(self, labels: Ints, prices: Floats) -> None:
        """Go on from these labels and prices."""
        self.labels, self.prices = labels, prices

    def step(self) -> Ints:
        """Choose a forest's best strategies; then raise the prices where memory is above the limit, or lower all."""
        arrays = self.arrays
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
