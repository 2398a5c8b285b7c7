"""Turn constraints into reshards: after propagation, a constraint is a data movement."""

from typing import ClassVar

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.ops import ReshardOp, ShardingConstraintOp
from xshardy.ir import new_operation
from xshardy.rewriting import PatternPass, match_op_type, replace_by_twin


class ReplaceConstraintByReshard(RewritePattern):
    """`sdy.sharding_constraint x S` -> `sdy.reshard x S`, discardable attributes kept."""

    @match_op_type
    def match_and_rewrite(self, op: ShardingConstraintOp, rewriter: PatternRewriter, /) -> None:
        reshard = new_operation(ReshardOp, (), (), {"sharding": op.sharding}, op.attributes.copy())
        replace_by_twin(op, reshard, rewriter)


class ShardingConstraintToReshardPass(PatternPass):
    """Replace each `sdy.sharding_constraint` by an `sdy.reshard`."""

    name = "sdy-sharding-constraint-to-reshard"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-sharding-constraint-to-reshard'
    fixed_patterns = (ReplaceConstraintByReshard(),)
