"""Erase operations that nothing uses, as each greedy rewrite does upstream."""

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.transforms.dead_code_elimination import is_trivially_dead


class EraseUnusedOperation(RewritePattern):
    """`%x = f(%y)` -> nothing, where nothing uses `%x` and `f` has no effect."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if is_trivially_dead(op):
            rewriter.erase(op)
