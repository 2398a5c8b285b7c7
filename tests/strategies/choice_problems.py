"""Small problems of the solver of choices, with all kinds of tables, and their optimum by trying all choices."""

from collections.abc import Iterator, Sequence
from itertools import product
from math import inf

import numpy as np
from hypothesis import strategies as st

from xshardy.search.core import Core, Infeasible
from xshardy.search.merging import merge
from xshardy.search.problem import FORBIDDEN, Buffer, Floats, Problem
from xshardy.search.reductions import drop_separable, drop_unsupported

LIMITS = (inf, 20.0, 12.0, 8.0, 4.0, 1.0)


def _table(draw: st.DrawFn, height: int, width: int) -> Floats:
    costs = draw(st.lists(st.integers(0, 9), min_size=height * width, max_size=height * width))
    table = np.array(costs, float).reshape(height, width)
    match draw(st.sampled_from(("costs", "sum", "bijection", "function", "holes"))):
        case "sum":
            return table[:, :1] + table[:1]
        case "bijection":
            order = draw(st.permutations(range(max(height, width))))
            return np.where(np.eye(max(height, width))[order][:height, :width] > 0, table, FORBIDDEN)
        case "function":
            image = draw(st.lists(st.integers(0, width - 1), min_size=height, max_size=height))
            return np.where(np.arange(width) == np.array(image)[:, None], table, FORBIDDEN)
        case "holes":
            return np.where(table > 6, 1e18, table)
        case _:
            return table


@st.composite
def problems(draw: st.DrawFn, nodes: int = 5, strategies: int = 3) -> Problem:
    """Problems of at most 5 nodes and 3 strategies each, with integer costs and usages."""
    sizes = draw(st.lists(st.integers(1, strategies), max_size=nodes))
    rows = [draw(st.lists(st.integers(0, 9), min_size=size, max_size=size)) for size in sizes]
    usages = [draw(st.lists(st.integers(0, 5), min_size=size, max_size=size)) for size in sizes]
    spans = [(start, start + draw(st.integers(0, 3))) for start in (draw(st.integers(0, 5)) for _ in sizes)]
    ends = st.integers(0, len(sizes) - 1) if sizes else st.nothing()
    edges = draw(st.lists(st.tuples(ends, ends), max_size=7)) if sizes else []
    return Problem(
        costs=tuple(np.array(row, float) for row in rows),
        edges=tuple(edges),
        tables=tuple(_table(draw, sizes[a], sizes[b]) for a, b in edges),
        buffers=one_buffer_each([np.array(row, float) for row in usages], spans),
        limit=draw(st.sampled_from(LIMITS)),
    )


def one_buffer_each(sizes: Sequence[Floats], spans: Sequence[tuple[int, int]]) -> tuple[Buffer, ...]:
    """For each node a buffer of these sizes, which is alive in one range of times."""
    pairs = enumerate(zip(sizes, spans, strict=True))
    return tuple(Buffer(node, bytes, (span,)) for node, (bytes, span) in pairs)


def choices(problem: Problem) -> Iterator[tuple[int, ...]]:
    """All choices that are allowed and fit."""
    for choice in product(*(range(len(costs)) for costs in problem.costs)):
        if problem.cost(choice) < inf and problem.fits(choice):
            yield choice


def least_cost(problem: Problem) -> float:
    """The optimum; infinite where there is none."""
    return min(map(problem.cost, choices(problem)), default=inf)


def least_choice(core: Core) -> tuple[float, tuple[int, ...]]:
    """The least cost of a core, and a choice of it."""
    best = inf, ()
    for choice in product(*(range(len(costs)) for costs in core.costs)):
        if (core.slack(choice) >= 0).all():
            between = (
                core.tables[a][b][choice[a], choice[b]] for a in range(len(choice)) for b in core.tables[a] if a < b
            )
            cost = core.constant + sum(c[s] for c, s in zip(core.costs, choice, strict=True)) + sum(between)
            best = min(best, (cost, choice))
    return best


def core_of(problem: Problem) -> Core | None:
    """The core with as few reductions as arrays need, or None where no choice is allowed."""
    try:
        core = merge(problem).core
        for _ in range(20):
            for node in range(len(core.costs)):
                drop_unsupported(core, node)
                drop_separable(core, node)
    except Infeasible:
        return None
    return core
