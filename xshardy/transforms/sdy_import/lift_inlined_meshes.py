"""Give every mesh that is written out in a sharding a name. Source: row SDY-PASS-04."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import DictionaryAttr, ModuleOp, SymbolRefAttr
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.stablehlo.replica_groups import MeshAttr as StableHLOMeshAttr
from xshardy.dialects.stablehlo.replica_groups import ReplicaGroupMeshAxesAttr
from xshardy.rewriting import AttributePattern, DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import attributes_on, operations_from
from xshardy.sharding.group_axes import mesh_of_groups
from xshardy.transforms.sdy.shardings import HOLD_NO_SHARDINGS, shardings_of, with_mesh
from xshardy.transforms.sdy.stablehlo_meshes import STABLEHLO_MESH, as_dictionary, group_meshes_in
from xshardy.transforms.sdy.symbols import SymbolNames


def mesh_name(mesh: MeshAttr) -> str:
    """The name that a new mesh gets if it is free."""
    if mesh.maximal_device_id is not None:
        return f"maximal_mesh_{mesh.maximal_device_id}"
    return "empty_mesh" if mesh.is_empty else "mesh"


@dataclass(frozen=True, slots=True)
class MeshNames:
    """One name for each mesh of a module."""

    kept: Sequence[MeshOp]
    """The first operation of each mesh."""
    repeated: Mapping[MeshOp, str]
    """The operations that repeat a mesh, and the name that it keeps."""
    new: Mapping[MeshAttr, str]
    """The names of meshes without an operation, in the order in which shardings and replica groups name them."""
    any_written_out: bool
    """Whether a sharding or a replica group has a mesh that is written out."""


def mesh_names(module: ModuleOp) -> MeshNames:
    """The names of the meshes of `module`. Looks at each operation once."""
    first: dict[MeshAttr, MeshOp] = {}
    repeated: dict[MeshOp, str] = {}
    for op in module.ops:
        if isinstance(op, MeshOp) and (kept := first.setdefault(op.mesh, op)) is not op:
            repeated[op] = kept.sym_name.data
    symbols = SymbolNames(module, left_out=repeated)
    new: dict[MeshAttr, str] = {}
    written_out = tuple(_meshes_written_out(module))
    for mesh in written_out:
        if mesh not in first and mesh not in new:
            new[mesh] = symbols.fresh(mesh_name(mesh))
    return MeshNames(tuple(first.values()), repeated, new, bool(written_out))


def _meshes_written_out(module: ModuleOp) -> Iterator[MeshAttr]:
    """These meshes in the order of the text, those of shardings first."""
    for sharding in shardings_of(attributes_on(operations_from(module)).values()):
        if isinstance(sharding.mesh_or_ref, MeshAttr):
            yield sharding.mesh_or_ref
    for mesh in group_meshes_in(module):
        if isinstance(mesh, StableHLOMeshAttr):
            yield mesh_of_groups(mesh)


class EraseRepeatedMesh(DecisionPattern[MeshOp, str]):
    """`sdy.mesh @a = <m>`, `sdy.mesh @b = <m>` -> `sdy.mesh @a = <m>`"""

    def rewrite(self, op: MeshOp, decision: str, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


class DescribeMesh(DecisionPattern[MeshOp, DictionaryAttr]):
    """`sdy.mesh @a = <["x"=2]>` -> `sdy.mesh @a = <["x"=2]> {stablehlo.mesh = {axes = [{name = "x", size = 2}]}}`"""

    def rewrite(self, op: MeshOp, decision: DictionaryAttr, rewriter: PatternRewriter, /) -> None:
        op.attributes[STABLEHLO_MESH] = decision
        rewriter.notify_op_modified(op)


class DeclareMeshes(DecisionPattern[Operation, Mapping[MeshAttr, str]]):
    """
    `sdy.mesh @mesh = <m>` -> `sdy.mesh @mesh = <m>`, `sdy.mesh @mesh_0 = <n>`, after the last mesh of the module.

    In a module without meshes, in front of its first operation.
    """

    def rewrite(self, op: Operation, decision: Mapping[MeshAttr, str], rewriter: PatternRewriter, /) -> None:
        declared = [
            MeshOp.create(properties=MeshOp(name, mesh).properties, attributes={STABLEHLO_MESH: as_dictionary(mesh)})
            for mesh, name in decision.items()
        ]
        rewriter.insert(declared, InsertPoint.after(op) if isinstance(op, MeshOp) else InsertPoint.before(op))


@dataclass(frozen=True)
class NameMeshes(AttributePattern):
    """`<mesh<["a"=2]>, [{"a"}]>` -> `<@mesh, [{"a"}]>`; `@dup` -> `@mesh`. The same in replica groups."""

    attribute_types = (TensorShardingAttr, ReplicaGroupMeshAxesAttr)
    not_inside = HOLD_NO_SHARDINGS
    names: Mapping[MeshAttr, str]
    renamed: Mapping[str, str]
    is_needed: bool
    """Whether a mesh is written out, or named by a name that goes away."""

    def applies(self) -> bool:
        return self.is_needed

    def convert(self, attribute: Attribute, /) -> Attribute:
        match attribute:
            case TensorShardingAttr(mesh_or_ref=mesh):
                return attribute if (named := self._named(mesh)) is None else with_mesh(attribute, named)
            case ReplicaGroupMeshAxesAttr(mesh=StableHLOMeshAttr() | SymbolRefAttr() as mesh):
                named = self._named(mesh_of_groups(mesh) if isinstance(mesh, StableHLOMeshAttr) else mesh)
                return attribute if named is None else ReplicaGroupMeshAxesAttr(named, attribute.axes)
            case _:
                return attribute

    def _named(self, mesh: SymbolRefAttr | MeshAttr) -> SymbolRefAttr | None:
        """The name of `mesh`; None if it stays as it is."""
        name = self.names.get(mesh) if isinstance(mesh, MeshAttr) else self.renamed.get(mesh.string_value())
        return None if name is None else SymbolRefAttr(name)


class LiftInlinedMeshesPass(PatternPass):
    """Replace meshes that are written out in shardings by names, and leave one `sdy.mesh` for each mesh."""

    name = "sdy-lift-inlined-meshes"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-lift-inlined-meshes (SDY-PASS-04)'

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        found = mesh_names(module)
        names = {op.mesh: op.sym_name.data for op in found.kept} | dict(found.new)
        renamed = {op.sym_name.data: name for op, name in found.repeated.items()}
        described = {op: as_dictionary(op.mesh) for op in found.kept if STABLEHLO_MESH not in op.attributes}
        yield Step((EraseRepeatedMesh(found.repeated), DescribeMesh(described)))
        place = found.kept[-1] if found.kept else module.body.block.first_op
        yield Step((DeclareMeshes({place: found.new} if place is not None and found.new else {}),))
        yield Step((NameMeshes(names, renamed, is_needed=bool(renamed) or found.any_written_out),))
