"""Rules for ops that combine many elements into one, or apply a region to each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from xdsl.ir import Block, Operation

from xshardy.dialects import stablehlo
from xshardy.interpreters.element_types import KINDS, Array, DType, Kind, numpy_dtype
from xshardy.interpreters.numerics.conversions import convert
from xshardy.interpreters.numerics.integers import native
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value


def reduce(evaluator: Evaluator, op: stablehlo.ReduceOp, *operands: Array) -> Sequence[Value]:
    """
    Combine adjacent elements pairwise, then the results, and so on; finally the result with the initial values.

    Any order is valid; this one limits the rounding errors of float sums.
    """
    count = len(op.inputs)
    dimensions: Sequence[int] = op.dimensions.get_values()

    def combine(left: Sequence[Value], right: Sequence[Value]) -> list[Array]:
        values = evaluator.run(op.body.block, [*left, *right], elementwise=True)
        return [np.asarray(value) for value in values]

    inputs, starts = converted_to(op.body.block, operands[:count], operands[count:])
    values = [reduced_last(x, dimensions) for x in inputs]
    inits = [np.broadcast_to(init, x.shape[:-1]) for init, x in zip(starts, values, strict=True)]
    while (size := values[0].shape[-1]) > 1:
        even = size - size % 2
        paired = combine([x[..., 0:even:2] for x in values], [x[..., 1:even:2] for x in values])
        values = [np.concatenate([pair, x[..., even:]], axis=-1) for pair, x in zip(paired, values, strict=True)]
    return combine(inits, [x[..., 0] for x in values]) if values[0].shape[-1] else inits


def converted_to(
    body: Block, inputs: Sequence[Array], inits: Sequence[Array]
) -> tuple[Sequence[Array], Sequence[Array]]:
    """Inputs and initial values converted to the element types of the body of a reduction, which may be wider."""
    types = [numpy_dtype(argument.type) for argument in body.args[: len(inputs)]]
    return [convert(x, type) for x, type in zip(inputs, types, strict=True)], [
        convert(init, type) for init, type in zip(inits, types, strict=True)
    ]


def reduced_last(x: Array, dimensions: Sequence[int]) -> Array:
    """`x` with these dimensions merged into one, which is last."""
    kept = [d for d in range(x.ndim) if d not in dimensions]
    shape = [x.shape[d] for d in kept]
    return x.transpose([*kept, *sorted(dimensions)]).reshape([*shape, prod(x.shape[d] for d in dimensions)])


def map_(evaluator: Evaluator, op: stablehlo.MapOp, *operands: Array) -> Sequence[Value]:
    return evaluator.run(op.computation.block, operands, elementwise=True)


def contraction_type(result: DType) -> DType:
    """
    The type of products and sums: f32 for narrower floats; the result type for integers, whose arithmetic is modular.
    """
    if KINDS[result] is Kind.FLOAT:
        return np.dtype(np.float64 if result == np.float64 else np.float32)
    return native(np.zeros(1, result)).dtype if KINDS[result] is Kind.INTEGER else result


def dot_general(evaluator: Evaluator, op: stablehlo.DotGeneralOp, lhs: Array, rhs: Array) -> Array:
    """Dimensions of the result: batching, then those of the left operand only, then those of the right operand only."""
    numbers = op.dot_dimension_numbers
    left_batch: Sequence[int] = numbers.lhs_batching_dimensions.get_values()
    right_batch: Sequence[int] = numbers.rhs_batching_dimensions.get_values()
    left_sum: Sequence[int] = numbers.lhs_contracting_dimensions.get_values()
    right_sum: Sequence[int] = numbers.rhs_contracting_dimensions.get_values()
    left_free = [d for d in range(lhs.ndim) if d not in (*left_batch, *left_sum)]
    right_free = [d for d in range(rhs.ndim) if d not in (*right_batch, *right_sum)]
    dtype = numpy_dtype(op.result.type)
    working = contraction_type(dtype)
    if op.algorithm is not None and op.algorithm.rounding is not None:
        lhs, rhs = map(convert, (lhs, rhs), map(numpy_dtype, op.algorithm.rounding))
    left = grouped(convert(lhs, working), left_batch, left_free, left_sum)
    right = grouped(convert(rhs, working), right_batch, right_sum, right_free)
    shape = [*(lhs.shape[d] for d in (*left_batch, *left_free)), *(rhs.shape[d] for d in right_free)]
    return convert(np.matmul(left, right), dtype).reshape(shape)


def dot(evaluator: Evaluator, op: stablehlo.DotOp, lhs: Array, rhs: Array) -> Array:
    """Contracts the last dimension of the left operand with the first of the right."""
    dtype = numpy_dtype(op.result.type)
    working = contraction_type(dtype)
    return convert(np.dot(convert(lhs, working), convert(rhs, working)), dtype)


def grouped(x: Array, *groups: Sequence[int]) -> Array:
    """`x` with each group of its dimensions merged into one."""
    order = [d for group in groups for d in group]
    return x.transpose(order).reshape([prod(x.shape[d] for d in group) for group in groups])


REDUCTIONS: Mapping[type[Operation], Rule] = {
    stablehlo.DotGeneralOp: dot_general,
    stablehlo.DotOp: dot,
    stablehlo.MapOp: map_,
    stablehlo.ReduceOp: reduce,
}
