"""CHLO's operations against XLA on the CPU."""

from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jaxlib_versions import since
from scipy import special

from xshardy.interpreters.stablehlo import evaluate
from xshardy.interpreters.stablehlo.chlo import high_product
from xshardy.numerics.special_functions import polygamma, zeta
from xshardy.syntax import parse_module

X = np.array([-33.5, -2.5, -0.25, 1e-6, 0.1, 0.75, 1.0, 1.5, 2.0, 3.5, 10.0, 40.25, 300.0, 1e4])
UNARY = ("bessel_i1e", "conj", "digamma", "erf", "lgamma", "square", "tan")
PREDICATES = ("is_inf", "is_neg_inf", "is_pos_inf")
ACCURACY = {"f32": 2e-5, "f64": 2e-12}


def module(signature: str, result: str, op: str) -> str:
    return f"func.func public @main({signature}) -> {result} {{\n  %r = {op}\n  func.return %r : {result}\n}}\n"


def both(run_on_xla, text, *arguments):
    ours = evaluate(parse_module(text), list(arguments))
    theirs = run_on_xla(text, arguments)
    assert [(a.shape, a.dtype) for a in map(np.asarray, ours)] == [(b.shape, b.dtype) for b in theirs]
    return ours, theirs


@pytest.mark.parametrize("element", ("f32", "f64"))
@pytest.mark.parametrize("op", UNARY)
def test_functions(run_on_xla, op: str, element: str):
    x = X.astype(f"f{int(element[1:]) // 8}")
    type = f"tensor<{x.size}x{element}>"
    ours, theirs = both(run_on_xla, module(f"%x: {type}", type, f"chlo.{op} %x : {type} -> {type}"), x)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=ACCURACY[element], atol=1e-6 if element == "f32" else 1e-13)


@pytest.mark.parametrize("op", PREDICATES)
def test_predicates(run_on_xla, op: str):
    x = np.array([0, np.inf, -np.inf, np.nan, 1e30], np.float32)
    text = module("%x: tensor<5xf32>", "tensor<5xi1>", f"chlo.{op} %x : tensor<5xf32> -> tensor<5xi1>")
    ours, theirs = both(run_on_xla, text, x)
    np.testing.assert_array_equal(ours[0], theirs[0])


@pytest.mark.parametrize("op", ("digamma", "lgamma"))
def test_poles(run_on_xla, op: str):
    older = op == "digamma" and not since("digamma(0) is -inf")
    x = np.array([-4 if older else 0, -1, -7, np.inf, np.nan], np.float32)
    text = module("%x: tensor<5xf32>", "tensor<5xf32>", f"chlo.{op} %x : tensor<5xf32> -> tensor<5xf32>")
    ours, theirs = both(run_on_xla, text, x)
    np.testing.assert_array_equal(ours[0], theirs[0])


@pytest.mark.parametrize(
    ("s", "q", "expected"),
    (
        (3, -1e30, np.nan),  # a pole of odd order
        (4, -1e30, np.inf),
        (4, -np.inf, np.inf),
        (3, -np.inf, np.nan),
        (np.inf, -0.5, np.nan),
        (1.5, -0.5, np.nan),
        (1, 1e300, np.inf),
    ),
)
def test_zeta_at_poles_and_infinities(run_on_xla, s: float, q: float, expected: float):
    """No number is too large for a loop over the poles before it, or for an integer."""
    type = "tensor<1xf64>"
    text = module(f"%s: {type}, %q: {type}", type, f"chlo.zeta %s, %q : {type}, {type} -> {type}")
    ours, theirs = both(run_on_xla, text, np.array([s], float), np.array([q], float))
    np.testing.assert_array_equal(ours[0], [expected])
    np.testing.assert_array_equal(theirs[0], [expected])


@given(s=st.integers(2, 16).map(float), before=st.integers(0, 100), sixteenths=st.integers(1, 15))
def test_zeta_before_0_has_the_terms_before_0(s: float, before: int, sixteenths: int):
    q = sixteenths / 16
    terms = (Fraction(1) / (Fraction(q) - k) ** int(s) for k in range(1, before + 1))
    expected = float(sum(terms, Fraction(zeta(s, q))))
    scale = max(abs(expected), zeta(s, q), zeta(s, 1 - q))
    assert abs(zeta(s, q - before) - expected) <= 1e-14 * scale


@pytest.mark.parametrize("s, q, expected", ((2.0, 1e300, 1e-300), (2.0, -1e12 - 0.5, np.pi**2), (3.0, np.inf, 0.0)))
def test_zeta_of_large_numbers(s: float, q: float, expected: float):
    """XLA has 0, one term and NaN, which are wrong."""
    assert zeta(s, q) == pytest.approx(expected, rel=1e-11, abs=0)


