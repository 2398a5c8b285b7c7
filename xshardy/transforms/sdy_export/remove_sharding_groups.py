"""Take out the sharding groups: their members are sharded. Source: Shardy's docs, "Export passes"."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.ops import ShardingGroupOp
from xshardy.rewriting.walk import operations_of


@dataclass(frozen=True)
class RemoveShardingGroupsPass(ModulePass):
    """Erase every `sdy.sharding_group`."""

    name = "sdy-remove-sharding-groups"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for group in list(operations_of(op, ShardingGroupOp)):
            Rewriter.erase_op(group)
