"""A certificate proves no more than is true, whatever numbers it has."""

from dataclasses import replace

import numpy as np
import pytest
from choice_problems import least_cost, problems
from hypothesis import given
from hypothesis import strategies as st

from xshardy.search.certificate import Certificate, Stage, rounded_down
from xshardy.search.core import Infeasible
from xshardy.search.merging import merge
from xshardy.search.problem import Problem
from xshardy.search.reductions import reduce
from xshardy.search.solve import solve


@st.composite
def stages(draw: st.DrawFn, problem: Problem) -> Stage | None:
    """Any prices and messages for the core of a problem, and any cutoff."""
    try:
        core = merge(problem).core
        reduce(core)
    except Infeasible:
        return None
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    messages = {
        (a, b): random.integers(-9, 9, len(core.costs[b])) / 2 for a, tables in enumerate(core.tables) for b in tables
    }
    return Stage(random.integers(-1, 3, len(core.room)) / 2, messages, float(draw(st.sampled_from((np.inf, 0, 9, 20)))))


@given(problems(), st.data())
def test_any_numbers_prove_a_true_bound(problem: Problem, data: st.DataObject):
    stage = data.draw(stages(problem))
    if stage is not None:
        assert Certificate((stage,)).check(problem) <= least_cost(problem)


@given(problems())
def test_the_certificate_of_a_solution_proves_a_bound_that_the_solution_has(problem: Problem):
    solution = solve(problem, seconds=5)
    assert solution.certificate.check(problem) <= solution.bound or solution.bound == solution.cost
    assert solution.certificate.check(problem) <= least_cost(problem)


@given(problems(), st.floats(0, 1e6))
def test_another_cutoff_does_not_prove_more(problem: Problem, cutoff: float):
    stages = solve(problem, seconds=5).certificate.stages
    tampered = Certificate(tuple(replace(stage, cutoff=cutoff) for stage in stages[:1]))
    assert tampered.check(problem) <= least_cost(problem)


def test_a_certificate_of_another_problem_is_refused():
    table = np.array([[0.0, 3.0], [2.0, 0.0]])
    pair = Problem((np.zeros(2),) * 2, ((0, 1),), (table,))
    with pytest.raises(ValueError, match="another problem"):
        Certificate((Stage(np.zeros(3), {}),)).check(pair)
    with pytest.raises(ValueError, match="another problem"):
        Certificate((Stage(np.zeros(0), {(0, 1): np.zeros(7)}),)).check(pair)


def test_a_bound_of_integers_is_rounded_up_to_the_next_one():
    problem = Problem((np.array([4.0]),))
    assert rounded_down(3.2, problem) == 4
    assert rounded_down(3 + 1e-9, problem) == 3
    assert rounded_down(3.2, replace(problem, costs=(np.array([4.5]),))) == pytest.approx(3.2)
