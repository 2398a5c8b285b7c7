"""
Functions of JAX on 8 virtual CPUs through `xshardy.jax.jit`, each beside plain JAX on one. Run as a program.

A sample of what `survey_on_pjrt.py` runs: operations that need elements of other parts, dimensions that do not divide,
loops, branches, and collectives written by hand.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import AxisType, PartitionSpec

import xshardy

P = PartitionSpec
xshardy.jax.start(8)
MESH = jax.make_mesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)
RNG = np.random.default_rng(0)

Function = Callable[..., Any]


def floats(*shape: int) -> Any:
    return RNG.standard_normal(shape, np.float32)


def shifts(x: Any) -> Any:
    padded = jax.lax.pad(x, 0.0, [(1, 2, 0), (0, 0, 1)])
    return padded, jnp.roll(x, 3, 0), jnp.concatenate([x[-1:], x, x[:1]]), jnp.flip(x, 0), x[::2, 1:9], x[:23, :13] * 2


def windows(x: Any, kernel: Any) -> Any:
    y = jax.lax.conv_general_dilated(x, kernel, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), jnp.cumsum(x, 1)


def indices(table: Any, ids: Any, rows: Any) -> Any:
    counts = jnp.zeros(table.shape[0]).at[ids].add(1.0)
    return (
        table[ids],
        table.at[ids].add(rows),
        counts,
        jnp.sort(table, 0),
        jnp.argmax(table, 1),
        jax.lax.top_k(table, 3),
    )


def control(x: Any, w: Any, i: Any) -> Any:
    y = jax.lax.fori_loop(0, 3, lambda step, v: jnp.tanh(v @ w) + step, x)
    h, sums = jax.lax.scan(lambda h, row: (h * 0.5 + row, h.sum()), y[0], y)
    return jax.lax.cond(i > 0, lambda v: v[::-1], lambda v: v * 2, y), h, sums


def gradient(w: Any, x: Any) -> Any:
    def loss(w: Any, x: Any) -> Any:
        return jnp.mean(jax.nn.gelu(x @ w, approximate=False) ** 2) + jax.nn.logsumexp(x @ w, axis=1).sum()

    return jax.value_and_grad(loss)(w, x)


def manual(x: Any) -> Any:
    @functools.partial(jax.shard_map, mesh=MESH, in_specs=P("data", "model"), out_specs=P("data"))
    def rows(part: Any) -> Any:
        return jax.lax.psum(part.sum(1), "model")

    return rows(jnp.sin(x)) * 2


SAMPLES: Sequence[tuple[Function, Sequence[Any], Any]] = (
    (shifts, [floats(24, 16)], P("data", "model")),
    (windows, [floats(4, 8, 8, 2), floats(3, 3, 2, 4)], (P(None, "data", "model"), P())),
    (indices, [floats(24, 8), RNG.integers(0, 24, 12), floats(12, 8)], (P("data", "model"), P(), P("data"))),
    (control, [floats(24, 8), floats(8, 8), np.int32(1)], (P("data"), P("model"), P())),
    (gradient, [floats(16, 12), floats(24, 16)], (P("model"), P("data", "model"))),
)


def check(function: Function, arguments: Sequence[Any], shardings: Any, expected: Any) -> None:
    found = xshardy.jax.jit(function, mesh=MESH, in_shardings=shardings)(*arguments)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(expected), strict=True):
        assert a.dtype == b.dtype, function.__name__
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4, err_msg=function.__name__)


for function, arguments, shardings in SAMPLES:
    check(function, arguments, shardings, jax.jit(function)(*arguments))
X = floats(8, 6)
check(manual, [X], P(None, "model"), np.sin(X).sum(1) * 2)
