"""Random numbers: from hidden state, or from an explicit state operand."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyFloat, TensorType
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.naming import Names, SuggestsNames
from xshardy.dialects.stablehlo.dynamic_shapes import constant_integers
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.types import (
    INTEGER_OR_FLOAT_TENSOR,
    PRED_INTEGER_OR_FLOAT_TENSOR,
    STATIC_DIMENSION_TENSOR,
    is_compatible_shape,
    tensor_type,
)

__all__ = ["RngAlgorithm", "RngAlgorithmAttr", "RngBitGeneratorOp", "RngDistribution", "RngDistributionAttr", "RngOp"]

SCALAR = PRED_INTEGER_OR_FLOAT_TENSOR.of_rank(0)


class RngDistribution(StrEnum):
    UNIFORM = "UNIFORM"
    NORMAL = "NORMAL"


class RngAlgorithm(StrEnum):
    DEFAULT = "DEFAULT"
    THREE_FRY = "THREE_FRY"
    PHILOX = "PHILOX"


@irdl_attr_definition
class RngDistributionAttr(EnumAttribute[RngDistribution], SpacedOpaqueSyntaxAttribute):
    name = "stablehlo.rng_distribution"


@irdl_attr_definition
class RngAlgorithmAttr(EnumAttribute[RngAlgorithm], SpacedOpaqueSyntaxAttribute):
    name = "stablehlo.rng_algorithm"


@irdl_op_definition
class RngOp(InfersResultTypes):
    """Numbers of `shape`, evenly from [a, b) or normally distributed with mean `a` and standard deviation `b`."""

    name = "stablehlo.rng"
    a = operand_def(SCALAR)
    b = operand_def(SCALAR)
    shape = operand_def(STATIC_DIMENSION_TENSOR)
    rng_distribution = prop_def(RngDistributionAttr)
    result = result_def(PRED_INTEGER_OR_FLOAT_TENSOR)
    assembly_format = (
        "$a `,` $b `,` $shape `,` `distribution` `=` $rng_distribution attr-dict `:` functional-type(operands, results)"
    )

    def infer_result_types(self) -> Sequence[Attribute]:
        a, b, result = (tensor_type(value).element_type for value in (self.a, self.b, self.result))
        if self.rng_distribution.data != RngDistribution.UNIFORM and not (
            isinstance(a, AnyFloat) and isinstance(b, AnyFloat)
        ):
            raise VerifyException("mu and sigma must be floats")
        if not a == b == result:
            raise VerifyException("failed to verify that all of {a, b, result} have same element type")
        sizes = constant_integers(self.shape)
        if sizes is None:
            sizes = (DYNAMIC_INDEX,) * tensor_type(self.shape).get_shape()[0]
        return [TensorType(b, sizes)]


@irdl_op_definition
class RngBitGeneratorOp(IRDLOperation, SuggestsNames):
    """Random bits, and the next state."""

    name = "stablehlo.rng_bit_generator"
    initial_state = operand_def(INTEGER_OR_FLOAT_TENSOR)
    rng_algorithm = prop_def(RngAlgorithmAttr)
    output_state = result_def(INTEGER_OR_FLOAT_TENSOR)
    output = result_def(INTEGER_OR_FLOAT_TENSOR.static())
    traits = traits_def(Pure())
    assembly_format = (
        "$initial_state `,` `algorithm` `=` $rng_algorithm attr-dict `:` functional-type(operands, results)"
    )

    def result_names(self) -> Names:
        return ("output_state", "output")

    def verify_(self) -> None:
        before, after = self.initial_state.type, self.output_state.type
        if not is_compatible_shape(tensor_type(before).get_shape(), tensor_type(after).get_shape()):
            raise VerifyException(
                f"output state shape must be compatible with initial state shape. Got: '{before}' and '{after}'"
            )
