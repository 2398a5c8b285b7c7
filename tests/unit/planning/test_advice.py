"""Five known mistakes: the plan names the line, and a change that is proposed removes the collectives."""

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import pytest
from divided_tensors import MESH, tensor
from jax.sharding import NamedSharding, PartitionSpec

import xshardy
from xshardy.planning.plan import Plan
from xshardy.planning.topology import H100

jax: Any = import_module("jax")  # without its types, which are incomplete
jnp = jax.numpy
P = PartitionSpec


def without_constraint_on_the_residual_stream(tokens: Any, embedding: Any, ups: Any, downs: Any) -> Any:
    x = embedding[tokens]
    for up, down in zip(ups, downs, strict=True):
        x = x + jax.nn.relu(x @ up) @ down
    return x


RESIDUAL = (
    tensor((32, 64), "data", type=jnp.int32),
    tensor((512, 256), None, "data"),
    [tensor((256, 1024), "data", "model")] * 2,
    [tensor((1024, 256), "model", "data")] * 2,
)


def transposed_embedding(x: Any, embedding: Any) -> Any:
    return x @ embedding.T


def batch_of_one(x: Any, w: Any) -> Any:
    x = jax.lax.with_sharding_constraint(x, NamedSharding(MESH, P("data")))
    return jax.nn.relu(x @ w)


def softmax_over_the_vocabulary(scores: Any) -> Any:
    return jax.nn.softmax(scores, axis=-1)


def six_heads_on_four_devices(x: Any, query: Any, key: Any) -> Any:
    q, k = ((x @ w).reshape(16, 32, 6, 16) for w in (query, key))
    return jnp.einsum("bthd,bshd->bhts", q, k)


WEIGHT = tensor((96, 96), None, "model")
MISTAKES: Sequence[tuple[Callable[..., Any], tuple[Any, ...], str]] = (
    (
        transposed_embedding,
        (tensor((32, 64, 256), "data"), tensor((4096, 256), None, "model")),
        'shard argument 1 (embedding) as [{"model"}, {}], P("model")',
    ),
    (
        batch_of_one,
        (tensor((1, 128, 256)), tensor((256, 256))),
        'constrain %0 sharding_constraint (LINE) to [{}, {"data"}, {}], P(None, "data")',
    ),
    (
        softmax_over_the_vocabulary,
        (tensor((128, 4096), "data", "model"),),
        'shard argument 0 (scores) as [{"data", "model"}, {}], P(("data", "model"))',
    ),
    (
        six_heads_on_four_devices,
        (tensor((16, 32, 96), "data"), WEIGHT, WEIGHT),
        'shard argument 0 (x) as [{"data", "model"}, {}, {}], P(("data", "model")) and '
        "shard argument 1 (query) as [{}, {}], P() and shard argument 2 (key) as [{}, {}], P()",
    ),
)


def line_after(function: Callable[..., Any], offset: int) -> str:
    return f"test_advice.py:{function.__code__.co_firstlineno + offset}"


@pytest.mark.parametrize(("function", "arguments", "expected"), MISTAKES, ids=[each[0].__name__ for each in MISTAKES])
def test_a_change_is_proposed_that_removes_all_collectives(
    function: Callable[..., Any], arguments: tuple[Any, ...], expected: str
):
    plan = xshardy.plan(function, arguments=arguments)
    first, last = function.__code__.co_firstlineno, function.__code__.co_firstlineno + 4
    places = [f"{each.line} {each.tensor}" for each in plan.collectives]  # a return has a line of its caller
    lines = [int(line) for place in places for line in re.findall(r"test_advice\.py:(\d+)", place)]
    assert lines and all(first <= line <= last for line in lines)
    best = xshardy.advise(plan)[0]
    assert best.text == expected.replace("LINE", line_after(function, 1))
    assert (best.plan.counts, best.saved_bytes) == ({}, plan.bytes)


def sent_by(plan: Plan, line: str) -> int:
    return sum(each.total for each in plan.collectives if each.line == line)


def test_a_constraint_on_the_residual_stream_is_proposed():
    """Without it, the features of the residual stream are sharded as those of the weights, and the batch is not."""
    plan = xshardy.plan(without_constraint_on_the_residual_stream, arguments=RESIDUAL)
    looked_up = line_after(without_constraint_on_the_residual_stream, 1)
    layer = line_after(without_constraint_on_the_residual_stream, 3)
    best = xshardy.advise(plan)[0]
    assert best.text == f'constrain %6 gather ({looked_up}) to [{{"data"}}, {{}}, {{}}], P("data")'
    # The sums over "data" of activations, 2 MiB for each layer, become gathers of weights.
    assert sum(each.total for each in plan.collectives if each.axes == ("data",) and each.kind == "all-reduce") > 4e6
    assert {each.axes for each in best.plan.collectives if each.kind == "all-reduce"} == {("model",)}
    assert sent_by(best.plan, layer) < 0.6 * sent_by(plan, layer)


def two_layers(x: Any, up: Any, down: Any) -> Any:
    return jax.nn.relu(x @ up) @ down


def test_nothing_is_proposed_where_axes_would_only_be_given_up():
    """Megatron's layout: without the axis there is no communication, and each device computes all products."""
    x, up, down = tensor((32, 64, 256), "data"), tensor((256, 1024), None, "model"), tensor((1024, 256), "model")
    plan = xshardy.plan(two_layers, arguments=(x, up, down))
    assert plan.counts == {"all-reduce": 1}
    most = plan.estimate(H100).compute.flops
    assert all(each.plan.estimate(H100).compute.flops <= most for each in xshardy.advise(plan))
