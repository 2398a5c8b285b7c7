"""Elementwise ops of one operand. They differ in name and element types."""

from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, i1, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.stablehlo.attributes import ResultAccuracyAttr
from xshardy.dialects.stablehlo.constraints import IntegerAtLeast
from xshardy.dialects.stablehlo.formats import ExponentMantissa, SameOperandsAndResultType
from xshardy.dialects.stablehlo.inference import InfersResultTypes, require_same_types, with_element_type
from xshardy.dialects.stablehlo.types import (
    FLOAT_COMPLEX_OR_QUANTIZED_TENSOR,
    FLOAT_OR_COMPLEX_TENSOR,
    FLOAT_OR_QUANTIZED_TENSOR,
    FLOAT_TENSOR,
    INTEGER_TENSOR,
    NUMBER_TENSOR,
    PLAIN_TENSOR,
    PRED_OR_INTEGER_TENSOR,
    PRED_TENSOR,
    SIGNED_FLOAT_COMPLEX_OR_QUANTIZED_TENSOR,
    SIGNED_FLOAT_OR_QUANTIZED_TENSOR,
    TENSOR,
    is_compatible_shape,
    real_element,
    tensor_type,
)

__all__ = [
    "AbsOp",
    "CbrtOp",
    "CeilOp",
    "ClzOp",
    "ConvertOp",
    "CosineOp",
    "ExpOp",
    "Expm1Op",
    "FloorOp",
    "ImagOp",
    "IsFiniteOp",
    "Log1pOp",
    "LogOp",
    "LogisticOp",
    "NegOp",
    "NotOp",
    "PopulationCountOp",
    "RealOp",
    "ReducePrecisionOp",
    "RoundNearestEvenOp",
    "RoundOp",
    "RsqrtOp",
    "SignOp",
    "SineOp",
    "SqrtOp",
    "TanOp",
    "TanhOp",
    "UnaryElementwiseOp",
]


class UnaryElementwiseOp(IRDLOperation):
    """`f(operand)`, element by element; the result has the type of the operand unless a subclass says otherwise."""

    operand = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure(), Elementwise())
    custom_directives = (SameOperandsAndResultType,)
    assembly_format = "operands attr-dict `:` custom<SameOperandsAndResultType>(type(operands), type(results))"

    def __init__(self, operand: SSAValue, result_type: Attribute | None = None):
        super().__init__(operands=[operand], result_types=[result_type or operand.type])

    def verify_(self) -> None:
        require_same_types(self)


class NumberUnaryOp(UnaryElementwiseOp):
    """Of integers, floats and complex numbers."""

    operand = operand_def(NUMBER_TENSOR)


class SignedUnaryOp(UnaryElementwiseOp):
    """Of signed integers, floats and complex numbers."""

    operand = operand_def(SIGNED_FLOAT_COMPLEX_OR_QUANTIZED_TENSOR)


class FloatUnaryOp(UnaryElementwiseOp):
    """Of floats."""

    operand = operand_def(FLOAT_OR_QUANTIZED_TENSOR)


class IntegerUnaryOp(UnaryElementwiseOp):
    """Of integers."""

    operand = operand_def(INTEGER_TENSOR)


class LogicalUnaryOp(UnaryElementwiseOp):
    """Of predicates and integers."""

    operand = operand_def(PRED_OR_INTEGER_TENSOR)


class TranscendentalOp(UnaryElementwiseOp):
    """Of floats and complex numbers, with an accuracy that the result must have."""

    operand = operand_def(FLOAT_COMPLEX_OR_QUANTIZED_TENSOR)
    result_accuracy = opt_prop_def(ResultAccuracyAttr)
    irdl_options = (ParsePropInAttrDict(),)


class ToRealOp(UnaryElementwiseOp, InfersResultTypes):
    """From complex numbers to floats; real operands keep their element type."""

    operand = operand_def(FLOAT_OR_COMPLEX_TENSOR)
    result = result_def(FLOAT_TENSOR)

    def infer_result_types(self) -> Sequence[Attribute]:
        element = tensor_type(self.operand).element_type
        return [with_element_type(self.operand, real_element(element))]

    def verify_(self) -> None:
        InfersResultTypes.verify_(self)


@irdl_op_definition
class AbsOp(ToRealOp):
    """The absolute value; of a complex number, its modulus, which is real."""

    name = "stablehlo.abs"
    operand = operand_def(SIGNED_FLOAT_COMPLEX_OR_QUANTIZED_TENSOR)
    result = result_def(SIGNED_FLOAT_OR_QUANTIZED_TENSOR)


@irdl_op_definition
class CbrtOp(TranscendentalOp):
    name = "stablehlo.cbrt"


@irdl_op_definition
class CeilOp(FloatUnaryOp):
    name = "stablehlo.ceil"


