"""
Reshard the tensors of operations that no sharding rule divides between devices: what cannot be divided becomes whole.

Upstream refuses such operations when they become local. `parts_rule` says what each of them needs whole.
"""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, UnregisteredOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.collectives import AllGatherOp, AllSliceOp, Reduction
from xshardy.dialects.sdy.ops import PropagationBarrierOp, ReshardOp
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.dialects.stablehlo.control_flow import IfOp
from xshardy.dialects.stablehlo.host_communication import InfeedOp, OutfeedOp, RecvOp, SendOp
from xshardy.dialects.stablehlo.shape import PadOp
from xshardy.dialects.stablehlo.slicing import SliceOp
from xshardy.rewriting import INNER_FIRST, ClassPattern, DecisionPattern, PatternPass, Walk, match_op_type
from xshardy.rewriting.walk import operations_in
from xshardy.sharding.conflicts.parts_rules import PARTS_RULES, WHOLE_DIMENSIONS
from xshardy.sharding.conflicts.reduction_kinds import reduction_kind
from xshardy.transforms.failures import warn
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.factor_conflicts import FactorConflicts, Resolution, conflicts_in
from xshardy.transforms.sdy_export.insert_explicit_reshards import apply_resolution, moves_to, reshard_uses
from xshardy.transforms.sdy_export.insert_func_call_reshards import replicated_like
from xshardy.transforms.sdy_export.moves import move_operand
from xshardy.transforms.sdy_export.required_shardings import required_by_branches
from xshardy.transforms.sdy_export.sink_data_flow_edges import FLOW_OPS
from xshardy.transforms.sdy_partition.by_sharding import BySharding
from xshardy.transforms.sdy_partition.local.decisions import LocalDecisions
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors

HOST = frozenset[type[Operation]]({InfeedOp, OutfeedOp, RecvOp, SendOp})
"""Operations that the host would notice if every device executed them."""


@dataclass(frozen=True)
class ReplicateWholeDimensions(ClassPattern):
    """`f(x)` -> `reshard(f(reshard(x)))`, so that each device has whole what `f` needs whole."""

    conflicts: FactorConflicts

    def takes(self, op_type: type[Operation], /) -> bool:
        return op_type in PARTS_RULES

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if (resolution := self.conflicts.resolve(op, full=True)) is None:
            return
        if isinstance(op, CustomCallOp) and SHARDING_RULE not in op.attributes:
            name = op.call_target_name.data
            if name not in WHOLE_DIMENSIONS:
                warn(op, f"@{name} is not known to work on parts of tensors: each device calls it with whole ones")
        apply_resolution(op, resolution, rewriter)


class ReshardReturnedByBranches(RewritePattern):
    """`if(%c) { return x }` -> `if(%c) { return reshard(x) }`, to the sharding of the result."""

    @match_op_type
    def match_and_rewrite(self, op: IfOp, rewriter: PatternRewriter, /) -> None:
        reshard_uses(required_by_branches(op), full=True, rewriter=rewriter)


@dataclass(frozen=True)
class EraseBarrier(RewritePattern):
    """
    `propagation_barrier(x)` -> `x`, or `reshard(x)` for readers that take the sharding of the barrier for that of `x`.

    Operations with a sharding rule look behind barriers.
    """

    conflicts: FactorConflicts

    @match_op_type
    def match_and_rewrite(self, op: PropagationBarrierOp, rewriter: PatternRewriter, /) -> None:
        moves = moves_to(sharding_of(op.input), sharding_of(op.result), op, full=True)
        for use in [*op.result.uses]:
            use.operation.operands[use.index] = op.input
            if not self.conflicts.has_rule(use.operation):
                move_operand(use.operation, use.index, moves, InsertPoint.before(op), rewriter)
        rewriter.erase(op)


def replicated(op: Operation) -> Resolution | None:
    """The resolution with which each device has all tensors of `op` whole; None if it has them anyway."""

    def of(values: Iterable[SSAValue]) -> list[TensorShardingAttr | None]:
        shardings = map(sharding_of, values)
        return [
            None if sharding is None or sharding.is_fully_replicated else replicated_like(sharding)
            for sharding in shardings
        ]

    operands, results = of(op.operands), of(op.results)
    sharded = next((sharding for sharding in (*operands, *results) if sharding is not None), None)
    return None if sharded is None else Resolution(operands, results, (), ReductionOp.SUM, sharded.mesh_or_ref)


class ReplicateUnknown(RewritePattern):
    """`"vendor.f"(x)` -> `reshard("vendor.f"(reshard(x)))`, all tensors whole, for an operation of no dialect."""

    @match_op_type
    def match_and_rewrite(self, op: UnregisteredOp, rewriter: PatternRewriter, /) -> None:
        if (resolution := replicated(op)) is not None:
            name = op.op_name.data
            warn(op, f"{name} is not known to work on parts of tensors: each device computes it with whole ones")
            apply_resolution(op, resolution, rewriter)


