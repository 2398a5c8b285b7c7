"""Reshards that need no communication, or repeat another one."""

from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy import ops as sdy
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.nullary import ConstantOp, IotaOp
from xshardy.dialects.stablehlo.shape import BroadcastInDimOp
from xshardy.rewriting import DecisionPattern, PatternPass, match_op_type
from xshardy.rewriting.walk import operations_of


def computed_by_each_device(op: sdy.ReshardOp) -> Operation | None:
    """The constant, iota, or broadcast scalar that `op` reshards, also by way of other reshards; None for others."""
    source = op.input.owner
    while isinstance(source, sdy.ReshardOp):
        source = source.input.owner
    if isinstance(source, BroadcastInDimOp):
        return None if source.broadcast_dimensions.get_values() else source
    return source if isinstance(source, ConstantOp | IotaOp | sdy.ConstantOp) else None


def repeated_reshards(module: ModuleOp) -> Mapping[sdy.ReshardOp, sdy.ReshardOp]:
    """The reshards of a value to a sharding for which one before them, in their block or around it, does the same."""
    first: dict[tuple[Block, SSAValue, TensorShardingAttr], sdy.ReshardOp] = {}
    repeated: dict[sdy.ReshardOp, sdy.ReshardOp] = {}
    for op in operations_of(module, sdy.ReshardOp):
        if computed_by_each_device(op) is not None:
            continue
        around = op.parent
        while around is not None and (around, op.input, op.sharding) not in first:
            around = around.parent_block()
        if around is not None:
            repeated[op] = first[around, op.input, op.sharding]
        elif op.parent is not None:
            first[op.parent, op.input, op.sharding] = op
    return repeated


class RecomputeInsteadOfReshard(RewritePattern):
    """`reshard(iota)` -> `iota` with the sharding of the reshard; so for constants and broadcast scalars."""

    @match_op_type
    def match_and_rewrite(self, op: sdy.ReshardOp, rewriter: PatternRewriter, /) -> None:
        if (source := computed_by_each_device(op)) is not None:
            copy = source.clone()
            copy.attributes[SHARDING] = TensorShardingPerValueAttr([op.sharding])
            rewriter.replace(op, copy)


class UseFirstReshard(DecisionPattern[sdy.ReshardOp, sdy.ReshardOp]):
    """`%a = reshard(%x); %b = reshard(%x)` -> `%a = reshard(%x)`, if both are to the same sharding."""

    def rewrite(self, op: sdy.ReshardOp, decision: sdy.ReshardOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, (), [decision.result])


class RemoveNeedlessReshardsPass(PatternPass):
    """Reshard each value at most once to each sharding; give constants, iotas and broadcast scalars theirs at once."""

    name = "sdy-remove-needless-reshards"
    source: ClassVar[str] = "ours: XLA's partitioner keeps what it has resharded"

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (UseFirstReshard(repeated_reshards(module)), RecomputeInsteadOfReshard())
