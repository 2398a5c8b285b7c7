"""
Operations on quantized tensors, whose values here are the stored integers.

All operations but those that only move elements are computed on the floats that these stand for. Source: StableHLO
specification, "Quantization computations".
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain

import numpy as np
from xdsl.dialects import func
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.quant import UniformQuantizedType
from xshardy.dialects.stablehlo.inference import with_element_type
from xshardy.dialects.stablehlo.quantized_types import quantized_element
from xshardy.interpreters.stablehlo.rules import Rule
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import Array, numpy_dtype

ON_STORED = frozenset[type[Operation]](
    (
        stablehlo.AllGatherOp,
        stablehlo.AllToAllOp,
        stablehlo.BitcastConvertOp,
        stablehlo.BroadcastInDimOp,
        stablehlo.CaseOp,
        stablehlo.CollectiveBroadcastOp,
        stablehlo.CollectivePermuteOp,
        stablehlo.ConcatenateOp,
        stablehlo.ConstantOp,
        stablehlo.DynamicSliceOp,
        stablehlo.DynamicUpdateSliceOp,
        stablehlo.GatherOp,
        stablehlo.GetDimensionSizeOp,
        stablehlo.GetTupleElementOp,
        stablehlo.IfOp,
        stablehlo.OptimizationBarrierOp,
        stablehlo.PadOp,
        stablehlo.ReshapeOp,
        stablehlo.ReverseOp,
        stablehlo.SliceOp,
        stablehlo.TransposeOp,
        stablehlo.TupleOp,
        stablehlo.UniformDequantizeOp,
        stablehlo.UniformQuantizeOp,
        stablehlo.WhileOp,
    )
)
"""Operations whose rules are for stored integers: they move elements, which keep their scales, or convert them."""

COMPUTING = ("chlo", "stablehlo")
"""The dialects whose operations compute with quantized tensors. Those of others, such as sdy, only move them."""


def is_on_floats(op: Operation) -> bool:
    """Whether `op` has quantized operands or results, and its rule is for the floats that they stand for."""
    if type(op) in ON_STORED or op.dialect_name() not in COMPUTING:
        return False
    return any(map(quantized_element, chain(op.operand_types, op.result_types)))


def on_floats(op: Operation) -> Block:
    """A block whose arguments are the operands of `op`, which dequantizes them, and quantizes the results of `op`."""
    block = Block(arg_types=op.operand_types)
    floats: list[SSAValue] = []
    for argument in block.args:
        if quantized_element(argument) is not None:
            block.add_op(dequantized := stablehlo.UniformDequantizeOp(argument))
            floats.append(dequantized.result)
        else:
            floats.append(argument)
    block.add_op(copy := op.clone(dict(zip(op.operands, floats, strict=True))))
    copy.operands = floats  # which differ also where the operands of `op` are one value
    for value in values_in(copy):
        if (element := quantized_element(value)) is not None:
            Rewriter.replace_value_with_new_type(value, with_element_type(value, element.expressed))
    results: list[SSAValue] = []
    for result, original in zip(copy.results, op.results, strict=True):
        if quantized_element(original) is not None:
            block.add_op(quantized := stablehlo.UniformQuantizeOp(result, original.type))
            results.append(quantized.result)
        else:
            results.append(result)
    block.add_op(func.ReturnOp(*results))
    return block


def values_in(op: Operation) -> Iterator[SSAValue]:
    """The results of `op`, and all values of its regions."""
    for inner in op.walk():
        yield from inner.results
        for region in inner.regions:
            for block in region.blocks:
                yield from block.args


def parameters(element: UniformQuantizedType, rank: int, dtype: np.dtype[np.generic]) -> tuple[Array, Array]:
    """The scales and the zero points of a tensor of this rank, as floats of type `dtype` that broadcast over it."""
    scales, zero_points = np.array(element.parameters_of_elements).T
    axis = element.quantized_dimension
    shape = [-1 if axis in (dimension, None) else 1 for dimension in range(rank)] if axis is not None else []
    return scales.astype(dtype).reshape(shape), zero_points.astype(dtype).reshape(shape)


def dequantized(x: Array, element: UniformQuantizedType) -> Array:
    """The floats that the stored integers `x` stand for."""
    scales, zero_points = parameters(element, x.ndim, numpy_dtype(element.expressed))
    return (x.astype(scales.dtype) - zero_points) * scales


def quantized(x: Array, element: UniformQuantizedType) -> Array:
    """The stored integers that stand for the floats `x`, rounded to nearest with ties to even, and clamped."""
    scales, zero_points = parameters(element, x.ndim, x.dtype)
    lowest, highest = (x.dtype.type(limit.data) for limit in (element.lowest, element.highest))
    rounded = np.rint(np.minimum(np.maximum(x / scales + zero_points, lowest), highest))
    return convert(rounded, numpy_dtype(element.storage))


def uniform_quantize(evaluator: object, op: stablehlo.UniformQuantizeOp, x: Array) -> Array:
    before, after = quantized_element(op.operand), quantized_element(op.result)
    assert after is not None
    return quantized(x if before is None else dequantized(x, before), after)


def uniform_dequantize(evaluator: object, op: stablehlo.UniformDequantizeOp, x: Array) -> Array:
    element = quantized_element(op.operand)
    assert element is not None
    return dequantized(x, element)


QUANTIZED: Mapping[type[Operation], Rule] = {
    stablehlo.UniformDequantizeOp: uniform_dequantize,
    stablehlo.UniformQuantizeOp: uniform_quantize,
}
