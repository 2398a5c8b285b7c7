"""HLO shardings by the axes of a mesh against brute force: the tile of each device, from its coordinates."""

from itertools import product
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from xshardy.axes.spans import Axes, Span, size_of
from xshardy.hlo_text.shardings.device_axis import (
    AxisSharding,
    DeviceMesh,
    NoMesh,
    axes_of,
    axis_digit,
    axis_sharding,
    find_mesh,
    hlo_sharding,
)
from xshardy.hlo_text.shardings.hlo_sharding import HloSharding, Reduction, Tiled, Uniform
from xshardy.hlo_text.shardings.hlo_sharding_parser import parse_hlo_shardings


@st.composite
def meshes(draw: st.DrawFn) -> DeviceMesh:
    """A mesh of a few axes, some with its devices in another order."""
    sizes = tuple(draw(st.lists(st.sampled_from([1, 2, 3, 4, 6]), min_size=1, max_size=3)))
    shuffled = tuple(draw(st.permutations(range(prod(sizes)))))
    ids = draw(st.sampled_from([(), shuffled]))
    return DeviceMesh(sizes, () if ids == tuple(range(prod(sizes))) else ids)


def parts(axis: int, size: int) -> list[Span]:
    """The axis as its smallest parts."""
    found: list[Span] = []
    start = 1
    for factor in (2, 2, 3):
        if size // start % factor == 0 and start < size:
            found.append(Span(axis, start, start * factor))
            start *= factor
    return found


@st.composite
def axis_shardings(draw: st.DrawFn, mesh: DeviceMesh) -> AxisSharding:
    """A sharding of an array of rank 2 by parts of the axes of `mesh`."""
    groups: list[list[Span]] = [[], [], [], [], []]
    for part in draw(st.permutations([part for axis, size in enumerate(mesh.sizes) for part in parts(axis, size)])):
        groups[draw(st.integers(0, 4))].append(part)
    first, second, manual, unreduced, _ = map(tuple, groups)
    return AxisSharding((first, second), manual, unreduced)


MESH_AND_SHARDING = meshes().flatmap(lambda mesh: st.tuples(st.just(mesh), axis_shardings(mesh)))


def coordinate(axes: Axes, indices: tuple[int, ...], sizes: tuple[int, ...]) -> int:
    """The index along `axes`, major to minor, of the device with these `indices` in the mesh."""
    result = 0
    for span in axes:
        digit = indices[span.axis] // (sizes[span.axis] // span.end) % span.size
        result = result * span.size + digit
    return result


def expected_tiles(sharding: AxisSharding, mesh: DeviceMesh) -> dict[int, tuple[int, ...]]:
    """For each device, its indices along the dimensions and among the manual and the unreduced parts."""
    groups = (*sharding.dims, sharding.manual, sharding.unreduced)
    devices = mesh.device_ids or range(mesh.count)
    coordinates = product(*map(range, mesh.sizes))
    return {
        device: tuple(coordinate(axes, indices, mesh.sizes) for axes in groups)
        for device, indices in zip(devices, coordinates, strict=True)
    }


def written_tiles(sharding: HloSharding, count: int, rank: int) -> dict[int, tuple[int, ...]]:
    """The same, read from the tiles of an HLO sharding."""
    placement = sharding.placement
    if isinstance(placement, Uniform):
        kinds = (Uniform.MANUAL, Uniform.UNREDUCED)
        return {
            device: (*[0] * rank, *(device if placement is kind else 0 for kind in kinds)) for device in range(count)
        }
    assert isinstance(placement, Tiled)
    array = np.array(placement.tiles.devices()).reshape(placement.tiles.shape)
    found: dict[int, tuple[int, ...]] = {}
    for index, device in np.ndenumerate(array):
        of_kind = dict(zip(placement.subgroups, index[rank:], strict=True))
        found[int(device)] = (*index[:rank], of_kind.get(Uniform.MANUAL, 0), of_kind.get(Uniform.UNREDUCED, 0))
    return found


@given(MESH_AND_SHARDING)
def test_each_device_has_the_tile_of_its_coordinates(pair: tuple[DeviceMesh, AxisSharding]):
    mesh, sharding = pair
    written = written_tiles(hlo_sharding(sharding, mesh), mesh.count, len(sharding.dims))
    expected = expected_tiles(sharding, mesh)
    if isinstance(hlo_sharding(sharding, mesh).placement, Uniform):
        # The numbers within a uniform group have no order of their own.
        expected = {device: tuple(bool(index) and device for index in tile) for device, tile in expected.items()}
        assert all(len(set(tile) - {0}) <= 1 for tile in expected.values())
        assert sum(size_of(axes) > 1 for axes in (*sharding.dims, sharding.manual, sharding.unreduced)) <= 1
        return
    assert written == expected


