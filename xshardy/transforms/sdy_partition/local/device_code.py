"""
Inserts operations that each device executes. Values that differ between devices come from tables by device number.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr, SymbolRefAttr, TensorType, i64
from xdsl.ir import Attribute, Region, SSAValue

from xshardy.dialects.dense_elements import Dense, dense_values
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.stablehlo.building import reducer
from xshardy.dialects.stablehlo.collectives import PartitionIdOp, ReplicaIdOp
from xshardy.dialects.stablehlo.elementwise_binary import AddOp, BinaryElementwiseOp, MaxOp, MinOp
from xshardy.dialects.stablehlo.elementwise_unary import ConvertOp
from xshardy.dialects.stablehlo.replica_groups import AxisRefAttr as GroupAxisAttr
from xshardy.dialects.stablehlo.replica_groups import ReplicaGroupMeshAxesAttr, ReplicaGroups
from xshardy.dialects.stablehlo.shape import ReshapeOp
from xshardy.dialects.stablehlo.slicing import DynamicSliceOp
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr
from xshardy.ir.clones import clone_region
from xshardy.sharding.devices import device_groups, shard_indices
from xshardy.transforms.sdy.stablehlo_meshes import to_stablehlo
from xshardy.transforms.sdy_partition.inserted_code import InsertedCode
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor

DEVICE_TO_DEVICE = 1
"""The type of a channel between devices."""

INDEX = TensorType[Attribute](i64, [])

REDUCERS: dict[ReductionOp, type[BinaryElementwiseOp]] = {
    ReductionOp.SUM: AddOp,
    ReductionOp.MAX: MaxOp,
    ReductionOp.MIN: MinOp,
}


@lru_cache(maxsize=64)
def _reduction(kind: ReductionOp, element: Attribute) -> Region:
    return reducer(REDUCERS[kind], element)


def reduction(kind: ReductionOp, element: Attribute) -> Region:
    """A region that applies the reduction `kind`: a copy, which is made faster than the first one."""
    return clone_region(_reduction(kind, element))


def integers_of(type: TensorType[Attribute], values: Sequence[int]) -> Dense:
    """A literal of integers; a single value makes a splat."""
    return dense_values(type, values)


@dataclass(frozen=True, slots=True)
class LocalOptions:
    """
    The form of collectives, and the number of a device.

    That is its replica id if there are several replicas, else its partition id.
    """

    by_replica: bool
    per_dim_all_gather: bool = False
    combine_multi_dimension_reduce_scatter: bool = False
    groups_over_axes: bool = False


@lru_cache(maxsize=64)
def groups_table(axes: AxisRefs, mesh: MeshAttr) -> Dense:
    """The groups of `device_groups` as a literal, a row each. Memoized: a program repeats its collectives."""
    groups = device_groups(axes, mesh)
    flat = [device for group in groups for device in group]
    return integers_of(TensorType(i64, [len(groups), len(groups[0])]), flat)


@dataclass(slots=True)
class Channels:
    """The unused channel numbers of a module, in order."""

    next_number: int

    def take(self) -> ChannelHandleAttr:
        """A channel that no other operation of the module uses."""
        number = self.next_number
        self.next_number += 1
        return ChannelHandleAttr(IntAttr(number), IntAttr(DEVICE_TO_DEVICE))


@dataclass(frozen=True, slots=True)
class DeviceCode(InsertedCode):
    """Inserts operations that a device executes, in front of the one that is rewritten."""

    options: LocalOptions
    channels: Channels

    def integer(self, value: int, element: Attribute = i64) -> SSAValue:
        """A scalar."""
        return self.constant(integers_of(TensorType(element, []), [value]))

    def reshaped(self, value: SSAValue, shape: Sequence[int], element: Attribute) -> SSAValue:
        return self.insert(ReshapeOp(value, TensorType(element, shape)))

    def groups(
        self, axes: Sequence[AxisRefAttr], mesh: MeshAttr, mesh_or_ref: SymbolRefAttr | MeshAttr
    ) -> ReplicaGroups:
        """
        The groups of devices that communicate along `axes`.

        Lists of devices, or the axes themselves if `enable_rgv3` is set and none of them is a sub-axis.
        """
        if self.options.groups_over_axes and all(axis.is_full for axis in axes):
            names = ArrayAttr(GroupAxisAttr(axis.axis, NoneAttr()) for axis in axes)
            named = mesh_or_ref if isinstance(mesh_or_ref, SymbolRefAttr) else to_stablehlo(mesh_or_ref)
            return ReplicaGroupMeshAxesAttr(named, names)
        return groups_table(tuple(axes), mesh)

    def device_id(self) -> SSAValue:
        """The number of the executing device."""
        number = self.insert(ReplicaIdOp() if self.options.by_replica else PartitionIdOp())
        return self.insert(ConvertOp(number, INDEX))

    def entry(self, table: Dense, device: SSAValue) -> SSAValue:
        """A tensor of one element: the entry for `device` in `table`, which has an entry for each device."""
        return self.insert(DynamicSliceOp(self.constant(table), [device], [1]))

    def index(self, table: Sequence[int], device: SSAValue) -> SSAValue:
        """A scalar: the entry of `table` for `device`."""
        entry = self.entry(integers_of(TensorType(i64, [len(table)]), table), device)
        return self.insert(ReshapeOp(entry, INDEX))

    def shard_offset(self, axes: Sequence[AxisRefAttr], mesh: MeshAttr, extent: int) -> SSAValue:
        """
        The offset of a device's part in a dimension sharded along `axes`, in elements; `extent` is the size of a part.
        """
        return self.index([index * extent for index in shard_indices(axes, mesh)], self.device_id())

    def part(
        self, tensor: SSAValue, axes: Sequence[Sequence[AxisRefAttr]], mesh: MeshAttr, shape: Sequence[int]
    ) -> SSAValue:
        """The part of `tensor`, of `shape`, on a device when each dimension is sharded along its `axes`."""
        starts = [
            self.shard_offset(dim_axes, mesh, extent) if dim_axes else self.integer(0)
            for dim_axes, extent in zip(axes, shape, strict=True)
        ]
        return self.insert(DynamicSliceOp(tensor, starts, shape))

    def own_part(self, value: SSAValue, whole: WholeTensor) -> SSAValue:
        """The part of `value`, which is all of `whole`, on a device."""
        return self.part(value, whole.dim_axes, whole.mesh, whole.part_shape)
