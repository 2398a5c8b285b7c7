"""CHLO: the elementwise functions that client libraries write and StableHLO does not have."""

from xdsl.ir import Dialect
from xdsl.irdl import irdl_op_definition, operand_def

from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
from xshardy.dialects.stablehlo.types import FLOAT_OR_COMPLEX_TENSOR, FLOAT_TENSOR


class FloatFunctionOp(UnaryElementwiseOp):
    """A special function of floats."""

    operand = operand_def(FLOAT_TENSOR)


class ComplexFunctionOp(UnaryElementwiseOp):
    """An inverse trigonometric or a hyperbolic function of floats and complex numbers."""

    operand = operand_def(FLOAT_OR_COMPLEX_TENSOR)


@irdl_op_definition
class AcosOp(ComplexFunctionOp):
    name = "chlo.acos"


@irdl_op_definition
class AcoshOp(ComplexFunctionOp):
    name = "chlo.acosh"


@irdl_op_definition
class AsinOp(ComplexFunctionOp):
    name = "chlo.asin"


@irdl_op_definition
class AsinhOp(ComplexFunctionOp):
    name = "chlo.asinh"


@irdl_op_definition
class AtanOp(ComplexFunctionOp):
    name = "chlo.atan"


@irdl_op_definition
class AtanhOp(ComplexFunctionOp):
    name = "chlo.atanh"


@irdl_op_definition
class CoshOp(ComplexFunctionOp):
    name = "chlo.cosh"


@irdl_op_definition
class SinhOp(ComplexFunctionOp):
    name = "chlo.sinh"


@irdl_op_definition
class ErfOp(FloatFunctionOp):
    name = "chlo.erf"


@irdl_op_definition
class ErfInvOp(FloatFunctionOp):
    name = "chlo.erf_inv"


@irdl_op_definition
class ErfcOp(FloatFunctionOp):
    name = "chlo.erfc"


CHLO = Dialect("chlo", [AcosOp, AcoshOp, AsinOp, AsinhOp, AtanOp, AtanhOp, CoshOp, SinhOp, ErfOp, ErfInvOp, ErfcOp], [])
