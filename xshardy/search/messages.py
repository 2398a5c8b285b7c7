"""
A lower bound of a core by messages between nodes and prices of memory.

Messages: sequential tree-reweighted message passing (Kolmogorov, "Convergent tree-reweighted message passing for
energy minimization", 2006). A sweep visits the nodes by level, forward and back, and never lowers the bound. Prices:
steps along the memory that nodes use above the limit, averaged over sweeps.
"""

from math import inf

import numpy as np

from xshardy.search.arrays import Arrays, Direction
from xshardy.search.certificate import Stage
from xshardy.search.problem import Floats, Ints

PATIENCE = 10
"""Sweeps without a better bound after which the steps of prices become half as long."""

MEMORY = 0.9
"""The part of the average use of memory that a sweep keeps."""

FIRST, GROWTH, TRUSTED = 0.05, 1.2, 3
"""
The part of the bound by which the first step shall raise it; the factor of that for each sweep that raises the bound,
when more than so many before have.
"""


class Messages:
    """The state of messages and prices."""

    def __init__(self, arrays: Arrays, prices: Floats | None = None):
        self.arrays = arrays
        before, after = (np.bincount(edges.pairs[:, 1], minlength=len(arrays.nodes)) for edges in arrays.directions)
        self.shares = np.repeat(1 / np.maximum(np.maximum(before, after), 1), arrays.sizes)
        """By strategy, the part of its total that each table to later nodes gets, or each to earlier ones."""
        self.set_prices(np.zeros(len(arrays.room)) if prices is None else prices)
        self.forward = np.zeros(len(arrays.forward.targets))
        self.backward = np.zeros(len(arrays.backward.targets))

    def set_prices(self, prices: Floats) -> None:
        """Change the prices; the messages stay."""
        self.prices = prices
        self.unary = self.arrays.costs + self.arrays.usage_costs(prices)

    def sweep(self) -> tuple[float, Ints]:
        """Pass messages forward and back. Returns the bound, and labels chosen on the way back."""
        self._pass(self.arrays.forward, self.forward, self.backward, False)
        bound, labels = self._pass(self.arrays.backward, self.backward, self.forward, True)
        return bound + self.arrays.constant - float(self.prices @ self.arrays.room), labels

    def totals(self) -> Floats:
        """By strategy, its cost, the price of its usage, and the messages to it."""
        size = len(self.unary)
        total = self.unary + np.bincount(self.arrays.forward.targets, self.forward, size)
        return total + np.bincount(self.arrays.backward.targets, self.backward, size)

    def _pass(self, edges: Direction, own: Floats, other: Floats, label: bool) -> tuple[float, Ints]:
        arrays = self.arrays
        totals, bound = self.totals(), 0.0
        labels = np.zeros(len(arrays.nodes), np.int64)
        given = totals - np.bincount(edges.targets, own, len(totals)) if label else totals
        sizes = arrays.sizes
        for level in edges.levels:
            total = totals[level.strategies]
            least = np.minimum.reduceat(total, level.node_starts)
            bound += float(least.sum())
            if label:
                arrays.label(labels, level, given)
            if not len(level.entries):
                continue
            rest = (total - np.repeat(least, sizes[level.nodes])) * self.shares[level.strategies]
            sent = rest[level.strategy_of] - other[level.reverse]
            entries = sent[level.gather]
            entries += level.entries
            messages = np.minimum.reduceat(entries, level.message_starts)
            least = np.minimum.reduceat(messages, level.edge_starts)
            bound += float(least.sum())
            messages -= np.repeat(least, level.edge_sizes)
            targets = edges.targets[level.messages]
            np.add.at(totals, targets, messages - own[level.messages])
            own[level.messages] = messages
            if label:
                chosen = level.message_starts + labels[edges.sources[level.messages]]
                np.add.at(given, targets, level.entries[chosen])
        return bound, labels

    def stage(self) -> Stage:
        """
        The state behind a sweep, for a certificate.

        On the way back, each node has lent a share of its total to the tables to earlier nodes.
        """
        arrays = self.arrays
        totals = self.totals()
        excess = (totals - np.repeat(np.minimum.reduceat(totals, arrays.offsets[:-1]), arrays.sizes)) * self.shares
        messages: dict[tuple[int, int], Floats] = {}
        for edges, values in zip(
            arrays.directions, (self.forward - excess[arrays.forward.targets], self.backward), strict=True
        ):
            pairs = arrays.nodes[edges.pairs].tolist()
            parts = np.split(values, edges.offsets[1:])
            messages |= {(a, b): part for (a, b), part in zip(pairs, parts, strict=bool(pairs))}
        return Stage(self.prices, messages)


class Ascent:
    """Raises the bound of messages: sweeps, and after each a step of the prices."""

    def __init__(self, messages: Messages, rise: float = 0.0):
        self.messages = messages
        self.bound = -inf
        self.rise = rise
        """What a step shall raise the bound by; 0: not known yet."""
        self.stalled = self.risen = 0
        """Sweeps since the bound was raised; since it was not."""
        self.over = np.zeros(len(messages.prices))
        """By point of time, the bytes above the limit, averaged over sweeps."""
        self._keep()

    def _keep(self) -> None:
        state = self.messages
        self.best = (state.prices, state.forward.copy(), state.backward.copy())

    def restore(self) -> None:
        """Go back to the best prices and messages."""
        prices, forward, backward = self.best
        self.messages.forward, self.messages.backward = forward.copy(), backward.copy()
        self.messages.set_prices(prices)

    def step(self) -> Ints:
        """
        A sweep, and a step of the prices. Returns the labels of the sweep.

        The subgradient of the bound is what the nodes' least totals use above the limit. A step goes along an average
        of those of all sweeps (Barahona and Anbil, "The volume algorithm", 2000), at Polyak's length (1969) to a bound
        that is higher by `rise`, which grows while the bound rises and shrinks when it does not.
        """
        arrays = self.messages.arrays
        bound, labels = self.messages.sweep()
        self.rise = self.rise or FIRST * abs(bound)
        if bound > self.bound + 1e-7 * abs(self.bound) or self.bound == -inf:
            self.bound, self.stalled, self.risen = bound, 0, self.risen + 1
            self.rise *= GROWTH if self.risen > TRUSTED else 1.0
            self._keep()
        else:
            self.stalled, self.risen = self.stalled + 1, 0
            if self.stalled % PATIENCE == 0:
                self.rise /= 2
                self.restore()
                _, labels = self.messages.sweep()
        self.over = MEMORY * self.over - (1 - MEMORY) * arrays.slack(arrays.least(self.messages.totals()))
        over = np.where((self.over < 0) & (self.messages.prices == 0), 0.0, self.over)
        if norm := float(over @ over):
            self.messages.set_prices(np.maximum(0.0, self.messages.prices + self.rise / norm * over))
        return labels
