"""Checks of `xshardy.jax.jit`, run as a program: a process decides once how many virtual CPUs it has."""

import functools
import re
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental.custom_partitioning import custom_partitioning
from jax.sharding import AxisType, NamedSharding, PartitionSpec

import xshardy
from xshardy.programs.errors import EngineError
from xshardy.transforms.failures import OperationFailedException

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

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the tensor is gathered
        found = xshardy.jax.jit(f, mesh=MESH, in_shardings=P("data"))(X)
    np.testing.assert_allclose(found, X * 2)
    assert found.sharding.is_equivalent_to(NamedSharding(rows, P("rows")), 2)


def loss(w: Any, x: Any) -> Any:
    return (jax.lax.with_sharding_constraint(jnp.tanh(x @ w), P("data", "model")) ** 2).sum()


def plain(w: Any, x: Any) -> Any:
    return (jnp.tanh(x @ w) ** 2).sum()


AROUND: dict[str, Callable[[Any], Any]] = {
    "jit": lambda f: jax.jit(f)(W, X),
    "grad": lambda f: jax.grad(f)(W, X),
    "value_and_grad": lambda f: jax.value_and_grad(f, (0, 1))(W, X),
    "jit of grad": lambda f: jax.jit(jax.grad(f))(W, X),
    "forward mode": lambda f: jax.jvp(f, (W, X), (W, X)),
    "second derivatives": lambda f: jax.jvp(jax.grad(f), (W, X), (W, X)),
    "vmap": lambda f: jax.vmap(f, (None, 0))(W, jnp.stack([X, X + 1])),
    "scan": lambda f: jax.lax.scan(lambda c, x: (c + f(c, x), f(W, x)), W, jnp.stack([X, X + 1])),
    "checkpoint": lambda f: jax.grad(jax.checkpoint(f))(W, X),
    "constants": lambda f: jax.jit(lambda: f(W, X) * 2)(),
}
"""What JAX does with a function."""


def inside_of_traces() -> None:
    """The function is a part of the program around it: the same results, on the devices of the mesh."""
    declared = xshardy.jax.jit(loss, mesh=MESH, in_shardings=(P(None, "model"), P("data")))
    propagated = xshardy.jax.jit(loss, mesh=MESH)
    for name, around in AROUND.items():
        expected = jax.tree.leaves(around(plain))
        for function in (declared, propagated):
            found = jax.tree.leaves(around(function))
            for one, wanted in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, wanted, rtol=1e-4, atol=1e-4, err_msg=name)
                assert len(one.sharding.device_set) == 8, name
    gradient = jax.grad(declared)(W, X)
    assert gradient.sharding.spec == P(None, "model")  # as the argument
    assert not declared._compiled and not propagated._compiled  # nothing was partitioned by us
    declared(W, X)
    assert len(declared._compiled) == 1


