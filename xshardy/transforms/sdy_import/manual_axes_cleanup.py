"""Let every sharding of a manual computation mention all of its manual axes. Source: row SDY-PASS-05."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, ShapedType, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr, MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.axis_refs import difference, merged, mesh_order
from xshardy.dialects.sdy.ops import ManualComputationOp, ReturnOp
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.rewriting import DecisionPattern, PatternPass, Step
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.failures import OperationFailedException


def unmentioned(name: str, mentioned: Sequence[AxisRefAttr], mesh: MeshAttr) -> Sequence[AxisRefAttr]:
    """The parts of the axis `name` that are not `mentioned`."""
    axis = AxisRefAttr(name)
    if all(other.axis != axis.axis for other in mentioned):
        return (axis,)  # also if it is of size one, and has no parts
    return difference(axis, mentioned, mesh)


def with_manual_axes(
    sharding: TensorShardingAttr, manual_axes: Sequence[str], mesh_or_ref: SymbolRefAttr | MeshAttr, mesh: MeshAttr
) -> TensorShardingAttr:
    """`<@mesh, [{"a"}]>` -> `<@mesh, [{"a"}], replicated={"b"}>` for the manual axes `a` and `b`."""
    mentioned = tuple(sharding.axis_refs())
    unused = [part for name in manual_axes for part in unmentioned(name, mentioned, mesh)]
    if not unused:
        return sharding
    replicated = sorted((*sharding.replicated_axes, *unused), key=lambda axis: mesh_order(axis, mesh))
    return TensorShardingAttr(
        mesh_or_ref,
        sharding.dim_shardings,
        merged(replicated, mesh),
        sharding.unreduced_axes,
        sharding.reduction_op.data,
    )


def check_manual_axes(op: ManualComputationOp) -> None:
    """Raises `OperationFailedException` if `op` has manual axes and a body, but no sharding that names a mesh."""
    if op.in_shardings.shardings.data or op.out_shardings.shardings.data:
        return
    if op.manual_axes.names and not isinstance(op.body.block.first_op, ReturnOp):
        raise OperationFailedException(
            op,
            f"'{op.name}' op has manual_axes when there are no in/out shardings and the body is not empty. This isn't "
            "allowed at this stage: give the manual computation an operand or a result, or drop its manual axes",
        )


def mesh_of(op: ManualComputationOp) -> tuple[SymbolRefAttr | MeshAttr, MeshAttr] | None:
    """The mesh of the first sharding of `op` over a mesh with axes, as it names it and looked up; None if none is."""
    for sharding in (*op.in_shardings.shardings, *op.out_shardings.shardings):
        mesh = lookup_mesh(sharding, op)
        if mesh is not None and not mesh.is_empty:
            return sharding.mesh_or_ref, mesh
    return None


def sorted_manual_axes(op: ManualComputationOp) -> ManualAxesAttr:
    """The manual axes of `op` in the order of its mesh."""
    if (found := mesh_of(op)) is None:
        return op.manual_axes
    position = {name: index for index, name in enumerate(found[1].sizes)}
    names = sorted(op.manual_axes.names, key=lambda name: position.get(name, -1))
    return ManualAxesAttr(map(StringAttr, names))


@dataclass(frozen=True, slots=True)
class BorderShardings:
    """The shardings of the operands and of the results of a manual computation."""

    in_shardings: TensorShardingPerValueAttr
    out_shardings: TensorShardingPerValueAttr


def fully_specified_shardings(op: ManualComputationOp) -> BorderShardings:
    """The shardings of `op`, where a manual axis that a sharding does not mention is a replicated axis of it."""
    if (found := mesh_of(op)) is None:
        return BorderShardings(op.in_shardings, op.out_shardings)
    mesh_or_ref, mesh = found
    names = op.manual_axes.names

    def specified(shardings: TensorShardingPerValueAttr, types: Sequence[Attribute]) -> TensorShardingPerValueAttr:
        return TensorShardingPerValueAttr(
            with_manual_axes(sharding, names, mesh_or_ref, mesh) if isinstance(type, ShapedType) else sharding
            for sharding, type in zip(shardings.shardings, types, strict=True)
        )

    return BorderShardings(specified(op.in_shardings, op.operand_types), specified(op.out_shardings, op.result_types))


class SortManualAxes(DecisionPattern[ManualComputationOp, ManualAxesAttr]):
    """`manual_axes={"b", "a"}` -> `manual_axes={"a", "b"}`, the order of the mesh."""

    def rewrite(self, op: ManualComputationOp, decision: ManualAxesAttr, rewriter: PatternRewriter, /) -> None:
        if decision != op.manual_axes:
            op.manual_axes = decision
            rewriter.notify_op_modified(op)


class ReplicateManualAxes(DecisionPattern[ManualComputationOp, BorderShardings]):
    """`in_shardings=[<@mesh, [{"a"}]>]` -> `in_shardings=[<@mesh, [{"a"}], replicated={"b"}>]` for manual axis `b`."""

    def rewrite(self, op: ManualComputationOp, decision: BorderShardings, rewriter: PatternRewriter, /) -> None:
        if decision != BorderShardings(op.in_shardings, op.out_shardings):
            op.in_shardings, op.out_shardings = decision.in_shardings, decision.out_shardings
            rewriter.notify_op_modified(op)


class ManualAxesCleanupPass(PatternPass):
    """Specify manual axes fully: in the order of the mesh, and replicated where a sharding does not mention them."""

    name = "sdy-manual-axes-cleanup"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-manual-axes-cleanup (SDY-PASS-05)'

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        computations = operations_of(module, ManualComputationOp)
        for computation in computations:
            check_manual_axes(computation)
        yield Step((SortManualAxes({op: sorted_manual_axes(op) for op in computations}),))
        yield Step((ReplicateManualAxes({op: fully_specified_shardings(op) for op in computations}),))
