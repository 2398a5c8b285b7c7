"""The formulas of complex arithmetic, run on the CPU and compared with numpy."""

import ctypes
from collections.abc import Callable

import numpy as np
import pytest
from lowering_host import HostFunction

from xshardy.numerics.complexes import divide

UNARY: dict[str, Callable[..., complex]] = {
    "abs": np.abs,
    "angle": np.angle,
    "conj": np.conj,
    "cos": np.cos,
    "exp": np.exp,
    "expm1": np.expm1,
    "log": np.log,
    "neg": np.negative,
    "rsqrt": lambda z: 1 / np.sqrt(z),
    "sign": lambda z: z / np.abs(z) if z else z,
    "sin": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}
BINARY: dict[str, Callable[..., complex]] = {
    "add": np.add,
    "atan2": lambda y, x: -1j * np.log((x + 1j * y) / np.sqrt(x * x + y * y)),
    "div": divide,
    "mul": np.multiply,
    "pow": np.power,
    "sub": np.subtract,
}
REAL = {"abs", "angle"}
"""Operations with a real result."""

TOLERANCES = {"f32": 1e-5, "f64": 1e-12}
C_TYPES = {"f32": ctypes.c_float, "f64": ctypes.c_double}
NUMPY_TYPES = {"f32": np.complex64, "f64": np.complex128}

PARTS = (0.0, -0.0, 1.0, -1.0, 0.6, 0.8, -0.8, 1e-5, -3.5, 18.0, -30.0, 0.1)
"""Zeros, a point near the unit circle, small and large numbers."""

LIMITS = (0.0, 1.0, -2.0, np.inf, -np.inf)


def function_of(name: str, element: str) -> HostFunction:
    operands = "%a: T, %b: T, %c: T, %d: T" if name in BINARY else "%a: T, %b: T"
    made = "%z = complex.create %a, %b : complex<T>\n"
    if name in BINARY:
        made += f"%w = complex.create %c, %d : complex<T>\n%r = complex.{name} %z, %w : complex<T>\n"
    else:
        made += f"%r = complex.{name} %z : complex<T>\n"
    if name in REAL:
        outputs, stored = "%re: !llvm.ptr", "llvm.store %r, %re : T, !llvm.ptr\n"
    else:
        outputs = "%re: !llvm.ptr, %im: !llvm.ptr"
        stored = (
            "%x = complex.re %r : complex<T>\n%y = complex.im %r : complex<T>\n"
            "llvm.store %x, %re : T, !llvm.ptr\nllvm.store %y, %im : T, !llvm.ptr\n"
        )
    text = f"func.func @f({operands}, {outputs}) {{\n{made}{stored}func.return\n}}"
    return HostFunction(text.replace("T", element))


def evaluate(function: HostFunction, name: str, element: str, *numbers: complex) -> complex:
    type = C_TYPES[element]
    parts = [(type, float(part)) for number in numbers for part in (number.real, number.imag)]
    results = function(parts, [type] * (1 if name in REAL else 2))
    return results[0] if name in REAL else complex(*results)


def agree(got: complex, expected: complex, tolerance: float) -> bool:
    if np.isnan(expected) or np.isinf(expected):
        return bool(np.isnan(got)) if np.isnan(expected) else bool(np.isinf(got))
    return abs(got - expected) <= tolerance * max(abs(expected), 1e-6)


@pytest.mark.parametrize("element", TOLERANCES)
@pytest.mark.parametrize("name", [*UNARY, *BINARY])
def test_finite_numbers(name: str, element: str):
    function = function_of(name, element)
    numbers = [NUMPY_TYPES[element](complex(re, im)) for re in PARTS for im in PARTS]
    shifted = numbers[37:] + numbers[:37]
    cases = [(z,) for z in numbers] if name in UNARY else list(zip(numbers, shifted, strict=True))
    reference = (UNARY | BINARY)[name]
    with np.errstate(all="ignore"):
        for case in cases:
            expected = complex(reference(*case))
            if name == "pow" and case[0] == 0 and case[1] != 0:
                expected = complex(0) if case[1].real > 0 else complex("nan")
            got = evaluate(function, name, element, *case)
            if name == "pow" and np.isnan(expected):
                continue  # a pole: numpy and the formula differ in which part is infinite
            assert agree(got, expected, TOLERANCES[element] * (10 if name == "pow" else 1)), (case, got, expected)


