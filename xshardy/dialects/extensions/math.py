"""What upstream's `math` dialect has and xDSL's lacks."""

from typing import ClassVar

from xdsl.dialects import math
from xdsl.dialects.arith import FastMathFlagsAttr
from xdsl.dialects.builtin import AnyFloat, TensorType, VectorType, container_of, i1
from xdsl.ir import Attribute, Dialect, Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure, SameOperandsAndResultType
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.constraints import Derived
from xshardy.dialects.extensions import extended


@irdl_op_definition
class ErfcOp(math.FloatingPointLikeUnaryMathOperation):
    """`1 - erf(x)`, without the cancellation."""

    name = "math.erfc"
    traits = traits_def(Pure(), SameOperandsAndResultType())


def _answer_type(type: Attribute) -> Attribute:
    match type:
        case VectorType():
            return VectorType(i1, type.shape, type.scalable_dims)
        case TensorType():
            return TensorType(i1, type.shape, type.encoding)
        case _:
            return i1


class _ClassificationOp(IRDLOperation):
    """A predicate on a float, of type i1; elementwise on vectors and tensors."""

    T: ClassVar = VarConstraint("T", container_of(AnyFloat))
    operand = operand_def(T)
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))
    result = result_def(Derived("T", _answer_type))
    traits = traits_def(Pure())
    assembly_format = "$operand (`fastmath` `` $fastmath^)? attr-dict `:` type($operand)"

    def __init__(self, operand: SSAValue | Operation, fastmath: FastMathFlagsAttr | None = None):
        value = SSAValue.get(operand)
        super().__init__(operands=[value], properties={"fastmath": fastmath}, result_types=[_answer_type(value.type)])

    def verify_(self) -> None:
        if self.result.type != (expected := _answer_type(self.operand.type)):
            raise VerifyException(f"asks {self.operand.type}: expected the result {expected}, not {self.result.type}")


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
