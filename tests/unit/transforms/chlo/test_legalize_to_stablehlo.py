"""Operations of CHLO, written in StableHLO, equal their references to a few units in the last place."""

from collections.abc import Callable, Sequence

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special
from xdsl.dialects.builtin import ModuleOp

from xshardy.dialects import chlo
from xshardy.facts.decompositions.chlo import DECOMPOSITIONS
from xshardy.interpreters.stablehlo import evaluate
from xshardy.numerics.element_types import Array
from xshardy.syntax import parse_module
from xshardy.transforms.chlo.legalize_to_stablehlo import LegalizeToStablehloPass
from xshardy.universe import new_context

DTYPES = {"f64": np.float64, "f32": np.float32, "f16": np.float16, "bf16": ml_dtypes.bfloat16}
TYPES = st.sampled_from([*DTYPES])

FUNCTIONS = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "bessel_i1e", "cosh", "digamma", "erf", "erf_inv", "erfc"),
    *("lgamma", "sinh", "square", "tan", "conj"),
)
NEAR_ZEROS = {"digamma": 1e-14, "lgamma": 1e-14, "tan": 1e-14}
"""The absolute error, relative to 1, of functions that lose precision near zeros."""

ULPS = {"bessel_i1e": 16.0, "digamma": 64.0, "lgamma": 64.0}
"""The error, in units in the last place of f64, of functions that are not accurate to 8: their series are long."""

SHARED = 32
"""How many numbers are drawn at once."""

NUMBERS = st.one_of(
    st.floats(-1, 1),
    st.floats(-12, 12),
    st.floats(-700, 700),
    st.floats(),
    st.sampled_from([0.0, -0.0, 1.0, -1.0, 2.0, 0.5, np.inf, -np.inf, np.nan]),
)


def legalized(text: str) -> tuple[ModuleOp, ModuleOp]:
    """A module before and after the pass."""
    before, after = parse_module(text), parse_module(text)
    LegalizeToStablehloPass().apply(new_context(), after)
    after.verify()
    assert not any(op.name.startswith("chlo.") for op in after.walk())
    return before, after


def results(text: str, *arguments: Array) -> tuple[Sequence[Array], Sequence[Array]]:
    """What the program computes by the rules of CHLO, and in StableHLO."""
    before, after = legalized(text)
    with np.errstate(all="ignore"):
        return evaluate(before, arguments), evaluate(after, arguments)


def function(name: str, element: str, operands: int = 1) -> str:
    """A program that applies `name` to `SHARED` numbers."""
    type = f"tensor<{SHARED}x{element}>"
    names = [f"%x{i}" for i in range(operands)]
    given = ", ".join(f"{name}: {type}" for name in names)
    types = ", ".join([type] * operands)
    return f"""func.func @main({given}) -> {type} {{
      %0 = chlo.{name} {", ".join(names)} : {types} -> {type}
      return %0 : {type}
    }}"""


def assert_close(found: Array, wanted: Array, *, ulps: float = 8, near_zeros: float = 0.0) -> None:
    """Equal up to some units in the last place of the type, or an absolute error relative to the precision of f64."""
    epsilon = float(ml_dtypes.finfo(wanted.dtype).eps)
    smallest = float(ml_dtypes.finfo(wanted.dtype).smallest_normal)
    absolute = max(near_zeros * epsilon / 2.0**-52, smallest)
    wide = (found.astype(np.float64), wanted.astype(np.float64))
    np.testing.assert_allclose(*wide, rtol=ulps * epsilon, atol=absolute)


def drawn(data: st.DataObject, numbers: st.SearchStrategy[float], element: str) -> Array:
    with np.errstate(all="ignore"):
        return np.array(data.draw(st.lists(numbers, min_size=SHARED, max_size=SHARED)), DTYPES[element])


@pytest.mark.parametrize("name", FUNCTIONS)
@settings(max_examples=4, deadline=None)
@given(st.data(), TYPES)
def test_functions(name: str, data: st.DataObject, element: str):
    (wanted,), (found,) = results(function(name, element), drawn(data, NUMBERS, element))
    ulps = ULPS.get(name, 8.0) if element == "f64" else 8.0
    assert_close(found, wanted, ulps=ulps, near_zeros=NEAR_ZEROS.get(name, 0.0))


OF_COMPLEX = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cosh", "sinh")


