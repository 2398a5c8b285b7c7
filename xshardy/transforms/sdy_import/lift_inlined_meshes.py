"""Give every mesh that a sharding writes out a name. Source: row SDY-PASS-04."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseIntOrFPElementsAttr,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    TensorType,
    i64,
)
from xdsl.ir import Attribute
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.transforms.sdy_import.shardings import transform_shardings
from xshardy.transforms.sdy_import.symbols import SymbolNames

STABLEHLO_MESH = "stablehlo.mesh"
"""The discardable attribute by which StableHLO's collectives know a mesh."""


def mesh_name(mesh: MeshAttr) -> str:
    """The name that a new mesh gets if it is free."""
    if mesh.maximal_device_id is not None:
        return f"maximal_mesh_{mesh.maximal_device_id}"
    return "empty_mesh" if mesh.is_empty else "mesh"


def stablehlo_mesh(mesh: MeshAttr) -> DictionaryAttr:
    """`{axes = [{name = "a", size = 2 : i64}], device_ids = dense<[1, 0]> : tensor<2xi64>}`"""
    axes = [DictionaryAttr({"name": axis.axis, "size": IntegerAttr(axis.size.data, i64)}) for axis in mesh.axes]
    fields: dict[str, Attribute] = {"axes": ArrayAttr(axes)}
    if devices := [device.data for device in mesh.device_ids]:
        fields["device_ids"] = DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(devices)]), devices)
    return DictionaryAttr(fields)


class MeshNames:
    """The one name of each mesh of a module. Making it erases the meshes that repeat another one."""

    def __init__(self, module: ModuleOp):
        self._name_of: dict[MeshAttr, str] = {}
        self._renamed: dict[str, str] = {}
        self._block = module.body.block
        self._last: MeshOp | None = None
        for op in tuple(module.ops):
            if isinstance(op, MeshOp):
                self._take(op)
        self._names = SymbolNames(module)

    def _take(self, op: MeshOp) -> None:
        name = op.sym_name.data
        kept = self._name_of.setdefault(op.mesh, name)
        if kept == name:
            self._last = op
        else:
            self._renamed[name] = kept
            Rewriter.erase_op(op)

    def name_of(self, mesh: MeshAttr) -> str:
        """The name of `mesh`, for which a new operation is inserted if it has none."""
        if (name := self._name_of.get(mesh)) is None:
            name = self._name_of[mesh] = self._names.fresh(mesh_name(mesh))
            op = MeshOp(name, mesh)
            place = InsertPoint.at_start(self._block) if self._last is None else InsertPoint.after(self._last)
            Rewriter.insert_op(op, place)
            self._last = op
        return name

    def lifted(self, sharding: TensorShardingAttr) -> TensorShardingAttr:
        """`sharding` with its mesh by name."""
        if isinstance(sharding.mesh_or_ref, MeshAttr):
            name = self.name_of(sharding.mesh_or_ref)
        else:
            old = sharding.mesh_or_ref.string_value()
            name = self._renamed.get(old, old)
        return TensorShardingAttr(
            name,
            sharding.dim_shardings,
            sharding.replicated_axes,
            sharding.unreduced_axes,
            sharding.reduction_op.data,
        )


@dataclass(frozen=True)
class LiftInlinedMeshesPass(ModulePass):
    """Replace meshes that are written out in shardings by names, and leave one `sdy.mesh` for each mesh."""

    name = "sdy-lift-inlined-meshes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        transform_shardings(op, MeshNames(op).lifted)
        for mesh in op.ops:
            if isinstance(mesh, MeshOp):
                mesh.attributes.setdefault(STABLEHLO_MESH, stablehlo_mesh(mesh.mesh))
