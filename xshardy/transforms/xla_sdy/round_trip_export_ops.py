"""Turn operations of sdy into custom calls, which HLO carries."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from xdsl.dialects.builtin import BoolAttr, ModuleOp
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import (
    ConstantOp,
    ManualComputationOp,
    MeshOp,
    PropagationBarrierOp,
    ReturnOp,
    ShardingConstraintOp,
    ShardingGroupOp,
)
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.xla_sdy.frontend_attributes import with_frontend
from xshardy.transforms.xla_sdy.names import (
    ALLOWED_DIRECTION,
    PROPAGATION_BARRIER,
    SHARDING_CALL,
    SHARDING_GROUP,
    SHARDING_GROUP_ID,
)

SIDE_EFFECT: Mapping[str, Attribute] = {"has_side_effect": BoolAttr.from_bool(True)}
"""The property of a custom call that XLA must neither erase nor merge."""


def plain_constant(op: ConstantOp) -> Operation:
    """`stablehlo.constant`: HLO does not merge constants between here and the import."""
    return stablehlo.ConstantOp.create(
        result_types=op.result_types, properties={"value": op.value}, attributes=dict(op.attributes)
    )


def sharding_call(op: ShardingConstraintOp) -> Operation:
    """`custom_call @Sharding(x) {sdy.sharding = ...}`"""
    call = CustomCallOp(SHARDING_CALL, [op.input], op.result_types)
    call.attributes = {**op.attributes, SHARDING: TensorShardingPerValueAttr([op.sharding])}
    return call


def group_call(op: ShardingGroupOp) -> Operation:
    """`custom_call @xla.sdy.ShardingGroup(x)`, with the number of the group as text."""
    call = CustomCallOp(SHARDING_GROUP, [op.input], (), SIDE_EFFECT)
    call.attributes = with_frontend(op.attributes, {SHARDING_GROUP_ID: op.group_id})
    return call


def barrier_call(op: PropagationBarrierOp) -> Operation:
    """`custom_call @xla.sdy.PropagationBarrier(x)`, with the number of the direction as text."""
    call = CustomCallOp(PROPAGATION_BARRIER, [op.input], op.result_types, SIDE_EFFECT)
    call.attributes = with_frontend(op.attributes, {ALLOWED_DIRECTION: op.allowed_direction})
    return call


EXPORTED: Mapping[type[Operation], Callable[[Any], Operation]] = {
    ConstantOp: plain_constant,
    ShardingConstraintOp: sharding_call,
    ShardingGroupOp: group_call,
    PropagationBarrierOp: barrier_call,
}
"""By operation of sdy: what stands for it in HLO."""

EXPORTED_LATER = (MeshOp, ManualComputationOp, ReturnOp)
"""Operations of sdy that other passes of the pipeline export."""


def exported_operations(module: ModuleOp) -> Mapping[Operation, Operation]:
    """What stands for the operations of sdy in `module`. Raises `OperationFailedException` at one that HLO lacks."""
    found: dict[Operation, Operation] = {}
    for op in operations_in(module):
        if not op.name.startswith("sdy.") or isinstance(op, EXPORTED_LATER):
            continue
        if (export := EXPORTED.get(type(op))) is None:
            raise OperationFailedException(
                op,
                f"HLO cannot carry '{op.name}', which propagation or partitioning inserts: export the module before "
                "them, or turn named computations into calls with sdy-export-named-computations",
            )
        found[op] = export(op)
    return found


class ExportOperation(DecisionPattern[Operation, Operation]):
    """`sdy.sharding_constraint x s` -> `custom_call @Sharding(x) {sdy.sharding = [s]}`; so each row of `EXPORTED`."""

    def rewrite(self, op: Operation, decision: Operation, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, decision)


class RoundTripExportOpsPass(PatternPass):
    """
    Replace constants, sharding constraints, sharding groups and barriers of sdy by what HLO carries.

    A module with another operation of sdy, except meshes and manual computations, stays as it is.
    """

    name = "xla-sdy-round-trip-export-ops"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-round-trip-export-ops"

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (ExportOperation(exported_operations(module)),)
