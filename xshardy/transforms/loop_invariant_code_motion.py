"""Loop-invariant code motion, as xDSL's `licm`, with the effects of upstream's operations."""

from collections import deque
from typing import ClassVar

from xdsl.dialects import scf
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.transforms.loop_invariant_code_motion import can_be_hoisted

from xshardy.dialects.extensions.effects import is_side_effect_free, is_speculatable
from xshardy.rewriting import INNER_FIRST, PatternPass, Walk, match_op_type


class HoistLoopInvariants(RewritePattern):
    """
    `for i { %y = f(%x); g(%y, i) }` -> `%y = f(%x); for i { g(%y, i) }`

    For operations of the body that have no memory effects, may run where the loop does not, and read nothing that is
    computed in the loop.
    """

    @match_op_type
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter, /):
        body = op.body
        pending: deque[Operation] = deque(inner for block in body.blocks for inner in block.ops)
        while pending:
            inner = pending.popleft()
            if inner.parent_region() is not body:
                continue
            if not (is_side_effect_free(inner) and is_speculatable(inner) and can_be_hoisted(inner, body)):
                continue
            inner.detach()
            rewriter.insert(inner, InsertPoint.before(op))
            users = (use.operation for result in inner.results for use in result.uses)
            pending.extend(user for user in users if user.parent_region() is body)


class LoopInvariantCodeMotionPass(PatternPass):
    """Move operations that compute the same in each iteration out of loops."""

    name = "xla-gpu-licm"
    source: ClassVar[str] = "MLIR, -loop-invariant-code-motion"
    walk: ClassVar[Walk] = INNER_FIRST
    fixed_patterns = (HoistLoopInvariants(),)
