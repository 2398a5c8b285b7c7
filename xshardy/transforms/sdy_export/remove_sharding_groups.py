"""Erase the sharding groups: propagation has given their members equal shardings."""

from typing import ClassVar

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.ops import ShardingGroupOp
from xshardy.rewriting import PatternPass, match_op_type


class EraseShardingGroup(RewritePattern):
    """`sdy.sharding_group %x group_id=0` -> nothing"""

    @match_op_type
    def match_and_rewrite(self, op: ShardingGroupOp, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


class RemoveShardingGroupsPass(PatternPass):
    """Erase every `sdy.sharding_group`."""

    name = "sdy-remove-sharding-groups"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-remove-sharding-groups'
    fixed_patterns = (EraseShardingGroup(),)
