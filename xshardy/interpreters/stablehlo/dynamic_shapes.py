"""Rules for ops whose shape, padding or slice is an operand: the value of that operand is known when the op runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import prod

from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, unsupported
from xshardy.interpreters.stablehlo.shapes import counted, gathered, padded, repeated
from xshardy.interpreters.stablehlo.windows import convolved
from xshardy.numerics.element_types import Array, numpy_dtype


def integers_in(x: Array) -> list[int]:
    """The elements of `x`, flat."""
    return [int(element) for element in x.reshape(-1)]


def dynamic_reshape(evaluator: Evaluator, op: stablehlo.DynamicReshapeOp, x: Array, shape: Array) -> Array:
    sizes = integers_in(shape)
    if min(sizes, default=0) < 0 or prod(sizes) != x.size:
        raise unsupported(op, f"an operand of shape {x.shape} has no reshape to {tuple(sizes)}")
    return x.reshape(sizes)


def dynamic_broadcast_in_dim(
    evaluator: Evaluator, op: stablehlo.DynamicBroadcastInDimOp, x: Array, shape: Array
) -> Array:
    sizes, dimensions = integers_in(shape), op.broadcast_dimensions.get_values()
    if any(size not in (1, sizes[d]) for size, d in zip(x.shape, dimensions, strict=True)):
        raise unsupported(op, f"an operand of shape {x.shape} does not fit {tuple(sizes)} along {list(dimensions)}")
    return repeated(x, dimensions, sizes)


def dynamic_iota(evaluator: Evaluator, op: stablehlo.DynamicIotaOp, shape: Array) -> Array:
    return counted(op.iota_dimension.value.data, integers_in(shape), numpy_dtype(op.result.type))


def dynamic_pad(
    evaluator: Evaluator,
    op: stablehlo.DynamicPadOp,
    x: Array,
    padding_value: Array,
    low: Array,
    high: Array,
    interior: Array,
) -> Array:
    return padded(x, padding_value, *map(integers_in, (low, high, interior)))


def dynamic_gather(
    evaluator: Evaluator, op: stablehlo.DynamicGatherOp, x: Array, indices: Array, sizes: Array
) -> Array:
    return gathered(op.dimension_numbers.dims, integers_in(sizes), x, indices)


def real_dynamic_slice(
    evaluator: Evaluator, op: stablehlo.RealDynamicSliceOp, x: Array, starts: Array, limits: Array, strides: Array
) -> Array:
    """Raises `InterpretationError` for a slice that is not within `x`, as the specification requires of `slice`."""
    bounds = [*zip(*map(integers_in, (starts, limits, strides)), strict=True)]
    for dimension, (size, (start, limit, stride)) in enumerate(zip(x.shape, bounds, strict=True)):
        if not 0 <= start <= limit <= size or stride < 1:
            raise unsupported(op, f"dimension {dimension} of size {size}: no slice {start}:{limit}:{stride}")
    return x[tuple(slice(*bound) for bound in bounds)]


def dynamic_conv(evaluator: Evaluator, op: stablehlo.DynamicConvOp, lhs: Array, rhs: Array, padding: Array) -> Array:
    sides = [integers_in(row) for row in padding]
    window = [replace(of_dim, low=low, high=high) for of_dim, (low, high) in zip(op.window(), sides, strict=True)]
    return convolved(op, lhs, rhs, window)


DYNAMIC_SHAPES: Mapping[type[Operation], Rule] = {
    stablehlo.DynamicBroadcastInDimOp: dynamic_broadcast_in_dim,
    stablehlo.DynamicConvOp: dynamic_conv,
    stablehlo.DynamicGatherOp: dynamic_gather,
    stablehlo.DynamicIotaOp: dynamic_iota,
    stablehlo.DynamicPadOp: dynamic_pad,
    stablehlo.DynamicReshapeOp: dynamic_reshape,
    stablehlo.RealDynamicSliceOp: real_dynamic_slice,
}
