"""Device numbers as code: which part a device has, and between which devices parts are sent."""

from collections.abc import Sequence

from xdsl.dialects.builtin import TensorType, i64
from xdsl.ir import SSAValue

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import size
from xshardy.sharding.devices import axis_stride, device_groups, shard_indices
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode, integers_of


def shard_index(axes: AxisRefs, mesh: MeshAttr, code: DeviceCode) -> SSAValue:
    """
    The index of the part of a device in a dimension sharded along `axes`: computed from its number, or from a table if
    the devices of `mesh` are not in order. Precondition: there are axes.
    """
    device = code.device_id()
    if mesh.device_ids.data:
        return code.index(shard_indices(axes, mesh), device)
    first, *others = axes
    index = _coordinate(first, device, mesh, code)
    for axis in others:
        coordinate = _coordinate(axis, device, mesh, code)
        scaled = code.insert(stablehlo.MulOp(index, code.integer(size(axis, mesh))))
        index = code.insert(stablehlo.AddOp(scaled, coordinate))
    return index


def _coordinate(axis: AxisRefAttr, device: SSAValue, mesh: MeshAttr, code: DeviceCode) -> SSAValue:
    """The place of `device` along `axis`. Precondition: the devices of `mesh` are in order."""
    stride, extent = axis_stride(axis, mesh), size(axis, mesh)
    if stride > 1:
        device = code.insert(stablehlo.DivOp(device, code.integer(stride)))
    if extent < mesh.device_count:
        device = code.insert(stablehlo.RemOp(device, code.integer(extent)))
    return device


def pairs_between(moves: Sequence[tuple[int, int]], axes: AxisRefs, mesh: MeshAttr) -> list[int]:
    """
    Pairs of devices, one after another: for each pair of parts along `axes`, all devices with the first part send to
    those with the second. They are in the order of the sources in `mesh`.
    """
    order = {device.data: place for place, device in enumerate(mesh.device_ids)}
    pairs = [(group[source], group[target]) for group in device_groups(axes, mesh) for source, target in moves]
    pairs.sort(key=lambda pair: (order.get(pair[0], pair[0]), pair[1]))
    return [device for pair in pairs for device in pair]


def sent(
    value: SSAValue, pairs: Sequence[int], code: DeviceCode, sharding: TensorShardingAttr | None = None
) -> SSAValue:
    """What a device gets of `value`, that of another device, with `sharding`; zeros if no pair sends to it."""
    table = integers_of(TensorType(i64, [len(pairs) // 2, 2]), pairs)
    return code.insert(stablehlo.CollectivePermuteOp(value, table, code.channels.take()), sharding)


def hop(distance: int, parts: int) -> list[tuple[int, int]]:
    """Each part goes `distance` parts up, if there is one."""
    return [(part, part + distance) for part in range(parts) if 0 <= part + distance < parts]
