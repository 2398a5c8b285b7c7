"""`xshardy.run` and `xshardy.partition` take functions of JAX, with the arguments that JAX takes."""

from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np

import xshardy
from xshardy.programs.jax_functions import structure_of

jax: Any = import_module("jax")
jnp: Any = jax.numpy

X, W = np.random.default_rng(0).normal(size=(8, 16)), np.random.default_rng(1).normal(size=(16, 4)).astype(np.float32)


def layer(parameters: Any, x: Any, unused: Any, scale: Any) -> Any:
    return {"y": jnp.tanh(x @ parameters["w"]) * scale, "sum": x.sum()}


def next_number(x: Any, unused: Any) -> Any:
    return x + 1


def types(*specs: tuple[Any, ...]) -> list[Any]:
    """Those of `x` and `w`, sharded over a mesh without devices."""
    mesh = jax.sharding.AbstractMesh((2, 4), ("a", "b"), axis_types=(jax.sharding.AxisType.Auto,) * 2)
    shardings = [jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec(*spec)) for spec in specs]
    shapes = (8, 16), (16, 4)
    return [jax.ShapeDtypeStruct(shape, jnp.float32, sharding=of) for shape, of in zip(shapes, shardings, strict=True)]


def test_trees_and_numbers_are_arguments():
    """In the types in which JAX has them: `x` is of f64 here, and the program of f32. One is not used."""
    arguments = [{"w": W}, X, 3, 2.5]
    run = xshardy.run(layer, arguments, mesh="data=2", check=True)
    assert run.agrees and run.program.devices == 2
    for found, wanted in zip(run.results, jax.tree.leaves(layer(*arguments)), strict=True):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)


def test_keys_are_arguments():
    def draw(key: Any) -> Any:
        return jax.random.normal(key, (4,))

    key = jax.random.key(7)
    np.testing.assert_allclose(xshardy.run(draw, [key]).results[0], draw(key), rtol=1e-6)


def test_shapes_get_random_arguments():
    run = xshardy.run(jnp.dot, types(("a", None), (None, "b")), check=True)
    assert run.agrees and run.program.devices == 8


def test_partition_takes_a_function():
    program = xshardy.partition(jnp.dot, arguments=types(("a", None), (None, "b")))
    assert program.devices == 8
    assert [part.shape for part in program.arguments] == [(8, 16), (16, 4)]


def test_a_jitted_function_takes_arguments_that_it_does_not_use():
    for function in (jax.jit(next_number), jax.jit(next_number, keep_unused=True)):
        np.testing.assert_allclose(xshardy.run(function, [X, X]).results[0], X + 1, rtol=1e-5)


def test_all_arguments_are_taken_unless_jax_says_which_are_left_out():
    tree = jax.tree.structure((({"w": 0}, 1), {}))
    leaves = [X, W]
    assert structure_of(SimpleNamespace(in_tree=tree)).kept_of(leaves) == leaves
    (kept,) = structure_of(SimpleNamespace(in_tree=tree, module_kept_var_idx=[1])).kept_of(leaves) or ()
    assert kept is W