@given(s=st.floats(1.0625, 80), q=st.floats(0.0625, 100))
def test_zeta_of_any_exponent(s: float, q: float):
    """The series is exact only where its argument is as large as the exponent."""
    assert zeta(s, q) == pytest.approx(float(special.zeta(s, q)), rel=2e-14, abs=0)


@given(order=st.integers(0, 40), x=st.floats(0.0625, 100))
def test_polygamma_of_any_order(order: int, x: float):
    assert polygamma(float(order), x) == pytest.approx(float(special.polygamma(order, x)), rel=2e-14, abs=1e-15)


@pytest.mark.parametrize("order", [170, 171, 172, 200, 1001])
def test_polygamma_overflows_with_its_sign(order: int):
    """The factorial of its order is infinite from 171 on, as it is for XLA."""
    expected = float(special.polygamma(order, 1.0)) if order <= 170 else np.inf if order % 2 else -np.inf
    assert polygamma(float(order), 1.0) == pytest.approx(expected, rel=2e-14)


@pytest.mark.parametrize("sign", [1, -1])
def test_zeta_and_polygamma_of_the_smallest_numbers_are_infinite(sign: int):
    """`-5e-324 - floor(-5e-324)` is 1 in floats, so that the other end of the period is at the pole."""
    assert zeta(3.0, sign * 5e-324) == sign * np.inf and zeta(2.0, sign * 5e-324) == np.inf
    assert polygamma(2.0, sign * 5e-324) == -sign * np.inf


@pytest.mark.parametrize("order", (np.inf, np.nan, -1.0, 0.5))
def test_polygamma_has_natural_orders_only(order: float):
    assert np.isnan(polygamma(order, 1.0))


@pytest.mark.parametrize(
    "op, x, y",
    (
        ("next_after", [0.0, 1.0, -1.0, 3.5, np.nan, 2.0], [1.0, 0.0, -2.0, np.inf, 1.0, 2.0]),
        ("polygamma", [0, 1, 2, 3, 1, 5], [1.5, 2.5, 0.5, 10.0, 30.0, 2.0]),
        ("zeta", [2, 3.5, 1.25, 10, 2, 7], [1.0, 0.5, 4.0, 2.0, 100.0, 0.25]),
    ),
)
def test_functions_of_two(run_on_xla, op: str, x, y):
    text = module(
        "%x: tensor<6xf64>, %y: tensor<6xf64>",
        "tensor<6xf64>",
        f"chlo.{op} %x, %y : tensor<6xf64>, tensor<6xf64> -> tensor<6xf64>",
    )
    ours, theirs = both(run_on_xla, text, np.array(x, float), np.array(y, float))
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-12)


