"""The export passes for calls against C++ Shardy's inside jaxlib: the same text on random and on JAX's modules."""

from collections.abc import Sequence

import jax
import pytest
from jaxlib_versions import needs
from sdy_modules import random_sdy_module, seeds
from test_modules import PROGRAMS
from test_sdy_import import theirs
from test_sdy_propagation import (
    BEFORE_CALLS,
    LOOK_INTO_CALLS,
    PROPAGATE,
    RESULTS,
    SHARE_CALLS,
    assert_same_result,
)

SHARED = (*BEFORE_CALLS, *SHARE_CALLS, *PROPAGATE)
LOOKED_INTO = (*BEFORE_CALLS, *LOOK_INTO_CALLS, *PROPAGATE)
OUTLINED = (*LOOKED_INTO, "sdy-export-named-computations", "sdy-propagate-to-func-results")

PASSES: dict[str, tuple[Sequence[str], str]] = {
    "sdy-export-named-computations": (LOOKED_INTO, "sdy-export-named-computations"),
    "sdy-propagate-to-func-results": (SHARED, "sdy-propagate-to-func-results"),
    "sdy-sink-func-data-flow-edges": (SHARED, "func.func(sdy-sink-func-data-flow-edges)"),
    "sdy-unflatten-call-graph": (OUTLINED, "sdy-unflatten-call-graph"),
    "sdy-unflatten-call-graph{dedup-functions-fully=true}": (
        OUTLINED,
        "sdy-unflatten-call-graph{dedup-functions-fully=true}",
    ),
    "sdy-insert-func-call-reshards": (
        (*OUTLINED, "sdy-unflatten-call-graph{dedup-functions-fully=true}"),
        "sdy-insert-func-call-reshards",
    ),
}
"""Each pass, those that C++ Shardy runs first on the module that both are given, and how it calls the pass."""


@pytest.mark.hypothesis
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=needs(RESULTS) if name == "sdy-propagate-to-func-results" else ()) for name in PASSES],
)
def test_random_modules(name: str) -> None:
    before, upstream = PASSES[name]
    for seed in seeds(200):
        assert_same_result(theirs(random_sdy_module(seed), *before), name, upstream)


@pytest.mark.parametrize("program", PROGRAMS)
def test_modules_that_jax_lowers(program: str) -> None:
    function, arguments = PROGRAMS[program]
    text = jax.jit(function).trace(*arguments).lower(lowering_platforms=("cpu",)).as_text()
    for name, (before, upstream) in PASSES.items():
        assert_same_result(theirs(text, *before), name, upstream)