def inside_of_our_own() -> None:
    """The outermost function decides: the program is partitioned as a whole, by us."""
    inner = xshardy.jax.jit(loss, mesh=MESH, in_shardings=(P(None, "model"), P("data")))
    step = xshardy.jax.jit(lambda w, x: (w - 0.1 * jax.grad(inner)(w, x), inner(w, x)), mesh=MESH)
    lowered = step.lower(W, X)
    assert "stablehlo.all_reduce" in lowered.as_text() and "tensor<16x8xf32>" in lowered.as_text()
    updated, value = step(W, X)
    np.testing.assert_allclose(updated, W - 0.1 * jax.grad(plain)(W, X), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(value, plain(W, X), rtol=1e-5)
    assert updated.sharding.spec == P(None, "model") and not inner._compiled


def values_around_a_function() -> None:
    """One that JAX traces may be read, though it is no argument."""

    def outer(w: Any) -> Any:
        return xshardy.jax.jit(lambda x: (jnp.tanh(x @ w) ** 2).sum(), mesh=MESH, in_shardings=P("data"))(X)

    for around in (jax.grad, lambda f: jax.jit(jax.grad(f))):
        np.testing.assert_allclose(around(outer)(W), jax.grad(plain)(W, X), rtol=1e-4, atol=1e-4)


def static_and_named_arguments_inside() -> None:
    @xshardy.jax.jit(mesh=MESH, static_argnums=1, static_argnames="n", donate_argnums=0)
    def scale(x: Any, times: int, *, n: int = 1) -> Any:
        return {"x": x * times + n, "key": jax.random.key(times)}

    found = jax.jit(lambda x: scale(x, 3, n=2))(X)
    np.testing.assert_allclose(found["x"], X * 3 + 2, rtol=1e-5, atol=1e-5)
    assert (found["key"] == jax.random.key(3)).all()
    np.testing.assert_allclose(jax.vmap(lambda x: scale(x, 2)["x"])(X), X * 2 + 1, rtol=1e-5, atol=1e-5)


def the_mesh_of_arguments_inside() -> None:
    """Arrays bring it where JAX can see them; else the function is one of JAX without a mesh."""
    double = xshardy.jax.jit(lambda x: (x * 2).sum())
    x = jax.device_put(X, NamedSharding(MESH, P("data")))
    np.testing.assert_allclose(jax.grad(double)(x), np.full_like(X, 2))
    np.testing.assert_allclose(jax.jit(double)(x), (X * 2).sum(), rtol=1e-5)


def partial_sums() -> None:
    """What JAX's explicit mode writes: unreduced results and arguments, as `jax.jit` has them."""
    mesh = jax.make_mesh((4, 2), ("x", "y"), axis_types=(AxisType.Explicit,) * 2)
    x = jax.device_put(np.arange(32, dtype=np.float32).reshape(8, 4), NamedSharding(mesh, P(("x", "y"))))

    def sums(x: Any) -> Any:
        total = jnp.einsum("ab->b", x, out_sharding=P(None, unreduced=frozenset("xy")))
        return jax.sharding.reshard(total, P(None, unreduced=frozenset("x")))

    def accumulated(x: Any, total: Any) -> Any:
        def step(total: Any, _: Any) -> Any:
            return total + jnp.einsum("ab->b", x, out_sharding=P(None, unreduced=frozenset("x"))), None

        return jax.sharding.reshard(jax.lax.scan(step, total, None, length=3)[0], P())

    with jax.set_mesh(mesh):
        wanted = jax.jit(sums)(x)
    found = xshardy.jax.jit(sums, mesh=mesh)(x)
    assert found.sharding.spec == wanted.sharding.spec == P(None, unreduced=frozenset("x"))
    np.testing.assert_allclose(sum(np.asarray(found.addressable_data(2 * i)) for i in range(4)), np.asarray(x).sum(0))
    y = jax.device_put(np.asarray(x), NamedSharding(mesh, P("x")))
    jitted = xshardy.jax.jit(accumulated, mesh=mesh)
    np.testing.assert_allclose(jitted(y, found), 4 * np.asarray(x).sum(0))
    compiled = jitted.lower(y, found).compile()
    assert compiled.lowered.as_text().count('"stablehlo.all_reduce"') == 1
    np.testing.assert_allclose(compiled(y, np.ones(4, np.float32)), 3 * np.asarray(x).sum(0) + 1)  # JAX divides none


def results_are_what_jax_promises() -> None:
    """The sharding as it was written, the memory, weak types and donation, as with `jax.jit`."""
    pinned = NamedSharding(MESH, P("data"), memory_kind="pinned_host")
    written = (pinned, NamedSharding(MESH, P(None, None)), NamedSharding(MESH, P("data", None)), None, None, None)

    def f(x: Any, s: Any) -> Any:
        return x * 2, x + 1, x - 1, 3 * s, 4, jax.device_put(x.sum(0), jax.memory.Space.Host)

    def outcome(jit: Any) -> Any:
        x = jax.device_put(X, NamedSharding(MESH, P("data")))
        results = jit(f, out_shardings=written)(x, 3.0)
        assert not x.is_deleted()
        jit(lambda x: x + 1, donate_argnums=0)(x)
        shardings = [result.sharding for result in results]
        return (
            [(result.dtype, result.weak_type, result.committed) for result in results],
            [sharding.memory_kind for sharding in shardings],
            [sharding.spec for sharding in shardings[:3]],
            (results[3] * jnp.ones(4, jnp.bfloat16)).dtype,
            x.is_deleted(),
            [np.asarray(result).tolist() for result in results],
        )

    expected, found = outcome(jax.jit), outcome(functools.partial(xshardy.jax.jit, mesh=MESH))
    assert found == expected, (found, expected)
    given = xshardy.jax.jit(lambda x: x + 1, in_shardings=pinned).lower(X).compile().input_shardings
    assert given == jax.jit(lambda x: x + 1, in_shardings=pinned).lower(X).compile().input_shardings
    assert expected[1] == ["pinned_host", "device", "device", "device", "device", "pinned_host"] and expected[4]
    assert [weak for _, weak, _ in expected[0]] == [False, False, False, True, True, False]


def programs_that_xla_cannot_take() -> None:
    """XLA ends the process for an unused reduction with a call."""

    def larger(x: Any, y: Any) -> Any:
        take = x[0] > y[0]
        return jnp.where(take, x[0], y[0]), jnp.where(take, x[1], y[1])

    def f(x: Any) -> Any:
        places = jax.lax.broadcasted_iota(jnp.int32, x.shape, 0)
        jax.lax.reduce((x, places), (jnp.float32(-9), jnp.int32(9)), larger, (0,))
        return x * 2

    jitted = xshardy.jax.jit(f, mesh=MESH, in_shardings=P("data"))
    assert "all_gather" not in jitted.lower(X).as_text()
    np.testing.assert_array_equal(jitted(X), X * 2)


def arrays_without_elements() -> None:
    """XLA divides none."""
    empty = xshardy.jax.jit(lambda x: jnp.fft.irfft(jnp.fft.rfft(x)), mesh=MESH, in_shardings=P("data"))(X[:, :1])
    assert empty.shape == (8, 0) and empty.addressable_shards[0].data.shape == (4, 0)


def custom_partitioning_of_jax() -> None:
    """The user's function divides the operation: static arguments, pytrees, collectives, in a loop, uneven sizes."""
    given: list[Any] = []

    @functools.partial(custom_partitioning, static_argnums=(2,))
    def scaled(d: Any, y: Any, k: int) -> Any:
        return {"product": d["x"] @ y * k, "positive": jnp.where(y > 0, y, k)}

    def partition(k: int, mesh: Any, args: Any, result: Any) -> Any:
        given.append((args, result))
        rows = args[0]["x"].sharding.spec[0]

        def of_parts(d: Any, y: Any) -> Any:
            product = jax.lax.psum(d["x"] @ y * k, "model")
            return {"product": product, "positive": jnp.where(y > 0, y, k)}

        x, y = NamedSharding(mesh, P(rows, "model")), NamedSharding(mesh, P("model", None))
        return mesh, of_parts, {"product": NamedSharding(mesh, P(rows)), "positive": y}, ({"x": x}, y)

    scaled.def_partition(partition, sharding_rule="i j, j k -> j k, i k")

    def f(x: Any, y: Any) -> Any:
        def step(y: Any, _: Any) -> Any:
            both = scaled({"x": x * 1}, y, 2)
            return both["positive"] + both["product"].sum() * 0.001, both["product"]

        return jax.lax.scan(step, y, None, length=3)

    jitted = xshardy.jax.jit(f, mesh=MESH, in_shardings=(P("data", "model"), None))
    for found, wanted in zip(jitted(X, W), jax.jit(f)(X, W), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5)
    (arguments, results), *_ = given
    assert arguments[0]["x"].shape == (8, 16) and arguments[0]["x"].sharding.spec == P("data", "model")
    assert results["product"].sharding.spec == P("data", None) and results["positive"].dtype == np.float32
    text = jitted.lower(X, W).as_text()
    assert "stablehlo.all_reduce" in text and "CustomSPMDPartitioning" not in text
    lowered = jax.jit(f, in_shardings=(NamedSharding(MESH, P("data", "model")), None)).lower(X, W)
    for engine in "simulated", "kernels", "pjrt":  # compared with the same function for whole tensors
        assert xshardy.run(lowered, [X, W], check=True, on=engine).agrees
    (reduction,) = [each for each in xshardy.plan(lowered).collectives if each.kind == "all-reduce"][:1]
    assert reduction.axes == ("model",) and "jit_checks.py:" in reduction.line

    def uneven(x: Any, y: Any) -> Any:
        rows = NamedSharding(MESH, P("data"))
        nine = jax.lax.with_sharding_constraint(jnp.concatenate([x, x[:1]]), rows)
        return jax.lax.with_sharding_constraint(scaled({"x": nine}, y, 3)["product"], rows)

    found = xshardy.jax.jit(uneven, mesh=MESH, in_shardings=(P("data"), None))(X, W)
    np.testing.assert_allclose(found, jax.jit(uneven)(X, W), rtol=1e-5, atol=1e-5)


def custom_partitioning_that_fails() -> None:
    """One message with the line of the call, whatever the user's function does."""

    def divided_by(partition: Any) -> Any:
        function = custom_partitioning(lambda x: jnp.sin(x))
        function.def_partition(partition=partition, sharding_rule="i j -> i j")
        return function

    def refused(message: str, partition: Any) -> None:
        custom = xshardy.jax.jit(divided_by(partition), mesh=MESH, in_shardings=P("data"))
        raises(EngineError, message, lambda: custom(X))
        raises(EngineError, "jit_checks.py:", lambda: custom(X))

    other = jax.make_mesh((8,), ("d",), axis_types=(AxisType.Auto,))
    refused("divided: TypeError: 'NoneType'", None)
    refused("divided: ZeroDivisionError", lambda mesh, args, result: 1 // 0)
    refused("but was called for", lambda mesh, args, result: (other, jnp.sin, result.sharding, (result.sharding,)))
    refused(
        "make tensor<4x16xf32>, not",
        lambda mesh, args, result: (mesh, lambda x: x[:2], result.sharding, (result.sharding,)),
    )

    function = divided_by(lambda mesh, args, result: (mesh, jnp.sin, result.sharding, (result.sharding,)))
    partly = jax.shard_map(function, mesh=MESH, in_specs=P("data"), out_specs=P("data"), axis_names={"data"})
    raises(EngineError, "a jax.shard_map along some axes", lambda: xshardy.jax.jit(partly, mesh=MESH)(X))
    lowered = jax.jit(function, in_shardings=NamedSharding(MESH, P("data"))).lower(X)
    refusal = "which is no mesh of the program"
    raises(OperationFailedException, refusal, lambda: xshardy.run(lowered, mesh={"data": 4}))
    foreign = re.sub(r'backend_config = "\d+"', 'backend_config = "7"', lowered.as_text())
    raises(EngineError, "the process that traced it", lambda: xshardy.run(foreign))
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        xshardy.plan(foreign)
    assert "is divided as its sharding rule says" in str(warned[0].message)


def found_shardings() -> None:
    """Shardings are found that no one gave; those that are given stay."""
    x, w = jnp.ones((512, 1024)), jnp.ones((1024, 2048))
    for given in (None, (P("data"), P(None, "model"))):
        jitted = xshardy.jax.jit(lambda x, w: jnp.tanh(x @ w) @ w.T, mesh=MESH, in_shardings=given, auto=True)
        result = jitted(x, w)
        np.testing.assert_allclose(result, np.tanh(x @ w) @ w.T, rtol=1e-5)
        assert len({str(shard.index) for shard in result.addressable_shards}) == (8 if given is None else 2)
    found = jitted.lower(x, w).compile().input_shardings[0]
    assert [sharding.spec for sharding in found] == [P("data"), P(None, "model")]


def explicit_axes() -> None:
    """JAX's default: the mesh is that of the context, and types of JAX say how values are divided."""

    def network(x: Any, w: Any) -> Any:
        h = jnp.tanh(x @ w)
        whole = jax.reshard(h, P("data", None))
        return jnp.dot(h, h.T, out_sharding=P("data", None)), whole, jnp.arange(4.0)

    def sums(x: Any, w: Any) -> Any:
        of_each = jax.shard_map(lambda x, w: jax.lax.psum(x @ w @ w.T, "model"), out_specs=P("data", None))
        return (of_each(x, w),)

    def loss(x: Any, w: Any) -> Any:
        return sum(jnp.sin(result).sum() for result in network(x, w))

    def outcome(jit: Any, f: Any, *arguments: Any) -> Any:
        return jax.tree.map(lambda result: (jax.typeof(result), np.asarray(result)), jit(f)(*arguments))

    def same(found: Any, wanted: Any) -> None:
        for (type, value), (wanted_type, wanted_value) in zip(found, wanted, strict=True):
            assert type == wanted_type
            np.testing.assert_allclose(value, wanted_value, rtol=1e-4, atol=1e-4)

    divided = xshardy.jax.jit(lambda x, w: x @ w, in_shardings=(P("data"), P(None, "model")))
    with jax.set_mesh(jax.make_mesh((2, 4), ("data", "model"))):
        x, w = jax.device_put(X, P("data")), jax.device_put(W, P(None, "model"))
        for f in (network, sums, jax.grad(loss, argnums=(0, 1))):
            same(outcome(xshardy.jax.jit, f, x, w), outcome(jax.jit, f, x, w))
        nested = xshardy.jax.jit(loss)
        same(*(outcome(lambda f: f, jax.grad(f, argnums=(0, 1)), x, w) for f in (nested, loss)))
    for sizes in ((2, 4), (4, 2)):  # the mesh is that of each call
        with jax.set_mesh(jax.make_mesh(sizes, ("data", "model"))):
            assert divided(X, W).sharding.shard_shape((8, 32)) == (8 // sizes[0], 32 // sizes[1])
    with jax.set_mesh(jax.make_mesh((8,), ("data",))):
        assert float(jax.jit(lambda: xshardy.jax.jit(lambda: 1.5)())()) == 1.5


def what_is_refused() -> None:
    double = xshardy.jax.jit(lambda x: x * 2, mesh=MESH)
    compiled = double.lower(X).compile()
    raises(TypeError, "call the function itself where JAX traces", lambda: jax.jit(lambda x: compiled(x))(X))
    raises(TypeError, "call it outside of functions that JAX traces", lambda: jax.jit(double.lower)(X))
    mapped = jax.shard_map(double, mesh=MESH, in_specs=P("data"), out_specs=P("data"))
    raises(TypeError, "call the function without jit there", lambda: mapped(X))
    printing = xshardy.jax.jit(lambda x: [jax.debug.print("{}", x), x][1], mesh=MESH)
    raises(EngineError, "a Python callback", lambda: printing(X))
    raises(EngineError, "jit_checks.py:", lambda: printing(X))
    raises(ValueError, "no mesh", lambda: xshardy.jax.jit(lambda x: x)(X))
    raises(ValueError, "no mesh", lambda: xshardy.jax.jit(lambda x: x, in_shardings=P("data"))(X))
    xshardy.jax.start(8)  # as it is
    raises(EngineError, "16 devices", lambda: xshardy.jax.start(16))


for check in (
    inside_of_traces,  # the first call of all is inside of one
    pytrees_and_shardings,
    stages,
    static_and_donated_arguments,
    arrays_bring_their_sharding,
    random_keys_and_small_types,
    another_mesh,
    inside_of_our_own,
    values_around_a_function,
    static_and_named_arguments_inside,
    the_mesh_of_arguments_inside,
    partial_sums,
    results_are_what_jax_promises,
    programs_that_xla_cannot_take,
    arrays_without_elements,
    custom_partitioning_of_jax,
    custom_partitioning_that_fails,
    found_shardings,
    explicit_axes,
    what_is_refused,
):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        check()
