"""Give every mesh that a sharding writes out a name. Source: row SDY-PASS-04."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.stablehlo.replica_groups import MeshAttr as StableHLOMeshAttr
from xshardy.transforms.sdy.shardings import transform_shardings, with_mesh
from xshardy.transforms.sdy.stablehlo_meshes import (
    STABLEHLO_MESH,
    as_dictionary,
    from_stablehlo,
    transform_group_meshes,
)
from xshardy.transforms.sdy.symbols import SymbolNames


def mesh_name(mesh: MeshAttr) -> str:
    """The name that a new mesh gets if it is free."""
    if mesh.maximal_device_id is not None:
        return f"maximal_mesh_{mesh.maximal_device_id}"
    return "empty_mesh" if mesh.is_empty else "mesh"


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

    def named(self, mesh_or_ref: SymbolRefAttr | MeshAttr) -> SymbolRefAttr:
        """The name that a mesh has, or that it has now instead of another one."""
        if isinstance(mesh_or_ref, MeshAttr):
            return SymbolRefAttr(self.name_of(mesh_or_ref))
        name = mesh_or_ref.string_value()
        return SymbolRefAttr(self._renamed.get(name, name))

    def lifted(self, sharding: TensorShardingAttr) -> TensorShardingAttr:
        """`sharding` with its mesh by name."""
        return with_mesh(sharding, self.named(sharding.mesh_or_ref))

    def lifted_group_mesh(self, mesh: SymbolRefAttr | StableHLOMeshAttr) -> SymbolRefAttr:
        """The name of the mesh of replica groups."""
        return self.named(mesh if isinstance(mesh, SymbolRefAttr) else from_stablehlo(mesh))


@dataclass(frozen=True)
class LiftInlinedMeshesPass(ModulePass):
    """Replace meshes that are written out in shardings by names, and leave one `sdy.mesh` for each mesh."""

    name = "sdy-lift-inlined-meshes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        names = MeshNames(op)
        transform_shardings(op, names.lifted)
        transform_group_meshes(op, names.lifted_group_mesh)
        for mesh in op.ops:
            if isinstance(mesh, MeshOp):
                mesh.attributes.setdefault(STABLEHLO_MESH, as_dictionary(mesh.mesh))
