"""Operations of HLO that StableHLO lacks: copies, ragged dot products and top-k."""

from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, IntegerAttr, TupleType, i1, i32
from xdsl.ir import SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
)
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.chlo.ragged_dot import RaggedDotProduct
from xshardy.dialects.chlo.top_k import TopK
from xshardy.dialects.mhlo.attributes import PrecisionAttr, RaggedDotDimensionNumbersAttr
from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
from xshardy.dialects.stablehlo.types import TENSOR, VALUE

__all__ = ["CopyOp", "RaggedDotOp", "TopKOp"]


@irdl_op_definition
class CopyOp(UnaryElementwiseOp):
    """The operand in a new buffer; for a tuple, each of its arrays. With another sharding, the operand moves."""

    name = "mhlo.copy"
    operand = operand_def(VALUE)
    result = result_def(VALUE)
    cross_program_prefetch_index = opt_prop_def(IntegerAttr.constr(i32))
    irdl_options = (ParsePropInAttrDict(),)

    def verify_(self) -> None:
        if not isinstance(self.operand.type, TupleType):
            super().verify_()
        elif self.operand.type != self.result.type:
            raise VerifyException(f"operand is '{self.operand.type}' but result is '{self.result.type}': they are one")


@irdl_op_definition
class RaggedDotOp(RaggedDotProduct):
    """The ragged dot product of `chlo.ragged_dot`, as HLO has it."""

    name = "mhlo.ragged_dot"
    ragged_dot_dimension_numbers = prop_def(RaggedDotDimensionNumbersAttr)
    precision_config = opt_prop_def(ArrayAttr[PrecisionAttr])


@irdl_op_definition
class TopKOp(TopK):
    """The `k` largest elements of each row of `operand`, or the smallest, in order, and their indices."""

    name = "mhlo.topk"
    FLAG: ClassVar[str] = "largest"
    operand = operand_def(TENSOR)
    largest = opt_prop_def(BoolAttr, default_value=IntegerAttr(1, i1))
    values = result_def(TENSOR)
    indices = result_def(TENSOR)

    def __init__(self, operand: SSAValue, k: int, *, largest: bool = True):
        super().__init__(operand, k, largest=largest)

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_ssa_value(self.operand)
            printer.print_string(f", k={self.k.value.data}")
            if "largest" in self.properties:
                printer.print_string(f", largest={'true' if self.largest.value.data else 'false'}")
        printer.print_op_attributes(self.attributes)
        self.print_types(printer)
