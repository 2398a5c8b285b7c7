"""Found shardings: no slower than those given, within the memory, optimal for the model, and right when they run."""

import json
import re
from dataclasses import replace
from importlib import import_module
from itertools import pairwise, product
from math import inf
from random import Random
from typing import Any

import numpy as np
import pytest
from divided_tensors import MESH, tensor
from jax.sharding import PartitionSpec
from xdsl.ir import OpResult

import xshardy
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.planning.auto.annotations import Annotations, annotated
from xshardy.planning.auto.choices import ChoiceTable
from xshardy.planning.auto.few import LayoutAnnotations
from xshardy.planning.auto.find import AS_GOOD, FoundShardings, MemoryExceeded
from xshardy.planning.auto.meshes import mesh_shapes
from xshardy.planning.auto.move_times import MoveTimes
from xshardy.planning.auto.nodes import ProgramNodes
from xshardy.planning.auto.placements import whole
from xshardy.planning.auto.prepared import prepare
from xshardy.planning.auto.propagated import propagated
from xshardy.planning.auto.reasons import AnnotationKind, annotations_of
from xshardy.planning.auto.space import Layout, Space
from xshardy.planning.plan import plan_or_none
from xshardy.planning.topology import H100
from xshardy.programs.errors import EngineError
from xshardy.programs.program import read_program
from xshardy.programs.source import Source, source_of
from xshardy.proving.verdict import Answer
from xshardy.search.solve import solve
from xshardy.tools.auto import as_json, print_found

jax: Any = import_module("jax")  # without its types, which are incomplete
jnp = jax.numpy
P = PartitionSpec


def two_layers(x: Any, up: Any, down: Any) -> Any:
    return jax.nn.relu(x @ up) @ down


LARGE = (tensor((4096, 2048), "data"), tensor((2048, 8192), "model"), tensor((8192, 2048), None, "model"))


def found(function: Any, *arguments: Any, **options: Any) -> FoundShardings:
    return xshardy.auto(function, arguments=arguments, seconds=5, **options)


def constraints_in(found: FoundShardings) -> int:
    return sum(isinstance(op, ShardingConstraintOp) for op in found.program.module.walk())


def test_what_is_found_is_faster_and_its_figures_are_those_of_the_plan():
    answer = found(two_layers, *LARGE, free=True)
    assert answer.given is not None and answer.annotations is not None
    assert answer.time < answer.given.estimate(H100).total
    replayed = xshardy.plan(answer.program.module)
    assert replayed.estimate(H100).total == answer.time
    assert replayed.peak_bytes == answer.plan.peak_bytes
    assert constraints_in(answer) == len({*answer.annotations.values, *answer.annotations.reads})


def test_the_choice_is_the_best_of_the_model():
    module = """
      sdy.mesh @mesh = <["x"=2]>
      func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
        %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
          : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
        %1 = stablehlo.tanh %0 : tensor<64x64xf32>
        return %1 : tensor<64x64xf32>
      }"""
    prepared = prepare(read_program(Source(module, "test")).named())
    moves = MoveTimes(prepared.axes, H100)
    nodes = ProgramNodes(prepared.program, prepared.axes, ChoiceTable(prepared.axes, H100, moves), prepared.ties)
    problem = Space(nodes, moves).problem()
    best = min(problem.cost(choice) for choice in product(*(range(len(costs)) for costs in problem.costs)))
    solution = solve(problem, seconds=5)
    assert solution.cost == pytest.approx(best) and solution.bound == pytest.approx(best)


def attention(w: Any, x: Any) -> Any:
    q, k = (jnp.einsum("btm,mhd->bthd", x, each) for each in w)
    weights = jax.nn.softmax(jnp.einsum("bthd,bshd->bhts", q, k))
    return (jnp.einsum("bhts,bshd->bthd", weights, k) ** 2).mean()


def cross_entropy(w: Any, tokens: Any) -> Any:
    scores = jax.nn.log_softmax((w[0][tokens] @ w[1])[:, :-1])
    return -jnp.take_along_axis(scores, tokens[:, 1:, None], -1).mean()


def recurrent(w: Any, x: Any) -> Any:
    return (jax.lax.scan(lambda x, w: (jnp.tanh(x @ w) + x, None), x, w)[0] ** 2).mean()


STEPS: dict[Any, tuple[Any, Any]] = {
    attention: ([tensor((512, 8, 64))] * 2, tensor((8, 512, 512))),
    cross_entropy: ([tensor((32000, 512)), tensor((512, 32000))], tensor((8, 512), type="int32")),
    recurrent: (tensor((8, 1024, 1024)), tensor((2048, 1024))),
}


