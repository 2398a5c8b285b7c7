"""Meshes as StableHLO writes them: in the replica groups of collectives, and in an attribute of `sdy.mesh`."""

from collections.abc import Iterator

from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    NoneAttr,
    SymbolRefAttr,
    TensorType,
    i64,
)
from xdsl.ir import Attribute

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.stablehlo.replica_groups import MeshAttr as StableHLOMeshAttr
from xshardy.dialects.stablehlo.replica_groups import MeshAxisAttr as StableHLOMeshAxisAttr
from xshardy.dialects.stablehlo.replica_groups import ReplicaGroupMeshAxesAttr
from xshardy.rewriting.walk import operations_of

STABLEHLO_MESH = "stablehlo.mesh"
"""The discardable attribute of a `sdy.mesh` that StableHLO's collectives look up."""

GROUPING = (
    stablehlo.AllGatherOp,
    stablehlo.AllReduceOp,
    stablehlo.ReduceScatterOp,
    stablehlo.AllToAllOp,
    stablehlo.CollectiveBroadcastOp,
)
"""The collectives whose replica groups may be axes of a mesh, in the order in which upstream names their meshes."""


def _device_ids(mesh: MeshAttr) -> DenseIntOrFPElementsAttr | None:
    ids = [device.data for device in mesh.device_ids]
    return DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(ids)]), ids) if ids else None


def as_dictionary(mesh: MeshAttr) -> DictionaryAttr:
    """`{axes = [{name = "a", size = 2 : i64}], device_ids = dense<[1, 0]> : tensor<2xi64>}`"""
    axes = [DictionaryAttr({"name": axis.axis, "size": IntegerAttr(axis.size.data, i64)}) for axis in mesh.axes]
    fields: dict[str, Attribute] = {"axes": ArrayAttr(axes)}
    if (ids := _device_ids(mesh)) is not None:
        fields["device_ids"] = ids
    return DictionaryAttr(fields)


def to_stablehlo(mesh: MeshAttr) -> StableHLOMeshAttr:
    """`mesh` in StableHLO's attribute."""
    axes = [StableHLOMeshAxisAttr(axis.axis, axis.size) for axis in mesh.axes]
    return StableHLOMeshAttr(ArrayAttr(axes), _device_ids(mesh) or NoneAttr())


def group_meshes_in(module: ModuleOp) -> Iterator[SymbolRefAttr | StableHLOMeshAttr]:
    """The meshes of the replica groups in `module`, written out or named, by the kinds of collectives in `GROUPING`."""
    for op in sorted(operations_of(module, *GROUPING), key=lambda op: GROUPING.index(type(op))):
        groups = op.properties["replica_groups"]
        if isinstance(groups, ReplicaGroupMeshAxesAttr) and isinstance(groups.mesh, SymbolRefAttr | StableHLOMeshAttr):
            yield groups.mesh
