"""Elementwise functions that HLO has and StableHLO lacks."""

from xdsl.irdl import irdl_op_definition, operand_def

from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
from xshardy.dialects.stablehlo.types import FLOAT_OR_COMPLEX_TENSOR, FLOAT_TENSOR


class ComplexFunctionOp(UnaryElementwiseOp):
    """A function of floats and complex numbers."""

    operand = operand_def(FLOAT_OR_COMPLEX_TENSOR)


@irdl_op_definition
class AcosOp(ComplexFunctionOp):
    name = "hlo.acos"


@irdl_op_definition
class AcoshOp(ComplexFunctionOp):
    name = "hlo.acosh"


@irdl_op_definition
class AsinOp(ComplexFunctionOp):
    name = "hlo.asin"


@irdl_op_definition
class AsinhOp(ComplexFunctionOp):
    name = "hlo.asinh"


@irdl_op_definition
class AtanhOp(ComplexFunctionOp):
    name = "hlo.atanh"


@irdl_op_definition
class CoshOp(ComplexFunctionOp):
    name = "hlo.cosh"


@irdl_op_definition
class SinhOp(ComplexFunctionOp):
    name = "hlo.sinh"


@irdl_op_definition
class ErfOp(UnaryElementwiseOp):
    """The error function."""

    name = "hlo.erf"
    operand = operand_def(FLOAT_TENSOR)
