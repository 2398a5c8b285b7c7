"""What was a wish during propagation is now to be done. Source: Shardy's docs, "Export passes"."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.ops import ReshardOp, ShardingConstraintOp
from xshardy.rewriting.walk import operations_of


@dataclass(frozen=True)
class ShardingConstraintToReshardPass(ModulePass):
    """`sdy.sharding_constraint x S` -> `sdy.reshard x S`, discardable attributes kept."""

    name = "sdy-sharding-constraint-to-reshard"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in operations_of(op, FuncOp):
            for constraint in list(operations_of(function, ShardingConstraintOp)):
                reshard = ReshardOp(constraint.input, constraint.sharding)
                reshard.attributes |= constraint.attributes
                Rewriter.replace_op(constraint, reshard)
