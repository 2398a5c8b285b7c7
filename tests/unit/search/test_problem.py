"""Costs and peaks of choices, from their definition."""

from math import inf

import numpy as np
import pytest
from choice_problems import problems
from hypothesis import given

from xshardy.search.problem import Problem


@given(problems())
def test_peak_is_the_most_usage_at_any_time(problem: Problem):
    choice = [0] * len(problem.costs)
    alive = [(usages[0], range(*span)) for usages, span in zip(problem.usages, problem.intervals, strict=True)]
    assert problem.peak(choice) == max(sum(usage for usage, times in alive if time in times) for time in range(10))


def test_a_forbidden_pair_makes_a_choice_cost_infinitely_much():
    problem = Problem(
        (np.zeros(1), np.zeros(2)), (np.zeros(1), np.zeros(2)), ((0, 0),) * 2, ((0, 1),), (np.array([[1e18, 3.0]]),)
    )
    assert problem.cost((0, 0)) == inf
    assert problem.cost((0, 1)) == 3


def test_a_large_integer_cost_is_exact():
    problem = Problem((np.array([2.0**53 - 1]), np.array([1.0])), (np.zeros(1),) * 2, ((0, 0),) * 2)
    assert problem.limit == inf
    small = Problem((np.array([1e14 + 1]), np.array([1.0])), (np.zeros(1),) * 2, ((0, 0),) * 2)
    assert small.cost((0, 0)) == 10**14 + 2


def test_a_table_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="each edge needs a table"):
        Problem((np.zeros(1), np.zeros(2)), (np.zeros(1), np.zeros(2)), ((0, 1),) * 2, ((0, 1),), (np.zeros((2, 1)),))


def test_usages_must_be_positive():
    with pytest.raises(ValueError, match="negative"):
        Problem((np.zeros(1),), (np.array([-1.0]),), ((0, 1),))
