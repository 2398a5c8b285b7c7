"""Plans: collectives with their causes, memory, shardings for JAX, and assertions."""

from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding, PartitionSpec
from xdsl.utils.exceptions import ParseError

import xshardy
from xshardy.planning.plan import Plan
from xshardy.testing import assert_collectives, assert_peak_below

P = PartitionSpec
MESH = AbstractMesh((4, 2), ("data", "model"), axis_types=(AxisType.Auto,) * 2)


def floats(shape: tuple[int, ...], *spec: str | None) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, jnp.float32, sharding=NamedSharding(MESH, P(*spec)))


def program(body: str, arguments: str, result: str = "tensor<32x64xf32>") -> str:
    return f"""
sdy.mesh @mesh = <["data"=4, "model"=2]>
func.func @main({arguments}) -> {result} {{
  {body}
}}"""


def argument(name: str, shape: str, sharding: str) -> str:
    return f"%{name}: tensor<{shape}xf32> {{sdy.sharding = #sdy.sharding<@mesh, {sharding}>}}"


X = argument("x", "32x64", '[{"data"}, {}]')
W = argument("w", "64x64", '[{"model"}, {}]')


def layers(p: Any, x: Any) -> Any:
    def layer(h: Any, _: Any) -> Any:
        return jnp.tanh(h @ p["w"]), None

    return {"y": jax.lax.scan(layer, x, None, length=5)[0]}


ARGUMENTS = ({"w": floats((64, 64), "model"), "unused": floats((3,))}, floats((32, 64), "data"))


@pytest.fixture(scope="module")
def plan() -> Plan:
    return xshardy.plan(layers, arguments=ARGUMENTS)


def test_a_collective_in_a_loop_counts_once_for_each_iteration(plan: Plan):
    (scatter,) = plan.collectives
    assert (scatter.kind, scatter.axes, scatter.count, scatter.is_exact) == ("reduce-scatter", ("model",), 5, True)
    assert scatter.bytes == 8 * 64 * 4 // 2
    assert plan.bytes == 5 * scatter.bytes


def test_the_cause_names_line_and_annotation(plan: Plan):
    (scatter,) = plan.collectives
    assert scatter.line.startswith("test_plan.py:")
    assert scatter.cause.annotations == ("argument 0 (p['w']) [{\"model\"}, {}]",)


def test_shardings_come_back_to_jax(plan: Plan):
    assert plan.in_shardings == ({"w": P("model"), "unused": None}, P("data"))
    assert plan.out_shardings == {"y": P("data", "model")}
    assert plan.shardings["p['w']"] == P("model")


def test_a_loop_of_unknown_length_counts_once():
    text = program(
        """%0:2 = stablehlo.while(%i = %n, %h = %x) : tensor<i32>, tensor<32x64xf32>
  cond {
    %limit = stablehlo.constant dense<5> : tensor<i32>
    %more = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %more : tensor<i1>
  } do {
    %step = stablehlo.constant dense<1> : tensor<i32>
    %next = stablehlo.dot %h, %w : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>
    %j = stablehlo.add %i, %step : tensor<i32>
    stablehlo.return %j, %next : tensor<i32>, tensor<32x64xf32>
  }
  func.return %0#1 : tensor<32x64xf32>""",
        f"%n: tensor<i32>, {X}, {W}",
    )
    (scatter,) = xshardy.plan(text).collectives
    assert (scatter.count, scatter.is_exact) == (1, False)


def test_a_constraint_is_an_annotation():
    body = """%0 = stablehlo.tanh %x : tensor<32x64xf32>
  %1 = sdy.sharding_constraint %0 <@mesh, [{}, {"data"}]> : tensor<32x64xf32>
  func.return %1 : tensor<32x64xf32>"""
    plan = xshardy.plan(program(body, X))
    causes = {annotation for each in plan.collectives for annotation in each.cause.annotations}
    assert plan.collectives
    assert any("constraint" in each.cause.text for each in plan.collectives)
    assert 'argument 0 (%x) [{"data"}, {}]' in causes


def test_a_result_moves_to_its_annotation():
    result = "tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}]>}"
    text = program("%0 = stablehlo.tanh %x : tensor<32x64xf32>\n func.return %0 : tensor<32x64xf32>", X, f"({result})")
    (gather,) = xshardy.plan(text).collectives
    assert (gather.kind, gather.axes, gather.bytes) == ("all-gather", ("data",), 3 * 8 * 64 * 4)