@pytest.mark.parametrize("loss", STEPS, ids=lambda loss: loss.__name__)
def test_no_shardings_of_arguments_are_much_faster(loss: Any):
    """Of a step of gradient descent, by the plans of 12 layouts, drawn at random, that constraints do not refine."""

    def step(w: Any, x: Any) -> Any:
        return jax.tree.map(lambda w, g: w - g, w, jax.grad(loss)(w, x))

    answer = found(step, *STEPS[loss], free=True)
    axes, random = answer.prepared.axes, Random(loss.__name__)
    shapes = [leaf.shape for leaf in jax.tree.leaves(STEPS[loss])]
    possible = [axes.assignments(shape, range(len(shape)), [False] * len(shape)) for shape in shapes]
    for _ in range(12):
        arguments = Annotations(dict(enumerate(map(random.choice, possible))))
        plan = plan_or_none(annotated(answer.prepared, arguments)[0])
        assert plan is None or answer.time <= AS_GOOD * plan.estimate(H100).total


def test_the_given_layout_is_kept_where_nothing_is_faster():
    x, w = tensor((4096, 2048), ("data", "model")), tensor((2048, 2048))
    answer = found(lambda x, w: jax.nn.relu(x @ w), x, w)
    assert answer.annotations is None and answer.plan is answer.given
    assert annotations_of(answer) == ()


def test_annotations_stay_unless_they_are_free():
    fixed = found(two_layers, *LARGE)
    assert [str(spec) for spec in fixed.plan.in_shardings] == [str(each.sharding.spec) for each in LARGE]
    free = found(two_layers, *LARGE, free=True)
    assert free.time < fixed.time


def test_an_argument_that_is_kept_has_its_axes():
    answer = found(two_layers, *LARGE, free=True, keep={"up": [["model"], []]})
    assert answer.plan.in_shardings[1] == P("model")
    with pytest.raises(EngineError, match="there is no argument upp: did you mean up"):
        found(two_layers, *LARGE, keep={"upp": [[], []]})
    with pytest.raises(EngineError, match="the mesh has no axis x: it has data, model"):
        found(two_layers, *LARGE, free=True, keep={"up": [["x"], []]})
    with pytest.raises(EngineError, match="argument up has 2 dimensions, and axes are given for 1"):
        found(two_layers, *LARGE, keep={"up": [["model"]]})


def test_the_plan_fits_the_memory_or_the_search_says_what_is_alive():
    loose = found(two_layers, *LARGE, free=True)
    limit = 0.8 * loose.plan.peak_bytes
    tight = found(two_layers, *LARGE, free=True, memory=limit)
    assert tight.plan.peak_bytes <= limit and tight.time >= loose.time
    with pytest.raises(MemoryExceeded, match=r"fits 1 MiB per device: the tensors alone take at least \d+ MiB"):
        found(two_layers, *LARGE, free=True, memory="1MiB")


def gradient_step(w: Any, x: Any) -> Any:
    return w - 0.1 * jax.grad(lambda w: (jnp.tanh(x @ w) ** 2).sum())(w)


def traced_gradient_step(**options: Any) -> Any:
    jitted = jax.jit(gradient_step, donate_argnums=0, **options)
    return jitted.trace(tensor((2048, 4096)), tensor((8192, 2048), "data"))


@pytest.mark.parametrize("keep", [None, {"w": [[], []]}, {"w": [["data"], ["model"]]}])
def test_new_parameters_come_back_as_the_old_ones_are_divided(keep: Any, capsys: pytest.CaptureFixture[str]):
    answer = xshardy.auto(traced_gradient_step(), free=True, keep=keep, seconds=5)
    assert answer.prepared.ties == [(0, 0)]
    assert answer.plan.in_shardings[0] == answer.plan.out_shardings
    print_found(answer)
    assert "new values of arguments are divided as these (1 result)\n" in capsys.readouterr().out


def test_a_result_is_divided_as_the_program_says():
    result = jax.sharding.NamedSharding(MESH, P(None, "model"))
    answer = xshardy.auto(traced_gradient_step(out_shardings=result), keep={"w": [["data"], []]}, seconds=5)
    assert not answer.prepared.ties
    assert answer.plan.in_shardings[0] == P("data") and answer.plan.out_shardings == P(None, "model")


def test_layers_that_are_alike_are_decided_once():
    def model(x: Any, layers: Any) -> Any:
        for up, down in layers:
            x = x + jax.nn.relu(x @ up) @ down
        return x

    sizes = []
    for count in (4, 16):
        layers = [(tensor((256, 1024)), tensor((1024, 256)))] * count
        program = read_program(source_of(model, None, (tensor((512, 256), "data"), layers))).named()
        prepared = prepare(program)
        moves = MoveTimes(prepared.axes, H100)
        nodes = ProgramNodes(prepared.program, prepared.axes, ChoiceTable(prepared.axes, H100, moves), ())
        sizes.append(len(Space(nodes, moves).problem().costs))
    assert sizes[0] == sizes[1]


def test_constraints_are_added_until_all_is_divided_as_chosen():
    """In a chain of products whose columns are divided, each needs a constraint, after the one before."""

    def chain(x: Any, weights: Any) -> Any:
        for w in weights:
            x = x @ w
        return x

    sizes = [8 * (number + 1) for number in range(50)]
    arguments = tensor((64, sizes[0])), [tensor(pair) for pair in pairwise(sizes)]
    prepared = prepare(read_program(source_of(chain, None, arguments)).named())
    moves = MoveTimes(prepared.axes, H100)
    space = Space(ProgramNodes(prepared.program, prepared.axes, ChoiceTable(prepared.axes, H100, moves), ()), moves)
    divided = {value: ((), (0,)) if isinstance(value, OpResult) else whole(2) for value in space.nodes.of}
    search = LayoutAnnotations(prepared, space, Layout(divided, {}))
    program, copies = annotated(prepared, search.sufficient(inf))
    found = propagated(program, copies, divided, prepared.axes)
    assert {value: found.get(value) for value in divided} == divided


