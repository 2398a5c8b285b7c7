"""Blocks, and promising strategies, of small cores against all choices."""

from itertools import product
from math import inf

import numpy as np
import pytest
from choice_problems import least_choice, least_cost, one_buffer_each

from xshardy.search.arrays import Arrays
from xshardy.search.blocks import Blocks
from xshardy.search.core import Core, Infeasible
from xshardy.search.core_search import CoreSearch
from xshardy.search.merging import merge
from xshardy.search.messages import Messages
from xshardy.search.problem import Floats, Problem

SEEDS = range(40)


def tight_problem(seed: int) -> Problem:
    """Five nodes of three strategies, connected, with a limit that excludes some of the choices, or all."""
    random = np.random.default_rng(seed)
    edges = [(int(random.integers(0, node)), node) for node in range(1, 5)] + [(0, 4)]
    return Problem(
        costs=tuple(random.integers(0, 9, 3).astype(float) for _ in range(5)),
        edges=tuple(edges),
        tables=tuple(random.integers(0, 9, (3, 3)).astype(float) for _ in edges),
        buffers=one_buffer_each(
            [random.permutation(3).astype(float) for _ in range(5)], [(node, node + 3) for node in range(5)]
        ),
        limit=float(random.integers(0, 5)),
    )


def best_choice(core: Core) -> tuple[int, ...]:
    return least_choice(core)[1]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_block_never_raises_the_cost_nor_exceeds_the_limit(seed: int):
    arrays = Arrays(merge(tight_problem(seed)).core)
    blocks, totals = Blocks(arrays, seed), Messages(arrays).totals()
    blocks.entries = 9.0 * (seed % 5)
    for start in product(*map(range, arrays.sizes.tolist())):
        if arrays.fits(labels := np.array(start)):
            better = blocks.best(labels, totals, best_choice)
            assert arrays.fits(better) and arrays.cost(better) <= arrays.cost(labels)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_block_of_all_nodes_is_the_optimum(seed: int):
    problem = tight_problem(seed)
    arrays = Arrays(merge(problem).core)
    labels = arrays.least(arrays.usage_costs(np.ones(len(arrays.room))))
    assert arrays.cost(Blocks(arrays).best(labels, arrays.costs, best_choice)) == least_cost(problem)


def test_without_a_solver_the_reductions_solve_a_block_or_it_stays():
    table = np.array([[0.0, 3.0], [3.0, 1.0]])
    arrays = Arrays(merge(Problem((np.zeros(2),) * 2, ((0, 1),), (table,))).core)
    assert Blocks(arrays).best(np.array([1, 1]), arrays.costs, lambda core: None).tolist() == [0, 0]
    crossed = Arrays(merge(tight_problem(3)).core)
    labels = crossed.least(crossed.usage_costs(np.ones(len(crossed.room))))
    assert Blocks(crossed).best(labels, crossed.costs, lambda core: None).tolist() == labels.tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_promising_strategies_prove_no_more_than_the_optimum(seed: int):
    pytest.importorskip("highspy")
    problem, random = tight_problem(seed), np.random.default_rng(seed)
    core, optimum = merge(problem).core, least_cost(problem)
    floors = [least - random.integers(0, 10, len(least)) for least in least_costs(core)]
    search = CoreSearch(core, lambda choice: None, None, True)
    search.promising, is_more, bound = 5, True, -inf
    while is_more:
        try:
            bound, is_more = search.solve(floors, inf)
        except Infeasible:
            assert optimum == inf
            return
        assert bound <= optimum + 1e-6 and search.best >= optimum
    assert search.best == optimum == pytest.approx(bound)


def least_costs(core: Core) -> list[Floats]:
    """By node and strategy, the least cost of the choices that have it and are within the limit."""
    every = [np.arange(len(costs)) for costs in core.costs]
    least = [np.zeros(len(costs)) for costs in core.costs]
    for node, values in enumerate(least):
        for strategy in every[node]:
            kept = [*every[:node], np.array([strategy]), *every[node + 1 :]]
            values[strategy] = least_choice(core.restricted(kept))[0] + core.constant
    return least
