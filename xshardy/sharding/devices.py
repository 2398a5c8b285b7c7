"""
Which device has which part: the devices of a mesh, numbered along some of its axes.

All tables are indexed by device number.
"""

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import prod

from xdsl.utils.exceptions import PassFailedException

from xshardy.axes.spans import Span
from xshardy.axes.strides import strided
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import axis_ref, next_pre_size, pre_size, size

MAX_DEVICES = 1 << 20
"""The most devices whose numbers are listed."""


def axis_stride(axis: AxisRefAttr, mesh: MeshAttr) -> int:
    """How far apart neighbours along `axis` are in the order of the mesh."""
    names = [*mesh.sizes]
    minor = prod(mesh.sizes[name] for name in names[names.index(axis.axis.data) + 1 :])
    return minor * (mesh.sizes[axis.axis.data] // next_pre_size(axis, mesh))


def _device_ids(mesh: MeshAttr) -> Sequence[int]:
    """The numbers of the devices, in the order of the mesh. Raises `PassFailedException` if there are too many."""
    if mesh.device_count > MAX_DEVICES:
        raise PassFailedException(
            f"a mesh has {mesh.device_count} devices, but groups of devices are listed for at most {MAX_DEVICES}"
        )
    return [device.data for device in mesh.device_ids] or range(mesh.device_count)


def _places(axes: Iterable[AxisRefAttr], mesh: MeshAttr) -> list[int]:
    """The places in the mesh of the devices that differ from the first one along `axes` only, major to minor."""
    return strided((size(axis, mesh), axis_stride(axis, mesh)) for axis in axes)


def shard_indices(axes: AxisRefs, mesh: MeshAttr) -> list[int]:
    """The index of each device's part of a dimension that is sharded along `axes`."""
    by_device = [0] * mesh.device_count
    for group in device_groups(axes, mesh):
        for index, device in enumerate(group):
            by_device[device] = index
    return by_device


def mirrored(mesh: MeshAttr, axes: Iterable[AxisRefAttr]) -> MeshAttr:
    """`mesh`, with its devices along each of `axes`, which do not overlap, in the opposite order."""
    ids = _device_ids(mesh)
    for axis in axes:
        stride, last = axis_stride(axis, mesh), size(axis, mesh) - 1
        ids = [ids[place + (last - 2 * (place // stride % (last + 1))) * stride] for place in range(len(ids))]
    return MeshAttr.of(mesh.sizes.items(), ids)


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
    ids, within = _device_ids(mesh), _places(axes, mesh)
    return [[ids[first + place] for place in within] for first in _places(_other_axes(axes, mesh), mesh)]


def _other_axes(axes: AxisRefs, mesh: MeshAttr) -> list[AxisRefAttr]:
    """The axes of `mesh` that are not in `axes`, in its order."""
    return [axis for axis in split_axes(axes, mesh) if axis not in axes]


def exchange_pairs(
    before: TensorShardingAttr, in_mesh: MeshAttr, after: TensorShardingAttr, out_mesh: MeshAttr
) -> list[tuple[int, int]]:
    """
    Pairs of a device and the device that receives its part.

    Both meshes have the same axes. Devices that differ only along axes that do not shard the tensor hold copies of a
    part, or parts of a sum if it is unreduced along these; copies go to different devices, in the order of the mesh.
    """

    def numbered(sharding: TensorShardingAttr, mesh: MeshAttr) -> list[int]:
        """The devices, ordered by the index of their part, of what of a sum they have, and by the order of the mesh."""
        axes = [axis for dimension in sharding.dim_shardings for axis in dimension.axes] + [*sharding.unreduced_axes]
        ids = _device_ids(mesh)
        return [ids[place] for place in _places([*axes, *_other_axes(axes, mesh)], mesh)]

    return sorted(zip(numbered(before, in_mesh), numbered(after, out_mesh), strict=True))
