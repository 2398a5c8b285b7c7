"""Replica groups that are axes of a mesh, as lists of devices, and their meshes and axes in the attributes of sdy."""

from typing import cast

from xdsl.dialects.builtin import NoneAttr, SymbolRefAttr
from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.stablehlo.replica_groups import AxisRefAttr as GroupAxisAttr
from xshardy.dialects.stablehlo.replica_groups import MeshAttr as GroupMeshAttr
from xshardy.dialects.stablehlo.replica_groups import ReplicaGroupMeshAxesAttr
from xshardy.dialects.symbols import find_symbol
from xshardy.sharding.devices import device_groups


def groups_along_axes(op: Operation, groups: ReplicaGroupMeshAxesAttr) -> list[list[int]]:
    """The devices of each of `groups`, an attribute of `op`, whose mesh may be a symbol."""
    named = find_symbol(op, groups.mesh) if isinstance(groups.mesh, SymbolRefAttr) else None
    mesh = named.mesh if isinstance(named, MeshOp) else mesh_of_groups(cast(GroupMeshAttr, groups.mesh))
    return device_groups(tuple(axis_of_groups(cast(GroupAxisAttr, axis)) for axis in groups.axes), mesh)


def mesh_of_groups(mesh: GroupMeshAttr) -> MeshAttr:
    """A mesh of replica groups in the attribute of sdy."""
    ids = () if isinstance(mesh.device_ids, NoneAttr) else cast(tuple[int, ...], mesh.device_ids.get_values())
    return MeshAttr.of([(axis.axis.data, axis.size.data) for axis in mesh.axes], ids)


def axis_of_groups(axis: GroupAxisAttr) -> AxisRefAttr:
    """An axis of replica groups in the attribute of sdy."""
    name, part = axis.axis.data, axis.sub_axis_info
    return (
        AxisRefAttr(name) if isinstance(part, NoneAttr) else AxisRefAttr.part(name, part.pre_size.data, part.size.data)
    )
