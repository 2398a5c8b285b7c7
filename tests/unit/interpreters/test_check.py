"""Comparisons and seeded inputs."""

import ml_dtypes
import numpy as np
import pytest
from special_values import DTYPES, special_values
from xdsl.dialects.builtin import TensorType, f32
from xdsl.parser import Parser

from xshardy.interpreters.check import Tolerance, compare, unlike
from xshardy.interpreters.random_elements import random_inputs
from xshardy.numerics.element_types import numpy_dtype
from xshardy.universe import new_context


def type_of(text: str):
    return Parser(new_context(), text).parse_attribute()


def test_equal_arrays_agree_with_nan_and_infinities():
    x = np.array([1, -0.0, np.nan, np.inf, -np.inf], np.float32)
    result = compare(x, x.copy())
    assert result
    assert str(result) == "5 elements agree (max abs 0, max rel 0, max ulp 0)"


@pytest.mark.parametrize(("actual", "expected"), [(np.nan, 1.0), (1.0, np.nan), (np.inf, -np.inf), (3.4e38, np.inf)])
def test_nan_and_infinity_are_not_numbers(actual: float, expected: float):
    assert not compare(np.array([actual], np.float32), np.array([expected], np.float32))


def test_errors_are_counted_in_numbers_of_the_type():
    x = np.array([1.0, 2.0], np.float32)
    above = np.nextafter(np.nextafter(x, np.float32(9)), np.float32(9))
    result = compare(above, x)
    assert result.agrees
    assert result.max_ulp == 2
    assert result.max_absolute == 2 * np.spacing(np.float32(2))
    assert compare(np.array([-0.0], np.float32), np.array([0.0], np.float32)).max_ulp == 0


def test_worst_element_is_shown():
    expected = np.zeros((2, 3), np.float32)
    actual = expected.copy()
    actual[0, 1], actual[1, 2] = 0.5, -2
    result = compare(actual, expected)
    assert (result.wrong, result.worst) == (2, (1, 2))
    assert str(result).endswith("max ulp 1073741824); at [1, 2] it is -2.0, expected 0.0")
    actual[0, 0] = np.nan
    assert compare(actual, expected).worst == (0, 0)


def test_integers_and_preds_are_exact():
    x = np.array([2**62, 5], np.int64)
    assert not compare(x + np.array([1, 0]), x)
    assert compare(np.array([True]), np.array([True]))
    assert compare(np.array([True]), np.array([False])).wrong == 1


def test_tolerance_is_that_of_the_element_type():
    one = np.array([1.0])
    assert not compare((one + 0.01).astype(np.float32), one.astype(np.float32))
    assert compare((one + 0.01).astype(ml_dtypes.bfloat16), one.astype(ml_dtypes.bfloat16))
    assert compare(one + 0.01, one, tolerance=Tolerance(0.1, 0))


def test_complex_numbers_are_compared_by_their_distance():
    x = np.array([1 + 1j, complex(np.nan, 0)], np.complex64)
    assert compare(x, x)
    assert not compare(x + np.complex64(0.1j), x)


def test_arrays_of_different_shape_or_type_cannot_be_compared():
    with pytest.raises(ValueError, match=r"cannot compare float32\[2\] with float32\[3\]: expected the same shape"):
        compare(np.zeros(2, np.float32), np.zeros(3, np.float32))
    with pytest.raises(ValueError, match=r"cannot compare float64\[2\] with float32\[2\]"):
        compare(np.zeros(2), np.zeros(2, np.float32))


def test_empty_arrays_agree():
    assert compare(np.zeros((0, 3), np.float32), np.zeros((0, 3), np.float32))


@pytest.mark.parametrize("name", DTYPES)
def test_inputs_are_the_same_for_the_same_seed(name: str):
    kind = type_of(f"tensor<8x25x{name}>")
    first, second = (random_inputs([kind, kind], seed=5) for _ in range(2))
    assert [x.tobytes() for x in first] == [x.tobytes() for x in second]
    assert first[0].tobytes() != first[1].tobytes()
    assert all(x.shape == (8, 25) and x.dtype == DTYPES[name] == numpy_dtype(kind) for x in first)


def test_inputs_hold_special_values_now_and_then():
    (x,) = random_inputs([TensorType(f32, [10000])], seed=0)
    assert 0 < np.isnan(x).sum() < 100
    assert 0 < np.isinf(x).sum() < 200
    (n,) = random_inputs([type_of("tensor<10000xi32>")], seed=0)
    assert {np.iinfo(np.int32).min, np.iinfo(np.int32).max, 0, -1} <= set(n.tolist())


def test_types_without_a_numpy_type():
    with pytest.raises(NotImplementedError, match="no numpy type holds i24: use integers of"):
        numpy_dtype(type_of("i24"))


@pytest.mark.parametrize("name", DTYPES)
def test_unlike_agrees_nowhere(name: str):
    x = special_values(DTYPES[name])
    other = unlike(x)
    assert other.dtype == x.dtype
    assert compare(other, x).wrong == len(x)


@pytest.mark.parametrize("dtype", [np.float32, np.complex64, ml_dtypes.bfloat16])
def test_agreement_of_nothing_but_nan_is_said(dtype: type):
    nan, other = np.full((2, 3), np.nan, dtype), np.full((2, 3), np.nan, dtype)
    other[1, 2] = 1
    assert compare(nan, nan).only_nan and "6 elements agree, all of them NaN" in str(compare(nan, nan))
    assert not compare(other, other).only_nan
    assert not compare(nan, other).only_nan
    assert not compare(nan[:0], nan[:0]).only_nan