PADDING = (AllGatherOp, PadOp, SliceOp, AllSliceOp)
"""What `sdy-pad-for-divisibility` inserts in front of a collective."""


def reductions_of(op: Operation) -> list[Reduction]:
    """The reductions between devices that read results of `op`, also with the padding that axes need to divide them."""
    found: list[Reduction] = []
    for reader in (use.operation for result in op.results for use in result.uses):
        if isinstance(reader, Reduction):
            found.append(reader)
        elif isinstance(reader, PADDING):
            found += reductions_of(reader)
    return found


def completes(reduction: Reduction, op: Operation) -> bool:
    """Whether `reduction` combines what each device computes of its parts of the operands of `op`, as `op` does."""
    shardings = [sharding for operand in op.operands if (sharding := sharding_of(operand)) is not None]
    read = {axis.axis for sharding in shardings for of_dim in sharding.dim_shardings for axis in of_dim.axes}
    return reduction_kind(op) is reduction.reduction and all(axis.axis in read for axis in reduction.reduced_axes)


def can_be_whole(op: Operation, even: BySharding[bool]) -> bool:
    """Whether `op` has parts of equal size, and can be computed on whole tensors instead."""
    unreduced = any(sharding and sharding.unreduced_axes.data for sharding in map(sharding_of, op.results))
    if isinstance(op, FLOW_OPS) or unreduced or WholeTensors.of(op).is_replicated:
        return False
    return all(even.of_value(value, op) for value in (*op.operands, *op.results))


def is_even(type: Attribute, sharding: TensorShardingAttr | None, op: Operation) -> bool:
    """Whether `sharding` divides a tensor of `type` into equal parts; others are padded."""
    tensor = WholeTensor(type, sharding, op)
    if tensor.is_replicated:
        return True
    return tensor.is_static and all(extent % tensor.parts(dim) == 0 for dim, extent in enumerate(tensor.shape))


class ReplicateRefused(DecisionPattern[Operation, Resolution]):
    """`f(x)` -> `reshard(f(reshard(x)))`, with all tensors of `f` whole: so are the sums that devices had parts of."""

    def rewrite(self, op: Operation, decision: Resolution, rewriter: PatternRewriter, /) -> None:
        for reduction in reductions_of(op):
            rewriter.replace(reduction, ReshardOp(reduction.tensor, reduction.out_sharding))
        apply_resolution(op, decision, rewriter)


def refused_operations(module: ModuleOp) -> Mapping[Operation, Resolution]:
    """The operations of StableHLO that cannot become local otherwise. Warns of each."""
    decisions, even = LocalDecisions(module), BySharding(is_even)
    reasons: dict[Hashable, str | None] = {}  # of alike operations: 25 ms, not 37, for a training step of 8 layers
    resolutions: dict[Operation, Resolution] = {}
    for op in operations_in(module):
        if not op.name.startswith("stablehlo.") or type(op) in HOST:
            continue
        if (key := decisions.key(op)) is None or key not in reasons:
            reasons[key] = decisions.why_not_local(op) if can_be_whole(op, even) else None
        reason = reasons[key]
        if reason is None or not all(completes(reduction, op) for reduction in reductions_of(op)):
            continue
        if (resolution := replicated(op)) is not None:
            warn(op, f"each device computes the whole operation, for {reason}")
            resolutions[op] = resolution
    return resolutions


@dataclass(frozen=True)
class ReplicateWholeOperationsPass(PatternPass):
    """
    Reshard operands and results of operations without a sharding rule, so that each device has whole what it needs.

    These are operations of CHLO, custom calls, and the operations of StableHLO that `sdy-convert-global-to-local` would
    refuse because no rule divides them. Elementwise operations get operands that are sharded like their results, and
    barriers of propagation are erased. An unknown custom call, or operation, is replicated with a warning.

    With `refused`, operations of StableHLO that could not become local are replicated instead, each with a warning: for
    a module in which `sdy-resolve-permutation-factors` has exchanged elements. Reshards become collectives in
    `sdy-reshard-to-collectives`.
    """

    name = "sdy-replicate-whole-operations"
    source: ClassVar[str] = "ours: upstream refuses these operations in sdy-convert-global-to-local"

    refused: bool = False

    walk: ClassVar[Walk] = INNER_FIRST

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        if self.refused:
            return (ReplicateRefused(refused_operations(module)),)
        conflicts = conflicts_in(module, by_parts=True)
        return (
            EraseBarrier(conflicts),
            ReplicateWholeDimensions(conflicts),
            ReplicateUnknown(),
            ReshardReturnedByBranches(),
        )
