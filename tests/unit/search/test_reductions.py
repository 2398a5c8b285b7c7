"""Each reduction keeps the optimum, and carries choices there and back."""

from collections.abc import Callable
from math import inf

import pytest
from choice_problems import choices, least_choice, least_cost, one_buffer_each, problems
from hypothesis import given
from numpy import array, where, zeros

from xshardy.search.core import Core, Infeasible
from xshardy.search.merging import merge
from xshardy.search.problem import Problem
from xshardy.search.reductions import REDUCTIONS, drop_dominated, drop_slack_points, drop_unsupported, reduce


def check(problem: Problem, reduction: Callable[[Core], object]) -> None:
    optimum = least_cost(problem)
    try:
        merged = merge(problem)
        reduction(merged.core)
    except Infeasible:
        assert optimum == inf
        return
    cost, choice = least_choice(merged.core)
    assert cost == optimum
    if optimum < inf:
        original = merged.out_of(choice)
        assert problem.fits(original) and problem.cost(original) == optimum
    for known in choices(problem):
        if (labels := merged.into(known)) is not None:
            again = merged.out_of(labels)
            assert problem.fits(again) and problem.cost(again) <= problem.cost(known)


@given(problems())
def test_merging_keeps_the_optimum(problem: Problem):
    check(problem, lambda core: None)


@pytest.mark.parametrize("reduction", REDUCTIONS, ids=lambda reduction: reduction.__name__)
@given(problem=problems())
def test_a_reduction_keeps_the_optimum(reduction: Callable[[Core, int], bool], problem: Problem):
    check(problem, lambda core: [reduction(core, node) for node in range(len(core.costs))])


@given(problems())
def test_all_reductions_keep_the_optimum(problem: Problem):
    check(problem, reduce)


@given(problems())
def test_what_is_left_has_support_everywhere(problem: Problem):
    try:
        core = merge(problem).core
        reduce(core)
    except Infeasible:
        return
    assert not any(drop_unsupported(core, node) for node in range(len(core.costs)))


def test_a_chain_of_bijections_is_one_node():
    table = where(array([[0, 1], [1, 0]]) > 0, 2.0, 1e18)
    problem = Problem((zeros(2),) * 4, ((0, 1), (1, 2), (2, 3)), (table,) * 3)
    merged = merge(problem)
    assert merged.nodes == (0, 0, 0, 0)
    assert merged.out_of((1,)) == (1, 0, 1, 0)


def test_a_cheaper_strategy_that_uses_more_memory_dominates_nothing():
    costs, spans = (array([5.0, 1.0]),) * 2, [(0, 1)] * 2
    for sizes, is_dropped in (([1.0, 4.0], False), ([4.0, 4.0], True)):
        two = Problem(costs, buffers=one_buffer_each([array(sizes)] * 2, spans), limit=5.0)
        assert drop_dominated(merge(two).core, 0) is is_dropped


def test_points_of_time_that_are_left_keep_their_position():
    sizes = [array([0.0, 1.0]), array([0.0, 9.0]), array([0.0, 9.0])]
    core = merge(Problem((zeros(2),) * 3, buffers=one_buffer_each(sizes, [(0, 1), (2, 3), (2, 4)]), limit=10.0)).core
    drop_slack_points(core)
    assert core.points.tolist() == [1]
