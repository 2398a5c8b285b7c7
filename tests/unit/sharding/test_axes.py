"""The axis algebra against brute force: an axis is the function from a device's coordinate to its digit."""

from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.sharding import axes as algebra

SPLITS = st.lists(st.sampled_from([2, 3, 4]), min_size=1, max_size=4)


def digit(axis: AxisRefAttr, mesh: MeshAttr) -> np.ndarray:
    """For each device along the axis, its index along `axis`: devices with the same one are not told apart."""
    whole = mesh.sizes[axis.axis.data]
    after = whole // algebra.next_pre_size(axis, mesh)
    return np.arange(whole) // after % algebra.size(axis, mesh)


def tells_apart(*axes: np.ndarray) -> int:
    """How many classes of devices these digits distinguish together."""
    return len(set(zip(*(axis.tolist() for axis in axes), strict=True)))


@st.composite
def runs(draw: st.DrawFn, count: int) -> tuple[MeshAttr, list[AxisRefAttr]]:
    """A mesh with an axis that is split, and `count` runs of its digits, which can coexist."""
    split = draw(SPLITS)
    mesh = MeshAttr.of([("b", 2), ("a", prod(split))])
    found: list[AxisRefAttr] = []
    for _ in range(count):
        first = draw(st.integers(0, len(split) - 1))
        last = draw(st.integers(first + 1, len(split)))
        found.append(algebra.axis_between("a", prod(split[:first]), prod(split[:last]), mesh))
    return mesh, found


@given(runs(2))
def test_overlap_is_what_both_tell_apart(sample: tuple[MeshAttr, list[AxisRefAttr]]):
    mesh, (a, b) = sample
    shared = algebra.overlap(a, b)
    assert algebra.can_coexist(a, b)
    assert (shared is not None) == algebra.overlaps(a, b) == algebra.overlaps(b, a)
    common = 1 if shared is None else algebra.size(shared, mesh)
    assert tells_apart(digit(a, mesh), digit(b, mesh)) * common == algebra.size(a, mesh) * algebra.size(b, mesh)
    if shared is not None:
        assert tells_apart(digit(a, mesh), digit(shared, mesh)) == algebra.size(a, mesh)
        assert tells_apart(digit(b, mesh), digit(shared, mesh)) == algebra.size(b, mesh)


@given(runs(2))
def test_containment_means_that_the_digit_follows(sample: tuple[MeshAttr, list[AxisRefAttr]]):
    mesh, (a, b) = sample
    follows = tells_apart(digit(a, mesh), digit(b, mesh)) == algebra.size(a, mesh)
    assert algebra.contains(a, b) == follows


@given(runs(2))
def test_prefix_and_suffix(sample: tuple[MeshAttr, list[AxisRefAttr]]):
    mesh, (a, b) = sample
    size_a, size_b = algebra.size(a, mesh), algebra.size(b, mesh)
    major = size_b % size_a == 0 and np.array_equal(digit(b, mesh) // (size_b // size_a), digit(a, mesh))
    minor = size_b % size_a == 0 and np.array_equal(digit(b, mesh) % size_a, digit(a, mesh))
    assert algebra.is_prefix(a, b) == major
    assert algebra.is_suffix(a, b, mesh) == minor
    common = algebra.greatest_common_prefix(a, b)
    assert (common is not None) == (algebra.pre_size(a) == algebra.pre_size(b))


@given(runs(2))
def test_what_is_left_of_an_axis(sample: tuple[MeshAttr, list[AxisRefAttr]]):
    mesh, (a, b) = sample
    shared = algebra.overlap(a, b)
    parts = algebra.difference(a, [b], mesh)
    assert not any(algebra.overlaps(part, b) for part in parts)
    pieces = [digit(part, mesh) for part in (*parts, *([] if shared is None else [shared]))]
    assert tells_apart(*pieces) == tells_apart(digit(a, mesh), *pieces) == algebra.size(a, mesh)
    prefix, suffix = algebra.prefix_without_overlap(a, b), algebra.suffix_without_overlap(a, b, mesh)
    if shared is None:
        assert prefix == suffix == a
    else:
        assert set(parts) == {part for part in (prefix, suffix) if part is not None}


@given(SPLITS, st.data())
def test_merging_undoes_splitting(split: list[int], data: st.DataObject):
    mesh = MeshAttr.of([("a", prod(split))])
    digits = [
        algebra.axis_between("a", prod(split[:index]), prod(split[: index + 1]), mesh) for index in range(len(split))
    ]
    assert algebra.merged(digits, mesh) == (AxisRefAttr("a"),)
    shuffled = data.draw(st.permutations(digits))
    assert sorted(shuffled, key=lambda axis: algebra.mesh_order(axis, mesh)) == digits
    assert algebra.sharded_size(algebra.merged(shuffled, mesh), mesh) == prod(split)


def test_sub_axes_that_no_splitting_has_in_common():
    two, three = AxisRefAttr.part("a", 1, 2), AxisRefAttr.part("a", 1, 3)
    assert not algebra.can_coexist(two, three)
    assert algebra.overlap(two, three) is None
    assert algebra.prefix_without_overlap(two, three) is None
    assert not algebra.can_coexist(two, AxisRefAttr.part("a", 3, 2))
    assert algebra.can_coexist(two, AxisRefAttr.part("a", 4, 2))


@given(runs(1), st.integers(0, 50), st.integers(0, 50))
def test_local_shapes_cover_the_tensor(sample: tuple[MeshAttr, list[AxisRefAttr]], rows: int, columns: int):
    mesh, (axis,) = sample
    dims = (
        DimensionShardingAttr([axis, AxisRefAttr("b")], is_closed=True),
        DimensionShardingAttr(is_closed=False),
    )
    sharding = TensorShardingAttr("mesh", dims)
    parts = algebra.size(axis, mesh) * 2
    local = algebra.local_shape((rows, columns), sharding, mesh)
    pad = algebra.padding((rows, columns), sharding, mesh)
    assert local[0] * parts == rows + pad[0] and 0 <= pad[0] < parts
    assert local[1] == columns and pad[1] == 0
    free = algebra.free_axes(sharding, mesh)
    assert not any(algebra.overlaps(part, axis) for part in free)
    assert algebra.sharded_size(free, mesh) * algebra.size(axis, mesh) == mesh.sizes["a"]