def same_parts(got: complex, expected: complex) -> bool:
    """Whether infinities, zeros and their signs, and NaN, are in the same parts."""
    return all(
        np.array_equal(one, other, equal_nan=True) and (one != 0 or np.signbit(one) == np.signbit(other))
        for one, other in ((got.real, expected.real), (got.imag, expected.imag))
    )


@pytest.mark.parametrize("element", TOLERANCES)
def test_quotients_of_infinities_and_zeros(element: str):
    function, type = function_of("div", element), NUMPY_TYPES[element]
    numbers = [type(complex(re, im)) for re in (*LIMITS, np.nan) for im in (*LIMITS, np.nan)]
    with np.errstate(all="ignore"):
        for z in numbers:
            for w in numbers:
                expected, got = complex(divide(z, w)), evaluate(function, "div", element, z, w)
                if not np.isfinite(z) or not np.isfinite(w):
                    assert same_parts(got, expected), (z, w, got, expected)


@pytest.mark.parametrize("name", ["abs", "angle", "exp", "log", "sqrt", "tanh"])
def test_infinities(name: str):
    function = function_of(name, "f64")
    with np.errstate(all="ignore"):
        for re in LIMITS:
            for im in LIMITS:
                z = np.complex128(complex(re, im))
                expected = complex(UNARY[name](z))
                got = evaluate(function, name, "f64", z)
                assert agree(got, expected, 1e-12), (z, got, expected)


WIDE = {"f32": np.complex128, "f64": np.clongdouble}
"""Types in which no function below overflows where the result is a number of the narrow type."""

EXTREMES = {
    "f32": (0.0, 1e-45, 1e-40, 1e-30, 1e-20, 0.7, 5.0, np.pi / 2, 89.0, 100.0, 1e10, 1.9e19, 1.5e38, 3.2e38),
    "f64": (0.0, 5e-324, 1e-310, 1e-200, 1e-160, 0.7, 5.0, np.pi / 2, 712.0, 800.0, 1e100, 1.4e154, 8e307, 1.7e308),
}
"""Subnormal numbers, and numbers with an absolute value, a square, or an exponential function that is infinite."""

OF_WIDE: dict[str, Callable[..., complex]] = {
    **{name: UNARY[name] for name in ("abs", "angle", "cos", "exp", "log", "sin", "sqrt", "tan", "tanh", "sign")},
    "expm1": lambda z: (
        (np.expm1(z.real) * np.cos(z.imag) - 2 * np.sin(z.imag / 2) ** 2) + 1j * np.exp(z.real) * np.sin(z.imag)
    ),
    "log1p": lambda z: np.log(1 + z) if abs(z) > 1e-3 else z - z * z / 2,
    "rsqrt": lambda z: 1 / np.sqrt(z) if z else np.nan,
}


@pytest.mark.parametrize("element", EXTREMES)
@pytest.mark.parametrize("name", OF_WIDE)
def test_a_function_overflows_only_where_its_result_does(name: str, element: str):
    function, narrow = function_of(name, element), NUMPY_TYPES[element]
    limits = np.finfo(narrow)
    parts = [sign * part for part in EXTREMES[element] for sign in (1, -1)]
    for z in (narrow(complex(re, im)) for re in parts for im in parts):
        with np.errstate(all="ignore"):
            expected = narrow(OF_WIDE[name](WIDE[element](z)))
            got = narrow(evaluate(function, name, element, z))
        if np.isnan(expected) or (name == "log1p" and z.imag == 0 and z.real < -1):
            continue  # on the cut, numpy's sum loses the sign of 0
        largest = min(max(abs(expected.real), abs(expected.imag)), limits.max)
        for one, other in ((got.real, expected.real), (got.imag, expected.imag)):
            if np.isinf(one) or np.isinf(other):
                assert one == other or min(abs(one), abs(other)) > 0.999 * limits.max, (z, got, expected)
            else:
                assert abs(one - other) <= 64 * limits.eps * largest + 2 * limits.smallest_subnormal, (z, got, expected)