@pytest.mark.parametrize("name", OF_COMPLEX)
@settings(max_examples=4, deadline=None)
@given(st.data(), st.sampled_from(["f32", "f64"]))
def test_functions_of_complex_numbers(name: str, data: st.DataObject, element: str):
    re, im = (drawn(data, st.floats(-1, 1) | st.floats(-50, 50), element) for _ in range(2))
    dtype = np.complex64 if element == "f32" else np.complex128
    (wanted,), (found,) = results(function(name, f"complex<{element}>"), re.astype(dtype) + dtype(1j) * im)
    assert_close(found.real, wanted.real, ulps=16)
    assert_close(found.imag, wanted.imag, ulps=16)


@pytest.mark.parametrize(
    ("name", "reference", "low", "high"),
    [
        ("bessel_i1e", special.i1e, -1e4, 1e4),
        ("digamma", special.digamma, 2, 1e3),
        ("erf", special.erf, -6, 6),
        ("erf_inv", special.erfinv, -0.999, 0.999),
        ("lgamma", special.gammaln, 3, 1e4),
        ("acosh", np.arccosh, 1, 1e9),
    ],
)
def test_functions_against_scipy(name: str, reference: Callable[[Array], Array], low: float, high: float):
    x = np.random.default_rng(0).uniform(low, high, SHARED)
    (found,) = evaluate(legalized(function(name, "f64"))[1], [x])
    assert_close(found, reference(x), ulps=64)


@settings(max_examples=10, deadline=None)
@given(st.data(), TYPES)
def test_zeta(data: st.DataObject, element: str):
    s, q = (drawn(data, numbers, element) for numbers in (st.floats(1, 30), st.floats(0, 60)))
    (wanted,), (found,) = results(function("zeta", element, 2), s, q)
    assert_close(found, wanted, ulps=400 if element == "f64" else 8)


def test_zeta_outside():
    s = np.array([0.5, 1, 2, 3, 2, np.nan, 2, 2] * 4)
    q = np.array([1, 1, -1, -1, 0, 1, np.inf, -0.5] * 4)
    (wanted,), (found,) = results(function("zeta", "f64", 2), s, q)
    known = np.arange(SHARED) % 8 != 7
    np.testing.assert_allclose(found[known], wanted[known])
    assert np.isnan(found[~known]).all()  # not a wrong number


@settings(max_examples=10, deadline=None)
@given(st.data(), st.sampled_from(["f64", "f32"]))
def test_polygamma(data: st.DataObject, element: str):
    n, x = (drawn(data, numbers, element) for numbers in (st.integers(-1, 6).map(float), st.floats(0.125, 60)))
    (wanted,), (found,) = results(function("polygamma", element, 2), n, x)
    assert_close(found, wanted, ulps=400 if element == "f64" else 16, near_zeros=1e-14)


@settings(max_examples=10, deadline=None)
@given(st.data(), TYPES)
def test_next_after(data: st.DataObject, element: str):
    x, y = drawn(data, NUMBERS, element), drawn(data, NUMBERS, element)
    y[::3] = x[::3]
    (wanted,), (found,) = results(function("next_after", element, 2), x, y)
    np.testing.assert_array_equal(found.astype(np.float64), wanted.astype(np.float64))


def test_next_after_of_all_pairs_of_powers():
    """f8E8M0FNU has neither a sign nor a zero."""
    codes = np.arange(256, dtype=np.uint8)
    x, y = (each.ravel().view(ml_dtypes.float8_e8m0fnu) for each in np.meshgrid(codes, codes))
    text = function("next_after", "f8E8M0FNU", 2).replace(f"tensor<{SHARED}x", f"tensor<{x.size}x")
    (wanted,), (found,) = results(text, x, y)
    np.testing.assert_array_equal(found.view(np.uint8), wanted.view(np.uint8))


@pytest.mark.parametrize(
    ("element", "dtype"),
    [
        *(("i8", np.int8), ("i32", np.int32), ("i64", np.int64)),
        *(("ui8", np.uint8), ("ui32", np.uint32), ("ui64", np.uint64)),
    ],
)
def test_mulhi(element: str, dtype: type):
    limits = np.iinfo(dtype)
    x, y = np.random.default_rng(0).integers(limits.min, limits.max, (2, SHARED), dtype, endpoint=True)
    x[:4], y[:4] = [limits.min, limits.min, limits.max, limits.max], [limits.min, limits.max, limits.max, 1]
    (wanted,), (found,) = results(function("mulhi", element, 2), x, y)
    np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("name", ["is_inf", "is_pos_inf", "is_neg_inf"])
