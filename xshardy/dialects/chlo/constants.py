"""Constants: of a given shape, or of the shape of another tensor."""

from collections.abc import Sequence

from xdsl.ir import Attribute, TypedAttribute
from xdsl.irdl import base, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.inference import InfersResultTypes, with_element_type
from xshardy.dialects.stablehlo.nullary import TensorConstantOp
from xshardy.dialects.stablehlo.types import PER_AXIS_TENSOR, tensor_type

__all__ = ["ConstantLikeOp", "ConstantOp"]


@irdl_op_definition
class ConstantOp(TensorConstantOp):
    name = "chlo.constant"


@irdl_op_definition
class ConstantLikeOp(InfersResultTypes):
    """`value` in each element of a tensor of the shape of `operand`."""

    name = "chlo.constant_like"
    value = prop_def(base(TypedAttribute))
    operand = operand_def(PER_AXIS_TENSOR.or_unranked())
    result = result_def(PER_AXIS_TENSOR.or_unranked())
    traits = traits_def(Pure())

    def infer_result_types(self) -> Sequence[Attribute]:
        element = self.value.get_type()
        if element != tensor_type(self.result).element_type:
            raise VerifyException("value's type doesn't match element return type")
        return [with_element_type(self.operand, element)]
