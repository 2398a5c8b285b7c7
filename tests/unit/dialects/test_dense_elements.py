"""Dense elements: those of a large splat are kept as one, and everything says the same of them as if they were not."""

from hypothesis import given
from hypothesis.strategies import integers, lists, sampled_from
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, f32, i8

from xshardy.dialects.dense_elements import (
    MOST_REPEATED,
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
