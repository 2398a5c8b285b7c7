"""Found shardings of small models: no slower than given ones, within memory, equal to plain JAX, and proved."""

import warnings
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from models import step

import xshardy
from xshardy.engines.checked_run import run_module
from xshardy.engines.simulated import Simulated
from xshardy.planning.auto.find import FoundShardings
from xshardy.planning.plan import Plan
from xshardy.proving.verdict import Answer

NAMES = ("moe", "unet", "manual")
"""Experts, convolutions, a `shard_map`."""
SMALL = {"layers": 1, "scale": 1 / 64, "dtype": jnp.float32}
SECONDS = 2


class Search(NamedTuple):
    """A model, the plan of a person, and what was found within twice its memory."""

    name: str
    given: Plan
    found: FoundShardings


@pytest.fixture(scope="module", params=NAMES)
def search(request: pytest.FixtureRequest) -> Search:
    lowered = step(request.param, mesh=(2, 4), **SMALL).lower()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        given = xshardy.plan(lowered)
        found = xshardy.auto(lowered, memory=2 * given.peak_bytes, free=True, seconds=SECONDS)
    return Search(request.param, given, found)


def drawn(argument: jax.ShapeDtypeStruct, rng: np.random.Generator) -> Any:
    """Indices below every size, or small positive numbers: squares that an optimizer keeps are positive."""
    if argument.dtype == jnp.int32:
        return rng.integers(0, 8, argument.shape, np.int32)
    return rng.uniform(0.05, 0.15, argument.shape).astype(argument.dtype)


def test_is_no_slower_than_given_and_fits(search: Search):
    assert search.found.time <= search.given.estimate(search.found.topology).total
    assert search.found.plan.peak_bytes <= 2 * search.given.peak_bytes


def test_program_has_the_reported_plan(search: Search):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plan = xshardy.plan(search.found.program.module)
    assert plan.peak_bytes == search.found.plan.peak_bytes
    assert plan.estimate(search.found.topology).total == pytest.approx(search.found.time)


def test_equals_plain_jax(search: Search):
    whole = step(search.name, mesh=(1, 1), **SMALL)
    rng = np.random.default_rng(0)
    arguments = jax.tree.map(lambda argument: drawn(argument, rng), tuple(whole.arguments))
    wanted = jax.tree.leaves(jax.jit(whole.function)(*arguments))
    program = search.found.program
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = run_module(program.module, Simulated(), program.context, arguments=jax.tree.leaves(arguments))
    assert run.program.devices == 8
    for found, expected in zip(run.results, wanted, strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_is_proved(search: Search):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert xshardy.prove(search.found.program.module, run=False).answer is Answer.PROVED
