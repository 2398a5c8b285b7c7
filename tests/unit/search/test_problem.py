"""Costs and peaks of choices, from their definition."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from choice_problems import problems
from hypothesis import given

from xshardy.search.problem import Buffer, Problem
from xshardy.search.solve import solve


@given(problems())
def test_peak_is_the_most_usage_at_any_time(problem: Problem):
    choice = [0] * len(problem.costs)
    alive = [(buffer.bytes[0], range(*span)) for buffer in problem.buffers for span in buffer.intervals]
    assert problem.peak(choice) == max(sum(usage for usage, times in alive if time in times) for time in range(10))


def test_a_forbidden_pair_makes_a_choice_cost_infinitely_much():
    problem = Problem((np.zeros(1), np.zeros(2)), ((0, 1),), (np.array([[1e18, 3.0]]),))
    assert problem.cost((0, 0)) == inf
    assert problem.cost((0, 1)) == 3


def test_a_large_integer_cost_is_exact():
    problem = Problem((np.array([2.0**53 - 1]), np.array([1.0])))
    assert problem.limit == inf
    small = Problem((np.array([1e14 + 1]), np.array([1.0])))
    assert small.cost((0, 0)) == 10**14 + 2


def test_a_table_of_another_shape_is_refused():
    with pytest.raises(ValueError, match="each edge needs a table"):
        Problem((np.zeros(1), np.zeros(2)), ((0, 1),), (np.zeros((2, 1)),))


def test_a_buffer_has_a_size_for_each_strategy():
    with pytest.raises(ValueError, match="a size for each strategy of its node"):
        Problem((np.zeros(2),), buffers=(Buffer(0, np.array([1.0]), ((0, 1),)),))


def test_sizes_of_buffers_must_be_positive():
    with pytest.raises(ValueError, match="negative"):
        Problem((np.zeros(1),), buffers=(Buffer(0, np.array([-1.0]), ((0, 1),)),))


def test_a_buffer_counts_once_for_each_of_its_intervals():
    """As do the tensors of alike layers, which one node decides, also in the core."""
    buffer = Buffer(0, np.array([3.0, 2.0]), ((0, 4), (1, 5), (2, 3), (9, 9)))
    problem = Problem((np.array([0.0, 1.0]),), buffers=(buffer,), limit=8.0)
    assert problem.peak((0,)) == 9 and problem.peak((1,)) == 6
    assert solve(problem, seconds=1).choice == (1,)
    assert solve(replace(problem, limit=5.0), seconds=1).choice is None
    assert solve(replace(problem, limit=9.0), seconds=1).choice == (0,)
