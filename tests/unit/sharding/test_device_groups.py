"""Groups and parts of devices, against the coordinates of each device."""

from collections.abc import Sequence
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.sharding.devices import device_groups, mirrored, shard_indices

SIZES = {"x": 2, "y": 4, "z": 3}
AXES = ("x", ("y", 1, 2), ("y", 2, 2), "z")
Axis = str | tuple[str, int, int]


def reference(axis: Axis) -> AxisRefAttr:
    return AxisRefAttr(axis) if isinstance(axis, str) else AxisRefAttr.part(*axis)


def coordinates(axis: Axis) -> list[int]:
    """The coordinate of each place of the mesh along `axis`."""
    places = [dict(zip(SIZES, place, strict=True)) for place in product(*map(range, SIZES.values()))]
    if isinstance(axis, str):
        return [place[axis] for place in places]
    name, before, size = axis
    return [place[name] // (SIZES[name] // before // size) % size for place in places]


def places_along(axes: Sequence[Axis]) -> Sequence[Sequence[int]]:
    """The coordinates of each place along several axes."""
    return [*zip(*map(coordinates, axes), strict=True)] or [()] * 24


@st.composite
def meshes(draw: st.DrawFn) -> MeshAttr:
    return MeshAttr.of(SIZES.items(), draw(st.permutations(range(24))))


def some_axes() -> st.SearchStrategy[Sequence[Axis]]:
    return st.lists(st.sampled_from(AXES), unique=True)


@given(meshes(), some_axes())
def test_groups_and_parts(mesh: MeshAttr, axes: Sequence[Axis]):
    ids = [device.data for device in mesh.device_ids] or [*range(24)]
    along = [*zip(*map(coordinates, axes), strict=True)] if axes else [()] * 24
    others = [
        *zip(*(coordinates(axis) for axis in ("x", ("y", 1, 2), ("y", 2, 2), "z") if axis not in axes), strict=True)
    ]
    others = others or [()] * 24
    groups = dict[Sequence[int], list[tuple[Sequence[int], int]]]()
    for device, inner, outer in zip(ids, along, others, strict=True):
        groups.setdefault(outer, []).append((inner, device))
    expected = [[device for _, device in sorted(group)] for _, group in sorted(groups.items())]
    refs = [*map(reference, axes)]
    assert device_groups(refs, mesh) == expected
    order = sorted({*along})
    assert shard_indices(refs, mesh) == [order.index(along[ids.index(device)]) for device in range(24)]


@given(meshes(), some_axes())
def test_a_mesh_that_is_mirrored_twice_is_itself(mesh: MeshAttr, axes: Sequence[Axis]):
    refs = [*map(reference, axes)]
    twice = mirrored(mirrored(mesh, refs), refs)
    assert [device.data for device in twice.device_ids] == [device.data for device in mesh.device_ids]
    for axis in axes:
        (once, before) = (shard_indices([reference(axis)], each) for each in (mirrored(mesh, refs), mesh))
        assert once == [max(before) - index for index in before]
