"""
Tensors with dynamic dimensions are arrays of the size in use.

Where one meets a tensor of static size, as `f32[<=8]` and `f32[8]`, the static one has its bound: XLA takes as many of
its elements as are in use, and so do these rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.shapes import rank_of, shape_of
from xshardy.indexing.tensor_maps import values_of
from xshardy.interpreters.stablehlo.rules import Value, unsupported
from xshardy.numerics.element_types import Array

Place = tuple[int, int]
"""The number of an operand, and one of its dimensions."""


def is_dynamic(op: Operation) -> bool:
    """Whether an operand of `op` has a dynamic dimension."""
    return any(DYNAMIC_INDEX in shape_of(operand) for operand in op.operands)


def places_of_elementwise(op: Operation) -> Iterable[Sequence[Place]]:
    """Each dimension of the result, in all operands that are no scalars used for every element."""
    rank = rank_of(op.results[0])
    whole = [index for index, operand in enumerate(op.operands) if rank_of(operand) == rank]
    return ([(index, d) for index in whole] for d in range(rank))


def places_of_dot(op: stablehlo.DotGeneralOp) -> Iterable[Sequence[Place]]:
    numbers = op.dot_dimension_numbers
    lhs = (*values_of(numbers.lhs_batching_dimensions), *values_of(numbers.lhs_contracting_dimensions))
    rhs = (*values_of(numbers.rhs_batching_dimensions), *values_of(numbers.rhs_contracting_dimensions))
    return ([(0, left), (1, right)] for left, right in zip(lhs, rhs, strict=True))


def places_of_concatenate(op: stablehlo.ConcatenateOp) -> Iterable[Sequence[Place]]:
    others = (d for d in range(rank_of(op.result)) if d != op.dimension.value.data)
    return ([(index, d) for index in range(len(op.operands))] for d in others)


def places_of_inputs(
    op: stablehlo.ReduceOp | stablehlo.ReduceWindowOp | stablehlo.SortOp,
) -> Iterable[Sequence[Place]]:
    return ([(index, d) for index in range(len(op.inputs))] for d in range(rank_of(op.inputs[0])))


PLACES: Mapping[type[Operation], Callable[[Any], Iterable[Sequence[Place]]]] = {
    stablehlo.ConcatenateOp: places_of_concatenate,
    stablehlo.DotGeneralOp: places_of_dot,
    stablehlo.ReduceOp: places_of_inputs,
    stablehlo.ReduceWindowOp: places_of_inputs,
    stablehlo.SortOp: places_of_inputs,
}
"""For each operation the dimensions of its operands that have one size."""


def cut_to_size_in_use(op: Operation, operands: Sequence[Value]) -> Sequence[Value]:
    """
    `operands` of `op`, cut to the size in use where another one is dynamic.

    Raises `InterpretationError` if two have different sizes in use: numpy might repeat the elements of one.
    """
    find = places_of_elementwise if op.has_trait(Elementwise) else PLACES.get(type(op))
    if find is None:
        return operands
    cut: list[Any] = [*operands]
    for places in find(op):
        dynamic = [(i, d) for i, d in places if shape_of(op.operands[i])[d] == DYNAMIC_INDEX]
        sizes = {cut[i].shape[d] for i, d in dynamic}
        if len(sizes) > 1:
            raise unsupported(op, f"its operands have different sizes in use: {', '.join(map(str, sorted(sizes)))}")
        for i, d in places if dynamic else ():
            cut[i] = first_along(op, cut[i], d, *sizes)
    return cut


def first_along(op: Operation, x: Array, dimension: int, size: int) -> Array:
    """The first `size` elements along a dimension."""
    if x.shape[dimension] < size:
        raise unsupported(op, f"an operand of shape {x.shape} has less than {size} elements along {dimension}")
    return x[(slice(None),) * dimension + (slice(size),)]
