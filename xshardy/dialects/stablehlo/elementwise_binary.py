"""Elementwise ops of two operands. They differ in name and element types."""

from collections.abc import Sequence

from xdsl.dialects.builtin import AnyFloat, ComplexType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Commutative, Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.stablehlo.formats import ComplexOpType, SameOperandsAndResultType
from xshardy.dialects.stablehlo.inference import (
    InfersResultTypes,
    require_same_shape,
    require_same_types,
    verify_results,
    with_element_type,
)
from xshardy.dialects.stablehlo.quantized_types import quantized_element, verify_sum
from xshardy.dialects.stablehlo.types import (
    COMPLEX_TENSOR,
    FLOAT32_OR_64_TENSOR,
    FLOAT_COMPLEX_OR_QUANTIZED_TENSOR,
    INTEGER_TENSOR,
    NUMBER_TENSOR,
    PER_AXIS_TENSOR,
    PRED_OR_INTEGER_TENSOR,
    TENSOR,
    are_compatible,
    tensor_type,
)

__all__ = [
    "AddOp",
    "AndOp",
    "Atan2Op",
    "BinaryElementwiseOp",
    "ComplexOp",
    "DivOp",
    "MaxOp",
    "MinOp",
    "MulOp",
    "OrOp",
    "PowOp",
    "RemOp",
    "ShiftLeftOp",
    "ShiftRightArithmeticOp",
    "ShiftRightLogicalOp",
    "SubtractOp",
    "XorOp",
]


class BinaryElementwiseOp(IRDLOperation):
    """`f(lhs, rhs)`, element by element; both operands and the result have one type."""

    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), Elementwise())
    custom_directives = (SameOperandsAndResultType,)
    assembly_format = "operands attr-dict `:` custom<SameOperandsAndResultType>(type(operands), type(results))"

    def __init__(self, lhs: SSAValue, rhs: SSAValue, result_type: Attribute | None = None):
        super().__init__(operands=[lhs, rhs], result_types=[result_type or lhs.type])

    def verify_(self) -> None:
        require_same_types(self)


class CommutativeBinaryOp(BinaryElementwiseOp):
    """Of all element types; for predicates the logical op: or for add and maximum, and for multiply and minimum."""

    traits = traits_def(Pure(), Commutative())


class NumberBinaryOp(BinaryElementwiseOp):
    """Of integers, floats and complex numbers."""

    lhs = operand_def(NUMBER_TENSOR)


class ShiftOp(BinaryElementwiseOp):
    """Of integers; a shift by the width of the type or more moves every bit out."""

    lhs = operand_def(INTEGER_TENSOR)


class LogicalBinaryOp(BinaryElementwiseOp):
    """Logical on predicates, bitwise on integers."""

    lhs = operand_def(PRED_OR_INTEGER_TENSOR)
    traits = traits_def(Pure(), Commutative())


@irdl_op_definition
class AddOp(CommutativeBinaryOp):
    name = "stablehlo.add"
    lhs = operand_def(PER_AXIS_TENSOR)
    rhs = operand_def(PER_AXIS_TENSOR)
    result = result_def(PER_AXIS_TENSOR)

    def verify_(self) -> None:
        types = self.lhs.type, self.rhs.type, self.result.type
        verify_sum(*types)
        if len({tensor_type(type).element_type for type in types if quantized_element(type) is None}) > 1:
            raise VerifyException("requires the same element type for all operands and results")
        quantized = map(quantized_element, self.operand_types)
        per_axis = [element is not None and element.quantized_dimension is not None for element in quantized]
        if per_axis[0] == per_axis[1]:
            super().verify_()
        else:  # the other operand has one scale, and so another type
            require_same_shape(self)
            verify_results(self, [self.operand_types[per_axis.index(True)]])


@irdl_op_definition
class AndOp(LogicalBinaryOp):
    name = "stablehlo.and"


@irdl_op_definition
class Atan2Op(BinaryElementwiseOp):
    """The angle of the point (rhs, lhs)."""

    name = "stablehlo.atan2"
    lhs = operand_def(FLOAT_COMPLEX_OR_QUANTIZED_TENSOR)


@irdl_op_definition
class ComplexOp(InfersResultTypes):
    """Complex numbers from their real and imaginary parts."""

    name = "stablehlo.complex"
    lhs = operand_def(FLOAT32_OR_64_TENSOR)
    rhs = operand_def(FLOAT32_OR_64_TENSOR)
    result = result_def(COMPLEX_TENSOR)
    traits = traits_def(Pure(), Elementwise())
    custom_directives = (ComplexOpType,)
    assembly_format = "operands attr-dict `:` custom<ComplexOpType>(type(operands), type(results))"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[self.complex_type(lhs)])

    @staticmethod
    def complex_type(part: SSAValue) -> Attribute:
        """`tensor<4xf32>` -> `tensor<4xcomplex<f32>>`"""
        element = tensor_type(part).element_type
        assert isinstance(element, AnyFloat)
        return with_element_type(part, ComplexType(element))

    def infer_result_types(self) -> Sequence[Attribute]:
        if not are_compatible(self.operand_types):
            require_same_types(self)
        return [self.complex_type(self.lhs)]


@irdl_op_definition
class DivOp(NumberBinaryOp):
    """Integers round towards zero."""

    name = "stablehlo.divide"


@irdl_op_definition
class MaxOp(CommutativeBinaryOp):
    """NaN if either operand is NaN."""

    name = "stablehlo.maximum"


@irdl_op_definition
class MinOp(CommutativeBinaryOp):
    """NaN if either operand is NaN."""

    name = "stablehlo.minimum"


@irdl_op_definition
class MulOp(CommutativeBinaryOp):
    name = "stablehlo.multiply"


@irdl_op_definition
class OrOp(LogicalBinaryOp):
    name = "stablehlo.or"


@irdl_op_definition
class PowOp(NumberBinaryOp):
    name = "stablehlo.power"


@irdl_op_definition
class RemOp(NumberBinaryOp):
    """The remainder has the sign of the dividend."""

    name = "stablehlo.remainder"


@irdl_op_definition
class ShiftLeftOp(ShiftOp):
    name = "stablehlo.shift_left"


@irdl_op_definition
class ShiftRightArithmeticOp(ShiftOp):
    """Fills with the sign bit."""

    name = "stablehlo.shift_right_arithmetic"


@irdl_op_definition
class ShiftRightLogicalOp(ShiftOp):
    """Fills with zeros."""

    name = "stablehlo.shift_right_logical"


@irdl_op_definition
class SubtractOp(NumberBinaryOp):
    name = "stablehlo.subtract"


@irdl_op_definition
class XorOp(LogicalBinaryOp):
    name = "stablehlo.xor"
