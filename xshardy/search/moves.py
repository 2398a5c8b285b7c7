"""Changes of single nodes that keep a choice within the limit, or bring it there."""

from collections.abc import Iterator

import numpy as np

from xshardy.search.arrays import Arrays
from xshardy.search.problem import Floats, Ints

MOST_ROUNDS = 50
"""Rounds of changes, at most."""


class Moves:
    """The rows of memory and the neighbours of each node."""

    def __init__(self, arrays: Arrays):
        self.arrays = arrays
        self.neighbours = [list[int]() for _ in arrays.nodes]
        for a, b in arrays.edges():
            self.neighbours[a].append(b)
            self.neighbours[b].append(a)
        self.rows = [list[tuple[int, int, Floats]]() for _ in arrays.nodes]
        for row, node in enumerate(arrays.row_node):
            values = arrays.values[arrays.row_values[row] : arrays.row_values[row + 1]]
            self.rows[int(node)].append((int(arrays.row_start[row]), int(arrays.row_end[row]), values))

    def improve(self, labels: Ints) -> Ints:
        """Change nodes while that lowers the cost and stays within the limit. Precondition: `labels` fit."""
        arrays, labels = self.arrays, labels.copy()
        slack = arrays.slack(labels)
        for _ in range(MOST_ROUNDS):
            given = arrays.given(labels)
            current = given[arrays.offsets[:-1] + labels]
            gains = np.repeat(current, arrays.sizes) - given
            better = np.flatnonzero(gains > 1e-9 * (1.0 + np.abs(np.repeat(current, arrays.sizes))))
            order = better[np.argsort(-gains[better], kind="stable")]
            if not self._apply(order, labels, slack, 0.0):
                break
        return labels

    def repair(self, labels: Ints) -> Ints:
        """Change nodes until the choice is within the limit or no change helps, the least cost per byte first."""
        arrays, labels = self.arrays, labels.copy()
        slack = arrays.slack(labels)
        for _ in range(MOST_ROUNDS):
            over = slack < 0
            if not over.any():
                break
            given = arrays.given(labels)
            usage = arrays.usage_costs(np.where(over, -slack, 0.0))
            places = np.repeat(arrays.offsets[:-1] + labels, arrays.sizes)
            saved, extra = usage[places] - usage, given - given[places]
            useful = np.flatnonzero((saved > 0) & (given < arrays.forbidden))
            order = useful[np.argsort(extra[useful] / saved[useful], kind="stable")]
            if not self._apply(order, labels, slack, -np.inf):
                break
        return labels

    def _apply(self, order: Ints, labels: Ints, slack: Floats, floor: float) -> int:
        """Make the moves that fit; when a node has moved, its neighbours wait. Returns how many were made."""
        blocked = np.zeros(len(labels), bool)
        made = 0
        for node, label in self._moves(order):
            if blocked[node]:
                continue
            if floor < 0 and not (slack < 0).any():
                break
            if not self._change(node, label, labels, slack, is_repair=floor < 0):
                continue
            blocked[node] = True
            blocked[self.neighbours[node]] = True
            made += 1
        return made

    def _moves(self, order: Ints) -> Iterator[tuple[int, int]]:
        nodes = self.arrays.owners[order]
        yield from zip(nodes.tolist(), (order - self.arrays.offsets[nodes]).tolist(), strict=True)

    def _change(self, node: int, label: int, labels: Ints, slack: Floats, is_repair: bool) -> bool:
        """Change a node unless a point gets over the limit; in a repair, unless none gets better."""
        old, rows, done = labels[node], self.rows[node], 0
        helps = not is_repair
        for start, end, values in rows:
            more = values[label] - values[old]
            part = slack[start:end]
            helps = helps or (more < 0 and bool(part.min() < 0))
            if more > 0 and more > part.min():
                break
            part -= more
            done += 1
        if done == len(rows) and helps:
            labels[node] = label
            return True
        for start, end, values in rows[:done]:
            slack[start:end] += values[label] - values[old]
        return False
