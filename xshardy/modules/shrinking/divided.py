"""Dimensions that an operation divides among devices, groups or windows, or transforms whole: they keep their sizes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.windows import WindowDimension

if TYPE_CHECKING:
    from xshardy.modules.shrinking.constraints import Constraints


def keep(dimensions_of: Callable[[Any], Sequence[int]], constraints: Constraints, op: Operation) -> None:
    """By the rule, but these dimensions of all operands and results keep their sizes."""
    constraints.by_rule(op)
    for value in (*op.operands, *op.results):
        constraints.freeze(value, dimensions_of(op))


def keep_whole(constraints: Constraints, op: Operation) -> None:
    """All dimensions of all operands and results keep their sizes."""
    for value in (*op.operands, *op.results):
        constraints.freeze(value)


def transformed(op: stablehlo.FftOp) -> Sequence[int]:
    """The dimensions that a Fourier transform is over: the last ones."""
    rank = len(shape_of(op.operand))
    return range(rank - len(op.fft_length.get_values()), rank)


def windowed(op: stablehlo.SelectAndScatterOp) -> Sequence[int]:
    """The dimensions over which a window moves."""
    return [number for number, window in enumerate(op.window()) if window != WindowDimension(1)]


def convolved(constraints: Constraints, op: stablehlo.ConvolutionOp) -> None:
    """By the rule, without groups and in dimensions whose window has one element; others keep their sizes."""
    if op.feature_group_count.value.data != 1 or op.batch_group_count.value.data != 1:
        keep_whole(constraints, op)
        return
    constraints.by_rule(op)
    numbers = op.dimension_numbers
    places = zip(
        op.window(),
        numbers.input_spatial_dimensions.get_values(),
        numbers.kernel_spatial_dimensions.get_values(),
        numbers.output_spatial_dimensions.get_values(),
        strict=True,
    )
    for window, *dimensions in places:
        if window != WindowDimension(1):
            for value, dimension in zip((op.lhs, op.rhs, op.result), dimensions, strict=True):
                constraints.freeze(value, [dimension])


def scattered(constraints: Constraints, op: stablehlo.ScatterOp) -> None:
    """As `Constraints.looked_up`; also windows of more than one element but not all, and what they are scattered to."""
    constraints.looked_up(op)
    numbers = op.scatter_dimension_numbers
    absent = (*numbers.inserted_window_dims.get_values(), *numbers.input_batching_dims.get_values())
    for operand, update in zip(op.inputs, op.updates, strict=True):
        sizes = shape_of(operand)
        kept = [dimension for dimension in range(len(sizes)) if dimension not in absent]
        for dimension, place in zip(kept, numbers.update_window_dims.get_values(), strict=True):
            if shape_of(update)[place] not in (1, sizes[dimension]):
                constraints.freeze(operand, [dimension])
                constraints.freeze(update, [place])


DIVIDED: Mapping[type[Operation], Callable[[Constraints, Any], None]] = {
    hlo.AllGatherOp: keep_whole,
    hlo.AllToAllOp: keep_whole,
    hlo.ReduceScatterOp: keep_whole,
    stablehlo.AllGatherOp: partial(keep, lambda op: [op.all_gather_dim.value.data]),
    stablehlo.AllToAllOp: partial(keep, lambda op: [op.split_dimension.value.data, op.concat_dimension.value.data]),
    stablehlo.ConvolutionOp: convolved,
    stablehlo.FftOp: partial(keep, transformed),
    stablehlo.ReduceScatterOp: partial(keep, lambda op: [op.scatter_dimension.value.data]),
    stablehlo.ScatterOp: scattered,
    stablehlo.SelectAndScatterOp: partial(keep, windowed),
}
