"""Layouts of buffers: the order of dimensions that strides say, and the other way."""

from math import prod

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, permutations
from xdsl.dialects.builtin import MemRefType, StridedLayoutAttr, f32

from xshardy.hlo_text import HLOPrintError
from xshardy.hlo_text.layouts import minor_to_major


@given(lists(integers(1, 4), max_size=4).flatmap(lambda sizes: permutations([*enumerate(sizes)])))
def test_strides_of_an_order_give_an_equivalent_order(order: list[tuple[int, int]]):
    sizes = dict(order)
    strides = {dimension: prod(size for _, size in order[:place]) for place, (dimension, _) in enumerate(order)}
    layout = StridedLayoutAttr([strides[i] for i in range(len(order))])
    found = minor_to_major(MemRefType(f32, [sizes[i] for i in range(len(order))], layout))
    large = [dimension for dimension, size in order if size > 1]
    assert sorted(found) == [*range(len(order))]
    assert [dimension for dimension in found if sizes[dimension] > 1] == large


@pytest.mark.parametrize(("strides", "offset"), [([8, 1], 0), ([4, 2], 0), ([1, 1], 0), ([0, 1], 0), ([4, 1], 1)])
def test_elements_that_are_not_next_to_each_other(strides: list[int], offset: int):
    with pytest.raises(HLOPrintError, match="its elements are not next to each other"):
        minor_to_major(MemRefType(f32, [2, 4], StridedLayoutAttr(strides, offset)))


def test_without_elements_any_order_will_do():
    assert list(minor_to_major(MemRefType(f32, [0, 4], StridedLayoutAttr([1, 7])))) == [1, 0]
