"""Small floats against ml_dtypes, exhaustively where the types allow it, and approximations against the functions."""

import math
from collections.abc import Callable

import ml_dtypes
import numpy as np
import numpy.typing as npt
import pytest
from elementwise_kernel import elementwise_kernel, padded_size
from xdsl.dialects.builtin import Float8E5M2Type, ReducedPrecisionFloatType
from xdsl.parser import Parser

from xshardy.interpreters.simt import run_kernel
from xshardy.transforms.xla_gpu.expand_float_ops import ExpandFloatOpsPass
from xshardy.transforms.xla_gpu.small_floats import largest_code
from xshardy.universe import new_context

Array = npt.NDArray[np.generic]

SMALL_TYPES = {
    "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E4M3": ml_dtypes.float8_e4m3,
    "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E3M4": ml_dtypes.float8_e3m4,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz,
    "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz,
    "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
    "f4E2M1FN": ml_dtypes.float4_e2m1fn,
}
WIDE_TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
TYPES = {**SMALL_TYPES, **WIDE_TYPES, "i1": np.bool_, "i32": np.int32}


def compute(body: str, result: str, *operands: tuple[str, Array], approximate_tanh: bool = True) -> Array:
    """Run `body`, a function of scalars `%x`, `%y` that defines `%r`, on each element, after the pass."""
    count = len(operands[0][1])
    size = padded_size(count)
    padded = [np.resize(values, size) for _, values in operands]
    module = elementwise_kernel(body, result, [type for type, _ in operands], size)
    ExpandFloatOpsPass(approximate_tanh=approximate_tanh).apply(new_context(), module)
    module.verify()
    for op in module.walk():
        small = {str(value.type) for value in (*op.operands, *op.results)} & SMALL_TYPES.keys()
        assert not small or op.name in ("arith.bitcast", "tensor.extract", "tensor.insert"), f"{op.name} on {small}"
    out = np.zeros(size, dtype=TYPES[result])
    return run_kernel(module, [*padded, out])[0][:count]


def codes(name: str) -> Array:
    """Every value of a small type."""
    return np.arange(16 if name.startswith("f4") else 256, dtype=np.uint8).view(SMALL_TYPES[name])


@pytest.mark.parametrize("name", SMALL_TYPES)
def test_the_code_of_the_largest_number(name: str):
    """Conversions by instructions compute from it what overflows: a code too high counts NaN among the numbers."""
    type = Parser(new_context(), name).parse_attribute()
    assert isinstance(type, Float8E5M2Type | ReducedPrecisionFloatType)
    expected = np.array(ml_dtypes.finfo(SMALL_TYPES[name]).max, SMALL_TYPES[name]).view(np.uint8)
    assert largest_code(type.SEMANTICS) == expected


def interesting(name: str, small: str) -> Array:
    """Values of a wide type: all around those of a small one and between two of them, and random bits."""
    dtype = WIDE_TYPES[name]
    if np.dtype(dtype).itemsize == 2:
        return np.arange(2**16, dtype=np.uint16).view(dtype)
    exact = np.unique(codes(small).astype(np.float64))
    exact = exact[np.isfinite(exact)]
    between = (exact[1:] + exact[:-1]) / 2
    with np.errstate(over="ignore"):
        base = np.concatenate([exact, between, 2 * exact, exact / 3]).astype(dtype)
    unsigned = np.dtype(f"uint{base.dtype.itemsize * 8}")
    random = np.random.default_rng(0).integers(0, 2**63, 4096, dtype=np.uint64) * 2 + 1
    special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype=dtype)
    return np.concatenate([base, np.nextafter(base, np.inf, dtype=dtype), np.nextafter(base, -np.inf, dtype=dtype),
                           random.astype(unsigned).view(dtype), special])  # fmt: skip


