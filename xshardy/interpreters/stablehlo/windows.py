"""Rules for ops with windows: reduce-window and convolution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod

import numpy as np
from xdsl.ir import Block, Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.reductions import contraction_type, converted_to
from xshardy.interpreters.stablehlo.rules import Rule, Value
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import Array, numpy_dtype


def _elements(dimension: WindowDimension, positions: Array, taps: Array | int, size: int) -> tuple[Array, Array]:
    """Which of `size` elements are under elements `taps` of the window in `positions`, and where there is one."""
    places = positions * dimension.stride + taps * dimension.window_dilation - dimension.low
    elements = places // dimension.base_dilation
    return elements, (places % dimension.base_dilation == 0) & (elements >= 0) & (elements < size)


def window_elements(
    x: Array, window: Sequence[WindowDimension], positions: Sequence[int]
) -> Iterator[tuple[tuple[int, ...], Array, Array]]:
    """
    For each element of the window: its index, the elements of `x` under it in each position, and the mask of valid
    ones.

    Elements on padding or in a gap are arbitrary. The window is over the last dimensions of `x`.
    """
    first = x.ndim - len(window)
    for tap in product(*(range(dimension.size) for dimension in window)):
        taken, inside = x, np.ones((1,) * len(window), np.bool_)
        for axis, (dimension, index, count) in enumerate(zip(window, tap, positions, strict=True)):
            size = x.shape[first + axis]
            elements, is_there = _elements(dimension, np.arange(count), index, size)
            taken = np.take(taken, np.where(is_there, elements, 0), axis=first + axis) if size else taken
            inside = inside & is_there.reshape([-1 if a == axis else 1 for a in range(len(window))])
        if inside.any():
            yield tap, taken, inside


def reduce_window(evaluator: Evaluator, op: stablehlo.ReduceWindowOp, *operands: Array) -> Sequence[Value]:
    return reduced_windows(evaluator, op.body.block, op.window(), operands)


def reduced_windows(
    evaluator: Evaluator, body: Block, window: Sequence[WindowDimension], operands: Sequence[Array]
) -> Sequence[Array]:
    """
    The combinations by `body` of the elements in each position of `window`; `operands` are arrays and initial values.

    Padding is skipped, as in XLA; this matters if the initial value is not neutral. The elements of a window are
    combined sequentially.
    """
    count = len(operands) // 2
    inputs, inits = converted_to(body, operands[:count], operands[count:])
    shape = tuple(dimension.positions(size) for dimension, size in zip(window, inputs[0].shape, strict=True))
    values = [np.broadcast_to(init, shape) for init in inits]
    # One structured array combines all inputs at once.
    for steps in zip(*(window_elements(x, window, shape) for x in inputs), strict=True):
        (_, _, inside), *_ = steps
        combined = evaluator.run(body, [*values, *(taken for _, taken, _ in steps)], elementwise=True)
        values = [np.where(inside, np.asarray(new), old) for new, old in zip(combined, values, strict=True)]
    return values


def convolution(evaluator: Evaluator, op: stablehlo.ConvolutionOp, lhs: Array, rhs: Array) -> Array:
    return convolved(op, lhs, rhs, op.window())


def convolved(
    op: stablehlo.ConvolutionOp | stablehlo.DynamicConvOp, lhs: Array, rhs: Array, window: Sequence[WindowDimension]
) -> Array:
    """
    One matrix product per element of the window and per group; or per position, of which the gradient of a filter has
    fewer.

    Feature groups read their own input features; batch groups their own part of the batch.
    """
    numbers = op.dimension_numbers
    dtype = numpy_dtype(op.result.type)
    working = contraction_type(dtype)
    # [batch, features, space...], [input features, output features, space...]
    x = lhs.transpose(
        numbers.input_batch_dimension.data,
        numbers.input_feature_dimension.data,
        *numbers.input_spatial_dimensions.get_values(),
    )
    kernel = rhs.transpose(
        numbers.kernel_input_feature_dimension.data,
        numbers.kernel_output_feature_dimension.data,
        *numbers.kernel_spatial_dimensions.get_values(),
    )
    x, kernel = convert(x, working), convert(kernel, working)
    for axis, is_reversed in enumerate(() if op.window_reversal is None else op.window_reversal.get_values()):
        kernel = np.flip(kernel, axis + 2) if is_reversed else kernel
    spatial = [dimension.positions(size) for dimension, size in zip(window, x.shape[2:], strict=True)]
    groups = op.feature_group_count.value.data
    batches = op.batch_group_count.value.data
    inputs = np.split(x, batches, axis=0) if batches > 1 else np.split(x, groups, axis=1)
    outputs = np.split(kernel, groups * batches, axis=1)
    parts: list[Array] = []
    for part, weights in zip(inputs, outputs, strict=True):
        by_position = prod(spatial) < prod(dimension.size for dimension in window)
        parts.append((_by_position if by_position else _by_element)(part, weights, window, spatial))
    whole = convert(np.concatenate(parts, axis=1), dtype)
    order = (
        numbers.output_batch_dimension.data,
        numbers.output_feature_dimension.data,
        *numbers.output_spatial_dimensions.get_values(),
    )
    return whole.transpose(np.argsort(order))


def _by_element(x: Array, kernel: Array, window: Sequence[WindowDimension], positions: Sequence[int]) -> Array:
    """The sum over the elements of the window of a product for all positions."""
    result = np.zeros((x.shape[0], kernel.shape[1], *positions), x.dtype)
    for tap, taken, inside in window_elements(x, window, positions):
        products = np.einsum("bi...,io->bo...", taken, kernel[(slice(None), slice(None), *tap)])
        result = result + np.where(inside, products, np.zeros((), x.dtype))
    return result


def _by_position(x: Array, kernel: Array, window: Sequence[WindowDimension], positions: Sequence[int]) -> Array:
    """For each position, a product over the elements of the window that are no padding and in no gap."""
    result = np.zeros((x.shape[0], kernel.shape[1], *positions), x.dtype)
    for position in np.ndindex(*positions):
        taken, weights = x, kernel
        for axis, (dimension, index) in enumerate(zip(window, position, strict=True), 2):
            elements, is_there = _elements(dimension, index, np.arange(dimension.size), x.shape[axis])
            taken, weights = (np.take(taken, elements[is_there], axis), np.compress(is_there, weights, axis))
        columns = weights.swapaxes(0, 1)
        result[(slice(None), slice(None), *position)] = _as_matrix(taken) @ _as_matrix(columns).T
    return result


def _as_matrix(x: Array) -> Array:
    """All dimensions but the first as one."""
    return x.reshape(x.shape[0], prod(x.shape[1:]))


WINDOWS: Mapping[type[Operation], Rule] = {
    stablehlo.ConvolutionOp: convolution,
    stablehlo.ReduceWindowOp: reduce_window,
}