@pytest.mark.parametrize("element", ("i8", "ui8", "i32", "ui32", "i64", "ui64"))
def test_upper_half_of_products(element: str):
    dtype = np.dtype(f"{'u' if element[0] == 'u' else 'i'}{int(element.lstrip('ui')) // 8}")
    info = np.iinfo(dtype)
    x, y = np.meshgrid(*[np.array([info.min, info.min + 1, 0, 1, 7, info.max // 3, info.max], dtype)] * 2)
    type = f"tensor<49x{element}>"
    text = module(f"%x: {type}, %y: {type}", type, f"chlo.mulhi %x, %y : {type}, {type} -> {type}")
    (ours,) = evaluate(parse_module(text), [x.ravel(), y.ravel()])
    expected = [int(a) * int(b) >> 8 * dtype.itemsize for a, b in zip(x.ravel(), y.ravel(), strict=True)]
    assert np.asarray(ours).tolist() == expected


@pytest.mark.parametrize("element", ("int2", "uint2", "int4", "uint4", "int8", "uint8"))
def test_upper_half_of_all_products_of_narrow_integers(element: str):
    """XLA has 0 for all products of `ui4`, which is wrong."""
    dtype = np.dtype(getattr(ml_dtypes, element, element))
    info = ml_dtypes.iinfo(dtype)
    x, y = (half.ravel() for half in np.meshgrid(*[np.arange(int(info.min), int(info.max) + 1)] * 2))
    found = high_product(x.astype(dtype), y.astype(dtype))
    assert found.dtype == dtype
    assert found.astype(int).tolist() == (x * y >> info.bits).tolist()


@pytest.mark.parametrize("element, values", (
    ("f32", [[3, -0.0, 0.0, np.nan, 7, 7, -np.inf], [1, 2, 3, 4, 5, 6, np.inf]]),
    ("i32", [[3, -5, 3, 2**31 - 1, -(2**31), 0, 3], [1, 2, 3, 4, 5, 6, 7]]),
    ("ui8", [[3, 255, 3, 128, 127, 0, 3], [1, 2, 3, 4, 5, 6, 7]]),
))  # fmt: skip
def test_top_k(run_on_xla, element: str, values):
    x = np.array(values).astype({"f32": np.float32, "i32": np.int32, "ui8": np.uint8}[element])
    types = f"tensor<2x4x{element}>, tensor<2x4xi32>"
    text = (
        f"func.func public @main(%x: tensor<2x7x{element}>) -> ({types}) {{\n"
        f"  %v, %i = chlo.top_k(%x, k = 4) : tensor<2x7x{element}> -> ({types})\n  func.return %v, %i : {types}\n}}\n"
    )
    ours, theirs = both(run_on_xla, text, x)
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_array_equal(ours[1], theirs[1])


BROADCASTS = {
    "add": "f32", "atan2": "f32", "divide": "f32", "maximum": "f32", "minimum": "f32", "multiply": "f32",
    "next_after": "f32", "power": "f32", "remainder": "f32", "subtract": "f32",
    "and": "i32", "or": "i32", "xor": "i32",
    "shift_left": "i32", "shift_right_arithmetic": "i32", "shift_right_logical": "i32",
}  # fmt: skip


@pytest.mark.parametrize("op", BROADCASTS)
@pytest.mark.parametrize("shapes", (((2, 1, 3), (4, 1), None), ((4,), (2, 3, 4), 2), ((2, 3, 4), (1,), 2)))
def test_broadcasts(run_on_xla, op: str, shapes):
    left, right, dimension = shapes
    element = BROADCASTS[op]
    dtype = np.float32 if element == "f32" else np.int32
    random = np.random.default_rng(7)
    x, y = (random.uniform(1, 9, shape).astype(dtype) for shape in (left, right))
    result = np.broadcast_shapes(left, right) if dimension is None else (2, 3, 4)
    types = [f"tensor<{'x'.join(map(str, shape))}x{element}>" for shape in (left, right, result)]
    attributes = "" if dimension is None else f" {{broadcast_dimensions = array<i64: {dimension}>}}"
    text = module(
        f"%x: {types[0]}, %y: {types[1]}",
        types[2],
        f"chlo.broadcast_{op} %x, %y{attributes} : ({types[0]}, {types[1]}) -> {types[2]}",
    )
    ours, theirs = both(run_on_xla, text, x, y)
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-6)


@pytest.mark.parametrize("swap", (False, True))
def test_broadcast_along_a_middle_dimension(swap: bool):
    """XLA lacks these operations; `broadcast_dimensions` maps to the dimensions of the larger operand."""
    small, large = np.arange(3, dtype=np.float32), np.ones((2, 3, 4), np.float32)
    x, y = (large, small) if swap else (small, large)
    types = ["tensor<2x3x4xf32>" if operand is large else "tensor<3xf32>" for operand in (x, y)]
    type = f"({', '.join(types)}) -> tensor<2x3x4xf32>"
    op = f"chlo.broadcast_subtract %x, %y {{broadcast_dimensions = array<i64: 1>}} : {type}"
    (ours,) = evaluate(parse_module(module(f"%x: {types[0]}, %y: {types[1]}", "tensor<2x3x4xf32>", op)), [x, y])
    np.testing.assert_array_equal(ours, large - small[:, None] if swap else small[:, None] - large)


def test_broadcast_comparisons_and_selections(run_on_xla):
    text = """
      func.func public @main(%x: tensor<2x1xf32>, %y: tensor<3xf32>, %n: tensor<3xi32>)
          -> (tensor<2x3xf32>, tensor<2x3xcomplex<f32>>, tensor<3xi32>) {
        %p = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction LT>}
          : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xi1>
        %s = chlo.broadcast_select %p, %x, %y : (tensor<2x3xi1>, tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
        %c = chlo.broadcast_complex %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
        %k = "chlo.constant_like"(%n) {value = 7 : i32} : (tensor<3xi32>) -> tensor<3xi32>
        %z = chlo.constant dense<[1, 2, 3]> : tensor<3xi32>
        %t = stablehlo.add %k, %z : tensor<3xi32>
        func.return %s, %c, %t : tensor<2x3xf32>, tensor<2x3xcomplex<f32>>, tensor<3xi32>
      }
    """
    x, y, n = np.array([[1], [5]], np.float32), np.array([0, 3, 9], np.float32), np.zeros(3, np.int32)
    ours, theirs = both(run_on_xla, text, x, y, n)
    for ours_, theirs_ in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(ours_, theirs_)
