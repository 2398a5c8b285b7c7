"""Checks of `xshardy.jax.jit`, run as a program: a process decides once how many virtual CPUs it has."""

import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

import xshardy
from xshardy.engines.errors import EngineError

P = PartitionSpec
xshardy.jax.start(8)
MESH = jax.make_mesh((2, 4), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
X = np.random.default_rng(0).standard_normal((8, 16), np.float32)
W = np.random.default_rng(1).standard_normal((16, 32), np.float32)


def raises(kind: type[Exception], message: str, action: Callable[[], Any]) -> None:
    try:
        action()
    except kind as error:
        assert message in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}")


def pytrees_and_shardings() -> None:
    def f(p: Any, x: Any) -> Any:
        h = jax.lax.with_sharding_constraint(jnp.tanh(x @ p["w"]), P("data", "model"))
        return {"h": h, "sum": h.sum()}, [p["w"]]

    jitted = xshardy.jax.jit(f, mesh=MESH, in_shardings=({"w": P(None, "model")}, P("data")), out_shardings=None)
    found, (w,) = jitted({"w": W}, X)
    expected = np.tanh(X @ W)
    np.testing.assert_allclose(found["h"], expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found["sum"], expected.sum(), rtol=1e-4, atol=1e-4)
    assert found["h"].sharding == NamedSharding(MESH, P("data", "model")) and found["sum"].sharding.spec == P()
    assert w.sharding.spec == P(None, "model") and {part.data.shape for part in w.addressable_shards} == {(16, 8)}


def stages() -> None:
    jitted = xshardy.jax.jit(lambda x, w: x @ w, mesh=MESH, in_shardings=(P("data", "model"), P("model")))
    lowered = jitted.lower(jax.ShapeDtypeStruct((8, 16), np.float32), W)
    assert "stablehlo.all_reduce" in lowered.as_text() and "tensor<4x4xf32>" in lowered.as_text()
    assert lowered.program.devices == 8
    compiled = lowered.compile()
    assert "num_partitions=8" in compiled.as_text() and compiled.memory_analysis().argument_size_in_bytes > 0
    assert compiled.input_shardings[0][0].spec == P("data", "model")
    np.testing.assert_allclose(compiled(X, W), X @ W, rtol=1e-5, atol=1e-5)
    raises(TypeError, "compiled for", lambda: compiled(X, W.astype(np.int32)))
    raises(TypeError, "structure", lambda: compiled(X))


def static_and_donated_arguments() -> None:
    @xshardy.jax.jit(mesh=MESH, in_shardings=(P("data"),), static_argnums=1, donate_argnums=0)
    def scale(x: Any, times: int) -> Any:
        return x * times

    twice = scale(X, 2)
    np.testing.assert_allclose(scale(X, 3), X * 3)
    np.testing.assert_allclose(twice, X * 2)
    again = scale(twice, 2)
    assert twice.is_deleted()
    np.testing.assert_allclose(again, X * 4)
    assert sum(map(len, scale._compiled.values())) == 2  # for 2 and 3, not for each sharding of x

    named = xshardy.jax.jit(lambda x, *, n: x + n, mesh=MESH, static_argnames="n")
    np.testing.assert_allclose(named(X, n=2), X + 2)


def arrays_bring_their_sharding() -> None:
    x = jax.device_put(X, NamedSharding(MESH, P("data", "model")))
    double = xshardy.jax.jit(lambda x: x * 2)
    assert double(x).sharding.spec == P("data", "model")
    moved = jax.device_put(X, NamedSharding(MESH, P(("data", "model"))))
    assert double(moved).sharding.spec == P(("data", "model"))
    single = xshardy.jax.jit(lambda x: x + 1, mesh=MESH, in_shardings=P("data"))
    np.testing.assert_allclose(single(jnp.asarray(X)), X + 1)  # on one device, not committed to it


def random_keys_and_small_types() -> None:
    f = xshardy.jax.jit(lambda key, x: (jax.random.split(key), x.astype(jnp.bfloat16), x > 0), mesh=MESH)
    key = jax.random.key(3)
    keys, narrow, positive = f(key, X)
    assert (keys == jax.random.split(key)).all()
    assert narrow.dtype == jnp.bfloat16 and (np.asarray(positive) == (X > 0)).all()


def another_mesh() -> None:
    """One that the function names itself, with the same devices."""
    rows = jax.make_mesh((8,), ("rows",), axis_types=(AxisType.Auto,))

    def f(x: Any) -> Any:
        return jax.lax.with_sharding_constraint(x * 2, NamedSharding(rows, P("rows")))

    found = xshardy.jax.jit(f, mesh=MESH)(X)
    np.testing.assert_allclose(found, X * 2)
    assert found.sharding.is_equivalent_to(NamedSharding(rows, P("rows")), 2)


def what_is_refused() -> None:
    double = xshardy.jax.jit(lambda x: x * 2, mesh=MESH)
    raises(TypeError, "inside of it", lambda: jax.grad(lambda x: double(x).sum())(jnp.asarray(X)))
    printing = xshardy.jax.jit(lambda x: [jax.debug.print("{}", x), x][1], mesh=MESH)
    raises(EngineError, "cannot call back into Python", lambda: printing(X))
    raises(ValueError, "no mesh", lambda: xshardy.jax.jit(lambda x: x)(X))
    raises(ValueError, "names axes of a mesh", lambda: xshardy.jax.jit(lambda x: x, in_shardings=P("data")))
    raises(EngineError, "16 devices", lambda: xshardy.jax.start(16))


for check in (
    pytrees_and_shardings,
    stages,
    static_and_donated_arguments,
    arrays_bring_their_sharding,
    random_keys_and_small_types,
    another_mesh,
    what_is_refused,
):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        check()
