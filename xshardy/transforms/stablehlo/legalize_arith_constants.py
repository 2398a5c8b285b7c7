"""Replace the constants of arith by those of StableHLO."""

from typing import ClassVar

from xdsl.dialects import arith
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, TensorType
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.hints import isa

from xshardy.dialects import stablehlo
from xshardy.rewriting import PatternPass, match_op_type


class ReplaceArithConstant(RewritePattern):
    """`arith.constant dense<1> : tensor<2xi32>` -> `stablehlo.constant dense<1> : tensor<2xi32>`, attributes kept"""

    @match_op_type
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter, /) -> None:
        if not isinstance(op.value, DenseIntOrFPElementsAttr) or not isa(op.value.type, TensorType):
            return
        if not isinstance(op.value.get_element_type(), IndexType):
            constant = stablehlo.ConstantOp(op.value)
            constant.attributes.update(op.attributes)
            rewriter.replace(op, constant)


class LegalizeArithConstantsPass(PatternPass):
    """
    Write tensors of `arith.constant` as `stablehlo.constant`.

    XLA takes both in a program, though no other operation of arith. Frontends and MLIR's folding write the former.
    """

    name = "stablehlo-legalize-arith-constants"
    source: ClassVar[str] = "XLA, which reads `arith.constant` of tensors as HLO constants"
    fixed_patterns = (ReplaceArithConstant(),)