@irdl_op_definition
class ConvertOp(UnaryElementwiseOp):
    """The same values in another element type, rounded to nearest even or, from float to integer, towards zero."""

    name = "stablehlo.convert"
    operand = operand_def(PLAIN_TENSOR)
    result = result_def(PLAIN_TENSOR)

    def verify_(self) -> None:
        shapes = [tensor_type(value).get_shape() for value in (self.operand, self.result)]
        if not is_compatible_shape(*shapes):
            raise VerifyException("requires the same shape for all operands and results")


@irdl_op_definition
class ClzOp(IntegerUnaryOp):
    """The number of leading zero bits."""

    name = "stablehlo.count_leading_zeros"


@irdl_op_definition
class CosineOp(TranscendentalOp):
    name = "stablehlo.cosine"


@irdl_op_definition
class ExpOp(TranscendentalOp):
    name = "stablehlo.exponential"


@irdl_op_definition
class Expm1Op(TranscendentalOp):
    """e^x - 1, precise for small x."""

    name = "stablehlo.exponential_minus_one"


@irdl_op_definition
class FloorOp(FloatUnaryOp):
    name = "stablehlo.floor"


@irdl_op_definition
class ImagOp(ToRealOp):
    """The imaginary part; 0 for a float."""

    name = "stablehlo.imag"


@irdl_op_definition
class IsFiniteOp(InfersResultTypes):
    """Whether an element is neither infinite nor NaN."""

    name = "stablehlo.is_finite"
    x = operand_def(FLOAT_OR_QUANTIZED_TENSOR)
    y = result_def(PRED_TENSOR)
    traits = traits_def(Pure(), Elementwise())
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"

    def __init__(self, x: SSAValue):
        super().__init__(operands=[x], result_types=[with_element_type(x, i1)])

    def infer_result_types(self) -> Sequence[Attribute]:
        if not is_compatible_shape(tensor_type(self.x).get_shape(), tensor_type(self.y).get_shape()):
            raise VerifyException("all non-scalar operands/results must have the same shape and base type")
        return [with_element_type(self.x, i1)]


@irdl_op_definition
class LogOp(TranscendentalOp):
    name = "stablehlo.log"


@irdl_op_definition
class Log1pOp(TranscendentalOp):
    """log(1 + x), precise for small x."""

    name = "stablehlo.log_plus_one"


@irdl_op_definition
class LogisticOp(TranscendentalOp):
    """1 / (1 + e^-x)."""

    name = "stablehlo.logistic"


@irdl_op_definition
class NegOp(NumberUnaryOp):
    name = "stablehlo.negate"


@irdl_op_definition
class NotOp(LogicalUnaryOp):
    """Logical not of a predicate, bitwise not of an integer."""

    name = "stablehlo.not"


@irdl_op_definition
class PopulationCountOp(IntegerUnaryOp):
    """The number of bits set."""

    name = "stablehlo.popcnt"


@irdl_op_definition
class RealOp(ToRealOp):
    """The real part; a float is its own."""

    name = "stablehlo.real"


@irdl_op_definition
class ReducePrecisionOp(FloatUnaryOp):
    """Round to a float with `exponent_bits` and `mantissa_bits`, and back."""

    name = "stablehlo.reduce_precision"
    exponent_bits = prop_def(IntegerAtLeast("exponent_bits", 1, i32))
    mantissa_bits = prop_def(IntegerAtLeast("mantissa_bits", 0, i32))
    custom_directives = (ExponentMantissa, SameOperandsAndResultType)
    assembly_format = (
        "$operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict `:` "
        "custom<SameOperandsAndResultType>(type(operands), type(results))"
    )

    def __init__(self, operand: SSAValue, exponent_bits: int, mantissa_bits: int):
        IRDLOperation.__init__(
            self,
            operands=[operand],
            result_types=[operand.type],
            properties={
                "exponent_bits": IntegerAttr(exponent_bits, i32),
                "mantissa_bits": IntegerAttr(mantissa_bits, i32),
            },
        )


@irdl_op_definition
class RoundOp(FloatUnaryOp):
    """Round to nearest, ties away from zero."""

    name = "stablehlo.round_nearest_afz"


@irdl_op_definition
class RoundNearestEvenOp(FloatUnaryOp):
    """Round to nearest, ties to even."""

    name = "stablehlo.round_nearest_even"


@irdl_op_definition
class RsqrtOp(TranscendentalOp):
    """1 / sqrt(x)."""

    name = "stablehlo.rsqrt"


@irdl_op_definition
class SignOp(SignedUnaryOp):
    name = "stablehlo.sign"


@irdl_op_definition
class SineOp(TranscendentalOp):
    name = "stablehlo.sine"


@irdl_op_definition
class SqrtOp(TranscendentalOp):
    name = "stablehlo.sqrt"


@irdl_op_definition
class TanOp(TranscendentalOp):
    name = "stablehlo.tan"


@irdl_op_definition
class TanhOp(TranscendentalOp):
    name = "stablehlo.tanh"
