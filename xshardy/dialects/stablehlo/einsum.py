"""Products that dot_general covers, kept for older programs."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, StringAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.attributes import Precision, PrecisionAttr
from xshardy.dialects.stablehlo.contraction import PRECISION_CONFIG, PrecisionConfig, verify_precision_config
from xshardy.dialects.stablehlo.types import (
    PER_AXIS_TENSOR,
    TENSOR,
    is_compatible_dim,
    is_compatible_shape,
    tensor_type,
)

__all__ = ["DotOp", "EinsumOp", "UnaryEinsumOp"]


@irdl_op_definition
class DotOp(IRDLOperation):
    """The product of vectors and matrices."""

    name = "stablehlo.dot"
    lhs = operand_def(TENSOR)
    rhs = operand_def(PER_AXIS_TENSOR)
    precision_config = opt_prop_def(PRECISION_CONFIG)
    result = result_def(PER_AXIS_TENSOR)
    traits = traits_def(Pure())
    custom_directives = (PrecisionConfig,)
    assembly_format = (
        "$lhs `,` $rhs custom<PrecisionConfig>($precision_config) attr-dict `:` functional-type(operands, results)"
    )

    def __init__(self, lhs: SSAValue, rhs: SSAValue, result_type: Attribute, precision: Sequence[Precision] = ()):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[result_type],
            properties={"precision_config": ArrayAttr(map(PrecisionAttr, precision)) if precision else None},
        )

    def verify_(self) -> None:
        verify_precision_config(self.precision_config)
        lhs, rhs = tensor_type(self.lhs).get_shape(), tensor_type(self.rhs).get_shape()
        if len(lhs) not in (1, 2) or len(rhs) not in (1, 2) or not is_compatible_dim(lhs[-1], rhs[0]):
            raise VerifyException(
                "expected both lhs/rhs ranks to be either 1 or 2, and the last dimension of lhs to have the size of "
                "the first one of rhs"
            )
        shape = (*lhs[:-1], *rhs[1:])
        if not is_compatible_shape(shape, tensor_type(self.result).get_shape()):
            sizes = ", ".join("?" if size < 0 else str(size) for size in shape)
            raise VerifyException(
                f"inferred shape '[{sizes}]' is incompatible with return type of operation '{self.result.type}'"
            )


def verify_config(config: str, operands: Sequence[SSAValue], result: SSAValue) -> None:
    """
    Raises `VerifyException` unless `config` labels the dimensions of all operands and of the result, each label has one
    size, and those of the result are labels of operands.

    Stricter than upstream, which has no meaning for any other one.
    """
    inputs, arrow, output = config.replace(" ", "").partition("->")
    labels = inputs.split(",")
    if not arrow or len(labels) != len(operands):
        raise VerifyException(
            f'config "{config}": expected the labels of {len(operands)} operands, then `->` and those of the result, '
            'as in "ij,jk->ik" for two'
        )
    if unknown := sorted({*output} - {*inputs}):
        raise VerifyException(f'config "{config}": {unknown[0]!r} labels a dimension of the result, but of no operand')
    sizes: dict[str, int] = {}
    for text, value in zip((*labels, output), (*operands, result), strict=True):
        shape = tensor_type(value).get_shape()
        before, dots, after = text.partition("...")
        if len(before + after) > len(shape) or (len(before + after) < len(shape) and not dots):
            raise VerifyException(
                f'config "{config}": {text!r} labels {len(before + after)} dimensions of {value.type}'
            )
        for label, size in (*zip(before, shape, strict=False), *zip(after[::-1], shape[::-1], strict=False)):
            if not is_compatible_dim(sizes.setdefault(label, size), size):
                raise VerifyException(
                    f'config "{config}": {label!r} labels dimensions of different sizes, {sizes[label]} and {size}'
                )


@irdl_op_definition
class EinsumOp(IRDLOperation):
    """The sum of products of elements that `einsum_config` describes, as in `"ij,jk->ik"`."""

    name = "stablehlo.einsum"
    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)
    einsum_config = prop_def(StringAttr)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        verify_config(self.einsum_config.data, self.operands, self.result)


@irdl_op_definition
class UnaryEinsumOp(IRDLOperation):
    """The sum of elements that `einsum_config` describes, as in `"ij->i"`."""

    name = "stablehlo.unary_einsum"
    operand = operand_def(TENSOR)
    einsum_config = prop_def(StringAttr)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    assembly_format = "$operand `,` `config` `=` $einsum_config attr-dict `:` functional-type(operands, results)"

    def verify_(self) -> None:
        verify_config(self.einsum_config.data, self.operands, self.result)
