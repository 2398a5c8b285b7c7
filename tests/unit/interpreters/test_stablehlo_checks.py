"""Programs that compare their own results: what each check allows, and what it says of the first difference."""

import numpy as np
import pytest
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.stablehlo import evaluate
from xshardy.syntax import parse_module

PROGRAM = "func.func @f(%x: {type}, %y: {type}) {{ {check} return }}"


def failure(check: str, x: object, y: object, dtype: str, type: str) -> str | None:
    """What `check` says of two arrays; None if it passes."""
    module = parse_module(PROGRAM.format(check=check, type=type))
    try:
        assert evaluate(module, [np.array(x, dtype), np.array(y, dtype)]) == []
    except InterpretationError as error:
        return str(error)
    return None


def called(name: str, type: str) -> str:
    """The custom call that compares %x with %y."""
    return f"stablehlo.custom_call @check.{name}(%x, %y) {{has_side_effect = true}} : ({type}, {type}) -> ()"


ONE_UP = np.nextafter(np.float32(1), np.float32(2))
FOUR_UP = np.float32(1) + 4 * np.finfo(np.float32).eps
F32 = "tensor<2xf32>"
C64 = "tensor<2xcomplex<f32>>"


@pytest.mark.parametrize(
    ("check", "x", "y"),
    [
        (f"check.expect_eq %x, %y : {F32}", [0.0, np.nan], [0.0, -np.nan]),
        (called("expect_eq", F32), [np.inf, 1.0], [np.inf, 1.0]),
        (f"check.expect_almost_eq %x, %y : {F32}", [0.0, np.inf], [9e-5, np.inf]),
        (f"check.expect_almost_eq %x, %y, tolerance = 0.5 : {F32}", [1.0, -1.0], [1.5, -0.5]),
        (called("expect_almost_eq", F32), [0.0, np.nan], [9e-4, np.nan]),
        (f"check.expect_close %x, %y, max_ulp_difference = 1 : {F32}, {F32}", [1.0, -0.0], [ONE_UP, 1e-45]),
        (called("expect_close", F32), [1.0, np.inf], [ONE_UP, np.inf]),
    ],
)
def test_allowed(check: str, x: list[float], y: list[float]):
    assert failure(check, x, y, "float32", F32) is None


@pytest.mark.parametrize(
    ("check", "x", "y"),
    [
        (f"check.expect_eq %x, %y : {F32}", [1.0, 0.0], [1.0, -0.0]),
        (called("expect_eq", F32), [1.0, 1.0], [1.0, ONE_UP]),
        (f"check.expect_almost_eq %x, %y : {F32}", [0.0, 0.0], [0.0, 2e-4]),
        (called("expect_almost_eq", F32), [0.0, np.inf], [0.0, 1.0]),
        (f"check.expect_close %x, %y, max_ulp_difference = 1 : {F32}, {F32}", [1.0, -1e-45], [1.0, 1e-45]),
        (
            f"check.expect_close %x, %y, max_ulp_difference = 9, min_ulp_difference = 1 : {F32}, {F32}",
            [1.0, 1.0],
            [ONE_UP, 1.0],
        ),
        (called("expect_close", F32), [1.0, 1.0], [1.0, FOUR_UP]),
        (called("expect_close", F32), [1.0, np.inf], [1.0, np.nan]),
    ],
)
def test_the_second_element_differs(check: str, x: list[float], y: list[float]):
    found = failure(check, x, y, "float32", F32)
    assert found is not None
    assert f"1 of 2 elements differ; the first: at [1] it is {np.float32(x[1])}, expected {np.float32(y[1])}" in found


def test_a_part_of_a_complex_number_differs():
    assert failure(called("expect_eq", C64), [1j, 2], [1j, 2], "complex64", C64) is None
    assert failure(called("expect_eq", C64), [1j, 2], [1j, 2 + 1j], "complex64", C64) is not None
    assert failure(called("expect_close", C64), [1j, 2], [1j, 2 + 1e-3j], "complex64", C64) is not None


def test_limits_of_64_bits():
    type = "tensor<f64>"
    check = f"check.expect_close %x, %y, max_ulp_difference = 1 : {type}, {type}"
    assert failure(check, 1.0, np.nextafter(1.0, 2), "float64", type) is None
    assert failure(check, 1.0, 1 + 2 * np.finfo(np.float64).eps, "float64", type) is not None
    assert failure(check, -np.finfo(np.float64).max, np.finfo(np.float64).max, "float64", type) is not None


def test_constants():
    check = "check.expect_eq_const %x, dense<[3, -1]> : tensor<2xi32>"
    assert failure(check, [3, -1], [0, 0], "int32", "tensor<2xi32>") is None
    found = failure(check, [4, -2], [0, 0], "int32", "tensor<2xi32>")
    assert found == "check.expect_eq_const: 2 of 2 elements differ; the first: at [0] it is 4, expected 3"
    almost = f"check.expect_almost_eq_const %x, dense<1.0> : {F32}, tolerance = 0.25"
    assert failure(almost, [0.75, 1.25], [0, 0], "float32", F32) is None
    assert failure(almost, [0.75, 1.26], [0, 0], "float32", F32) is not None


@pytest.mark.parametrize(("dtype", "element", "apart"), [("int32", "i32", 1), ("float32", "f32", 2e-4)])
def test_a_comparison_with_a_result(dtype: str, element: str, apart: float):
    type = f"tensor<{element}>"
    text = f"""
    func.func @f(%x: {type}, %y: {type}) -> tensor<i1> {{
      %0 = stablehlo.custom_call @check.eq(%x, %y) : ({type}, {type}) -> tensor<i1>
      return %0 : tensor<i1>
    }}"""
    x = np.array(1, dtype)
    assert evaluate(parse_module(text), [x, x]) == [True]
    with pytest.raises(InterpretationError, match=r"check\.eq: 1 of 1 elements differ"):
        evaluate(parse_module(text), [x, (x + apart).astype(dtype)])
