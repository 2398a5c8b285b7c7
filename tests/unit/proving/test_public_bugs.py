"""
Mistakes in partitioned programs, most of them reported in public, each as a small program of ours.

The right program of a device is proved, and the wrong one is refuted with an input. Nothing here is copied.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import pytest
from jax.sharding import AbstractMesh, AxisType, PartitionSpec

import xshardy
from xshardy.proving.verdict import Answer

jax: Any = import_module("jax")  # without its types, which are incomplete
jnp: Any = jax.numpy
lax: Any = jax.lax
P: Any = PartitionSpec

LINE = AbstractMesh((4,), ("x",), axis_types=(AxisType.Auto,))
SQUARE = AbstractMesh((2, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))


@dataclass(frozen=True)
class Bug:
    """A whole function, and a right and a wrong one of a device, with the parts that a device has."""

    whole: Callable[..., Any]
    right: Callable[..., Any]
    wrong: Callable[..., Any]
    given: tuple[Any, ...]
    ins: tuple[Any, ...]
    out: Any
    mesh: Any = LINE

    def reference(self) -> Any:
        return jax.jit(self.whole).trace(*self.given).lower(lowering_platforms=("cpu",))

    def of_devices(self, body: Callable[..., Any]) -> Any:
        mapped = jax.shard_map(body, mesh=self.mesh, in_specs=self.ins, out_specs=self.out, check_vma=False)
        return jax.jit(mapped).trace(*self.given).lower(lowering_platforms=("cpu",))


def array(*shape: int, dtype: str = "float32") -> Any:
    return jax.ShapeDtypeStruct(shape, dtype)


def summed(value: Any, axes: Any = "x") -> Any:
    return lax.psum(value, axes)


def gathered(value: Any, axis: int = 0) -> Any:
    return lax.all_gather(value, "x", axis=axis, tiled=True)


def first(size: int) -> Any:
    """The index of the first of `size` rows of a device."""
    return lax.axis_index("x") * size


# -- the programs ------------------------------------------------------------------------------------------------------


def largest_is_one(x: Any) -> Any:
    return x / x.max(-1, keepdims=True)


def argmax(x: Any) -> Any:
    return jnp.argmax(x, -1).astype("int32")


def step(w: Any, x: Any, g: Any) -> Any:
    """A step along the gradient of a product, for the gradient `g` of its result."""
    return w - 0.1 * (x.T @ g)


def step_with(reduced: Callable[[Any], Any]) -> Callable[..., Any]:
    return lambda w, x, g: w - 0.1 * reduced(x.T @ g)


def steps(w: Any, x: Any, reduced: Callable[[Any], Any] = lambda gradient: gradient) -> Any:
    """Steps of a loop, each with the gradient of another batch at the weights of the last one."""
    return lax.scan(lambda w, batch: (w - 0.1 * reduced(batch.T @ (batch @ w)), None), w, x)[0]


def added_rows(rows: Any, updates: Any) -> Any:
    """The backward pass of a lookup in a table of 8 rows."""
    return jnp.zeros((8, 4)).at[rows].add(updates)


def added_rows_of_all(rows: Any, updates: Any) -> Any:
    return lax.dynamic_slice(added_rows(gathered(rows), gathered(updates)), (first(2), 0), (2, 4))


def added_by_products(rows: Any, updates: Any) -> Any:
    return jax.nn.one_hot(rows, 8).T @ updates


def row_set(number: int) -> Callable[[Any], Any]:
    return lambda x: jnp.where((first(4) + jnp.arange(4))[:, None] == number, 0.0, x)


def lookup(table: Any, rows: Any) -> Any:
    return table.at[rows].get(mode="clip")


def window(x: Any, start: Any) -> Any:
    return lax.dynamic_slice(x, (start,), (4,))


def shifted(edges: list[tuple[int, int]], is_masked: bool) -> Callable[[Any], Any]:
    """The last element of the device before, then all but the last of this one."""

    def body(x: Any) -> Any:
        edge = lax.ppermute(x[-1:], "x", edges)
        if is_masked:
            edge = jnp.where(lax.axis_index("x") == 0, 0.0, edge)
        return jnp.concatenate([edge, x])[:-1] + x

    return body


ROWS, UPDATES = array(12, dtype="int32"), array(12, 4)
WEIGHTS = (array(4, 3), array(8, 4), array(8, 3))

BUGS: Mapping[str, Bug] = {
    "openxla/xla#40034, an unreduced value resharded without its all-reduce": Bug(
        lambda x, w: x @ w,
        lambda x, w: lax.psum_scatter(x @ w, "x", tiled=True),
        lambda x, w: lax.dynamic_slice_in_dim(x @ w, first(2), 2),
        (array(8, 16), array(16, 4)),
        (P(None, "x"), P("x")),
        P("x"),
    ),
    "openxla/xla#49143, an all-reduce moved out of a loop whose steps read it": Bug(
        steps,
        lambda w, x: steps(w, x, summed),
        lambda w, x: summed(steps(w, x)),
        (array(4, 3), array(3, 8, 4)),
        (P(), P(None, "x")),
        P(),
    ),
    "openxla/xla#42481, a scatter-add sliced before its sum": Bug(
        added_rows,
        added_rows_of_all,
        lambda rows, updates: lax.dynamic_slice_in_dim(added_rows(rows, updates), first(2), 2),
        (ROWS, UPDATES),
        (P("x"), P("x")),
        P("x"),
    ),
    "openxla/xla#42481, the same as a product with one-hot rows": Bug(
        added_by_products,
        lambda rows, updates: lax.psum_scatter(added_by_products(rows, updates), "x", tiled=True),
        lambda rows, updates: lax.dynamic_slice_in_dim(added_by_products(rows, updates), first(2), 2),
        (ROWS, UPDATES),
        (P("x"), P("x")),
        P("x"),
    ),
    "tenstorrent/tt-xla#6075, a maximum reduced by an addition": Bug(
        largest_is_one,
        lambda x: x / lax.pmax(x.max(-1, keepdims=True), "x"),
        lambda x: x / summed(x.max(-1, keepdims=True)),
        (array(4, 8),),
        (P(None, "x"),),
        P(None, "x"),
    ),
    "tenstorrent/tt-mlir#8623, indices of maxima added up": Bug(
        argmax,
        lambda x: argmax(gathered(x, 1)),
        lambda x: summed(argmax(x)),
        (array(4, 8),),
        (P(None, "x"),),
        P(),
    ),
    "tenstorrent/tt-mlir#6756, the rows that other devices have added to a lookup": Bug(
        lookup,
        lambda table, rows: lookup(gathered(table), rows),
        lambda table, rows: summed(lookup(table, rows - first(4))),
        (array(16, 4), array(6, dtype="int32")),
        (P("x"), P()),
        P(),
    ),
    "jax-ml/jax#35896, a range of integers that starts too low on each device": Bug(
        lambda x: x + jnp.arange(16, dtype="int32"),
        lambda x: x + (first(4) + jnp.arange(4, dtype="int32")),
        lambda x: x + (first(1) + jnp.arange(4, dtype="int32")),
        (array(16, dtype="int32"),),
        (P("x"),),
        P("x"),
    ),
    "jax-ml/jax#18434, an update one row off": Bug(
        lambda x: jnp.concatenate([x[:5], jnp.zeros((1, 4)), x[6:]]),
        row_set(5),
        row_set(6),
        (array(16, 4),),
        (P("x"),),
        P("x"),
    ),
    "openxla/xla#49118, #49122, a slice clamped on each device": Bug(
        window,
        lambda x, start: window(gathered(x), start),
        lambda x, start: summed(window(x, start - first(4))),
        (array(16), array(dtype="int32")),
        (P("x"), P()),
        P(),
    ),
    "NVIDIA/Megatron-LM#1446, #1464, #7452, a gradient reduced twice": Bug(
        step,
        step_with(summed),
        step_with(lambda gradient: summed(summed(gradient))),
        WEIGHTS,
        (P(), P("x"), P("x")),
        P(),
    ),
    "NVIDIA/Megatron-LM#1446, #1464, #7452, a gradient that is not reduced": Bug(
        step, step_with(summed), step, WEIGHTS, (P(), P("x"), P("x")), P()
    ),
    "without a number, a mean of parts divided by too little": Bug(
        lambda x: x.sum(0) / 16,
        lambda x: summed(x.sum(0)) / 16,
        lambda x: summed(x.sum(0) / 4),
        (array(16, 4),),
        (P("x"),),
        P(),
    ),
    "NovaSky-AI/SkyRL#1886, a gradient reduced over the wrong group": Bug(
        step,
        step_with(lambda gradient: summed(gradient, "data")),
        step_with(lambda gradient: summed(gradient, "model")),
        WEIGHTS,
        (P("model"), P("data", "model"), P("data")),
        P("model"),
        SQUARE,
    ),
    "openxla/shardy OptimizeCollectives, a doubly sharded tensor reduced along one axis": Bug(
        lambda x: x.sum(0),
        lambda x: summed(x.sum(0), ("data", "model")),
        lambda x: summed(x.sum(0), "data"),
        (array(8, 4),),
        (P(("data", "model")),),
        P(),
        SQUARE,
    ),
    "without a number, an edge that wraps around": Bug(
        lambda x: jnp.pad(x, (1, 0))[:-1] + x,
        shifted([(0, 1), (1, 2), (2, 3)], is_masked=True),
        shifted([(0, 1), (1, 2), (2, 3), (3, 0)], is_masked=False),
        (array(16),),
        (P("x"),),
        P("x"),
    ),
}


@pytest.mark.parametrize("bug", BUGS)
def test_the_right_program_is_proved(bug: str):
    case = BUGS[bug]
    verdict = xshardy.prove(case.reference(), case.of_devices(case.right))
    assert verdict.answer is Answer.PROVED, verdict


@pytest.mark.parametrize("bug", BUGS)
def test_the_wrong_program_is_refuted(bug: str):
    case = BUGS[bug]
    verdict = xshardy.prove(case.reference(), case.of_devices(case.wrong))
    assert verdict.answer is Answer.REFUTED and verdict.witness is not None, verdict
    assert verdict.witness.found != verdict.witness.expected