def test_predicates(name: str):
    text = f"""func.func @main(%x: tensor<5xf32>) -> tensor<5xi1> {{
      %0 = chlo.{name} %x : tensor<5xf32> -> tensor<5xi1>
      return %0 : tensor<5xi1>
    }}"""
    (wanted,), (found,) = results(text, np.array([0, 1, np.inf, -np.inf, np.nan], np.float32))
    np.testing.assert_array_equal(found, wanted)


@settings(max_examples=15, deadline=None)
@given(st.data(), st.sampled_from(["f32", "i32", "ui8"]))
def test_top_k(data: st.DataObject, element: str):
    """Equal elements keep their order, NaN is larger than any number, and 0 than -0."""
    k = data.draw(st.integers(0, 7))
    if element == "f32":
        numbers = st.sampled_from([0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, 2.0, 2.0])
        x = np.array(data.draw(st.lists(numbers, min_size=14, max_size=14)), np.float32).reshape(2, 7)
    else:
        x = np.array(data.draw(st.lists(st.integers(0, 9), min_size=14, max_size=14))).reshape(2, 7)
        x = x.astype(np.int32 if element == "i32" else np.uint8)
    text = f"""func.func @main(%x: tensor<2x7x{element}>) -> (tensor<2x{k}x{element}>, tensor<2x{k}xi32>) {{
      %0, %1 = chlo.top_k(%x, k = {k}) : tensor<2x7x{element}> -> (tensor<2x{k}x{element}>, tensor<2x{k}xi32>)
      return %0, %1 : tensor<2x{k}x{element}>, tensor<2x{k}xi32>
    }}"""
    wanted, found = results(text, x)
    for one, other in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(one, other)


BROADCASTS = {
    "add": "f32", "and": "i32", "atan2": "f32", "divide": "f32", "maximum": "f32", "minimum": "f32", "multiply": "f32",
    "next_after": "f32", "or": "i32", "power": "f32", "remainder": "f32", "shift_left": "i32",
    "shift_right_arithmetic": "i32", "shift_right_logical": "i32", "subtract": "f32", "xor": "i32", "zeta": "f32",
}  # fmt: skip


@pytest.mark.parametrize(("name", "element"), BROADCASTS.items())
@pytest.mark.parametrize(
    ("left", "right", "shape", "dims"),
    [
        ((3,), (2, 3), (2, 3), ""),
        ((2, 1), (1, 3), (2, 3), ""),
        ((2,), (2, 3), (2, 3), "{broadcast_dimensions = array<i64: 0>}"),
    ],
)
def test_broadcasts(
    name: str, element: str, left: tuple[int, ...], right: tuple[int, ...], shape: tuple[int, ...], dims: str
):
    types = [f"tensor<{'x'.join(map(str, each))}x{element}>" for each in (left, right, shape)]
    text = f"""func.func @main(%x: {types[0]}, %y: {types[1]}) -> {types[2]} {{
      %0 = chlo.broadcast_{name} %x, %y {dims} : ({types[0]}, {types[1]}) -> {types[2]}
      return %0 : {types[2]}
    }}"""
    random = np.random.default_rng(0)
    dtype = np.float32 if element == "f32" else np.int32
    (wanted,), (found,) = results(text, *(random.integers(1, 9, each).astype(dtype) for each in (left, right)))
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_select_and_compare():
    text = """func.func @main(%x: tensor<3xf32>, %y: tensor<2x1xf32>) -> tensor<2x3xf32> {
      %0 = chlo.broadcast_compare %x, %y {comparison_direction = #chlo<comparison_direction LT>} : (tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xi1>
      %1 = chlo.broadcast_select %0, %x, %y : (tensor<2x3xi1>, tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
      return %1 : tensor<2x3xf32>
    }"""  # noqa: E501
    (wanted,), (found,) = results(text, np.float32([1, 2, 3]), np.float32([[2], [3]]))
    np.testing.assert_array_equal(found, wanted)


def test_every_operation_has_a_decomposition():
    """But the common part of complex asin and acos, ragged dot products, scans."""
    without = {chlo.AsinAcosKernelOp, chlo.RaggedDotOp, chlo.ScanOp}
    assert {*chlo.CHLO.operations} - without == {*DECOMPOSITIONS}
