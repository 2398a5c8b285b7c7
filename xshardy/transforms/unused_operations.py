"""Erase operations that nothing uses, as each greedy rewrite does upstream."""

from xdsl.ir import Operation, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import Rewriter
from xdsl.transforms.dead_code_elimination import is_trivially_dead


class EraseUnused(RewritePattern):
    """`op(x)` -> nothing, where nothing uses its results and it has no effect."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if is_trivially_dead(op):
            rewriter.erase(op)


def erase_unused(region: Region) -> None:
    """
    Erase the operations in `region` that have no effect and whose results nothing uses; then what only they used, too.

    Uses come after what they use, so one walk backwards finds all. (xDSL's `region_dce` takes what stands in the region
    of an unused operation for a use.)
    """
    for block in reversed(region.blocks):
        for op in reversed(block.ops):
            if is_trivially_dead(op):
                Rewriter.erase_op(op)
                continue
            for inner in op.regions:
                erase_unused(inner)


class EraseUnusedOperation(RewritePattern):
    """`%x = f(%y)` -> nothing, where nothing uses `%x` and `f` has no effect."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        if is_trivially_dead(op):
            rewriter.erase(op)