def scanned(x: Any, weights: Any) -> Any:
    return jax.lax.scan(lambda x, w: (jnp.tanh(x @ w), x.sum()), x, weights)


def branches(x: Any, w: Any) -> Any:
    return jax.lax.cond(x.sum() > 0, lambda x: jnp.tanh(x @ w), lambda x: x * 2, x)


def called(x: Any, w: Any) -> Any:
    inner = jax.jit(lambda x: jax.nn.softmax(x @ w))
    return inner(inner(x))


def manual(x: Any, w: Any) -> Any:
    def body(x: Any, w: Any) -> Any:
        return jax.lax.psum(x @ w, "model")

    shards = jax.shard_map(body, mesh=MESH, in_specs=(P(None, "model"), P("model")), out_specs=P())
    return jnp.tanh(shards(x, w))


def convolved(x: Any, w: Any) -> Any:
    x = x.reshape(8, 8, 8, 4)
    return jax.lax.conv_general_dilated(
        x, w.reshape(-1)[:144].reshape(3, 3, 4, 4), (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
    )


def odd(x: Any, w: Any) -> Any:
    return jax.nn.softmax(x[:31] @ w[:, :45])


def looked_up(x: Any, w: Any) -> Any:
    return x[jnp.argsort(x[:, 0])] @ w


def empty(x: Any, w: Any) -> Any:
    return x[:0] @ w, x.sum()


UNDECIDED = (convolved, empty)
"""Those whose partition the proofs cannot decide yet; no input refutes it."""
PROGRAMS = [scanned, branches, called, manual, convolved, odd, looked_up, empty]


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda function: function.__name__)
def test_programs_compute_what_they_did_and_are_not_refuted(function: Any):
    shapes = ((32, 64), (64, 64)) if function is not scanned else ((32, 64), (3, 64, 64))
    arguments = [tensor(shape, "data") if number == 0 else tensor(shape) for number, shape in enumerate(shapes)]
    answer = found(function, *arguments, free=True)
    assert answer.given is None or answer.time <= answer.given.estimate(H100).total
    random = np.random.default_rng(0)
    arrays = [random.standard_normal(shape).astype(np.float32) for shape in shapes]
    ran = xshardy.run(answer.program.module, arrays, on="simulated", check=True)
    assert ran.agrees
    verdict = xshardy.prove(answer.program.module)
    assert verdict.answer is (Answer.UNDECIDED if function in UNDECIDED else Answer.PROVED)


def test_rows_say_what_the_second_best_costs(capsys: pytest.CaptureFixture[str]):
    answer = found(two_layers, *LARGE, free=True)
    rows = annotations_of(answer)
    arguments = [row for row in rows if row.kind is AnnotationKind.ARGUMENT]
    assert [row.tensor for row in arguments] == ["argument 0 (x)", "argument 1 (up)", "argument 2 (down)"]
    assert all(row.second_best is not None and row.second_best > -1e-12 for row in arguments)
    print_found(answer)
    assert re.search(r"argument 1 \(up\) +\[{.*}\], P\(", capsys.readouterr().out)


def test_an_answer_that_the_model_has_no_choice_for_can_be_printed(capsys: pytest.CaptureFixture[str]):
    """Its memory is an estimate: a plan may fit where no choice does."""
    answer = found(two_layers, *LARGE, free=True)
    solution = replace(answer.solution, choice=None, cost=inf, bound=inf)
    unknown = replace(answer, solution=solution, annotations=Annotations())
    assert annotations_of(unknown) == ()
    print_found(unknown)
    assert "no choice fits" in capsys.readouterr().out
    assert json.dumps(as_json(unknown), allow_nan=False)


def test_shapes_of_a_mesh():
    assert [*mesh_shapes(4)] == [{"data": 4, "model": 1}, {"data": 2, "model": 2}, {"data": 1, "model": 4}]
    assert [*mesh_shapes(3, ["x"])] == [{"x": 3}]


def test_the_best_shape_of_a_mesh_is_at_least_as_fast_as_each():
    without_mesh = [jax.ShapeDtypeStruct(each.shape, each.dtype) for each in LARGE]
    best = found(two_layers, *without_mesh, devices=8)
    assert best.plan.devices == 8
    each = [found(two_layers, *without_mesh, mesh=sizes) for sizes in mesh_shapes(8)]
    assert best.time <= min(answer.time for answer in each) * 1.001


def test_a_program_without_a_mesh_is_refused():
    with pytest.raises(EngineError, match="no mesh of several devices: give one, such as --mesh"):
        found(lambda x: x + 1, jax.ShapeDtypeStruct((8,), jnp.float32))


def test_no_limit_is_infinite():
    assert found(two_layers, *LARGE).memory == inf
