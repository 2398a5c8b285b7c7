"""Batch normalization: scale each feature by its mean and variance over all other dimensions."""

from collections.abc import Sequence

from xdsl.dialects.builtin import DYNAMIC_INDEX, FloatAttr, TensorType, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.naming import Names, SuggestsNames
from xshardy.dialects.stablehlo.constraints import IntegerAtLeast
from xshardy.dialects.stablehlo.inference import (
    InfersResultTypes,
    bounded,
    require_compatible_elements,
)
from xshardy.dialects.stablehlo.types import (
    FLOAT_OR_QUANTIZED_TENSOR,
    bounds_of,
    is_compatible_dim,
    is_compatible_shape,
    tensor_type,
)

__all__ = ["BatchNormGradOp", "BatchNormInferenceOp", "BatchNormTrainingOp"]

FEATURES = FLOAT_OR_QUANTIZED_TENSOR.of_rank(1)
"""A tensor with a number for each feature."""


class BatchNormOp(InfersResultTypes):
    """Dimension `feature_index` holds the features; `epsilon` is added to the variance."""

    # Declared again by each op: the fields of a base class come after its own.
    operand = operand_def(FLOAT_OR_QUANTIZED_TENSOR)
    scale = operand_def(FEATURES)
    epsilon = prop_def(FloatAttr.constr(f32))
    feature_index = prop_def(IntegerAtLeast("feature_index"))
    traits = traits_def(Pure())

    def data(self) -> Sequence[SSAValue]:
        """The operands that have all dimensions; the others have a number for each feature."""
        return (self.operand,)

    def infer_result_types(self) -> Sequence[Attribute]:
        require_compatible_elements(*self.operands, *self.results)
        data = self.data()
        per_feature = [self.scale, *(value for value in self.operands if value not in data)]
        index, shape = self.feature_index.value.data, tensor_type(self.operand).get_shape()
        for name, values in (("multi", data), ("single", per_feature)):
            first = tensor_type(values[0]).get_shape()
            if not all(is_compatible_shape(first, tensor_type(value).get_shape()) for value in values):
                raise VerifyException(f"expects {name}-dimensional operands to have compatible shapes.")
        if index >= len(shape):
            raise VerifyException(
                "expects featureIndex to be smaller than the rank of multi-dimensional operands; got featureIndex "
                f"{index}, and rank {len(shape)}."
            )
        (size,) = tensor_type(self.scale).get_shape()
        if not is_compatible_dim(size, shape[index]):
            raise VerifyException(
                "expects the size of single-dimensional operands to be compatible with feature count, but the size of "
                f"single-dimensional operands is {size_text(size)} and the feature count is {size_text(shape[index])}."
            )
        features = feature_type(tensor_type(self.operand), index)
        return [self.operand.type, *[features] * (len(self.results) - 1)]


def size_text(size: int) -> str:
    """`4`, or `?` for a dynamic size."""
    return "?" if size == DYNAMIC_INDEX else str(size)


def feature_type(operand: TensorType[Attribute], feature_index: int) -> TensorType[Attribute]:
    """A number for each index of `operand` along dimension `feature_index`."""
    sizes, bounds = operand.get_shape(), bounds_of(operand)
    return bounded(operand.element_type, [sizes[feature_index]], [bounds[feature_index]])


@irdl_op_definition
class BatchNormGradOp(BatchNormOp, SuggestsNames):
    """The gradients of the operand, the scale and the offset of a batch_norm_training, from that of its output."""

    name = "stablehlo.batch_norm_grad"
    operand = operand_def(FLOAT_OR_QUANTIZED_TENSOR)
    scale = operand_def(FEATURES)
    mean = operand_def(FEATURES)
    variance = operand_def(FEATURES)
    grad_output = operand_def(FLOAT_OR_QUANTIZED_TENSOR)
    grad_operand = result_def(FLOAT_OR_QUANTIZED_TENSOR)
    grad_scale = result_def(FEATURES)
    grad_offset = result_def(FEATURES)

    def result_names(self) -> Names:
        return ("grad_operand", "grad_scale", "grad_offset")

    def data(self) -> Sequence[SSAValue]:
        return (self.operand, self.grad_output)


@irdl_op_definition
class BatchNormInferenceOp(BatchNormOp):
    """`(operand - mean) / sqrt(variance + epsilon) * scale + offset`, with a known mean and variance."""

    name = "stablehlo.batch_norm_inference"
    operand = operand_def(FLOAT_OR_QUANTIZED_TENSOR)
    scale = operand_def(FEATURES)
    offset = operand_def(FEATURES)
    mean = operand_def(FEATURES)
    variance = operand_def(FEATURES)
    result = result_def(FLOAT_OR_QUANTIZED_TENSOR)


@irdl_op_definition
class BatchNormTrainingOp(BatchNormOp, SuggestsNames):
    """As batch_norm_inference, with the mean and the variance of the operand, which are results too."""

    name = "stablehlo.batch_norm_training"
    operand = operand_def(FLOAT_OR_QUANTIZED_TENSOR)
    scale = operand_def(FEATURES)
    offset = operand_def(FEATURES)
    output = result_def(FLOAT_OR_QUANTIZED_TENSOR)
    batch_mean = result_def(FEATURES)
    batch_var = result_def(FEATURES)

    def result_names(self) -> Names:
        return ("output", "batch_mean", "batch_var")
