"""Ops on batches of matrices, which lie in the last two dimensions: factor them, and solve systems of equations."""

from collections.abc import Sequence

from xdsl.dialects.builtin import BoolAttr, IntegerAttr, i1
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import (
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.stablehlo.formats import SameOperandsAndResultType
from xshardy.dialects.stablehlo.inference import InfersResultTypes, require_same_element_types
from xshardy.dialects.stablehlo.types import (
    FLOAT_COMPLEX_OR_QUANTIZED_TENSOR,
    FLOAT_OR_COMPLEX_TENSOR,
    is_compatible_dim,
    is_compatible_shape,
    tensor_type,
)

__all__ = ["CholeskyOp", "Transpose", "TransposeAttr", "TriangularSolveOp"]


class Transpose(StrEnum):
    TRANSPOSE_INVALID = "TRANSPOSE_INVALID"
    NO_TRANSPOSE = "NO_TRANSPOSE"
    TRANSPOSE = "TRANSPOSE"
    ADJOINT = "ADJOINT"


@irdl_attr_definition
class TransposeAttr(EnumAttribute[Transpose], SpacedOpaqueSyntaxAttribute):
    """Whether a matrix is taken as it is, transposed, or transposed and conjugated."""

    name = "stablehlo.transpose"


@irdl_op_definition
class CholeskyOp(InfersResultTypes):
    """The triangular `l` with `a = l * adjoint(l)`, or the upper one with `a = adjoint(u) * u`."""

    name = "stablehlo.cholesky"
    a = operand_def(FLOAT_COMPLEX_OR_QUANTIZED_TENSOR)
    lower = opt_prop_def(BoolAttr, default_value=IntegerAttr(0, i1))
    result = result_def(FLOAT_COMPLEX_OR_QUANTIZED_TENSOR)
    traits = traits_def(Pure())
    custom_directives = (SameOperandsAndResultType,)
    assembly_format = (
        "$a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameOperandsAndResultType>(type($a), type($result))"
    )

    def infer_result_types(self) -> Sequence[Attribute]:
        shape = tensor_type(self.a).get_shape()
        text = ", ".join(map(str, shape))
        if len(shape) < 2:
            raise VerifyException(f"argument 'a' must have rank >= 2, got shape {text}.")
        if not is_compatible_dim(shape[-2], shape[-1]):
            raise VerifyException(f"minor dimensions of 'a' must have equal size, got shape {text}.")
        return [self.a.type]


@irdl_op_definition
class TriangularSolveOp(InfersResultTypes):
    """The `x` with `op(a) * x = b`, or with `x * op(a) = b` unless `left_side`, where `a` is triangular."""

    name = "stablehlo.triangular_solve"
    a = operand_def(FLOAT_OR_COMPLEX_TENSOR)
    b = operand_def(FLOAT_OR_COMPLEX_TENSOR)
    left_side = prop_def(BoolAttr)
    lower = prop_def(BoolAttr)
    unit_diagonal = prop_def(BoolAttr)
    transpose_a = prop_def(TransposeAttr)
    result = result_def(FLOAT_OR_COMPLEX_TENSOR)
    traits = traits_def(Pure())

    def infer_result_types(self) -> Sequence[Attribute]:
        require_same_element_types((*self.operands, *self.results))
        shape, b_shape = tensor_type(self.a).get_shape(), tensor_type(self.b).get_shape()
        both = f"'{self.a.type}' and '{self.b.type}'"
        if len(shape) < 2:
            raise VerifyException(f"operand 'a' must have rank >= 2, but got '{self.a.type}'")
        if not is_compatible_dim(shape[-2], shape[-1]):
            raise VerifyException(f"two minor dimensions of operand 'a' must be compatible, but got '{self.a.type}'")
        if len(shape) != len(b_shape):
            raise VerifyException(f"operands must have equal rank, but got {both}")
        if not is_compatible_dim(shape[-1], b_shape[-2 if self.left_side.value.data else -1]):
            raise VerifyException(f"shared dimension of operands 'a' and 'b' must be compatible, but got {both}")
        if not is_compatible_shape(shape[:-2], b_shape[:-2]):
            raise VerifyException(f"batch dimensions of the operands must be compatible, but got {both}")
        if self.transpose_a.data == Transpose.TRANSPOSE_INVALID:
            raise VerifyException("Invalid transpose option value for triangular solve")
        return [self.b.type]
