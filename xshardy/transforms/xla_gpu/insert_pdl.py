"""
Let a kernel be launched before the one that it depends on has ended (programmatic dependent launch).

A kernel that is launched so must wait before it touches memory; launched otherwise, it does not wait. A kernel may also
say from where on the next one may be launched. Source: XLA:GPU, `xla-gpu-insert-pdl`, and PTX ISA, `griddepcontrol`
(from sm_90 on).
"""

from typing import ClassVar

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.xla_gpu import PdlLaunchDependentsOp, PdlWaitOp
from xshardy.dialects.xla_gpu.discardable import is_entry
from xshardy.rewriting import TO_FIXPOINT, PatternPass, Walk, match_op_type
from xshardy.rewriting.walk import operations_of

PDL_LAUNCH = "xla.pdl_launch"
"""On a module: its kernels let the next kernel be launched before they end."""


class InsertPdlWait(RewritePattern):
    """`func @main() attributes {xla.entry} { a }` -> `... { xla_gpu.pdl_wait; a }`, unless the body has a wait."""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /):
        if is_entry(op) and op.body.blocks and not operations_of(op, PdlWaitOp):
            rewriter.insert(PdlWaitOp(), InsertPoint.at_start(op.body.blocks[0]))


class InsertPdlLaunch(RewritePattern):
    """
    `func @main() attributes {xla.entry} { tt.dot; a }` -> `... { tt.dot; xla_gpu.pdl_launch_dependents; a }`, in a
    module marked `xla.pdl_launch`, unless the body has a launch.

    The launch follows the operation of the body that is, or holds, the last matrix product: a loop, for example.
    """

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /):
        module = op.parent_op()
        if module is None or PDL_LAUNCH not in module.attributes or not is_entry(op) or not op.body.blocks:
            return
        multiplying = [each for each in op.body.blocks[0].ops if any(map(is_matrix_product, each.walk()))]
        if multiplying and not operations_of(op, PdlLaunchDependentsOp):
            rewriter.insert(PdlLaunchDependentsOp(), InsertPoint.after(multiplying[-1]))


def is_matrix_product(op: Operation) -> bool:
    """Whether `op` is a product of Triton's tiles, whose dialect is not registered here."""
    return isinstance(op, UnregisteredOp) and op.op_name.data == "tt.dot"


class InsertPdlPass(PatternPass):
    """
    Begin the kernel with a wait for the results of the kernel that was launched before it. In a module that is marked
    `xla.pdl_launch`, let the next kernel be launched after the last matrix product.
    """

    name = "xla-gpu-insert-pdl"
    source: ClassVar[str] = "XLA:GPU emitters, the pass of the same name"
    walk: ClassVar[Walk] = TO_FIXPOINT
    fixed_patterns = (InsertPdlWait(), InsertPdlLaunch())
