"""Turn the calls that the inliner left into ordinary ones. Run `cse` before: it may merge pure calls only."""

from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern

from xshardy.dialects.xla_gpu import PureCallOp


class PureCallToCall(RewritePattern):
    """`xla_gpu.pure_call @f(x)` -> `func.call @f(x)`, discardable attributes kept."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PureCallOp, rewriter: PatternRewriter, /):
        call = func.CallOp(op.callee, op.operands, op.result_types)
        call.attributes.update(op.attributes)
        rewriter.replace(op, call)


class ConvertPureCallOpsPass(ModulePass):
    """Turn every `xla_gpu.pure_call` into a `func.call`."""

    name = "xla-gpu-convert-pure-call-ops"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(PureCallToCall(), apply_recursively=False).rewrite_module(op)
