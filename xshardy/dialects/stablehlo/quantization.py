"""Ops that create and read quantized tensors."""

from collections.abc import Sequence

from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, result_def
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
from xshardy.dialects.stablehlo.inference import InfersResultTypes, with_element_type
from xshardy.dialects.stablehlo.quantized_types import quantized_element
from xshardy.dialects.stablehlo.types import FLOAT_TENSOR, QUANTIZED_TENSOR, is_compatible_shape, tensor_type

__all__ = ["UniformDequantizeOp", "UniformQuantizeOp"]


@irdl_op_definition
class UniformQuantizeOp(UnaryElementwiseOp):
    """Each element as its integer representation in the type of the result, rounded and clamped."""

    name = "stablehlo.uniform_quantize"
    operand = operand_def(FLOAT_TENSOR.or_quantized().or_per_axis_quantized())
    result = result_def(QUANTIZED_TENSOR)

    def __init__(self, operand: SSAValue, result_type: Attribute):
        super().__init__(operand, result_type)

    def verify_(self) -> None:
        operand, result = tensor_type(self.operand), tensor_type(self.result)
        if not is_compatible_shape(operand.get_shape(), result.get_shape()):
            raise VerifyException("requires the same shape for all operands and results")
        source, target = quantized_element(operand), quantized_element(result)
        assert target is not None
        expected = operand.element_type if source is None else source.expressed
        if target.expressed != expected:
            raise VerifyException(f"Expressed type of result expected to be '{expected}', but got '{target.expressed}'")


@irdl_op_definition
class UniformDequantizeOp(UnaryElementwiseOp, InfersResultTypes):
    """Each element as the float that it represents."""

    name = "stablehlo.uniform_dequantize"
    operand = operand_def(QUANTIZED_TENSOR)
    result = result_def(FLOAT_TENSOR)

    def __init__(self, operand: SSAValue):
        element = quantized_element(operand.type)
        super().__init__(operand, None if element is None else with_element_type(operand, element.expressed))

    def infer_result_types(self) -> Sequence[Attribute]:
        element = quantized_element(self.operand.type)
        assert element is not None
        return [with_element_type(self.operand, element.expressed)]

    def verify_(self) -> None:
        InfersResultTypes.verify_(self)
