"""Operations of sdy in a program for all devices: movements change nothing, and manual computations run on parts."""

import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

import xshardy
from xshardy.interpreters.spmd import evaluate_spmd
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module

X = np.arange(32, dtype=np.float32).reshape(8, 4)
MESH = 'sdy.mesh @mesh = <["a"=2, "b"=2], device_ids=[3, 1, 0, 2]>'
ADD = """({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %sum = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %sum : tensor<f32>
  })"""


def main(body: str, result: str = "tensor<8x4xf32>") -> str:
    return f"{MESH}\nfunc.func @main(%x: tensor<8x4xf32>) -> {result} {{\n{body}\n  return %0 : {result}\n}}"


def value_of(text: str) -> Array:
    (found,) = evaluate(parse_module(text), [X])
    return found


def test_movements_change_nothing():
    body = """
      %1 = sdy.sharding_constraint %x <@mesh, [{"a"}, {}]> : tensor<8x4xf32>
      %2 = sdy.reshard %1 <@mesh, [{}, {"a"}]> : tensor<8x4xf32>
      %3 = sdy.all_gather [{}, {"a"}] %2 out_sharding=<@mesh, [{}, {}]> : tensor<8x4xf32>
      %4 = sdy.all_slice [{"b"}, {}] %3 out_sharding=<@mesh, [{"b"}, {}]> : tensor<8x4xf32>
      %5 = sdy.all_reduce {"a"} %4 out_sharding=<@mesh, [{"b"}, {}]> : tensor<8x4xf32>
      sdy.sharding_group %5 group_id=1 : tensor<8x4xf32>
      %0 = sdy.propagation_barrier %5 allowed_direction=FORWARD : tensor<8x4xf32>"""
    np.testing.assert_array_equal(value_of(main(body)), X)


def test_named_computation_and_constant():
    body = """
      %one = sdy.constant dense<1.0> : tensor<8x4xf32>
      %0 = sdy.named_computation<"inner">(%x, %one) (%y: tensor<8x4xf32>, %z: tensor<8x4xf32>) {
        %1 = stablehlo.add %y, %z : tensor<8x4xf32>
        sdy.return %1 : tensor<8x4xf32>
      } : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>"""
    np.testing.assert_array_equal(value_of(main(body)), X + 1)


def test_manual_computation_with_a_collective():
    """Each device adds up the rows of its part, and all devices along "a" their sums. Groups are of device numbers."""
    body = f"""
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{{"a"}}, {{"b"}}]>] out_shardings=[<@mesh, [{{"b"}}]>]
          manual_axes={{"a", "b"}} (%y: tensor<4x2xf32>) {{
        %zero = stablehlo.constant dense<0.0> : tensor<f32>
        %part = stablehlo.reduce(%y init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<4x2xf32>, tensor<f32>) -> tensor<2xf32>
        %sum = "stablehlo.all_reduce"(%part) <{{replica_groups = dense<[[3, 0], [1, 2]]> : tensor<2x2xi64>,
          channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}}> {ADD}
          : (tensor<2xf32>) -> tensor<2xf32>
        sdy.return %sum : tensor<2xf32>
      }} : (tensor<8x4xf32>) -> tensor<4xf32>"""
    np.testing.assert_array_equal(value_of(main(body, "tensor<4xf32>")), X.sum(0))


def test_a_manual_computation_along_no_axes_is_its_body():
    body = """
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}, {}]>] out_shardings=[<@mesh, [{}, {}]>]
          manual_axes={} (%y: tensor<8x4xf32>) {
        %1 = stablehlo.add %y, %y : tensor<8x4xf32>
        sdy.return %1 : tensor<8x4xf32>
      } : (tensor<8x4xf32>) -> tensor<8x4xf32>"""
    np.testing.assert_array_equal(value_of(main(body)), 2 * X)


PARTLY_MANUAL = """
      %0 = sdy.manual_computation(%x) in_shardings=[<@mesh, [{"a"}, {"b"}]>] out_shardings=[<@mesh, [{"a"}, {}]>]
          manual_axes={"a"} (%y: tensor<4x4xf32>) {
        %inner = sdy.manual_computation(%y) in_shardings=[<@mesh, [{"b"}, {}]>] out_shardings=[<@mesh, [{"b"}, {}]>]
            manual_axes={"b"} (%z: tensor<2x4xf32>) {
          %reversed = stablehlo.reverse %z, dims = [0] : tensor<2x4xf32>
          sdy.return %reversed : tensor<2x4xf32>
        } : (tensor<4x4xf32>) -> tensor<4x4xf32>
        sdy.return %inner : tensor<4x4xf32>
      } : (tensor<8x4xf32>) -> tensor<8x4xf32>"""


def test_nested_manual_computations():
    """Axes that are not manual do not divide the operand. Each pair of rows is reversed."""
    np.testing.assert_array_equal(value_of(main(PARTLY_MANUAL)), X.reshape(4, 2, 4)[:, ::-1].reshape(8, 4))


def test_devices_of_another_mesh():
    with pytest.raises(InterpretationError, match="its mesh has 4 devices, but the program runs on 2"):
        evaluate_spmd(parse_module(main(PARTLY_MANUAL)), [[X], [X]])


GROUPS = '#stablehlo.replica_group_mesh_axes<mesh = @mesh, axes = [#stablehlo.axis_ref<name = "AXIS">]>'
CHANNEL = "#stablehlo.channel_handle<handle = 1, type = 1>"
ALONG_AXES = f"""
sdy.mesh @mesh = <["x"=2, "y"=3], device_ids=[5, 3, 1, 4, 2, 0]>
func.func @main(%a: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {{
  %0:2 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{{"x"}}, {{"y"}}]>]
      out_shardings=[<@mesh, [{{"x"}}, {{"y"}}]>, <@mesh, [{{}}, {{"y"}}]>] manual_axes={{"x", "y"}}
      (%p: tensor<2x2xf32>) {{
    %1 = "stablehlo.all_reduce"(%p) <{{channel_handle = {CHANNEL}, use_global_device_ids,
        replica_groups = {GROUPS.replace("AXIS", "y")}}}> ({{
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %s = stablehlo.add %l, %r : tensor<f32>
      stablehlo.return %s : tensor<f32>
    }}) : (tensor<2x2xf32>) -> tensor<2x2xf32>
    %2 = "stablehlo.all_gather"(%p) <{{all_gather_dim = 0 : i64, channel_handle = {CHANNEL}, use_global_device_ids,
        replica_groups = {GROUPS.replace("AXIS", "x")}}}> : (tensor<2x2xf32>) -> tensor<4x2xf32>
    sdy.return %1, %2 : tensor<2x2xf32>, tensor<4x2xf32>
  }} : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  return %0#0, %0#1 : tensor<4x6xf32>, tensor<4x6xf32>
}}
"""
"""As JAX 0.12 writes `psum` and `all_gather`, over devices in another order."""


def test_groups_along_axes_are_of_the_devices_of_the_mesh():
    x = np.arange(24, dtype=np.float32).reshape(4, 6)
    sums, gathered = xshardy.run(parse_module(ALONG_AXES), [x]).results
    np.testing.assert_array_equal(sums, np.tile(x.reshape(4, 3, 2).sum(1), (1, 3)))
    np.testing.assert_array_equal(gathered, x)
