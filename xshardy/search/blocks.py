"""
Large neighbourhoods: a connected block of nodes takes its best strategies, while the others keep theirs.

A block is a core of its own, small enough for the reductions, or for HiGHS behind them.
"""

from collections.abc import Callable
from random import Random

import numpy as np

from xshardy.search.arrays import Arrays
from xshardy.search.core import Core, Infeasible
from xshardy.search.problem import Floats, Ints
from xshardy.search.reductions import reduce

ENTRIES, LEFT, CHANGE = 10_000, 3_000, 1.1
"""Entries of the tables of the first block; those that reductions should leave of a block; the factor of change."""

STRATEGIES = (4, 6, 10, 20, 40)
"""How many strategies of a node are candidates, beside the present one; by turns, as more of them are fewer nodes."""


class Blocks:
    """Random blocks of a core, whose size follows from how much the reductions leave of them."""

    def __init__(self, arrays: Arrays, seed: int = 0):
        self.arrays = arrays
        self.random = Random(seed)
        self.entries: float = ENTRIES
        nodes: list[int] = arrays.nodes.tolist()
        place = {node: position for position, node in enumerate(nodes)}
        self.neighbours = [[place[other] for other in arrays.core.tables[node]] for node in place]

    def best(self, labels: Ints, totals: Floats, solver: Callable[[Core], tuple[int, ...] | None]) -> Ints:
        """
        Draw a block, and choose its best strategies for the labels of all other nodes and what they leave of the limit.

        Candidates are the strategies of the least `totals`, and the present ones. `solver` gives the best choice of a
        reduced core, or None where it finds none. Precondition: `labels` fit.
        """
        block = self._draw(labels, totals, self.random.choice(STRATEGIES))
        core = self._core(block, labels)
        labels = labels.copy()
        try:
            reduce(core)
            self.entries *= CHANGE if core.entries < LEFT else 1 / CHANGE
            is_solved = all(len(costs) == 1 for costs in core.costs)
            choice = (0,) * len(core.costs) if is_solved else solver(core)
        except Infeasible:  # within rounding, or HiGHS's tolerances
            return labels
        if choice is None:
            self.entries /= CHANGE
            return labels
        for (position, candidates), strategy in zip(block.items(), core.out_of(choice), strict=True):
            labels[position] = candidates[strategy]
        return labels

    def _draw(self, labels: Ints, totals: Floats, count: int) -> dict[int, Ints]:
        """By position of a node in the block, its candidates: the nodes around a random one, breadth first."""
        block, size = dict[int, Ints](), 0
        queue = [self.random.randrange(len(labels))]
        seen = set(queue)
        for position in queue:
            own = self._candidates(position, labels, totals, count)
            size += len(own) * sum(len(block[other]) for other in self.neighbours[position] if other in block)
            block[position] = own
            if size > self.entries:
                break
            near = [other for other in self.neighbours[position] if other not in seen]
            self.random.shuffle(near)
            seen.update(near)
            queue += near
        return block

    def _candidates(self, position: int, labels: Ints, totals: Floats, count: int) -> Ints:
        own = totals[self.arrays.offsets[position] : self.arrays.offsets[position + 1]]
        return np.unique(np.append(np.argsort(own, kind="stable")[:count], labels[position]))

    def _core(self, block: dict[int, Ints], labels: Ints) -> Core:
        """The block as a core: other nodes are part of its costs, and of what the limit leaves."""
        arrays = self.arrays
        places = {position: place for place, position in enumerate(block)}
        core = Core([], [{} for _ in block], [{} for _ in block], arrays.slack(labels))
        for position, own in block.items():
            node = int(arrays.nodes[position])
            costs = arrays.core.costs[node][own]
            for (_, table), other in zip(arrays.core.tables[node].items(), self.neighbours[position], strict=True):
                if other not in places:
                    costs += table[own, labels[other]]
                elif other > position:
                    core.connect(places[position], places[other], table[own[:, None], block[other]])
            core.costs.append(costs)
            for span, usage in arrays.core.usages[node].items():
                core.room[slice(*span)] += usage[labels[position]]
                core.use(places[position], span, usage[own])
        return core
