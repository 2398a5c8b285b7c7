"""Quantized tensors, whose values are stored integers: by the formulas of the specification, and small examples."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module

TENTHS = "!quant.uniform<i8:f32, 0.125:-3>"
QUARTERS = "!quant.uniform<i8:f32, 0.25:5>"
PER_COLUMN = "!quant.uniform<i8:f32:1, {0.5:1,2.0:-1}>"


def evaluated(body: str, arguments: dict[str, str], result: str, *values: Array) -> Array:
    """`%r` of `body`, whose `arguments` have these types and values."""
    taken = ", ".join(f"%{name}: {type}" for name, type in arguments.items())
    text = f"func.func @main({taken}) -> {result} {{ {body} return %r : {result} }}"
    (value,) = evaluate(parse_module(text), values)
    return value


def quantized(values: list[float], type: str) -> list[int]:
    source, target = f"tensor<{len(values)}xf32>", f"tensor<{len(values)}x{type}>"
    body = f"%r = stablehlo.uniform_quantize %x : ({source}) -> {target}"
    return evaluated(body, {"x": source}, target, np.array(values, "f4")).tolist()


@pytest.mark.parametrize(
    ("values", "type", "stored"),
    [
        ([0.0, 0.25, -0.25], "!quant.uniform<i8:f32, 0.25>", [0, 1, -1]),
        ([0.125, 0.375, -0.125], "!quant.uniform<i8:f32, 0.25>", [0, 2, 0]),  # ties to even
        ([100.0, -100.0, 0.0], "!quant.uniform<i8:f32, 0.25:3>", [127, -128, 3]),
        ([100.0, -100.0, 0.0], "!quant.uniform<i8<-8:7>:f32, 0.25:3>", [7, -8, 3]),
        ([100.0, -100.0, 50.0], "!quant.uniform<u8:f32, 0.25:3>", [255, 0, 203]),
        ([np.inf, -np.inf, 1.0], "!quant.uniform<i4:f32, 0.5>", [7, -8, 2]),
        ([4.0, 15.0], "!quant.uniform<i8:f32:0, {0.1:-30,0.5:-20}>", [10, 10]),
    ],
)
def test_floats_are_rounded_and_clamped(values: list[float], type: str, stored: list[int]):
    assert quantized(values, type) == stored


@given(st.lists(st.integers(-128, 127), min_size=4, max_size=4))
def test_stored_integers_come_back(stored: list[int]):
    """Through floats that stand for them, with a scale for each column."""
    x = np.array(stored, "i1").reshape(2, 2)
    type = f"tensor<2x2x{PER_COLUMN}>"
    floats = "%f = stablehlo.uniform_dequantize %x : (" + type + ") -> tensor<2x2xf32>"
    assert evaluated(floats.replace("%f", "%r"), {"x": type}, "tensor<2x2xf32>", x).tolist() == [
        [(a - 1) * 0.5, (b + 1) * 2.0] for a, b in x.tolist()
    ]
    again = f"{floats}\n %r = stablehlo.uniform_quantize %f : (tensor<2x2xf32>) -> {type}"
    assert evaluated(again, {"x": type}, type, x).tolist() == x.tolist()


def test_a_change_of_scales():
    source, target = f"tensor<2x{TENTHS}>", f"tensor<2x{QUARTERS}>"
    body = f"%r = stablehlo.uniform_quantize %x : ({source}) -> {target}"
    assert evaluated(body, {"x": source}, target, np.array([5, -3], "i1")).tolist() == [9, 5]


def test_a_sum_is_that_of_the_floats():
    lhs, rhs = f"tensor<3x{TENTHS}>", f"tensor<3x{QUARTERS}>"
    body = f"%r = stablehlo.add %x, %y : ({lhs}, {rhs}) -> {rhs}"
    x, y = np.array([5, 127, -3], "i1"), np.array([9, 127, 5], "i1")
    assert evaluated(body, {"x": lhs, "y": rhs}, rhs, x, y).tolist() == [13, 127, 5]


def test_one_value_as_both_operands():
    type = f"tensor<2x{TENTHS}>"
    assert evaluated(f"%r = stablehlo.add %x, %x : {type}", {"x": type}, type, np.array([5, -3], "i1")).tolist() == [
        13,
        -3,
    ]


def test_a_comparison_of_the_floats():
    type = f"tensor<2x{TENTHS}>"
    body = f"%r = stablehlo.compare GT, %x, %y : ({type}, {type}) -> tensor<2xi1>"
    x, y = np.array([5, -3], "i1"), np.array([4, -3], "i1")
    assert evaluated(body, {"x": type, "y": type}, "tensor<2xi1>", x, y).tolist() == [True, False]


def test_weights_with_a_scale_for_each_column():
    weights = f"tensor<2x2x{PER_COLUMN}>"
    body = f"""%r = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]
      : (tensor<1x2xf32>, {weights}) -> tensor<1x2xf32>"""
    x, w = np.array([[1, 10]], "f4"), np.array([[3, 0], [5, 1]], "i1")
    values = evaluated(body, {"x": "tensor<1x2xf32>", "w": weights}, "tensor<1x2xf32>", x, w)
    assert values.tolist() == [[21.0, 42.0]]


def test_a_reduction_computes_with_floats_in_its_region():
    type, scalar = f"tensor<3x{TENTHS}>", f"tensor<{TENTHS}>"
    body = f"""%r = "stablehlo.reduce"(%x, %i) <{{dimensions = array<i64: 0>}}> ({{
      ^bb0(%a: {scalar}, %b: {scalar}):
        %s = stablehlo.add %a, %b : {scalar}
        stablehlo.return %s : {scalar}
      }}) : ({type}, {scalar}) -> {scalar}"""
    x, zero = np.array([-2, 5, -4], "i1"), np.array(-3, "i1")
    assert evaluated(body, {"x": type, "i": scalar}, scalar, x, zero) == 5  # (1 + 8 - 1) / 8


LARGE = "!quant.uniform<i32:f32, 0.1:7>"


@pytest.mark.parametrize(
    "body",
    [
        "%r = stablehlo.reverse %x, dims = [0] : tensor<2x{0}>",
        "%r = stablehlo.optimization_barrier %x : tensor<2x{0}>",
        "%r = stablehlo.dynamic_update_slice %x, %x, %n : (tensor<2x{0}>, tensor<2x{0}>, tensor<i32>) -> tensor<2x{0}>",
        """%b = stablehlo.bitcast_convert %x : (tensor<2x{0}>) -> tensor<2xi32>
        %r = stablehlo.bitcast_convert %b : (tensor<2xi32>) -> tensor<2x{0}>""",
    ],
)
def test_elements_that_move_keep_all_bits(body: str):
    """They have more bits than a float."""
    x, type = np.array([2**30 + 1, 2**30 + 1], "i4"), f"tensor<2x{LARGE}>"
    values = evaluated(body.format(LARGE), {"x": type, "n": "tensor<i32>"}, type, x, np.array(0, "i4"))
    assert values.tolist() == x.tolist()


def test_constants_of_unsigned_integers():
    type = "tensor<2x!quant.uniform<u8:f32, 0.5:100>>"
    body = f"%r = stablehlo.constant() <{{value = dense<[200, 0]> : tensor<2xi8>}}> : () -> {type}"
    assert evaluated(body, {}, type).tolist() == [200, 0]
