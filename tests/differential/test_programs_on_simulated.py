"""Functions of JAX and random modules, partitioned, run by the evaluator or as kernels, equal one device."""

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P
from sdy_modules import random_sdy_module

from xshardy.engines.checked_run import run_module
from xshardy.engines.engine import Engine
from xshardy.engines.kernels import Kernels
from xshardy.engines.simulated import Simulated
from xshardy.syntax import parse_module
from xshardy.universe import new_context

MESH = AbstractMesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))
RNG = np.random.default_rng(0)


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape, np.float32)


def layers(x: Any, w: Any) -> Any:
    """A loop, matrix products, and a heads dimension that the axis does not divide."""
    y, norms = jax.lax.scan(lambda h, _: (jnp.tanh(h @ w), jnp.linalg.norm(h)), x, length=3)
    return y.reshape(8, 3, 8), norms, jax.nn.softmax(y, axis=1)


def pooling(x: Any) -> Any:
    """Its gradient is a select-and-scatter with overlapping windows along the sharded dimension."""

    def loss(x: Any) -> Any:
        windows = (1, 3, 2, 1), (1, 2, 2, 1), "VALID"
        return (jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, *windows) ** 2).sum()

    return jax.grad(loss)(x)


def positions(x: Any, i: Any) -> Any:
    taken = jax.lax.dynamic_slice_in_dim(x, i, 3, 0)
    return taken, jax.lax.dynamic_update_slice_in_dim(x, taken, 0, 0), jnp.roll(x, 5, 0), x[0], jnp.sort(x, 0)


SAMPLES: Sequence[tuple[Callable[..., Any], Sequence[Any], Sequence[P]]] = (
    (layers, [floats(8, 24), floats(24, 24)], [P("data"), P(None, "model")]),
    (pooling, [floats(2, 16, 8, 3)], [P(None, "data", "model")]),
    (positions, [floats(24, 6), np.int32(7)], [P("data", "model"), P()]),
)


ENGINES = Simulated(), Kernels(check=True), Kernels(check=True, late=True)


ENDING = [seed for seed in range(60) if "stablehlo.while" not in random_sdy_module(seed)]
"""The random modules that end: the loops of the others do not."""


@pytest.mark.parametrize("engine", ENGINES, ids=["simulated", "kernels", "kernels with late collectives"])
@pytest.mark.parametrize("seed", ENDING)
def test_random_modules_equal_one_device(seed: int, engine: Engine):
    """Conflicting shardings, over two meshes with other axes too, calls, manual computations and groups."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = parse_module(random_sdy_module(seed))
        assert run_module(module, engine, new_context(), indices_in_bounds=False, check=True).agrees


@pytest.mark.parametrize("engine", ENGINES, ids=["simulated", "kernels", "kernels with late collectives"])
@pytest.mark.parametrize(("function", "arguments", "specs"), SAMPLES, ids=lambda value: getattr(value, "__name__", ""))
def test_equals_plain_jax(function: Callable[..., Any], arguments: Sequence[Any], specs: Sequence[P], engine: Engine):
    placed = [
        jax.ShapeDtypeStruct(np.shape(value), np.asarray(value).dtype, sharding=NamedSharding(MESH, spec))
        for value, spec in zip(arguments, specs, strict=True)
    ]
    module = parse_module(jax.jit(function).trace(*placed).lower(lowering_platforms=("cpu",)).as_text())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        run = run_module(module, engine, new_context(), arguments=[*map(np.asarray, arguments)])
    assert run.program.devices == 8
    for found, wanted in zip(run.results, jax.tree.leaves(function(*arguments)), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
