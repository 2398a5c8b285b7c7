"""Elementwise functions of client libraries that StableHLO lacks."""

from collections.abc import Sequence

from xdsl.dialects.builtin import i1
from xdsl.ir import Attribute
from xdsl.irdl import irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Commutative, Pure

from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.stablehlo.elementwise_binary import BinaryElementwiseOp
from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
from xshardy.dialects.stablehlo.inference import InfersResultTypes, with_element_type
from xshardy.dialects.stablehlo.types import (
    COMPLEX_TENSOR,
    FLOAT_OR_COMPLEX_TENSOR,
    FLOAT_TENSOR,
    INTEGER_TENSOR,
    PRED_TENSOR,
)

__all__ = [
    "AcosOp",
    "AcoshOp",
    "AsinAcosKernelOp",
    "AsinOp",
    "AsinhOp",
    "AtanOp",
    "AtanhOp",
    "BesselI1eOp",
    "ConjOp",
    "CoshOp",
    "DigammaOp",
    "ErfInvOp",
    "ErfOp",
    "ErfcOp",
    "IsInfOp",
    "IsNegInfOp",
    "IsPosInfOp",
    "LgammaOp",
    "MulhiOp",
    "NextAfterOp",
    "PolygammaOp",
    "SinhOp",
    "SquareOp",
    "TanOp",
    "ZetaOp",
]


class FloatFunctionOp(UnaryElementwiseOp):
    """A function of floats."""

    operand = operand_def(FLOAT_TENSOR.or_unranked())
    result = result_def(FLOAT_TENSOR.or_unranked())
    custom_directives = ()
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"


class ComplexFunctionOp(UnaryElementwiseOp):
    """A function of floats and complex numbers."""

    operand = operand_def(FLOAT_OR_COMPLEX_TENSOR.or_unranked())
    result = result_def(FLOAT_OR_COMPLEX_TENSOR.or_unranked())
    custom_directives = ()
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"


class FloatPredicateOp(InfersResultTypes):
    """A predicate on each element."""

    operand = operand_def(FLOAT_TENSOR.or_unranked())
    result = result_def(PRED_TENSOR.or_unranked())
    traits = traits_def(Pure(), Elementwise())
    assembly_format = "$operand attr-dict `:` type($operand) `->` type($result)"

    def infer_result_types(self) -> Sequence[Attribute]:
        return [with_element_type(self.operand, i1)]


class BinaryFunctionOp(BinaryElementwiseOp):
    """A function of two tensors of one type."""

    lhs = operand_def(FLOAT_TENSOR.or_unranked())
    rhs = operand_def(FLOAT_TENSOR.or_unranked())
    result = result_def(FLOAT_TENSOR.or_unranked())
    custom_directives = ()
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"


@irdl_op_definition
class AsinAcosKernelOp(ComplexFunctionOp):
    """The common part of asin and acos; complex numbers only."""

    name = "chlo._asin_acos_kernel"
    operand = operand_def(COMPLEX_TENSOR.or_unranked())
    result = result_def(COMPLEX_TENSOR.or_unranked())


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
class BesselI1eOp(ComplexFunctionOp):
    """The exponentially scaled modified Bessel function of order 1."""

    name = "chlo.bessel_i1e"


@irdl_op_definition
class ConjOp(ComplexFunctionOp):
    """The complex conjugate."""

    name = "chlo.conj"


@irdl_op_definition
class CoshOp(ComplexFunctionOp):
    name = "chlo.cosh"


@irdl_op_definition
class SinhOp(ComplexFunctionOp):
    name = "chlo.sinh"


@irdl_op_definition
class TanOp(ComplexFunctionOp):
    name = "chlo.tan"


@irdl_op_definition
class SquareOp(ComplexFunctionOp):
    name = "chlo.square"


@irdl_op_definition
class DigammaOp(FloatFunctionOp):
    name = "chlo.digamma"


@irdl_op_definition
class ErfOp(FloatFunctionOp):
    name = "chlo.erf"


@irdl_op_definition
class ErfInvOp(FloatFunctionOp):
    """The inverse of erf."""

    name = "chlo.erf_inv"


@irdl_op_definition
class ErfcOp(FloatFunctionOp):
    """1 - erf(x), precise for large x."""

    name = "chlo.erfc"


@irdl_op_definition
class LgammaOp(FloatFunctionOp):
    """The logarithm of the absolute value of the gamma function."""

    name = "chlo.lgamma"


@irdl_op_definition
class IsInfOp(FloatPredicateOp):
    name = "chlo.is_inf"


@irdl_op_definition
class IsNegInfOp(FloatPredicateOp):
    name = "chlo.is_neg_inf"


@irdl_op_definition
class IsPosInfOp(FloatPredicateOp):
    name = "chlo.is_pos_inf"


@irdl_op_definition
class NextAfterOp(BinaryFunctionOp):
    """The float next to `lhs` in the direction of `rhs`."""

    name = "chlo.next_after"


@irdl_op_definition
class PolygammaOp(BinaryFunctionOp):
    """The derivative of order `lhs` of digamma, at `rhs`."""

    name = "chlo.polygamma"


@irdl_op_definition
class ZetaOp(BinaryFunctionOp):
    """The Hurwitz zeta function: the sum of (rhs + n)^-lhs over n from 0."""

    name = "chlo.zeta"


@irdl_op_definition
class MulhiOp(BinaryFunctionOp):
    """The upper half of the bits of a product of integers, which has twice their bits."""

    name = "chlo.mulhi"
    lhs = operand_def(INTEGER_TENSOR)
    rhs = operand_def(INTEGER_TENSOR)
    result = result_def(INTEGER_TENSOR)
    traits = traits_def(Pure(), Commutative())
