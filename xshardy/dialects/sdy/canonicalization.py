"""Rewrites that make sdy operations simpler, asked for by `canonicalize`."""

from collections.abc import Mapping

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from xshardy.dialects.sdy.ops import ReshardOp


class ReshardOfReshard(RewritePattern):
    """`reshard(reshard(x, a), b)` -> `reshard(x, b)`, when nothing else reads the inner one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReshardOp, rewriter: PatternRewriter, /):
        inner = op.input.owner
        if not isinstance(inner, ReshardOp) or not inner.result.has_one_use():
            return
        op.operands[0] = inner.input
        rewriter.notify_op_modified(op)
        rewriter.erase(inner)


RESHARD_PATTERNS: tuple[RewritePattern, ...] = (ReshardOfReshard(),)
MANUAL_COMPUTATION_PATTERNS: tuple[RewritePattern, ...] = ()
COLLECTIVE_PATTERNS: Mapping[type[Operation], tuple[RewritePattern, ...]] = {}
