"""Nodes that determine each other become one: the first reduction, from a problem to its core."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf

import numpy as np

from xshardy.search.core import Core, Infeasible, Mask, Span
from xshardy.search.problem import FORBIDDEN, ROUNDING, Buffer, Floats, Ints, Problem


@dataclass(frozen=True, slots=True)
class Merged:
    """The core of a problem, and which of its nodes stands for each node of the problem."""

    core: Core
    nodes: tuple[int, ...]
    """By node of the problem, the node of the core."""
    roots: tuple[int, ...]
    """By node of the core, the node of the problem whose strategies it has."""
    images: tuple[Ints, ...]
    """By node of the problem, its strategy for each strategy of the root."""

    def into(self, choice: tuple[int, ...]) -> tuple[int, ...] | None:
        """An allowed choice of the problem, as one of the core."""
        return self.core.into([choice[root] for root in self.roots])

    def out_of(self, choice: tuple[int, ...]) -> tuple[int, ...]:
        """A choice of the core, as one of the problem."""
        labels = self.core.out_of(choice)
        return tuple(int(image[labels[node]]) for node, image in zip(self.nodes, self.images, strict=True))


def merge(problem: Problem) -> Merged:
    """
    Merge the nodes that bijections connect.

    A table whose rows and columns have at most one allowed entry each lets each strategy of one node go with one of the
    other only. What a chain of such tables connects is one node, whose strategies are those of the first.
    Raises `Infeasible` if no strategy of a node is allowed.
    """
    links = _links(problem)
    count = len(problem.costs)
    nodes, images, roots = [-1] * count, [np.zeros(0, np.int64)] * count, list[int]()
    for start in range(count):
        if nodes[start] >= 0:
            continue
        nodes[start], images[start] = len(roots), np.arange(len(problem.costs[start]))
        pending = [start]
        while pending:
            node = pending.pop()
            for other, image in links[node]:
                if nodes[other] < 0:
                    nodes[other] = len(roots)
                    images[other] = np.where(images[node] >= 0, image[images[node]], -1)
                    pending.append(other)
        roots.append(start)
    core = _core(problem, nodes, images, roots)
    return Merged(core, tuple(nodes), tuple(roots), tuple(images))


def _links(problem: Problem) -> list[list[tuple[int, Ints]]]:
    """By node, the nodes that are a partial bijection of it: their strategy for each of its own, or -1."""
    links: list[list[tuple[int, Ints]]] = [[] for _ in problem.costs]
    known: dict[tuple[int, bytes], tuple[Ints, Ints] | None] = {}
    for (a, b), table in zip(problem.edges, problem.tables, strict=True):
        if a == b or not table.size or table.max() < FORBIDDEN:
            continue
        allowed = table < FORBIDDEN
        key = (len(table), allowed.tobytes())
        if key not in known:
            is_bijection = allowed.sum(0).max() <= 1 and allowed.sum(1).max() <= 1
            known[key] = (_image(allowed), _image(allowed.T)) if is_bijection else None
        if (images := known[key]) is not None:
            links[a].append((b, images[0]))
            links[b].append((a, images[1]))
    return links


def _image(allowed: Mask) -> Ints:
    return np.where(allowed.any(1), allowed.argmax(1), -1)


def _core(problem: Problem, nodes: list[int], images: list[Ints], roots: list[int]) -> Core:
    points = _points(problem) if problem.limit < inf else ()
    costs: list[Floats] = [np.zeros(len(problem.costs[root])) for root in roots]
    for own, node, image in zip(problem.costs, nodes, images, strict=True):
        costs[node] += _at(own, image)
    between: list[tuple[int, int, Floats]] = []
    for (a, b), table in zip(problem.edges, problem.tables, strict=True):
        if nodes[a] == nodes[b]:
            costs[nodes[a]] += _at(table, images[a], images[b])
        else:
            between.append((a, b, table))
    kept = [np.flatnonzero(np.isfinite(cost)) for cost in costs]
    if not all(map(len, kept)):
        raise Infeasible
    empty: list[dict[int, Floats]] = [{} for _ in roots]
    core = Core(costs, empty, [{} for _ in roots], np.full(len(points), problem.limit * (1 + ROUNDING)))
    for node, own in enumerate(kept):
        core.keep(node, own)
    alive = [image[kept[node]] for node, image in zip(nodes, images, strict=True)]
    for a, b, table in between:
        values = table[alive[a][:, None], alive[b]]
        core.connect(
            nodes[a], nodes[b], values if values.max() < FORBIDDEN else np.where(values < FORBIDDEN, values, inf)
        )
    for buffer in problem.buffers:
        for span, count in _spans(buffer, points):
            core.use(nodes[buffer.node], span, count * buffer.bytes[alive[buffer.node]])
    return core


def _at(costs: Floats, *images: Ints) -> Floats:
    """The costs of strategies; infinite where there is none, or it is forbidden."""
    values = costs[images]
    exists = np.logical_and.reduce(np.broadcast_arrays(*(image >= 0 for image in images)))
    return np.where(exists & (values < FORBIDDEN), values, inf)


def _points(problem: Problem) -> Sequence[int]:
    """
    The points of time that matter.

    Sizes are not negative: what is alive at some time is alive at the last start before the next end, too.
    """
    counting = [buffer for buffer in problem.buffers if buffer.bytes.any()]
    alive = [(start, end) for buffer in counting for start, end in buffer.intervals if start < end]
    # at equal times, ends come first
    events = sorted({(start, True) for start, _ in alive} | {(end, False) for _, end in alive})
    return [time for (time, is_start), (_, is_next_start) in pairwise(events) if is_start and not is_next_start]


def _spans(buffer: Buffer, points: Sequence[int]) -> Iterator[tuple[Span, int]]:
    """The ranges of points at which a buffer counts, and how often."""
    changes = Counter[int]()
    for start, end in buffer.intervals:
        if start < end:
            changes[bisect_left(points, start)] += 1
            changes[bisect_left(points, end)] -= 1
    count = 0
    for start, end in pairwise(sorted(place for place, change in changes.items() if change)):
        count += changes[start]
        if count:
            yield (start, end), count
