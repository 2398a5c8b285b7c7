"""Replace the constants of arith by those of StableHLO."""

from typing import ClassVar

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IndexType, TensorType
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.hints import isa

from xshardy.dialects import stablehlo
from xshardy.rewriting import ClassPattern, PatternPass

ARITH_CONSTANT = "arith.constant"
"""By its name: every program that is sharded goes through this pass, and few have a reason to load arith."""


class ReplaceArithConstant(ClassPattern):
    """`arith.constant dense<1> : tensor<2xi32>` -> `stablehlo.constant dense<1> : tensor<2xi32>`, attributes kept"""

    def takes(self, op_type: type[Operation], /) -> bool:
        return op_type.name == ARITH_CONSTANT

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        value = op.properties.get("value")
        if not isa(value, DenseIntOrFPElementsAttr) or not isa(value.type, TensorType):
            return
        if not isinstance(value.get_element_type(), IndexType):
            constant = stablehlo.ConstantOp(value)
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
