"""Turn operations of sdy that a partitioner knows in another form into that form."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.mhlo import CopyOp
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.collectives import (
    AllGatherOp,
    AllReduceOp,
    AllSliceOp,
    AllToAllOp,
    CollectivePermuteOp,
    ReduceScatterOp,
)
from xshardy.dialects.sdy.ops import ConstantOp, PropagationBarrierOp, ReshardOp, ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.xla_sdy.names import SHARDING_CALL
from xshardy.transforms.xla_sdy.round_trip_export_ops import plain_constant

MOVED: Mapping[type[Operation], str] = {
    AllGatherOp: "out_sharding",
    AllSliceOp: "out_sharding",
    AllToAllOp: "out_sharding",
    CollectivePermuteOp: "out_sharding",
    ReduceScatterOp: "out_sharding",
    ReshardOp: "sharding",
    ShardingConstraintOp: "sharding",
}
"""Operations whose result is their operand with another sharding, and the property that has the sharding."""

WRITTEN_BY_USERS = (ReshardOp, ShardingConstraintOp)

ShardedCopy = Callable[[SSAValue], Operation]


def copied(value: SSAValue) -> Operation:
    """`mhlo.copy x`"""
    return CopyOp(value)


def constrained(value: SSAValue) -> Operation:
    """`custom_call @Sharding(x)`"""
    return CustomCallOp(SHARDING_CALL, [value], [value.type])


class ExportConstant(RewritePattern):
    """`sdy.constant` -> `stablehlo.constant`"""

    @match_op_type
    def match_and_rewrite(self, op: ConstantOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, plain_constant(op))


class DropIdentity(RewritePattern):
    """`sdy.all_reduce x` -> `x`, `sdy.propagation_barrier x` -> `x`: neither moves its operand."""

    @match_op_type
    def match_and_rewrite(self, op: AllReduceOp | PropagationBarrierOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, (), [op.operands[0]])


@dataclass(frozen=True)
class CopyWithSharding(RewritePattern):
    """`sdy.reshard x s` -> `mhlo.copy x {sdy.sharding = [s]}`; so collectives, by the sharding of their result."""

    copies: Mapping[type[Operation], ShardedCopy]
    """By operation: what makes the copy."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if (make := self.copies.get(type(op))) is None:
            return
        sharding = op.properties[MOVED[type(op)]]
        assert isinstance(sharding, TensorShardingAttr)
        copy = make(op.operands[0])
        copy.attributes = {**op.attributes, SHARDING: TensorShardingPerValueAttr([sharding])}
        rewriter.replace(op, copy)


@dataclass(frozen=True)
class ExportOpsPass(PatternPass):
    """
    Replace constants, reshards and collectives of sdy by operations that XLA's partitioner takes.

    Reshards, sharding constraints and collectives become copies with a sharding; the first two become custom calls
    `@Sharding` with `keep_hlo_sharding_constraints`. All-reduces and barriers are dropped: the partitioner adds up
    partial results itself.
    """

    name = "xla-sdy-export-ops"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-export-ops"
    keep_hlo_sharding_constraints: bool = False

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        of_users = constrained if self.keep_hlo_sharding_constraints else copied
        copies = {op: of_users if op in WRITTEN_BY_USERS else copied for op in MOVED}
        return (ExportConstant(), DropIdentity(), CopyWithSharding(copies))
