"""Explicit reshards against C++ Shardy's inside jaxlib: the same text, whatever way tensors are sharded."""

import jax
import pytest
from sdy_conflicts import random_conflicts
from sdy_modules import random_sdy_module, seeds
from test_modules import PROGRAMS
from test_sdy_import import theirs
from test_sdy_propagation import BEFORE_CALLS, PROPAGATE, SHARE_CALLS, assert_same_result

PASSES = ("sdy-insert-explicit-reshards", "sdy-insert-explicit-reshards{enable-full-version=true}")

PROPAGATED = (
    *(*BEFORE_CALLS, *SHARE_CALLS, *PROPAGATE),
    *("sdy-propagate-to-func-results", "func.func(sdy-sink-func-data-flow-edges)"),
    *("func.func(sdy-constant-or-scalar-merger)", "func.func(sdy-sink-data-flow-edges)", "sdy-close-shardings"),
)
"""What C++ Shardy runs first."""

CRASHES = {108}
"""Seeds of random conflicts on which C++ Shardy crashes, in jaxlib 0.10 and 0.12."""


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", PASSES)
def test_operations_with_conflicting_shardings(name: str) -> None:
    for seed in {*seeds()} - CRASHES:
        assert_same_result(random_conflicts(seed), name, f"func.func({name})")


@pytest.mark.hypothesis
@pytest.mark.parametrize("name", PASSES)
def test_random_modules(name: str) -> None:
    for seed in seeds(300):
        assert_same_result(theirs(random_sdy_module(seed), *PROPAGATED), name, f"func.func({name})")


@pytest.mark.parametrize("program", PROGRAMS)
def test_modules_that_jax_lowers(program: str) -> None:
    function, arguments = PROGRAMS[program]
    text = jax.jit(function).trace(*arguments).lower(lowering_platforms=("cpu",)).as_text()
    prepared = theirs(text, *PROPAGATED)
    for name in PASSES:
        assert_same_result(prepared, name, f"func.func({name})")
