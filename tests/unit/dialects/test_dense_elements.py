"""Dense elements: a large splat stores one element, and behaves like a literal that stores all."""

from collections.abc import Sequence
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, sampled_from
from xdsl.dialects import arith
from xdsl.dialects.builtin import ComplexType, DenseIntOrFPElementsAttr, TensorType, f32, i8
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.dense_elements import (
    MOST_REPEATED,
    Repeated,
    all_bytes,
    dense,
    dense_values,
    element_count,
    first_values,
    is_one_for_all,
    is_splat,
)


@given(lists(sampled_from([0.0, -0.0, 1.0, float("nan")]), min_size=1, max_size=4))
def test_a_splat_has_the_same_bits_everywhere(values: list[float]):
    literal = DenseIntOrFPElementsAttr.from_list(TensorType(f32, [len(values)]), values)
    assert is_splat(literal) == (len({f32.pack([value]) for value in values}) == 1)


@given(integers(-128, 127), integers(0, 5), integers(1, 5))
def test_one_value_is_that_of_every_element(value: int, rows: int, columns: int):
    type, count = TensorType(i8, [rows, columns]), rows * columns
    literal = dense_values(type, [value])
    assert all_bytes(literal) == i8.pack([value]) * count
    assert first_values(literal) == (value,) * count
    assert element_count(literal) == count
    if count:
        assert literal == DenseIntOrFPElementsAttr.from_list(type, [value])


def test_values_of_a_large_splat_are_a_sequence():
    values = Repeated(5, 3)
    assert [*reversed(values)] == [5, 5, 5]
    assert (values.index(5), values.index(5, 1), values.count(5), values.count(4)) == (0, 1, 3, 0)
    for value, start in ((4, 0), (5, 3)):
        with pytest.raises(ValueError, match=f"{value} is not in the sequence"):
            values.index(value, start)


def test_large_splats():
    largest = TensorType(i8, [MOST_REPEATED])
    larger = TensorType(i8, [MOST_REPEATED + 1])
    assert dense(largest, b"\x05") == DenseIntOrFPElementsAttr.from_list(largest, [5])
    assert not is_one_for_all(dense(largest, b"\x05"))
    assert is_one_for_all(dense(larger, b"\x05"))
    assert all_bytes(dense(larger, b"\x05")) == b"\x05" * (MOST_REPEATED + 1)
    assert first_values(dense(larger, b"\x05")) == (5,) * MOST_REPEATED
    # However it is written, it is one attribute.
    assert dense(larger, b"\x05" * (MOST_REPEATED + 1)) == dense(larger, b"\x05") == dense_values(larger, [5])
    almost = b"\x05" * MOST_REPEATED + b"\x06"
    assert all_bytes(dense(larger, almost)) == almost


def test_scalars_are_not_one_for_all():
    literal = dense(TensorType(f32, []), f32.pack([1.0]))
    assert not is_one_for_all(literal) and first_values(literal) == (1.0,)


@pytest.mark.parametrize("element", [i8, f32, ComplexType(f32)])
def test_a_large_splat_has_the_values_of_all_elements(element: Any):
    count = MOST_REPEATED + 5
    value = 3 if element == i8 else 0.5 if element == f32 else (0.5, -1.0)
    literal = dense_values(TensorType(element, [5, count]), [value])
    assert isinstance(literal, DenseIntOrFPElementsAttr) and is_one_for_all(literal)
    assert literal.is_splat() and literal.shape_is_complete
    values = cast(Sequence[Any], literal.get_values())
    assert len(literal) == len(values) == 5 * count == sum(1 for _ in literal.iter_values())
    assert values[0] == values[-1] == values[count] == value
    assert tuple(values[2:9:3]) == (value,) * 3 and values.count(value) == len(values) and values.index(value, 7) == 7
    assert value in values and "no" not in values and values.count("no") == 0
    with pytest.raises(IndexError):
        _ = values[5 * count]
    if not isinstance(element, ComplexType):
        assert len(literal.get_attrs()) == 5 * count
        assert literal.get_attrs()[17] == next(iter(literal.iter_attrs()))
        assert literal.get_attrs()[17].value.data == value  # pyright: ignore


def test_a_splat_of_no_elements_has_no_values():
    literal = dense(TensorType(f32, [0, 3]), f32.pack([1.0]))
    assert len(literal) == 0 and tuple(literal.get_values()) == () and literal.is_splat()
    assert str(literal) == "dense<1.000000e+00> : tensor<0x3xf32>"


def test_xdsl_prints_hashes_and_verifies_a_large_splat():
    type = TensorType(f32, [10**6, 10**6])
    literal = dense_values(type, [2.5])
    assert str(literal) == "dense<2.500000e+00> : tensor<1000000x1000000xf32>"
    assert literal == dense_values(type, [2.5]) and hash(literal) == hash(dense_values(type, [2.5]))
    assert literal != dense_values(type, [1.5])
    constant = arith.ConstantOp(literal)
    constant.verify()
    assert constant.clone().value == literal
    with pytest.raises(VerifyException):
        arith.ConstantOp(literal, TensorType(f32, [3])).verify()


def test_xdsl_folds_no_large_splat_for_a_scalar():
    """An expression of xDSL's that reads the only value of a literal finds that there are many."""
    literal = dense_values(TensorType(i8, [MOST_REPEATED + 1]), [1])
    with pytest.raises(ValueError):
        (_,) = literal.get_values()
