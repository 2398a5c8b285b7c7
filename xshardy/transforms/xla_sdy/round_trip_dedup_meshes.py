"""Keep one mesh of those that arrange the same devices in the same order, and write all shardings by its axes."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, cast

from xdsl.dialects.builtin import ArrayAttr, ModuleOp, NoneAttr, StringAttr, SymbolRefAttr
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr, MeshAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import axis_ref, mesh_of, span_of
from xshardy.dialects.sdy.ops import ManualComputationOp, MeshOp
from xshardy.dialects.stablehlo.replica_groups import AxisRefAttr as StableHLOAxisRefAttr
from xshardy.dialects.stablehlo.replica_groups import ReplicaGroupMeshAxesAttr
from xshardy.dialects.stablehlo.replica_groups import SubAxisInfoAttr as StableHLOSubAxisInfoAttr
from xshardy.hlo_text.shardings.device_axis import axes_of, axis_digit
from xshardy.rewriting import AttributePattern, DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_in, operations_of
from xshardy.sharding.group_axes import axis_of_groups
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.call_order import acyclic_callees_first
from xshardy.transforms.sdy.function_copies import Functions
from xshardy.transforms.sdy.shardings import HOLD_NO_SHARDINGS, priority_of, shardings_in
from xshardy.transforms.sdy_export.unflatten_call_graph import FUNC_MANUAL_AXES
from xshardy.transforms.sdy_import.lift_inlined_meshes import EraseRepeatedMesh
from xshardy.transforms.xla_sdy.manual_contexts import SetManualAxes, versions_by_context


def arrangement(mesh: MeshAttr) -> tuple[object, ...]:
    """What two meshes have in common whose shardings can be written by the axes of either, if the axes allow it."""
    return bool(mesh.axes.data), mesh.device_count, mesh.device_ids


def rank_of_mesh(mesh: MeshAttr) -> tuple[bool, int]:
    """By which the mesh that stays is chosen: a user has named its axes, and it has the most axes of more than one."""
    names = list(mesh.sizes)
    return not (names and names[0].startswith("_")), sum(size > 1 for size in mesh.sizes.values())


def meshes_that_stay(meshes: Iterable[MeshOp]) -> Mapping[MeshOp, MeshOp]:
    """For each mesh that another one could stand for, that one: the first of highest rank of its arrangement."""
    groups: dict[tuple[object, ...], list[MeshOp]] = {}
    for op in meshes:
        groups.setdefault(arrangement(op.mesh), []).append(op)
    chosen = {key: max(group, key=lambda op: rank_of_mesh(op.mesh)) for key, group in groups.items()}
    return {op: chosen[key] for key, group in groups.items() for op in group if op is not chosen[key]}


@dataclass(frozen=True, slots=True)
class Replacement:
    """A mesh whose shardings are written by the axes of another one with the same devices in the same order."""

    old: MeshAttr
    new: MeshAttr
    name: str
    """The name of the new mesh."""

    def axes(self, refs: AxisRefs) -> tuple[AxisRefAttr, ...] | None:
        """The axes of the new mesh for `refs` of the old one; None if it has no such axes."""
        old, new = mesh_of(self.old), mesh_of(self.new)
        digits = (axis_digit(old.numbered(span_of(ref, self.old)), old.sizes) for ref in refs)
        found = axes_of(digits, new.sizes)
        return None if found is None else tuple(axis_ref(new.named(axis), self.new) for axis in found)

    def manual_axes(self, names: Sequence[str]) -> tuple[str, ...] | None:
        """The axes of the new mesh for the manual axes `names`; None if a part of an axis would be manual."""
        found = self.axes([AxisRefAttr(name) for name in names])
        return None if found is None or not all(ref.is_full for ref in found) else tuple(ref.axis.data for ref in found)

    def sharding(self, sharding: TensorShardingAttr) -> TensorShardingAttr | None:
        """`sharding` of the old mesh over the new one; None if that has no such axes."""
        dims = [self.axes(dim.axes.data) for dim in sharding.dim_shardings]
        replicated, unreduced = self.axes(sharding.replicated_axes.data), self.axes(sharding.unreduced_axes.data)
        if None in dims or replicated is None or unreduced is None:
            return None
        return TensorShardingAttr(
            self.name,
            (_dimension(axes or (), dim) for axes, dim in zip(dims, sharding.dim_shardings, strict=True)),
            replicated,
            unreduced,
            sharding.reduction_op.data,
        )

    def groups(self, groups: ReplicaGroupMeshAxesAttr) -> ReplicaGroupMeshAxesAttr | None:
        """`groups` along axes of the old mesh, along those of the new one; None if that has no such axes."""
        found = self.axes([axis_of_groups(cast(StableHLOAxisRefAttr, axis)) for axis in groups.axes])
        if found is None:
            return None
        return ReplicaGroupMeshAxesAttr(SymbolRefAttr(self.name), ArrayAttr(map(_to_stablehlo, found)))


def _dimension(axes: AxisRefs, old: DimensionShardingAttr) -> DimensionShardingAttr:
    """`old` with other axes: what is empty and closed has no priority."""
    priority = priority_of(old) if axes or not old.is_closed else None
    return DimensionShardingAttr(axes, is_closed=bool(old.is_closed), priority=priority)


def _to_stablehlo(axis: AxisRefAttr) -> StableHLOAxisRefAttr:
    part = axis.sub_axis
    return StableHLOAxisRefAttr(
        axis.axis, part if isinstance(part, NoneAttr) else StableHLOSubAxisInfoAttr(part.pre_size, part.size)
    )


def mesh_of_computation(op: ManualComputationOp, meshes: Mapping[str, Replacement]) -> Replacement | None:
    """The one of `meshes` that the manual axes of `op` belong to."""
    shardings = (*op.in_shardings.shardings, *op.out_shardings.shardings)
    named = (meshes[name] for sharding in shardings if (name := sharding.mesh_name) in meshes and name is not None)
    return next((mesh for mesh in named if set(op.manual_axes.names) <= mesh.old.sizes.keys()), None)


def replacements(module: ModuleOp) -> Mapping[str, Replacement]:
    """By name: the meshes of `module` that another one can stand for, wherever they are used."""
    declared = [op for op in module.ops if isinstance(op, MeshOp)]
    stay = meshes_that_stay(declared).items()
    found = {op.sym_name.data: Replacement(op.mesh, new.mesh, new.sym_name.data) for op, new in stay}
    for name in set(_names_of_inexpressible(module, found)):
        del found[name]
    return found


def _names_of_inexpressible(module: ModuleOp, found: Mapping[str, Replacement]) -> Iterator[str]:
    """The meshes of `found` of which `module` uses axes that the new mesh does not have."""
    if not found:
        return
    for sharding in shardings_in(module):
        if (name := sharding.mesh_name) is not None and name in found and found[name].sharding(sharding) is None:
            yield name
    for op in operations_of(module, ManualComputationOp):
        mesh = mesh_of_computation(op, found)
        if mesh is not None and mesh.manual_axes(op.manual_axes.names) is None:
            yield next(name for name, replacement in found.items() if replacement is mesh)
    for op in operations_in(module):
        groups = op.properties.get("replica_groups")
        if not isinstance(groups, ReplicaGroupMeshAxesAttr) or (name := mesh_of_groups(groups)) is None:
            continue
        if name in found and found[name].groups(groups) is None:
            yield name


def mesh_of_groups(groups: Attribute | None) -> str | None:
    """The name of the mesh along whose axes `groups` are; None if they are not, or if the mesh has no name."""
    if isinstance(groups, ReplicaGroupMeshAxesAttr) and isinstance(groups.mesh, SymbolRefAttr):
        return groups.mesh.string_value()
    return None


# Patterns


class RenameManualAxes(DecisionPattern[ManualComputationOp, "tuple[str, ...]"]):
    """`manual_computation ... manual_axes={"x"}` -> `... manual_axes={"a", "b"}`, if `x` of its mesh is `a`, `b`."""

    def rewrite(self, op: ManualComputationOp, decision: tuple[str, ...], rewriter: PatternRewriter, /) -> None:
        op.manual_axes = ManualAxesAttr(map(StringAttr, decision))
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class UseOtherMesh(AttributePattern):
    """`<@dup, [{"x"}]>` -> `<@mesh, [{"a", "b"}]>`, if `x` of `@dup` is `a`, `b` of `@mesh`; so in replica groups."""

    attribute_types = (TensorShardingAttr, ReplicaGroupMeshAxesAttr)
    not_inside = HOLD_NO_SHARDINGS
    meshes: Mapping[str, Replacement]

    def applies(self) -> bool:
        return bool(self.meshes)

    def convert(self, attribute: Attribute, /) -> Attribute:
        if isinstance(attribute, TensorShardingAttr):
            mesh = self.meshes.get(attribute.mesh_name or "")
            return attribute if mesh is None else mesh.sharding(attribute) or attribute
        mesh = self.meshes.get(mesh_of_groups(attribute) or "")
        return attribute if mesh is None else mesh.groups(cast(ReplicaGroupMeshAxesAttr, attribute)) or attribute


class RoundTripDedupMeshesPass(PatternPass):
    """
    Erase each mesh whose devices another one has in the same order, and use the axes of that one instead.

    The mesh with the most axes of several devices stays; among those the first, and one with axes named by a user
    rather than one with names that start with `_`. A mesh stays if a part of an axis is used that the other does not
    have as a part, or as several axes.
    """

    name = "xla-sdy-round-trip-dedup-meshes"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-dedup-meshes"

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        found = replacements(module)
        manual: dict[ManualComputationOp, tuple[str, ...]] = {}
        for op in operations_of(module, ManualComputationOp) if found else ():
            mesh = mesh_of_computation(op, found)
            axes = None if mesh is None else mesh.manual_axes(op.manual_axes.names)
            if axes is not None:
                manual[op] = axes
        erased = {
            op: found[op.sym_name.data].name
            for op in module.ops
            if isinstance(op, MeshOp) and op.sym_name.data in found
        }
        yield Step((RenameManualAxes(manual),))
        yield Step((UseOtherMesh(found),))
        yield Step((EraseRepeatedMesh(erased),))
        yield Step((SetManualAxes(renamed_contexts(module) if manual else {}),))


def renamed_contexts(module: ModuleOp) -> Mapping[FuncOp, tuple[str, ...]]:
    """The manual axes around the calls of functions, where other ones are written on them."""
    functions = functions_of(module)
    if not any(FUNC_MANUAL_AXES in function.attributes for function in functions.values()):
        return {}
    versions = versions_by_context(acyclic_callees_first(Functions(module)), module)
    return {functions[name]: axes for name, axes in versions.contexts.items() if name in functions}
