"""Replace `if` by `case`, whose results have data flow edges, as those of loops have."""

from typing import ClassVar

from xdsl.dialects.builtin import TensorType, i32
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.rewriting import PatternPass, match_op_type


class CaseOfPredicate(RewritePattern):
    """`if(%p) { f } else { g }` -> `case(convert(%p)) { g } { f }`, discardable attributes kept"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.IfOp, rewriter: PatternRewriter, /) -> None:
        index = rewriter.insert(stablehlo.ConvertOp(op.pred, TensorType(i32, [])), InsertPoint.before(op))
        branches = [op.detach_region(branch) for branch in (op.false_branch, op.true_branch)]
        case = stablehlo.CaseOp(index.result, branches)
        case.attributes.update(op.attributes)
        rewriter.replace(op, case)


class LegalizeIfToCasePass(PatternPass):
    """Write each `stablehlo.if` as a `stablehlo.case`: shardings propagate through the branches of that only."""

    name = "stablehlo-legalize-if-to-case"
    source: ClassVar[str] = "ours: upstream leaves the results of an if without shardings"
    fixed_patterns = (CaseOfPredicate(),)
