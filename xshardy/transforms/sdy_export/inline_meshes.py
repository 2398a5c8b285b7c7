"""Write out the mesh of every sharding, so that each can be read alone: `sdy-lift-inlined-meshes` the other way."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.stablehlo.replica_groups import MeshAttr as StableHLOMeshAttr
from xshardy.transforms.sdy.shardings import transform_shardings, with_mesh
from xshardy.transforms.sdy.stablehlo_meshes import to_stablehlo, transform_group_meshes


@dataclass(frozen=True)
class InlineMeshesPass(ModulePass):
    """Replace the names of meshes in shardings and replica groups by the meshes, and erase every `sdy.mesh`."""

    name = "sdy-inline-meshes"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        operations = [inner for inner in op.ops if isinstance(inner, MeshOp)]
        meshes = {mesh.sym_name.data: mesh.mesh for mesh in operations}

        def group_mesh(mesh_or_ref: SymbolRefAttr | StableHLOMeshAttr) -> SymbolRefAttr | StableHLOMeshAttr:
            mesh = meshes.get(mesh_or_ref.string_value()) if isinstance(mesh_or_ref, SymbolRefAttr) else None
            return mesh_or_ref if mesh is None else to_stablehlo(mesh)

        transform_shardings(
            op, lambda sharding: with_mesh(sharding, meshes.get(sharding.mesh_name or "", sharding.mesh_or_ref))
        )
        transform_group_meshes(op, group_mesh)
        for mesh in operations:
            Rewriter.erase_op(mesh)
