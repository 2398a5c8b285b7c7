"""Messages and forests on small cores: bounds rise, costs fall, and trees are solved."""

from itertools import pairwise
from math import inf

import numpy as np
import pytest
from choice_problems import core_of, least_cost, problems
from hypothesis import given

from xshardy.search.arrays import Arrays
from xshardy.search.forests import Forests
from xshardy.search.merging import merge
from xshardy.search.messages import Ascent, Messages
from xshardy.search.moves import Moves
from xshardy.search.problem import Problem


@given(problems())
def test_sweeps_never_lower_the_bound_nor_pass_the_optimum(problem: Problem):
    if (core := core_of(problem)) is None or max(map(len, core.costs), default=1) == 1:
        return
    messages, optimum = Messages(Arrays(core)), least_cost(problem)
    messages.set_prices(np.linspace(0.0, 1.0, len(core.room)))
    bounds = [messages.sweep()[0] for _ in range(6)]
    assert all(second >= first - 1e-9 * (1 + abs(first)) for first, second in pairwise(bounds))
    assert bounds[-1] <= optimum + 1e-9 * (1 + abs(bounds[-1]))
    again, _ = messages.stage().floors(core)
    assert abs(again - bounds[-1]) <= 1e-6 * (1 + abs(again)) or again > bounds[-1]


@given(problems())
def test_an_ascent_passes_the_optimum_never(problem: Problem):
    if (core := core_of(problem)) is None or max(map(len, core.costs), default=1) == 1:
        return
    optimum, arrays = least_cost(problem), Arrays(core)
    first = Ascent(Messages(arrays))
    for _ in range(30):
        first.step()
    second = Ascent(Messages(arrays, first.best[0]), first.rise)
    for _ in range(30):
        second.step()
    for ascent in (first, second):
        assert ascent.bound <= optimum + 1e-9 * (1 + abs(ascent.bound))


@given(problems())
def test_the_bound_of_an_ascent_is_the_best_one_and_can_be_restored(problem: Problem):
    if (core := core_of(problem)) is None or max(map(len, core.costs), default=1) == 1:
        return
    ascent, bounds = Ascent(Messages(Arrays(core))), [-inf]
    for _ in range(30):
        ascent.step()
        bounds.append(ascent.bound)
    assert bounds == sorted(bounds)
    ascent.restore()
    assert ascent.messages.sweep()[0] >= ascent.bound - 1e-9 * (1 + abs(ascent.bound))


@given(problems())
def test_arrays_count_cost_and_memory_as_the_core_does(problem: Problem):
    if (core := core_of(problem)) is None:
        return
    arrays = Arrays(core)
    for labels in (np.zeros(len(arrays.nodes), np.int64), arrays.sizes - 1):
        choice = arrays.choice(labels)
        assert np.array_equal(arrays.slack(labels), core.slack(choice))
        between = sum(
            core.tables[a][b][choice[a], choice[b]] for a in range(len(choice)) for b in core.tables[a] if a < b
        )
        own = sum(costs[strategy] for costs, strategy in zip(core.costs, choice, strict=True))
        assert arrays.cost(labels) == core.constant + own + between


@given(problems())
def test_a_forest_never_raises_the_cost(problem: Problem):
    if (core := core_of(problem)) is None or max(map(len, core.costs), default=1) == 1:
        return
    arrays = Arrays(core)
    forests, labels = Forests(arrays), np.zeros(len(arrays.nodes), np.int64)
    for _ in range(4):
        better = forests.best(labels, arrays.costs)
        assert arrays.cost(better) <= arrays.cost(labels)
        labels = better


@pytest.mark.parametrize("parents", [(1, 2, 3), (3, 3, 3), (2, 2, 5, 5, 5)])
def test_a_forest_solves_a_tree_at_once(parents: tuple[int, ...]):
    random, count = np.random.default_rng(0), len(parents) + 1
    tables = tuple(random.integers(0, 50, (4, 4)).astype(float) for _ in parents)
    problem = Problem((np.zeros(4),) * count, tuple(enumerate(parents)), tables)
    arrays = Arrays(merge(problem).core)
    labels = Forests(arrays).best(np.zeros(count, np.int64), arrays.costs)
    assert arrays.cost(labels) == least_cost(problem)


@given(problems())
def test_moves_keep_or_reach_the_limit(problem: Problem):
    if (core := core_of(problem)) is None or (core.room < 0).any():
        return
    arrays = Arrays(core)
    moves, labels = Moves(arrays), np.zeros(len(arrays.nodes), np.int64)
    repaired = moves.repair(labels)
    assert np.minimum(arrays.slack(repaired), 0).sum() >= np.minimum(arrays.slack(labels), 0).sum()
    if arrays.fits(repaired) and (cost := arrays.cost(repaired)) < inf:
        improved = moves.improve(repaired)
        assert arrays.fits(improved) and arrays.cost(improved) <= cost
