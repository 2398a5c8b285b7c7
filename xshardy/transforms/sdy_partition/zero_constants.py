"""Zeros of any element type as operations: quantized ones are stored as integers, of which the zero point means 0."""

from typing import Any

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import dense_values, zeros
from xshardy.dialects.stablehlo.quantized_types import quantized_element, storage_type
from xshardy.transforms.failures import OperationFailedException


def insert_zeros(type: TensorType[Any], rewriter: PatternRewriter) -> SSAValue:
    """
    `stablehlo.constant dense<0>`, or `bitcast_convert` of stored zero points, in front of the operation that is
    rewritten. Raises `OperationFailedException` there for a type with several zero points.
    """

    def inserted(op: Operation) -> SSAValue:
        rewriter.insert(op)
        return op.results[0]

    element = quantized_element(type)
    if element is None:
        return inserted(stablehlo.ConstantOp(zeros(type)))
    if element.quantized_dimension is not None:
        op = rewriter.insertion_point.insert_before
        assert op is not None, "a pattern inserts in front of an operation"
        raise OperationFailedException(
            op,
            f"'{op.name}' op needs zeros of {element}, which has a scale for each index: let a sharding constraint "
            "replicate its operands and results",
        )
    stored, point = storage_type(element), element.zero_points.data[0].data
    wrapped = point - (1 << stored.width.data) if point >> (stored.width.data - 1) == 1 else point
    integers = inserted(stablehlo.ConstantOp(dense_values(TensorType(stored, type.get_shape()), [wrapped])))
    return inserted(stablehlo.BitcastConvertOp(integers, type))
