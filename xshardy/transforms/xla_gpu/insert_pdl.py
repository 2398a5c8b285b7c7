"""
Let a kernel be launched before the one that it depends on has ended (programmatic dependent launch).

A kernel that is launched so must wait before it touches memory; launched otherwise, it does not wait. Source: XLA:GPU,
`xla-gpu-insert-pdl`, and PTX ISA, `griddepcontrol` (from sm_90 on).
"""

from typing import ClassVar

from xdsl.dialects.func import FuncOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.xla_gpu import PdlWaitOp
from xshardy.dialects.xla_gpu.discardable import is_entry
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.rewriting.walk import operations_of


class InsertPdlWait(RewritePattern):
    """`func @main() attributes {xla.entry} { a }` -> `... { xla_gpu.pdl_wait; a }`, unless the body has a wait."""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /):
        if is_entry(op) and op.body.blocks and not operations_of(op, PdlWaitOp):
            rewriter.insert(PdlWaitOp(), InsertPoint.at_start(op.body.blocks[0]))


class InsertPdlPass(PatternPass):
    """Begin the kernel with a wait for the results of the kernel that was launched before it."""

    name = "xla-gpu-insert-pdl"
    source: ClassVar[str] = "XLA:GPU emitters, the pass of the same name"
    fixed_patterns = (InsertPdlWait(),)