@given(meshes().flatmap(lambda mesh: st.tuples(st.just(mesh), st.lists(axis_shardings(mesh), min_size=1, max_size=3))))
def test_a_mesh_is_found_for_the_shardings_of_one_and_gives_them_back(pair: tuple[DeviceMesh, list[AxisSharding]]):
    mesh, shardings = pair
    written = [hlo_sharding(sharding, mesh) for sharding in shardings]
    found = find_mesh(written)
    for sharding in written:
        if found is None or not isinstance(placement := sharding.placement, Tiled):
            continue
        again = hlo_sharding(axis_sharding(placement, Reduction.SUM, found), found)
        assert isinstance(again.placement, Tiled)
        assert again.placement.tiles.devices() == placement.tiles.devices()
        assert again.placement.tiles.shape == placement.tiles.shape
        assert again.placement.subgroups == placement.subgroups


@given(meshes().flatmap(lambda mesh: st.tuples(st.just(mesh), axis_shardings(mesh))), st.data())
def test_axes_of_another_mesh_give_each_device_the_same_index(
    pair: tuple[DeviceMesh, AxisSharding], data: st.DataObject
):
    mesh, sharding = pair
    axes = sharding.dims[0]
    other = tuple(data.draw(st.permutations(mesh.sizes)))
    found = axes_of([axis_digit(axis, mesh.sizes) for axis in axes], other)
    if found is None:
        return
    indices = zip(product(*map(range, mesh.sizes)), product(*map(range, other)), strict=True)
    assert all(coordinate(axes, mine, mesh.sizes) == coordinate(found, its, other) for mine, its in indices)


def test_axes_of_another_mesh():
    assert axes_of([Span(0, 2, 8)], (2, 4)) == (Span(1, 1, 4),)
    assert axes_of([Span(0, 1, 4)], (2, 4)) == (Span(0, 1, 2), Span(1, 1, 2))
    assert axes_of([Span(0, 1, 3)], (2, 3)) is None
    assert axes_of([Span(0, 1, 2), Span(0, 2, 4)], (1, 4)) == (Span(1, 1, 4),)


def read(*texts: str) -> list[HloSharding]:
    shardings = [parse_hlo_shardings(text) for text in texts]
    return [sharding for sharding in shardings if isinstance(sharding, HloSharding)]


def test_the_mesh_has_the_fewest_axes():
    assert find_mesh(read("{devices=[16,1]<=[16]}", "{replicated}")) == DeviceMesh((16,))
    assert find_mesh(read("{devices=[4,8]<=[8,4]T(1,0)}", "{devices=[1,2,16]<=[32] last_tile_dim_replicate}")) == (
        DeviceMesh((2, 4, 4))
    )
    assert find_mesh(read("{devices=[6,35]<=[7,10,3]T(2,1,0)}")) == DeviceMesh((7, 2, 5, 3))


def test_no_tiles_need_no_mesh():
    assert find_mesh(read("{replicated}", "{maximal device=3}", "{unknown}")) is None


def test_devices_in_an_order_of_their_own():
    assert find_mesh(read("{devices=[2,2]3,1,0,2}")) == DeviceMesh((2, 2), (3, 1, 0, 2))
    assert find_mesh(read("{devices=[4]0,1,2,3}", "{devices=[2,2]0,2,1,3}")) == DeviceMesh((2, 2))
    assert find_mesh(read("{devices=[2,3]<=[2,3]T(1,0)}")) == DeviceMesh((2, 3), (0, 3, 1, 4, 2, 5))


def test_replicas_are_in_the_order_of_other_tiles():
    """Both shardings have pairs of devices in ascending order: only together they have the order of a mesh."""
    halves = read("{devices=[2,2]0,2,1,3 last_tile_dim_replicate}", "{devices=[2,2]0,3,1,2 last_tile_dim_replicate}")
    assert find_mesh(halves) == DeviceMesh((2, 2), (0, 3, 2, 1))


@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (["{devices=[2,2]3,1,0,2}", "{devices=[4]0,3,1,2}"], "no axes of a mesh, in any order"),
        (["{devices=[4]<=[4]}", "{devices=[8]<=[8]}"], "it has 8 devices, and another sharding has 4"),
        (["{devices=[2]5,6}"], "it lists device 6, but the last of 2 devices is 1"),
        (["{devices=[2,3]<=[6]}", "{devices=[3,2]<=[6]}"], "no axis is a part of"),
    ],
)
def test_shardings_that_no_mesh_has(texts: list[str], reason: str):
    with pytest.raises(NoMesh, match=reason) as caught:
        find_mesh(read(*texts))
    assert caught.value.culprit in read(*texts)