def to_odd_f32(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """
    f64 rounded to odd as f32, so that a second rounding has the result of a single one.

    ml_dtypes rounds an f64 to f32 first, and so sees ties where there are none.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        nearest = values.astype(np.float32)
        inexact = (nearest.astype(np.float64) != values) & np.isfinite(values)
        outwards = inexact & (np.abs(nearest.astype(np.float64)) > np.abs(values))
        inwards = np.where(outwards, np.nextafter(nearest, np.float32(0)), nearest)
    return np.where(inexact, (inwards.view(np.uint32) | 1).view(np.float32), inwards)


def assert_same(result: Array, expected: Array) -> None:
    """The same numbers, zeros of the same sign, and NaN in the same places."""
    with np.errstate(invalid="ignore"):
        result, expected = result.astype(np.float64), expected.astype(np.float64)
    wrong = ~(
        (result == expected) & (np.signbit(result) == np.signbit(expected)) | np.isnan(result) & np.isnan(expected)
    )
    assert not wrong.any(), f"{result[wrong][:8]} instead of {expected[wrong][:8]} at {np.flatnonzero(wrong)[:8]}"


@pytest.mark.parametrize("wide", WIDE_TYPES)
@pytest.mark.parametrize("small", SMALL_TYPES)
def test_extension_of_every_value(small: str, wide: str):
    values = codes(small)
    with np.errstate(over="ignore"):
        expected = values.astype(np.float32).astype(WIDE_TYPES[wide])
    assert_same(compute(f"%r = arith.extf %x : {small} to {wide}", wide, (small, values)), expected)


@pytest.mark.parametrize("wide", WIDE_TYPES)
@pytest.mark.parametrize("small", SMALL_TYPES)
def test_truncation(small: str, wide: str):
    values = interesting(wide, small)
    if small == "f4E2M1FN":
        with np.errstate(invalid="ignore"):
            values = values[~np.isnan(values.astype(np.float64))]
    with np.errstate(over="ignore", invalid="ignore"):
        expected = (to_odd_f32(values) if wide == "f64" else values).astype(SMALL_TYPES[small])
    assert_same(compute(f"%r = arith.truncf %x : {wide} to {small}", small, (wide, values)), expected)


@pytest.mark.parametrize("wide", WIDE_TYPES)
def test_nan_is_minus_zero_in_a_format_without_nan(wide: str):
    """ml_dtypes makes 0 of NaN with a sign."""
    values = np.array([np.nan, -np.nan]).astype(WIDE_TYPES[wide])
    result = compute(f"%r = arith.truncf %x : {wide} to f4E2M1FN", "f4E2M1FN", (wide, values))
    assert_same(result, np.array([-0.0, -0.0]))


@pytest.mark.parametrize("small", SMALL_TYPES)
def test_truncation_between_small_types_is_that_of_f32(small: str):
    values = codes("f8E4M3")
    with np.errstate(over="ignore", invalid="ignore"):
        expected = values.astype(np.float32).astype(SMALL_TYPES[small])
    finite = ~np.isnan(values.astype(np.float32))
    body = f"%w = arith.extf %x : f8E4M3 to f32 %r = arith.truncf %w : f32 to {small}"
    assert_same(compute(body, small, ("f8E4M3", values))[finite], expected[finite])


@pytest.mark.parametrize("predicate, function", [("olt", np.less), ("oeq", np.equal), ("une", np.not_equal)])
@pytest.mark.parametrize("small", SMALL_TYPES)
def test_comparison_of_all_pairs(small: str, predicate: str, function: Callable[[Array, Array], Array]):
    x, y = (values.ravel() for values in np.meshgrid(codes(small), codes(small)))
    result = compute(f"%r = arith.cmpf {predicate}, %x, %y : {small}", "i1", (small, x), (small, y))
    assert (result == function(x.astype(np.float32), y.astype(np.float32))).all()


@pytest.mark.parametrize("small", SMALL_TYPES)
def test_absolute_value_keeps_nan(small: str):
    values = codes(small)
    result = compute(f"%r = math.absf %x : {small}", small, (small, values))
    assert_same(result, np.abs(values.astype(np.float32)))


@pytest.mark.parametrize("op, function", [("addf", np.add), ("mulf", np.multiply), ("divf", np.divide)])
@pytest.mark.parametrize("small", ["f8E5M2", "f8E4M3FN", "f8E4M3FNUZ"])
def test_arithmetic_is_rounded_once(small: str, op: str, function: Callable[[Array, Array], Array]):
    x, y = (values.ravel() for values in np.meshgrid(codes(small), codes(small)))
    with np.errstate(all="ignore"):
        exact = function(x.astype(np.float64), y.astype(np.float64))
        expected = to_odd_f32(exact).astype(SMALL_TYPES[small])
    assert_same(compute(f"%r = arith.{op} %x, %y : {small}", small, (small, x), (small, y)), expected)


def test_integers_to_small_floats_and_back():
    integers = np.array([0, 1, -1, 3, 17, 448, 449, -500, 61440, 2**31 - 1, -(2**31)], dtype=np.int32)
    result = compute("%r = arith.sitofp %x : i32 to f8E4M3FN", "f8E4M3FN", ("i32", integers))
    assert_same(result, integers.astype(np.float32).astype(ml_dtypes.float8_e4m3fn))
    values = codes("f8E4M3FN")
    values = values[~np.isnan(values.astype(np.float32))]
    back = compute("%r = arith.fptosi %x : f8E4M3FN to i32", "i32", ("f8E4M3FN", values))
    assert (back == values.astype(np.float32).astype(np.int32)).all()


@pytest.mark.parametrize("name, function", [("tanh", math.tanh), ("erf", math.erf)])
def test_approximations(name: str, function: Callable[[float], float]):
    values = np.concatenate([np.linspace(-12, 12, 4001), np.geomspace(1e-30, 9, 999), [0.0, -0.0, np.inf, -np.inf]])
    values = values.astype(np.float32)
    result = compute(f"%r = math.{name} %x : f32", "f32", ("f32", values)).astype(np.float64)
    expected = np.array([function(float(value)) for value in values])
    unit = np.spacing(np.abs(expected).astype(np.float32)).astype(np.float64)
    assert (np.abs(result - expected) <= 6 * unit).all()
    assert (np.signbit(result) == np.signbit(expected)).all()
    assert (np.abs(result) <= 1).all()


def test_approximation_of_nan_is_nan():
    nan = np.array([np.nan], dtype=np.float32)
    assert np.isnan(compute("%r = math.tanh %x : f32", "f32", ("f32", nan))).all()
