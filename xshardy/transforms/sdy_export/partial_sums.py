"""
How the parts of unreduced operands become parts of unreduced results.

`linear_groups` says in which operands an operation is linear. Parts pass along an axis if a whole group has them, and
no other operand: then the results are unreduced along it. Every other operand must be reduced first.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import SymbolRefAttr
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation, SSAValue

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.collectives import Collective, sorted_and_merged
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, ReshardOp, ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.dialects.shapes import rank_of
from xshardy.sharding.conflicts.partial_sums import is_zero, linear_groups
from xshardy.sharding.conflicts.reduction_kinds import reduction_kind
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.factor_conflicts import FactorConflicts, element_count
from xshardy.transforms.sdy_export.unreduced_axes import axes_without

WITH_WRITTEN_AXES = (ReshardOp, ShardingConstraintOp, Collective, DataFlowEdgeOp, CallOp)
"""Operations that say along which axes they reduce or divide, and those whose axes a function or an edge says."""


@dataclass(frozen=True, slots=True)
class Unreduced:
    """What a tensor is unreduced along, over which mesh, and how its parts are combined."""

    axes: AxisRefs = ()
    kind: ReductionOp = ReductionOp.SUM
    mesh_or_ref: SymbolRefAttr | MeshAttr | None = None

    @staticmethod
    def of(sharding: TensorShardingAttr | None) -> "Unreduced":
        """What `sharding` says; nothing without unreduced axes."""
        if sharding is None or not sharding.unreduced_axes.data:
            return Unreduced()
        return Unreduced(sharding.unreduced_axes.data, sharding.reduction_op.data, sharding.mesh_or_ref)

    def like(self, other: "Unreduced") -> AxisRefs:
        """The axes, if parts are over the mesh of `other` and combined in the same way."""
        return self.axes if (self.kind, self.mesh_or_ref) == (other.kind, other.mesh_or_ref) else ()

    def along(self, *axes: AxisRefs, mesh: MeshAttr) -> "Unreduced":
        """The same along other axes of `mesh`, its mesh: along all that are in one of these lists."""
        return Unreduced(union(axes, mesh), self.kind, self.mesh_or_ref)

    def on(self, value: SSAValue) -> TensorShardingAttr:
        """The sharding of `value` with these unreduced axes in place of its own; open without one."""
        sharding = sharding_of(value)
        if sharding is None:
            assert self.mesh_or_ref is not None, "a tensor without a sharding is not unreduced"
            sharding = TensorShardingAttr.fully_open(self.mesh_or_ref, rank_of(value))
        return TensorShardingAttr(
            sharding.mesh_or_ref, sharding.dim_shardings, sharding.replicated_axes, self.axes, self.kind
        )


def common(a: AxisRefs, b: AxisRefs, mesh: MeshAttr) -> AxisRefs:
    """The axes that are in both."""
    return axes_without(a, axes_without(a, b, mesh), mesh)


def union(lists: Iterable[AxisRefs], mesh: MeshAttr) -> AxisRefs:
    """The axes that are in one of `lists`, in the order of `mesh`."""
    axes: list[AxisRefAttr] = []
    for more in lists:
        axes += axes_without(more, tuple(axes), mesh)
    return sorted_and_merged(axes, mesh)


def sharded_along(*shardings: TensorShardingAttr | None) -> AxisRefs:
    """The axes of all dimensions."""
    return tuple(axis for sharding in shardings if sharding for dim in sharding.dim_shardings for axis in dim.axes)


@dataclass(frozen=True, slots=True)
class Passage:
    """What parts of operands become parts of the results."""

    axes: AxisRefs
    """The axes along which results are unreduced because operands are."""
    operands: Sequence[AxisRefs]
    """The axes along which each operand has to be unreduced for that."""


def passage(op: Operation, given: Sequence[Unreduced], wanted: Unreduced, mesh: MeshAttr) -> Passage:
    """
    How parts pass through `op`, whose operands are `given` and whose results are `wanted` to be unreduced over `mesh`.

    Along axes that are not wanted, they pass if all operands of a group have them, and the results have no more
    elements. Along wanted ones they pass if one operand of a group has them: the others become unreduced, for which no
    data moves. Operands that are known to be zero have parts along any axis; so has every operand for a maximum.
    """
    kind, parts = wanted.kind, [known.like(wanted) for known in given]
    sharded = sharded_along(*map(sharding_of, (*op.operands, *op.results)))
    passing: list[AxisRefs] = []
    needed: list[AxisRefs] = [()] * len(parts)
    for group in linear_groups(op, kind, may_round=bool(wanted.axes)):
        fixed = [i for i in group if not (is_zero(op.operands[i]) if kind is ReductionOp.SUM else not parts[i])]
        if not fixed:
            continue
        any_has = union([parts[i] for i in fixed], mesh)
        axes = common(any_has, wanted.axes, mesh)
        if kind is not ReductionOp.SUM:
            axes = any_has
        elif not _grows(op, [op.operands[i] for i in fixed if parts[i]]):
            all_have = any_has
            for i in fixed:
                all_have = common(all_have, parts[i], mesh)
            axes = union([axes, all_have], mesh)
        others = [axis for i, known in enumerate(given) if i not in group or not parts[i] for axis in known.axes]
        axes = axes_without(axes_without(axes, tuple(others), mesh), sharded, mesh)
        passing.append(axes)
        for i in group:
            needed[i] = axes if i in fixed and kind is ReductionOp.SUM else common(parts[i], axes, mesh)
    return Passage(union(passing, mesh), needed)


def own_axes(op: Operation, wanted: Unreduced, conflicts: FactorConflicts) -> AxisRefs | None:
    """
    The axes along which devices have parts of the results of `op`, to be combined as `wanted`, by what `op` reduces.

    What all devices have is the maximum and minimum of it, too. None if operands are to be resharded for the reduction.
    """
    if (axes := conflicts.reduction_axes(op)) is None:
        return None
    reduced = tuple(axes)
    own = reduced if reduction_kind(op) is wanted.kind else ()
    if wanted.kind is ReductionOp.SUM or not wanted.axes:
        return own
    return (*own, *axes_without(wanted.axes, reduced, mesh_of(wanted, op)))


def _grows(op: Operation, operands: Sequence[SSAValue]) -> bool:
    """Whether a result has more elements than `operands` together, so that to reduce these moves fewer bytes."""
    read = sum(element_count(operand.type) for operand in operands)
    return any(element_count(result.type) > read for result in op.results)


def unreduced_results(op: Operation) -> Unreduced:
    """What the results of `op` are unreduced along: the same for all."""
    found = (known for result in op.results if (known := Unreduced.of(sharding_of(result))).axes)
    return next(found, Unreduced())


def required_operands(op: Operation) -> Mapping[int, Unreduced]:
    """The operands of `op` that have to be unreduced along other axes than they are, by index, and along which."""
    given = [Unreduced.of(sharding_of(operand)) for operand in op.operands]
    wanted = unreduced_results(op)
    if not any(known.axes for known in given):  # results that are unreduced by themselves
        return {}
    if not wanted.axes:
        return {index: Unreduced((), known.kind, known.mesh_or_ref) for index, known in enumerate(given) if known.axes}
    needed = passage(op, given, wanted, mesh_of(wanted, op)).operands
    return {
        index: Unreduced(axes, wanted.kind, wanted.mesh_or_ref)
        for index, (axes, known) in enumerate(zip(needed, given, strict=True))
        if axes != known.axes or (axes and known.like(wanted) != axes)
    }


def mesh_of(unreduced: Unreduced, op: Operation) -> MeshAttr:
    """The mesh of `unreduced`, which has axes."""
    return mesh_over(unreduced.mesh_or_ref, op)


def mesh_over(mesh_or_ref: SymbolRefAttr | MeshAttr | None, op: Operation) -> MeshAttr:
    """The mesh that `mesh_or_ref` is or names."""
    mesh = None if mesh_or_ref is None else lookup_mesh(TensorShardingAttr(mesh_or_ref, ()), op)
    assert mesh is not None, "shardings are verified to be over meshes of the module"
    return mesh
