"""Convert pure calls that remain after inlining to ordinary calls. Run `cse` before: it merges pure calls only."""

from typing import ClassVar

from xdsl.dialects import func
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.xla_gpu import PureCallOp
from xshardy.ir import new_operation
from xshardy.rewriting import PatternPass, match_op_type


class PureCallToCall(RewritePattern):
    """`xla_gpu.pure_call @f(x)` -> `func.call @f(x)`, discardable attributes kept."""

    @match_op_type
    def match_and_rewrite(self, op: PureCallOp, rewriter: PatternRewriter, /):
        callee = {"callee": op.properties["callee"]}
        rewriter.replace(op, new_operation(func.CallOp, op.operands, op.result_types, callee, op.attributes.copy()))


class ConvertPureCallOpsPass(PatternPass):
    """Turn every `xla_gpu.pure_call` into a `func.call`."""

    name = "xla-gpu-convert-pure-call-ops"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM", the calls that stay (XGPU-37)'
    fixed_patterns = (PureCallToCall(),)
