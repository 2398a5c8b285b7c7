"""Scans of HLO text, and of CHLO, beside numpy."""

import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

from xshardy.hlo_text import parse_hlo
from xshardy.interpreters.stablehlo import evaluate
from xshardy.syntax import parse_module


def scan(attributes: str) -> str:
    """`y = x * c`, and `x + c` is carried on."""
    return f"""HloModule m
    step {{
      x = f32[2] parameter(0)
      c = f32[2] parameter(1)
      y = f32[2] multiply(x, c)
      n = f32[2] add(x, c)
      ROOT r = (f32[2], f32[2]) tuple(y, n)
    }}
    ENTRY e {{
      x = f32[2,4] parameter(0)
      c = f32[2] parameter(1)
      ROOT r = (f32[2,4], f32[2]) scan(x, c), dimensions={{1}}, to_apply=step{attributes}
    }}"""


@pytest.mark.parametrize("is_reverse", [False, True])
def test_slices_in_order_with_carried_values(is_reverse: bool):
    x, c = np.arange(8, dtype=np.float32).reshape(2, 4), np.array([1, -1], np.float32)
    expected, carried = np.zeros_like(x), c
    for place in range(4)[:: -1 if is_reverse else 1]:
        expected[:, place], carried = x[:, place] * carried, x[:, place] + carried
    text = scan(f", num_carries=1, is_reverse={str(is_reverse).lower()}")
    y, last = evaluate(parse_hlo(text), [x, c])
    assert (y.tolist(), last.tolist()) == (expected.tolist(), carried.tolist())


def test_without_the_number_of_carried_values():
    with pytest.raises(InterpretationError, match=r"hlo\.scan: expected `dimensions`, `num_carries`"):
        evaluate(parse_hlo(scan("")), [np.zeros((2, 4), np.float32), np.zeros(2, np.float32)])


CHLO_SCAN = """func.func @main(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>, %c: tensor<2xf32>)
    -> (tensor<2x3xf32>, tensor<2xf32>) {
  %0:2 = chlo.scan(%a, %b) inits (%c) dimension=1 attributes {is_reverse = REVERSE} {
  ^bb0(%x: tensor<2xf32>, %y: tensor<2xf32>, %carried: tensor<2xf32>):
    %p = stablehlo.multiply %x, %carried : tensor<2xf32>
    %s = stablehlo.add %p, %y : tensor<2xf32>
    stablehlo.return %p, %s : tensor<2xf32>, tensor<2xf32>
  } : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2xf32>) -> (tensor<2x3xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<2x3xf32>, tensor<2xf32>
}"""


@pytest.mark.parametrize("is_reverse", [False, True])
def test_chlo_scans_two_inputs(is_reverse: bool):
    a, b = np.arange(12, dtype=np.float32).reshape(2, 2, 3)
    carried = np.array([1, -2], np.float32)
    expected = np.zeros_like(a)
    arguments = [a, b, carried]
    for place in range(3)[:: -1 if is_reverse else 1]:
        expected[:, place] = a[:, place] * carried
        carried = expected[:, place] + b[:, place]
    text = CHLO_SCAN.replace("REVERSE", str(is_reverse).lower())
    out, last = evaluate(parse_module(text), arguments)
    assert (out.tolist(), last.tolist()) == (expected.tolist(), carried.tolist())


def test_a_scan_without_inputs_has_a_size():
    text = """func.func @main(%c: tensor<i32>) -> (tensor<4xi32>, tensor<i32>) {
      %0:2 = chlo.scan() inits (%c) dimension=0 attributes {scan_dim_size = 4 : i64} {
      ^bb0(%y: tensor<i32>):
        %s = stablehlo.add %y, %y : tensor<i32>
        stablehlo.return %y, %s : tensor<i32>, tensor<i32>
      } : (tensor<i32>) -> (tensor<4xi32>, tensor<i32>)
      return %0#0, %0#1 : tensor<4xi32>, tensor<i32>
    }"""
    out, last = evaluate(parse_module(text), [np.array(3, np.int32)])
    assert (out.tolist(), last.tolist()) == ([3, 6, 12, 24], 48)