@pytest.mark.parametrize("element", EXTREMES)
def test_a_quotient_overflows_only_where_it_is_large(element: str):
    """Both that of the kernel and that of the reference."""
    function, narrow, wide = function_of("div", element), NUMPY_TYPES[element], WIDE[element]
    limits = np.finfo(narrow)
    numbers = [narrow(complex(a, b)) for a in EXTREMES[element] for b in EXTREMES[element][1::2]]
    with np.errstate(all="ignore"):
        for z in numbers[::3]:
            for w in numbers[::5]:
                expected = narrow(wide(z) / wide(w))
                tolerance = 64 * limits.eps * min(abs(expected), limits.max) + 8 * limits.smallest_subnormal
                for got in evaluate(function, "div", element, z, w), complex(divide(z, w)):
                    is_near = abs(narrow(got) - expected) <= tolerance
                    assert is_near or (np.isinf(got) and np.isinf(expected)), (z, w, got, expected)


@pytest.mark.parametrize(
    ("name", "number"), [("log", 1e200 + 1e190j), ("log1p", 1e200 + 0.1j), ("log1p", 0.1 + 1e200j)]
)
def test_logarithms_do_not_overflow(name: str, number: complex):
    got = evaluate(function_of(name, "f64"), name, "f64", number)
    expected = np.log(number)
    assert abs(got - expected) <= 1e-12 * abs(expected)


def test_log1p_does_not_cancel():
    """numpy loses digits here; the logarithm of a small number's neighbour of 1 is that number, to first order."""
    function = function_of("log1p", "f64")
    for z in (1e-9 + 0j, 1e-9j, 1e-12 - 1e-12j):
        got = evaluate(function, "log1p", "f64", z)
        assert abs(got - (z - z * z / 2)) <= 1e-15 * abs(z)


def test_quotient_does_not_overflow():
    function = function_of("div", "f32")
    big = np.complex64(1e30 + 1e30j)
    assert evaluate(function, "div", "f32", big, big) == 1


@pytest.mark.parametrize(
    ("divisor", "infinity"), [(complex(0, 0), np.inf), (complex(-0.0, 0), -np.inf), (complex(0, -0.0), np.inf)]
)
def test_each_part_is_divided_by_zero(divisor: complex, infinity: float):
    """The sign of the real part is that of the divisor."""
    got = evaluate(function_of("div", "f64"), "div", "f64", np.complex128(1 - 2j), np.complex128(divisor))
    assert (got.real, got.imag) == (infinity, -infinity)


def test_comparison():
    function = HostFunction(
        """func.func @f(%a: f32, %b: f32, %c: f32, %d: f32, %equal: !llvm.ptr, %different: !llvm.ptr) {
          %z = complex.create %a, %b : complex<f32>
          %w = complex.create %c, %d : complex<f32>
          %0 = complex.eq %z, %w : complex<f32>
          %1 = complex.neq %z, %w : complex<f32>
          llvm.store %0, %equal : i1, !llvm.ptr
          llvm.store %1, %different : i1, !llvm.ptr
          func.return
        }"""
    )
    nan = float("nan")
    cases = [((1, 2, 1, 2), True), ((1, 2, 1, 3), False), ((0.0, 0.0, -0.0, 0.0), True), ((nan, 1, nan, 1), False)]
    for numbers, equal in cases:
        result = function([(ctypes.c_float, number) for number in numbers], [ctypes.c_bool, ctypes.c_bool])
        assert result == [equal, not equal]
