"""Ops that say what is executed when, and return values from regions."""

from collections.abc import Sequence

from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    base,
    irdl_op_definition,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.traits import IsTerminator, Pure, ReturnLike
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.formats import PairwiseOpType, SameOperandsAndResultType
from xshardy.dialects.stablehlo.types import VALUE, TokenType, is_compatible


@irdl_op_definition
class AfterAllOp(IRDLOperation):
    """A token that is there when all of `inputs` are."""

    name = "stablehlo.after_all"
    inputs = var_operand_def(base(TokenType))
    result = result_def(base(TokenType))
    traits = traits_def(Pure())
    custom_directives = (SameOperandsAndResultType,)
    assembly_format = "operands attr-dict `:` custom<SameOperandsAndResultType>(type(operands), type(results))"

    def __init__(self, inputs: Sequence[SSAValue]):
        super().__init__(operands=[inputs], result_types=[TokenType()])


@irdl_op_definition
class OptimizationBarrierOp(IRDLOperation):
    """The operands, none of which may be used before all of them have been computed."""

    name = "stablehlo.optimization_barrier"
    operand = var_operand_def(VALUE)
    result = var_result_def(VALUE)
    traits = traits_def(Pure())
    custom_directives = (PairwiseOpType,)
    assembly_format = "attr-dict ($operand^ `:` custom<PairwiseOpType>(type($operand), type($result))):(`(` `)`)?"

    def __init__(self, operands: Sequence[SSAValue]):
        super().__init__(operands=[operands], result_types=[[operand.type for operand in operands]])

    def verify_(self) -> None:
        if len(self.operand) != len(self.result):
            raise VerifyException("requires the same number of operands and results")
        for i, (operand, result) in enumerate(zip(self.operand_types, self.result_types, strict=True)):
            if not is_compatible(operand, result):
                raise VerifyException(f"requires the same type for operand and result at index {i}")


@irdl_op_definition
class ReturnOp(IRDLOperation):
    """The results of a region."""

    name = "stablehlo.return"
    # Upstream calls them `results`, which every xDSL operation already has.
    returned = var_operand_def(VALUE)
    traits = traits_def(Pure(), IsTerminator(), ReturnLike())
    assembly_format = "$returned attr-dict (`:` type($returned)^)?"

    def __init__(self, *values: SSAValue):
        super().__init__(operands=[values])
