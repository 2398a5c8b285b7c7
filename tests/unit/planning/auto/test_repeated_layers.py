"""Repeated layers: found by what is around operations, left out, and annotations given back to all of them."""

from importlib import import_module
from typing import Any

import pytest
from divided_tensors import tensor
from xdsl.ir import Operation, SSAValue

import xshardy
from xshardy.planning.auto import find
from xshardy.planning.auto.annotations import Annotations, annotated
from xshardy.planning.auto.find import FoundShardings, MemoryExceeded
from xshardy.planning.auto.prepared import Prepared, prepare
from xshardy.planning.auto.repeated_layers import repeated_layers
from xshardy.planning.auto.shortened import FIRST, LAST, shortened
from xshardy.planning.auto.space import Layout
from xshardy.programs.program import read_program
from xshardy.programs.source import source_of
from xshardy.transforms.sdy.main_function import main_function

jax: Any = import_module("jax")  # without its types, which are incomplete
jnp = jax.numpy

WIDTH, HIDDEN = 1024, 4096
LAYER = {"up": tensor((WIDTH, HIDDEN), "data", "model"), "down": tensor((HIDDEN, WIDTH), "model", "data")}
HEAD, BATCH = tensor((WIDTH, 512)), tensor((8192, WIDTH), "data")


def loss(weights: Any, x: Any) -> Any:
    layers, head = weights
    for layer in layers:
        h = x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True))
        x = x + jax.nn.relu(h @ layer["up"]) @ layer["down"]
    return (jnp.tanh(x @ head) ** 2).sum()


def momentum_step(state: Any, x: Any) -> Any:
    weights, means = state
    gradients = jax.grad(loss)(weights, x)
    means = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, means, gradients)
    return jax.tree.map(lambda w, m: w - 0.01 * m, weights, means), means


def clipped_step(weights: Any, x: Any) -> Any:
    gradients = jax.grad(loss)(weights, x)
    norm = sum((g * g).sum() for g in jax.tree.leaves(gradients))
    return jax.tree.map(lambda w, g: w - 0.01 * g * jax.lax.rsqrt(norm), weights, gradients)


def weights(layers: int) -> Any:
    return [LAYER] * layers, HEAD


def prepared(function: Any, *arguments: Any) -> Prepared:
    return prepare(read_program(source_of(function, None, arguments)).named(), free=True)


def layers_of(program: Prepared) -> list[list[Operation]]:
    return [[*layer] for layer in repeated_layers(main_function(program.program.module).body.block)]


def dots(ops: list[Operation]) -> int:
    return sum(op.name == "stablehlo.dot_general" for op in ops)


@pytest.mark.parametrize(
    ("step", "state"), [(momentum_step, (weights(8),) * 2), (clipped_step, weights(8))], ids=["momentum", "clipped"]
)
def test_a_layer_has_its_forward_and_backward_pass_and_its_update(step: Any, state: Any):
    layers = layers_of(prepared(step, state, BATCH))
    assert len(layers) >= 6
    assert len({op for layer in layers for op in layer}) == sum(map(len, layers))
    for same in zip(*layers, strict=True):
        assert len({(op.name, op.result_types) for op in same}) == 1
    assert dots(layers[0]) == 6  # each of two products has two in the backward pass
    updates = [op for op in layers[0] if op.name == "stablehlo.subtract"]
    assert {str(type) for op in updates for type in op.result_types} >= {
        "tensor<1024x4096xf32>",
        "tensor<4096x1024xf32>",
    }


def test_what_is_not_repeated_has_no_layers():
    program = prepared(lambda x, w: jax.nn.relu(x @ w), BATCH, LAYER["up"])
    assert layers_of(program) == [] and shortened(program) is None
    assert shortened(prepared(momentum_step, (weights(2),) * 2, BATCH)) is None


def test_operations_that_stand_for_each_other_in_turn_are_no_endless_layers():
    def crossed(x: Any) -> Any:
        a, b = x, x * 2
        for _ in range(6):
            a, b = jnp.tanh(a) + b, jnp.tanh(b) + a
        return a, b

    layers = layers_of(prepared(crossed, BATCH))
    assert len({op for layer in layers for op in layer}) == sum(map(len, layers))


def test_a_shortened_program_has_some_layers_and_all_arguments():
    program = prepared(momentum_step, (weights(8),) * 2, BATCH)
    short = shortened(program)
    assert short is not None
    module = short.prepared.program.module
    module.verify()
    whole, few = main_function(program.program.module), main_function(module)
    assert few.function_type == whole.function_type
    left_out = len(layers_of(program)) - FIRST - LAST
    assert dots([*whole.walk()]) - dots([*few.walk()]) == 6 * left_out
    kept = short.prepared.kept
    assert kept is not None
    assert kept.keys().isdisjoint(short.stand_ins) and {*short.stand_ins.values()} <= kept.keys()
    assert {*kept.values()} == {*module.walk()}


def test_annotations_of_few_layers_are_those_of_all():
    program = prepared(momentum_step, (weights(8),) * 2, BATCH)
    short = shortened(program)
    assert short is not None
    value: SSAValue = next(like.results[0] for like in short.stand_ins.values() if like.name == "stablehlo.dot_general")
    alike = {op for op, like in short.stand_ins.items() if like is value.owner}
    layout = Layout({op.results[0]: ((0,), ()) for op in alike}, {})
    lifted = short.lifted(Annotations({}, {value: ((0,), ())}), layout)
    assert {value.owner for value in lifted.values} == alike | {value.owner} and len(alike) >= 3
    constraints = [
        sum(op.name == "sdy.sharding_constraint" for op in annotated(of, lifted)[0].module.walk())
        for of in (program, short.prepared)
    ]
    assert constraints == [1 + len(alike), 1]


def found(layers: int, **options: Any) -> FoundShardings:
    return xshardy.auto(momentum_step, arguments=((weights(layers),) * 2, BATCH), free=True, seconds=8, **options)


def test_what_is_found_on_few_layers_is_as_good_on_all(monkeypatch: pytest.MonkeyPatch):
    few = found(6)
    monkeypatch.setattr(find, "shortened", lambda prepared: None)
    every = found(6)
    assert few.time <= 1.02 * every.time
    assert few.annotations is not None and few.given is not None and few.time < few.given.estimate(few.topology).total
    replayed = xshardy.plan(few.program.module)
    assert (replayed.estimate(few.topology).total, replayed.peak_bytes) == (few.time, few.plan.peak_bytes)


def test_the_memory_is_that_of_the_whole_program(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(find, "SHRINKING", 1)
    fitting = found(8, memory="700MiB")
    assert xshardy.plan(fitting.program.module).peak_bytes == fitting.plan.peak_bytes <= 700 * 2**20
    short = shortened(fitting.prepared)
    assert short is not None and fitting.annotations is not None
    few = xshardy.plan(annotated(short.prepared, fitting.annotations)[0].module).peak_bytes
    with pytest.raises(MemoryExceeded, match="the best one takes"):
        found(8, memory=(few + fitting.plan.peak_bytes) / 2)
