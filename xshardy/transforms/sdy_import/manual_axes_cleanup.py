"""Let every sharding of a manual computation mention all of its manual axes. Source: row SDY-PASS-05."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, ShapedType, StringAttr, SymbolRefAttr
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.mesh import ManualAxesAttr, MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.axis_refs import difference, merged, mesh_order
from xshardy.dialects.sdy.ops import ManualComputationOp, ReturnOp
from xshardy.dialects.sdy.value_shardings import lookup_mesh
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.failures import OperationFailedException


def common_mesh_or_ref(op: ManualComputationOp) -> SymbolRefAttr | MeshAttr:
    """The mesh of the shardings of `op`, as the first of them says it that is not over an empty mesh."""
    shardings = (*op.in_shardings.shardings, *op.out_shardings.shardings)
    for sharding in shardings:
        mesh = lookup_mesh(sharding, op)
        if mesh is not None and not mesh.is_empty:
            return sharding.mesh_or_ref
    return shardings[-1].mesh_or_ref


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


def clean_up(op: ManualComputationOp) -> None:
    """Sort the manual axes of `op` as its mesh does; those that a sharding leaves out become replicated axes of it."""
    if not (op.in_shardings.shardings.data or op.out_shardings.shardings.data):
        return
    mesh_or_ref = common_mesh_or_ref(op)
    mesh = lookup_mesh(TensorShardingAttr(mesh_or_ref, ()), op)
    if mesh is None:
        return
    position = {name: index for index, name in enumerate(mesh.sizes)}
    names = sorted(op.manual_axes.names, key=lambda name: position.get(name, -1))
    op.manual_axes = ManualAxesAttr(map(StringAttr, names))

    def cleaned(shardings: TensorShardingPerValueAttr, types: Sequence[Attribute]) -> TensorShardingPerValueAttr:
        return TensorShardingPerValueAttr(
            with_manual_axes(sharding, names, mesh_or_ref, mesh) if isinstance(type, ShapedType) else sharding
            for sharding, type in zip(shardings.shardings, types, strict=True)
        )

    op.in_shardings = cleaned(op.in_shardings, op.operand_types)
    op.out_shardings = cleaned(op.out_shardings, op.result_types)


@dataclass(frozen=True)
class ManualAxesCleanupPass(ModulePass):
    """Specify manual axes fully: in the order of the mesh, and replicated where a sharding does not mention them."""

    name = "sdy-manual-axes-cleanup"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        computations = list(operations_of(op, ManualComputationOp))
        for computation in computations:
            check_manual_axes(computation)
        for computation in computations:
            clean_up(computation)
