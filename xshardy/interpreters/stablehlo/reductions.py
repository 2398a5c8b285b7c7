"""Rules for ops that combine many elements into one, or apply a region to each."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from math import prod

import numpy as np
from xdsl.ir import Block, Operation

from xshardy.dialects import chlo, mhlo, stablehlo
from xshardy.dialects.chlo.ragged_dot import RaggedDotProduct
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import KINDS, Array, DType, Kind, numpy_dtype
from xshardy.numerics.integers import native


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


Dims = Sequence[int]


def products(lhs: Array, rhs: Array, batch: tuple[Dims, Dims], summed: tuple[Dims, Dims]) -> Array:
    """Dimensions of the result: batching, then those of the left operand only, then those of the right operand only."""
    (left_batch, right_batch), (left_sum, right_sum) = batch, summed
    left_free = [d for d in range(lhs.ndim) if d not in (*left_batch, *left_sum)]
    right_free = [d for d in range(rhs.ndim) if d not in (*right_batch, *right_sum)]
    left = grouped(lhs, left_batch, left_free, left_sum)
    right = grouped(rhs, right_batch, right_sum, right_free)
    shape = [*(lhs.shape[d] for d in (*left_batch, *left_free)), *(rhs.shape[d] for d in right_free)]
    return matrix_products(left, right).reshape(shape)


SHORT = 16
"""The number of products up to which a sum is computed in order, with each product rounded, as by the specification's
interpreter: so are those of a contraction whose parts an all-reduce adds up."""


def matrix_products(left: Array, right: Array) -> Array:
    """The products of batches of matrices."""
    if not 0 < left.shape[-1] <= SHORT or KINDS[left.dtype] is not Kind.FLOAT:
        return np.matmul(left, right)
    terms = (left[..., :, index, None] * right[..., index, None, :] for index in range(left.shape[-1]))
    return functools.reduce(np.add, terms)


def dot_general(evaluator: Evaluator, op: stablehlo.DotGeneralOp, lhs: Array, rhs: Array) -> Array:
    dtype = numpy_dtype(op.result.type)
    working = contraction_type(dtype)
    if op.algorithm is not None and op.algorithm.rounding is not None:
        lhs, rhs = map(convert, (lhs, rhs), map(numpy_dtype, op.algorithm.rounding))
    numbers = op.dot_dimension_numbers
    batch = numbers.lhs_batching_dimensions.get_values(), numbers.rhs_batching_dimensions.get_values()
    summed = numbers.lhs_contracting_dimensions.get_values(), numbers.rhs_contracting_dimensions.get_values()
    return convert(products(convert(lhs, working), convert(rhs, working), batch, summed), dtype)


def ragged_dot(evaluator: Evaluator, op: RaggedDotProduct, lhs: Array, rhs: Array, group_sizes: Array) -> Array:
    """
    One product per group, of `lhs` with zeros outside of the group. The results of groups are added up; if the ragged
    dimension is summed over, they stay apart.
    """
    numbers, ragged = op.numbers, op.ragged_dimension()
    dtype = numpy_dtype(op.result.type)
    working = contraction_type(dtype)
    lhs, rhs = convert(lhs, working), convert(rhs, working)
    by_group: Dims = numbers.rhs_group_dimensions.get_values()
    left_batch, left_sum = numbers.lhs_batching_dimensions.get_values(), numbers.lhs_contracting_dimensions.get_values()
    # Of one group, `rhs` has no dimension of groups.
    right_batch, right_sum = (
        [d - sum(group < d for group in by_group) for d in dims.get_values()]
        for dims in (numbers.rhs_batching_dimensions, numbers.rhs_contracting_dimensions)
    )
    outer = op.outer_dimensions() if group_sizes.ndim > 1 else ()
    extents = [lhs.shape[d] if d in outer else 1 for d in range(lhs.ndim)]
    places = np.arange(int(lhs.shape[ragged])).reshape([-1 if d == ragged else 1 for d in range(lhs.ndim)])
    ends = np.cumsum(native(group_sizes), axis=-1)
    results: list[Array] = []
    for group in range(ends.shape[-1]):
        bounds = (ends - native(group_sizes), ends)
        first, behind = (bound[..., group].transpose(np.argsort(outer)).reshape(extents) for bound in bounds)
        within = np.where((places >= first) & (places < behind), lhs, 0).astype(working)
        of_group = rhs.take(group, by_group[0]) if by_group else rhs
        results.append(products(within, of_group, (left_batch, right_batch), (left_sum, right_sum)))
    stacked = np.stack(results) if results else np.zeros((0, *op.result.type.get_shape()), working)
    return convert(stacked if ragged in left_sum else stacked.sum(0, dtype=working), dtype)


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
    chlo.RaggedDotOp: ragged_dot,
    mhlo.RaggedDotOp: ragged_dot,
    stablehlo.DotGeneralOp: dot_general,
    stablehlo.DotOp: dot,
    stablehlo.MapOp: map_,
    stablehlo.ReduceOp: reduce,
}
