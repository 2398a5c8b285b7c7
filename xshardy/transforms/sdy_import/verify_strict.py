"""
Rules that the documents state and upstream does not check, its own tests breaking them. Source: SDY-Q-06 and SDY-Q-07.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, ShapedType
from xdsl.ir import Attribute, Operation
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import MeshOp
from xshardy.dialects.sdy.value_shardings import shardings_on
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.failures import OperationFailedException


def device_count_complaint(module: ModuleOp) -> tuple[MeshOp, str] | None:
    """
    The first mesh of `module` with another number of devices than those before it; None if all have the same.

    Meshes of one device id, and the placeholder without devices, are not counted.
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


def empty_dimension_complaint(sharding: TensorShardingAttr, type: Attribute) -> str | None:
    """A dimension of `type` that has no elements and that `sharding` divides all the same; None if there is none."""
    if not isinstance(type, ShapedType):
        return None
    for dim, (extent, dimension) in enumerate(zip(type.get_shape(), sharding.dim_shardings, strict=False)):
        if extent == 0 and dimension.axes.data:
            axes = ", ".join(axis.text for axis in dimension.axes)
            return f"dimension {dim} of {type} has size 0 and is sharded along {axes}: replicate it"
    return None


def complaints(module: ModuleOp) -> Iterator[tuple[Operation, str]]:
    """What breaks the rules in `module`, in the order of its text, and the operations that it is about."""
    for op in (module, *operations_in(module)):
        if isinstance(op, ModuleOp) and (complaint := device_count_complaint(op)) is not None:
            yield complaint
        for value, sharding, type in shardings_on(op):
            if (what := empty_dimension_complaint(sharding, type)) is not None:
                yield op, f"'{op.name}' op {value} - {what}"


@dataclass(frozen=True)
class VerifyStrictPass(ModulePass):
    """Check that all meshes of a module have the same number of devices, and that no empty dimension is sharded."""

    name = "sdy-verify-strict"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if (complaint := next(complaints(op), None)) is not None:
            raise OperationFailedException(*complaint)
