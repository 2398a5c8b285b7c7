"""How the search divides tensors: placements against brute force, and as attributes and back."""

from itertools import product
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.planning.auto.placements import SearchAxes

MESH = MeshAttr.of([("x", 2), ("one", 1), ("y", 4)])
AXES = SearchAxes.of("mesh", MESH, ())


def test_axes_of_one_device_divide_nothing():
    assert [span.axis for span in AXES.spans] == ["x", "y"]


def test_an_annotated_part_of_an_axis_is_an_axis_of_the_search():
    part = DimensionShardingAttr([AxisRefAttr.part("y", 1, 2)], is_closed=True)
    axes = SearchAxes.of("mesh", MESH, [TensorShardingAttr(AXES.sharding(((),)).mesh_or_ref, [part])])
    assert axes.sizes == (2, 2, 2)
    assert str(axes.sharding(((1, 2),))) == str(AXES.sharding(((1,),)))


@given(sizes=st.lists(st.integers(1, 12), max_size=3))
def test_assignments_are_all_that_divide(sizes: list[int]):
    free = range(len(sizes))
    found = AXES.assignments(sizes, free, [False] * len(sizes))
    expected: set[tuple[tuple[int, ...], ...]] = set()
    for places in product((None, *free), repeat=2):
        axes = tuple(tuple(a for a, place in enumerate(places) if place == dim) for dim in free)
        parts = [prod(AXES.sizes[a] for a in of_dim) for of_dim in axes]
        if all(size % count == 0 for size, count in zip(sizes, parts, strict=True)):
            expected.add(axes)
    assert set(found) == expected and len(found) == len(expected)
    assert found[0] == ((),) * len(sizes)


@given(sizes=st.lists(st.integers(1, 40), min_size=1, max_size=2))
def test_padding_makes_no_tensor_much_larger(sizes: list[int]):
    for placement in AXES.assignments(sizes, range(len(sizes)), [True] * len(sizes)):
        padded = [-(-size // AXES.parts(axes)) * AXES.parts(axes) for size, axes in zip(sizes, placement, strict=True)]
        assert prod(padded) <= 1.34 ** len(sizes) * prod(sizes)


@given(sizes=st.lists(st.sampled_from([1, 2, 4, 8, 16]), min_size=1, max_size=3))
def test_a_placement_becomes_an_attribute_and_back(sizes: list[int]):
    for placement in AXES.assignments(sizes, range(len(sizes)), [False] * len(sizes)):
        assert AXES.placement(AXES.sharding(placement), len(sizes)) == placement