def test_the_mesh_can_be_resized():
    dot = "%0 = stablehlo.dot %x, %w : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>"
    text = program(f"{dot}\n func.return %0 : tensor<32x64xf32>", f"{X}, {W}")
    sent = [sum(each.group for each in xshardy.plan(text, mesh={"model": size}).collectives) for size in (1, 2, 8)]
    assert sent == [0, 2, 8]


def test_what_a_loop_in_a_branch_carries_unchanged_has_no_memory_of_its_own():
    """It is in the memory of the value from outside of the branch."""

    def step(which: Any, x: Any) -> Any:
        y = -x

        def loop() -> Any:
            return jax.lax.while_loop(lambda c: c[0].sum() < 9, lambda c: (c[0] + c[1], c[1]), (y, y))[0]

        return jax.lax.cond(which, loop, lambda: y) + y

    arguments = jax.ShapeDtypeStruct((), jnp.bool_), jax.ShapeDtypeStruct((1024,), jnp.float32)
    plan = xshardy.plan(jax.jit(step).lower(*arguments).as_text())
    held = [each.bytes for each in plan.held if each.bytes >= 4096]
    assert held == [4096] * 4  # x, y, what the loop adds up, and the result of the branch


def test_memory_is_that_of_parts():
    text = program(
        "%0 = stablehlo.dot %x, %x2 : (tensor<32x64xf32>, tensor<64x64xf32>) -> tensor<32x64xf32>\n"
        "func.return %0 : tensor<32x64xf32>",
        f"{X}, {argument('x2', '64x64', '[{}, {}]')}",
    )
    plan = xshardy.plan(text)
    assert plan.argument_bytes == 8 * 64 * 4 + 64 * 64 * 4
    assert plan.peak_bytes == plan.argument_bytes + 8 * 64 * 4
    assert plan.held[0].name == "argument 1 (%x2)"


def test_assertions():
    assert_collectives(layers, {"reduce-scatter": 5, "all-gather": 0}, arguments=ARGUMENTS)
    assert_peak_below(layers, 1 << 20, arguments=ARGUMENTS)
    with pytest.raises(AssertionError, match=r"expected the collectives .*\n.*5 x reduce-scatter .*p\['w'\]"):
        assert_collectives(layers, {"all-reduce": 5}, arguments=ARGUMENTS)
    with pytest.raises(AssertionError, match=r"found \d+\n  8192 bytes: argument 0"):
        assert_peak_below(layers, 100, arguments=ARGUMENTS)


def test_a_program_that_is_wrong_raises_with_the_place():
    with pytest.raises(ParseError, match=r"bad.mlir:1"):
        xshardy.plan("func.func @f(", "bad.mlir")


def test_a_collective_with_devices_that_do_not_exist_is_refused_with_its_line():
    text = """HloModule m, num_partitions=4

ENTRY main {
  x = f32[8,4] parameter(0), sharding={devices=[4,1]<=[4]}
  ROOT y = f32[8,4] collective-permute(x), source_target_pairs={{0,9}}
}
"""
    with pytest.raises(ValueError, match=r":5: error: device 9 is in a collective-permute, but there are 4"):
        xshardy.plan(text)


GROUP = """HloModule ring, replica_count=4

both_ways {
  a = u32[] parameter(0)
  right = u32[] collective-permute(a), source_target_pairs={{0,1},{1,2},{2,3},{3,0}}
  left = u32[] collective-permute(a), source_target_pairs={{0,3},{1,0},{2,1},{3,2}}
  ROOT t = (u32[], u32[]) tuple(right, left)
}

ENTRY main {
  id = u32[] replica-id()
  start = ((u32[]), (u32[], u32[])) async-start(id), calls=both_ways, frontend_attributes={_collectives_group=""}
  ROOT done = (u32[], u32[]) async-done(start)
}
"""


def test_a_program_of_each_device_is_planned_as_it_is():
    """Also a group of collectives that are executed together."""
    plan = xshardy.plan(GROUP)
    assert plan.devices == 4 and plan.counts == {"collective-permute": 2} and plan.bytes == 8
    assert {collective.cause.text for collective in plan.collectives} == {"the program contains it"}
