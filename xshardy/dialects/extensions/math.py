"""What upstream's `math` dialect has and xDSL's lacks."""

from typing import Self

from xdsl.dialects import math
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloat, TensorType, VectorType, container_of, i1
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure, SameOperandsAndResultType

from xshardy.dialects.extensions import extended


@irdl_op_definition
class ErfcOp(math.FloatingPointLikeUnaryMathOperation):
    """`1 - erf(x)`, without the cancellation."""

    name = "math.erfc"
    traits = traits_def(Pure(), SameOperandsAndResultType())


class _ClassificationOp(IRDLOperation):
    """A predicate on a float, of type i1; elementwise on vectors and tensors."""

    operand = operand_def(container_of(AnyFloat))
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))
    result = result_def(container_of(i1))
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue | Operation, fastmath: FastMathFlagsAttr | None = None):
        value = SSAValue.get(operand)
        super().__init__(operands=[value], properties={"fastmath": fastmath}, result_types=[_answer_type(value.type)])

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        operand = parser.parse_unresolved_operand()
        has_flags = parser.parse_optional_keyword("fastmath") is not None
        flags = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser)) if has_flags else None
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(parser.resolve_operand(operand, parser.parse_type()), flags)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_operand(self.operand)
        if self.fastmath != FastMathFlagsAttr("none"):
            printer.print_string(" fastmath")
            self.fastmath.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)


def _answer_type(type: Attribute) -> Attribute:
    match type:
        case VectorType():
            return VectorType(i1, type.shape, type.scalable_dims)
        case TensorType():
            return TensorType(i1, type.shape, type.encoding)
        case _:
            return i1


@irdl_op_definition
class IsFiniteOp(_ClassificationOp):
    """Whether a float is neither infinite nor NaN."""

    name = "math.isfinite"


@irdl_op_definition
class IsInfOp(_ClassificationOp):
    """Whether a float is infinite."""

    name = "math.isinf"


@irdl_op_definition
class IsNaNOp(_ClassificationOp):
    """Whether a float is NaN."""

    name = "math.isnan"


@irdl_op_definition
class IsNormalOp(_ClassificationOp):
    """Whether a float is neither zero, subnormal, infinite nor NaN."""

    name = "math.isnormal"


def extend(dialect: Dialect) -> Dialect:
    """`dialect` with the operations of this module."""
    return extended(dialect, (ErfcOp, IsFiniteOp, IsInfOp, IsNaNOp, IsNormalOp))
