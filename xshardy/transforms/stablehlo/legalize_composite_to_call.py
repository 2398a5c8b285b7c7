"""Replace composites by calls of their decompositions."""

from typing import ClassVar

from xdsl.dialects.func import CallOp
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.rewriting import PatternPass, match_op_type


class CallDecomposition(RewritePattern):
    """`composite "f" %x {decomposition = @g}` -> `call @g(%x)`, discardable attributes kept"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.CompositeOp, rewriter: PatternRewriter, /) -> None:
        call = CallOp(op.decomposition, op.inputs, op.result_types)
        call.attributes.update(op.attributes)
        rewriter.replace(op, call)


class LegalizeCompositeToCallPass(PatternPass):
    """Write each `stablehlo.composite` as a call of its decomposition, which has sharding rules and kernels."""

    name = "stablehlo-legalize-composite-to-call"
    source: ClassVar[str] = "StableHLO, stablehlo-legalize-composite-to-call"
    fixed_patterns = (CallDecomposition(),)
