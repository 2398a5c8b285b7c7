"""
Check rules that the documents state and that upstream does not enforce.

Source: SDY-Q-06, SDY-Q-07, SDY-OP-08 (one mesh), and the rule of each collective that its axes lead from the sharding
of its operand to that of its result.
"""

from collections.abc import Iterator
from typing import ClassVar

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.ir import Attribute, Operation

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import difference
from xshardy.dialects.sdy.collectives import Collective, Reduction, ReplicatedToUnreducedOp, ShardedToUnreducedOp
from xshardy.dialects.sdy.ops import ManualComputationOp, MeshOp
from xshardy.dialects.sdy.value_shardings import common_mesh, shardings_on
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.read_only_pass import ReadOnlyPass


def device_count_error(module: ModuleOp) -> tuple[MeshOp, str] | None:
    """
    The first mesh of `module` with another number of devices than the first one, and the error; None if there is none.

    Maximal and empty meshes are not counted.
    """
    first: MeshOp | None = None
    for op in module.ops:
        if not isinstance(op, MeshOp) or op.mesh.is_maximal or op.mesh.is_empty:
            continue
        first = first or op
        if op.mesh.device_count != first.mesh.device_count:
            return op, (
                f"mesh @{op.sym_name.data} has {op.mesh.device_count} devices and mesh @{first.sym_name.data} has "
                f"{first.mesh.device_count}: give all meshes of a module the same number of devices"
            )
    return None


def empty_dimension_error(sharding: TensorShardingAttr, type: Attribute) -> str | None:
    """The error of the first dimension of `type` that has size 0 and that `sharding` divides; None if there is none."""
    if not isinstance(type, ShapedType):
        return None
    for dim, (extent, dimension) in enumerate(zip(type.get_shape(), sharding.dim_shardings, strict=False)):
        if extent == 0 and dimension.axes.data:
            axes = ", ".join(axis.text for axis in dimension.axes)
            return f"dimension {dim} of {type} has size 0 and is sharded along {axes}: replicate it"
    return None


def unreduced_axes_error(op: Operation) -> str | None:
    """The error of a collective whose result is unreduced along other axes than its operand, less those it reduces."""
    if not isinstance(op, Collective) or isinstance(op, ShardedToUnreducedOp | ReplicatedToUnreducedOp):
        return None
    before, after = op.in_sharding.unreduced_axes.data, op.out_sharding.unreduced_axes.data
    reduced = op.reduced_axes if isinstance(op, Reduction) else ()
    for axis in before:
        if lost := difference(axis, [*after, *reduced], op.mesh):
            return f"the operand is unreduced along {lost[0].text}, and the result is not: reduce it along this axis"
    for axis in after:
        if added := difference(axis, before, op.mesh):
            return f"the result is unreduced along {added[0].text}, and the operand is not: leave this axis out"
    return None


def meshes_error(op: Operation) -> str | None:
    """The error of a manual computation with shardings over several meshes."""
    if isinstance(op, ManualComputationOp) and (listed := [sharding for _, sharding, _ in shardings_on(op)]):
        return None if common_mesh(listed, op) else "the in and out shardings are over several meshes: use one of them"
    return None


def errors_in(module: ModuleOp) -> Iterator[tuple[Operation, str]]:
    """The operations of `module` that break a rule, each with the error, in the order of the text."""
    for op in (module, *operations_in(module)):
        if isinstance(op, ModuleOp) and (error := device_count_error(op)) is not None:
            yield error
        if (what := unreduced_axes_error(op) or meshes_error(op)) is not None:
            yield op, f"'{op.name}' op {what}"
        for value, sharding, type in shardings_on(op):
            if (what := empty_dimension_error(sharding, type)) is not None:
                yield op, f"'{op.name}' op {value} - {what}"


class VerifyStrictPass(ReadOnlyPass):
    """
    Check rules of the documents that upstream does not enforce: meshes have one number of devices, empty dimensions are
    not sharded, a manual computation uses one mesh, and a collective keeps the unreduced axes that it does not reduce.
    """

    name = "sdy-verify-strict"
    source: ClassVar[str] = "Shardy's dialect (SDY-Q-06, SDY-Q-07, SDY-OP-01 to SDY-OP-05, SDY-OP-08, SDY-OP-12)"
    no_patterns: ClassVar[str] = "verifies only"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if (error := next(errors_in(op), None)) is not None:
            raise OperationFailedException(*error)
