"""Solutions of small problems against all choices, and what a solver must say about odd ones."""

from dataclasses import replace
from itertools import product
from math import inf
from time import perf_counter

import numpy as np
import pytest
from choice_problems import choices, least_cost, one_buffer_each, problems
from hypothesis import given, settings

from xshardy.search import solve as solver
from xshardy.search.problem import Problem
from xshardy.search.solution import Progress
from xshardy.search.solve import solve


def check_true(problem: Problem, *, is_complete: bool) -> None:
    """What a solution says is true; with `is_complete`, it is the optimum."""
    solution, optimum = solve(problem, seconds=5), least_cost(problem)
    assert solution.bound <= optimum <= solution.cost
    if solution.choice is not None:
        assert problem.fits(solution.choice) and problem.cost(solution.choice) == solution.cost
    if is_complete:
        assert solution.cost == optimum == solution.bound
    for choice in choices(problem):
        floors = [floor[strategy] for floor, strategy in zip(solution.floors, choice, strict=True)]
        assert max(floors, default=-inf) <= problem.cost(choice)
    allowed = [c for c in product(*(range(len(costs)) for costs in problem.costs)) if problem.cost(c) < inf]
    assert solution.least_peak <= min(map(problem.peak, allowed), default=inf)
    if solution.choice is None and allowed:
        assert solution.nearest in allowed


@given(problems())
@settings(max_examples=200)
def test_solution_is_the_optimum(problem: Problem):
    pytest.importorskip("highspy")
    check_true(problem, is_complete=True)


@given(problems())
def test_solution_is_true_with_numpy_alone(problem: Problem):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "find_spec", lambda name: None)
        check_true(problem, is_complete=False)


@given(problems())
def test_the_answer_is_never_worse_than_a_choice_that_is_known(problem: Problem):
    known = next(choices(problem), None)
    if known is not None:
        assert solve(problem, seconds=0, start=[known]).cost <= problem.cost(known)


@given(problems())
def test_the_same_problem_has_the_same_answer(problem: Problem):
    first, second = solve(problem, seconds=5), solve(problem, seconds=5)
    assert (first.choice, first.bound) == (second.choice, second.bound)


def random_problem(nodes: int, strategies: int, seed: int) -> Problem:
    """A chain of operations, some of which read an earlier one."""
    random = np.random.default_rng(seed)
    edges = [(int(random.integers(max(0, node - 5), node)), node) for node in range(1, nodes) for _ in range(2)]
    size = (strategies, strategies)
    return Problem(
        costs=tuple(random.integers(0, 100, strategies).astype(float) for _ in range(nodes)),
        buffers=one_buffer_each(
            [random.integers(1, 100, strategies).astype(float) for _ in range(nodes)],
            [(node, node + 6) for node in range(nodes)],
        ),
        edges=tuple(edges),
        tables=tuple(random.integers(0, 100, size).astype(float) for _ in edges),
        limit=6 * 40.0,
    )


def test_a_problem_that_no_choice_fits_says_so():
    problem = replace(random_problem(10, 4, 0), limit=10.0)
    solution = solve(problem, seconds=5)
    assert solution.choice is None and solution.cost == solution.bound == inf
    assert solution.nearest is not None
    assert 10 < solution.least_peak <= problem.peak(solution.nearest)


def test_a_problem_without_an_allowed_choice_says_so():
    same, other = (np.where(np.eye(2)[order] > 0, 0.0, 1e18) for order in ([0, 1], [1, 0]))
    problem = Problem((np.zeros(2),) * 2, ((0, 1), (0, 1)), (same, other))
    solution = solve(problem, seconds=1)
    assert (solution.choice, solution.bound, solution.least_peak) == (None, inf, inf)


def test_no_nodes_and_nodes_of_one_strategy():
    assert solve(Problem(()), seconds=1).choice == ()
    alone = Problem(
        (np.array([3.0]),) * 2, buffers=one_buffer_each([np.array([5.0])] * 2, [(0, 2), (1, 3)]), limit=10.0
    )
    solution = solve(alone, seconds=1)
    assert (solution.choice, solution.cost, solution.bound) == ((0, 0), 6, 6)
    assert solve(replace(alone, limit=9.0), seconds=1).choice is None


def test_a_small_problem_takes_little_time():
    problem = random_problem(10, 5, 1)
    solve(problem, seconds=5)
    start = perf_counter()
    assert solve(problem, seconds=5).is_optimal
    assert perf_counter() - start < 2  # 0.05 on an idle machine


def test_a_larger_problem_is_solved_with_a_small_gap_and_reports():
    reports = list[Progress]()
    solution = solve(random_problem(150, 12, 2), seconds=6, report=reports.append)
    assert solution.choice is not None
    assert solution.gap < 0.5
    assert [report.cost for report in reports] == sorted((report.cost for report in reports), reverse=True)
    assert [report.bound for report in reports] == sorted(report.bound for report in reports)
