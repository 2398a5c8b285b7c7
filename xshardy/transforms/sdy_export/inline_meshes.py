"""Write the mesh into every sharding, so that no sharding names a mesh: the inverse of `sdy-lift-inlined-meshes`."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.stablehlo.replica_groups import ReplicaGroupMeshAxesAttr
from xshardy.rewriting import AttributePattern, DecisionPattern, PatternPass, Step
from xshardy.transforms.sdy.shardings import HOLD_NO_SHARDINGS, meshes_of, with_mesh
from xshardy.transforms.sdy.stablehlo_meshes import to_stablehlo


@dataclass(frozen=True)
class InlineMesh(AttributePattern):
    """`<@mesh, [{"a"}]>` -> `<mesh<["a"=2]>, [{"a"}]>`; the same in replica groups."""

    attribute_types = (TensorShardingAttr, ReplicaGroupMeshAxesAttr)
    not_inside = HOLD_NO_SHARDINGS
    meshes: Mapping[str, MeshAttr]

    def applies(self) -> bool:
        return bool(self.meshes)

    def convert(self, attribute: Attribute, /) -> Attribute:
        if not isinstance(attribute, TensorShardingAttr | ReplicaGroupMeshAxesAttr):
            return attribute
        reference = attribute.mesh_or_ref if isinstance(attribute, TensorShardingAttr) else attribute.mesh
        mesh = self.meshes.get(reference.string_value()) if isinstance(reference, SymbolRefAttr) else None
        if mesh is None:
            return attribute
        if isinstance(attribute, TensorShardingAttr):
            return with_mesh(attribute, mesh)
        return ReplicaGroupMeshAxesAttr(to_stablehlo(mesh), attribute.axes)


class EraseMesh(DecisionPattern[MeshOp, None]):
    """`sdy.mesh @mesh = <["a"=2]>` -> nothing"""

    def rewrite(self, op: MeshOp, decision: None, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


class InlineMeshesPass(PatternPass):
    """Replace the names of meshes in shardings and replica groups by the meshes, and erase every `sdy.mesh`."""

    name = "sdy-inline-meshes"
    source: ClassVar[str] = "Shardy, sdy-inline-meshes"

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        meshes = [op for op in module.ops if isinstance(op, MeshOp)]
        yield Step((InlineMesh(meshes_of(module)),))
        yield Step((EraseMesh(dict.fromkeys(meshes)),))
