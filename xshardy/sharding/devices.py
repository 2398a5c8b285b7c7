"""
Which device has which part: the devices of a mesh, numbered along some of its axes.

All tables are indexed by device number.
"""

from collections.abc import Iterable
from itertools import pairwise
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.utils.exceptions import PassFailedException

from xshardy.axes.spans import Span
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import axis_ref, next_pre_size, pre_size, sharded_size, size

MAX_DEVICES = 1 << 20
"""The most devices whose numbers are listed."""


def axis_stride(axis: AxisRefAttr, mesh: MeshAttr) -> int:
    """How far apart neighbours along `axis` are in the order of the mesh."""
    names = [*mesh.sizes]
    minor = prod(mesh.sizes[name] for name in names[names.index(axis.axis.data) + 1 :])
    return minor * (mesh.sizes[axis.axis.data] // next_pre_size(axis, mesh))


def _coordinates(axis: AxisRefAttr, mesh: MeshAttr) -> NDArray[np.int64]:
    """The coordinate of each device along `axis`, in the order of the mesh."""
    return np.arange(_device_count(mesh)) // axis_stride(axis, mesh) % size(axis, mesh)


def _device_count(mesh: MeshAttr) -> int:
    """The number of devices. Raises `PassFailedException` if it is too large for lists of devices."""
    if mesh.device_count > MAX_DEVICES:
        raise PassFailedException(
            f"a mesh has {mesh.device_count} devices, but groups of devices are listed for at most {MAX_DEVICES}"
        )
    return mesh.device_count


def _indices(axes: AxisRefs, mesh: MeshAttr) -> NDArray[np.int64]:
    """The index of each device along `axes` together, major to minor, in the order of the mesh."""
    index = np.zeros(_device_count(mesh), np.int64)
    for axis in axes:
        index = index * size(axis, mesh) + _coordinates(axis, mesh)
    return index


def _device_ids(mesh: MeshAttr) -> NDArray[np.int64]:
    """The numbers of the devices, in the order of the mesh."""
    return np.array([device.data for device in mesh.device_ids] or range(_device_count(mesh)), np.int64)


def shard_indices(axes: AxisRefs, mesh: MeshAttr) -> list[int]:
    """The index of each device's part of a dimension that is sharded along `axes`."""
    by_device = np.empty(mesh.device_count, np.int64)
    by_device[_device_ids(mesh)] = _indices(axes, mesh)
    return by_device.tolist()


def mirrored(mesh: MeshAttr, axes: Iterable[AxisRefAttr]) -> MeshAttr:
    """`mesh`, with its devices along each of `axes`, which do not overlap, in the opposite order."""
    places = np.arange(_device_count(mesh))
    for axis in axes:
        opposite = size(axis, mesh) - 1 - _coordinates(axis, mesh)
        places += (opposite - _coordinates(axis, mesh)) * axis_stride(axis, mesh)
    return MeshAttr.of(mesh.sizes.items(), _device_ids(mesh)[places].tolist())


def split_axes(axes: Iterable[AxisRefAttr], mesh: MeshAttr) -> tuple[AxisRefAttr, ...]:
    """The axes of `mesh` with more than one device, in its order, split at the boundaries of `axes`."""
    cuts = {name: {1, extent} for name, extent in mesh.sizes.items()}
    for axis in axes:
        cuts[axis.axis.data] |= {pre_size(axis), next_pre_size(axis, mesh)}
    return tuple(
        axis_ref(Span(name, start, end), mesh)
        for name, places in cuts.items()
        for start, end in pairwise(sorted(places))
    )


def device_groups(axes: AxisRefs, mesh: MeshAttr) -> list[list[int]]:
    """
    Groups of the devices that differ along `axes` only, each in the order of `axes`; groups are in the order of the
    mesh.
    """
    others = [axis for axis in split_axes(axes, mesh) if axis not in axes]
    order = np.lexsort((_indices(axes, mesh), _indices(others, mesh)))
    return _device_ids(mesh)[order].reshape(-1, sharded_size(axes, mesh)).tolist()


def exchange_pairs(
    before: TensorShardingAttr, in_mesh: MeshAttr, after: TensorShardingAttr, out_mesh: MeshAttr
) -> list[tuple[int, int]]:
    """
    Pairs of a device and the device that receives its part.

    Both meshes have the same axes. Devices that differ only along axes that do not shard the tensor hold copies of a
    part, or parts of a sum if it is unreduced along these; copies go to different devices, in the order of the mesh.
    """

    def numbered(sharding: TensorShardingAttr, mesh: MeshAttr) -> NDArray[np.int64]:
        """The devices, ordered by the index of their part, of what of a sum they have, and by the order of the mesh."""
        axes = [axis for dimension in sharding.dim_shardings for axis in dimension.axes] + [*sharding.unreduced_axes]
        return _device_ids(mesh)[np.argsort(_indices(axes, mesh), kind="stable")]

    pairs = zip(numbered(before, in_mesh).tolist(), numbered(after, out_mesh).tolist(), strict=True)
    return sorted(pairs)
