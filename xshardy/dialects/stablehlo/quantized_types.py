"""
Constraints on the scales and zero points of quantized tensors. Other tensors always satisfy them.

"Per tensor" is one scale for a whole tensor, "per axis" a scale for each index of one dimension, the quantized one.
Source: StableHLO specification, the constraints of add, reshape, transpose, broadcast_in_dim, dot_general, convolution.
"""

from collections.abc import Sequence
from math import prod
from typing import cast

from xdsl.dialects.builtin import DYNAMIC_INDEX, AnyTensorType, IntegerType, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.quant import UniformQuantizedType
from xshardy.dialects.shapes import is_static
from xshardy.dialects.stablehlo.types import tensor_type


def quantized_element(type: Attribute | SSAValue) -> UniformQuantizedType | None:
    """The element type of a quantized tensor; None for anything else."""
    type = type.type if isinstance(type, SSAValue) else type
    if not isinstance(type, TensorType):
        return None
    element = cast(AnyTensorType, type).element_type
    return element if isinstance(element, UniformQuantizedType) else None


def storage_type(element: UniformQuantizedType) -> IntegerType:
    """The integers that `element` is stored as, whatever their sign means."""
    return IntegerType(element.storage.width.data)


def verify_same_scales(operand: Attribute, result: Attribute) -> None:
    """Elements that only move keep their scale and zero point."""
    before, after = quantized_element(operand), quantized_element(result)
    if before is None or after is None:
        return
    kinds = [element.quantized_dimension is None for element in (before, after)]
    if all(kinds) and before != after:
        raise VerifyException(f"expect same quantization scale and zero_point but got '{operand}' vs '{result}'")
    if not any(kinds) and before.parameters_of_elements != after.parameters_of_elements:
        raise VerifyException(f"expect same quantization scales and zero_points but got '{operand}' vs '{result}'")


def verify_moved_axis(operand: Attribute, result: Attribute, permutation: Sequence[int]) -> None:
    """A transpose moves the quantized dimension along."""
    before, after = quantized_element(operand), quantized_element(result)
    axis = None if after is None else after.quantized_dimension
    if before is not None and axis is not None and before.quantized_dimension != permutation[axis]:
        raise VerifyException(
            f"operand quantization_dimension {before.quantized_dimension} is not same as permutation[{axis}] = "
            f"{permutation[axis]}"
        )
    verify_same_scales(operand, result)


def verify_reshaped_axis(operand: Attribute, result: Attribute) -> None:
    """A reshape keeps the size of the quantized dimension, and how many elements lie before it."""
    before, after = quantized_element(operand), quantized_element(result)
    if before is None or after is None:
        return
    axis, result_axis = before.quantized_dimension, after.quantized_dimension
    if axis is None or result_axis is None:
        return verify_same_scales(operand, result)
    shape, result_shape = tensor_type(operand).get_shape(), tensor_type(result).get_shape()
    sizes = (shape[axis], result_shape[result_axis])
    if DYNAMIC_INDEX not in sizes and sizes[0] != sizes[1]:
        raise VerifyException(
            f"expect same quantization dimension size for operand and result '{operand}' and '{result}'"
        )
    verify_same_scales(operand, result)
    if not is_static(tensor_type(operand)) or not is_static(tensor_type(result)):
        return
    counts = prod(shape[:axis]), prod(result_shape[:result_axis])
    if counts[0] != counts[1]:
        raise VerifyException(
            "product of dimensions before quantization dimension must match between operand and result for "
            f"{counts[0]} and {counts[1]}"
        )


