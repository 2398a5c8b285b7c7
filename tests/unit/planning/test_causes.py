"""Why a plan gathers what an operation needs of other parts, instead of an exchange."""

import pytest
from xdsl.dialects.builtin import UNKNOWN_LOC

import xshardy
from xshardy.planning.traces import Traces
from xshardy.rewriting.locations import fused
from xshardy.rewriting.walk import operations_in


def program(body: str, result: str) -> str:
    """A function of `%x`, which is sharded, and an index `%i`."""
    return f"""
    sdy.mesh @mesh = <["x"=4]>
    func.func @main(
      %x: tensor<64xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}]>}}, %i: tensor<i32>
    ) -> {result} {{
      {body}
      return %r : {result}
    }}
    """


def dynamic_slice(size: int) -> str:
    result = f"tensor<{size}xf32>"
    body = f"%r = stablehlo.dynamic_slice %x, %i, sizes = [{size}] : (tensor<64xf32>, tensor<i32>) -> {result}"
    return program(body, result)


def window(size: int, function: str = "add") -> str:
    """Each element of the result is of `size` elements, of which it is the last one."""
    body = f"""
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %r = "stablehlo.reduce_window"(%x, %z) <{{
        padding = dense<[[{size - 1}, 0]]> : tensor<1x2xi64>, window_dimensions = array<i64: {size}>
      }}> ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %0 = stablehlo.{function} %a, %b : tensor<f32>
        stablehlo.return %0 : tensor<f32>
      }}) : (tensor<64xf32>, tensor<f32>) -> tensor<64xf32>"""
    return program(body, "tensor<64xf32>")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (dynamic_slice(60), "the slice has more elements than a part of the operand"),
        (window(2, "subtract"), "its body has no neutral element"),
        (window(64), "an exchange sends 48 elements to each device in 3 rounds, a gather 48"),
    ],
)
def test_the_cause_of_a_gather_tells_why_nothing_is_exchanged(text: str, reason: str):
    collective = xshardy.plan(text).collectives[0]
    assert collective.kind == "all-gather" and f"(no exchange: {reason}" in collective.cause.text


SINE = program("%r = stablehlo.sine %x : tensor<64xf32>", "tensor<64xf32>")


@pytest.mark.parametrize("text", [dynamic_slice(6), window(2), SINE])
def test_where_no_operation_gathers_there_is_no_such_reason(text: str):
    assert not any("no exchange" in collective.cause.text for collective in xshardy.plan(text).collectives)


def test_traces_pass_through_what_replaces_several_operations():
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.tanh %x : tensor<4xf32>
      %1 = stablehlo.negate %0 : tensor<4xf32>
      %2 = stablehlo.abs %1 : tensor<4xf32>
      return %2 : tensor<4xf32>
    }"""
    originals, copies = ([*operations_in(xshardy.parse(text))] for _ in range(2))
    tanh, negate, new = (
        next(op for op in copies if op.name == f"stablehlo.{name}") for name in ("tanh", "negate", "abs")
    )
    traces = Traces(originals, copies)
    new.location = fused((tanh.location, negate.location))
    assert traces.operation(new) is originals[copies.index(tanh)]
    new.location = UNKNOWN_LOC
    assert traces.operation(new) is None and traces.movement(new) is None