def verify_broadcast_axis(operand: Attribute, result: Attribute, dimensions: Sequence[int]) -> None:
    """A broadcast keeps the quantized dimension; one of size 1 repeats its scale and zero point."""
    before, after = quantized_element(operand), quantized_element(result)
    if before is None or after is None:
        return
    axis, result_axis = before.quantized_dimension, after.quantized_dimension
    if axis is None or result_axis is None:
        return verify_same_scales(operand, result)
    if result_axis != dimensions[axis]:
        raise VerifyException(
            f"result quantization_dimension {result_axis} not same as broadcast_dimensions[{axis}] = {dimensions[axis]}"
        )
    if tensor_type(operand).get_shape()[axis] != 1:
        return
    scale, zero_point = before.parameters_of_elements[0]
    for i, (result_scale, result_zero_point) in enumerate(after.parameters_of_elements):
        if result_scale != scale:
            raise VerifyException(f"mismatch result scale {i} ({result_scale:e}) and operand scale 0 ({scale:e})")
        if result_zero_point != zero_point:
            raise VerifyException(
                f"mismatch result zero_point {i} ({result_zero_point}) and operand zero_point 0 ({zero_point})"
            )


def verify_sum(lhs: Attribute, rhs: Attribute, result: Attribute) -> None:
    """All three are quantized, over the same integers, floats and axis."""
    elements = [quantized_element(type) for type in (lhs, rhs, result)]
    if all(element is None for element in elements):
        return
    quantized = [element for element in elements if element is not None]
    if len(quantized) != len(elements):
        raise VerifyException("expects  all operands and results to be either quantized or non-quantized")
    if len(set(map(storage_type, quantized))) > 1:
        raise VerifyException("mismatched operands and result quantization storage types")
    if len({element.expressed for element in quantized}) > 1:
        raise VerifyException("mismatched operands and result quantization expressed types")
    *operands, last = quantized
    axes = [element.quantized_dimension for element in operands]
    axis = last.quantized_dimension
    if axis is None and axes != [None, None]:
        raise VerifyException("result is not per_axis quantized but lhs or rhs are")
    if axis is not None and axes == [None, None]:
        raise VerifyException("result per_axis quantized but none from rhs and lhs are per_axis quantized")
    for name, element in zip(("lhs", "rhs"), operands, strict=True):
        if element.quantized_dimension not in (None, axis):
            raise VerifyException(f"quantization_dimension of {name} and result are not same '{element}' vs '{last}'")


def verify_contraction(lhs: Attribute, rhs: Attribute, result: Attribute) -> None:
    """
    Dot products and convolutions need quantized weights; all other tensors are quantized likewise, or all are floats.
    """
    if all(quantized_element(type) is None for type in (lhs, rhs, result)):
        return
    left, right, last = (quantized_element(type) for type in (lhs, rhs, result))
    if right is None or (left is None) != (last is None):
        raise VerifyException(
            "rhs should be quantized for quantized operations and is_quantized(lhs)=is_quantized(result) should hold"
        )
    if left is None or last is None:
        elements = {tensor_type(lhs).element_type, tensor_type(result).element_type}
        if elements != {right.expressed}:
            raise VerifyException("mismatched rhs quantization expressed type and lhs and result element type")
        return
    if storage_type(left) != storage_type(right):
        raise VerifyException("mismatched lhs and rhs quantization storage types")
    if len({left.expressed, right.expressed, last.expressed}) > 1:
        raise VerifyException("mismatched lhs, rhs and result quantization expressed types")
    if right.quantized_dimension is None and last.quantized_dimension is not None:
        raise VerifyException("mismatched rhs and result quantization granularity")


def verify_weights(rhs: Attribute, contracting: Sequence[int]) -> None:
    """The second operand of a dot product has zero points 0, and scales along a dimension that stays."""
    element = quantized_element(rhs)
    if element is None:
        return
    axis = element.quantized_dimension
    if any(zero_point for _, zero_point in element.parameters_of_elements):
        text = "Zero point" if axis is None else "Zero points"
        raise VerifyException(f"{text} of rhs should be 0")
    if axis in contracting:
        raise VerifyException("Quantization dimension of rhs should not be in the contracting dimension of rhs")
