"""Dimensions that an operation divides among devices, groups or windows, or transforms whole: they keep their sizes."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.launch.leaves import Leaf
from xshardy.tools.shrinking.atoms import equate, size_of
from xshardy.tools.shrinking.dimensions import Dimensions
from xshardy.tools.shrinking.divisions import keeps_window


def keep(dimensions_of: Callable[[Any], Sequence[int]], dimensions: Dimensions, op: Operation) -> None:
    """By the rule, but these dimensions of all operands and results keep their sizes."""
    dimensions.by_rule(op)
    for value in (*op.operands, *op.results):
        dimensions.freeze(value, dimensions_of(op))


def transformed(op: stablehlo.FftOp) -> Sequence[int]:
    """The dimensions that a Fourier transform is over: the last ones."""
    rank = len(shape_of(op.operand))
    return range(rank - len(op.fft_length.get_values()), rank)


def selected(dimensions: Dimensions, op: stablehlo.SelectAndScatterOp) -> None:
    """What windows move over shrinks by the ratio of their positions, if there are then as many."""
    dimensions.equal(op.operand, op.results[0])
    for moved, positions, window in zip(
        dimensions.of(Leaf(op.operand)), dimensions.of(Leaf(op.source)), op.window(), strict=True
    ):
        if window == WindowDimension(1):
            equate(moved, positions)
        else:
            dimensions.tie(moved, positions, partial(keeps_window, window, size_of(moved), size_of(positions)))


def looked_up(dimensions: Dimensions, op: stablehlo.GatherOp | stablehlo.ScatterOp) -> None:
    """By the rule; the index vectors keep their size, and slices of more than one element shrink with the whole."""
    dimensions.by_rule(op, has_parts=True)
    numbers = op.dimension_numbers if isinstance(op, stablehlo.GatherOp) else op.scatter_dimension_numbers
    indices = op.operands[1] if isinstance(op, stablehlo.GatherOp) else op.scatter_indices
    dimensions.freeze(indices, [numbers.index_vector_dim.data])


def scattered(dimensions: Dimensions, op: stablehlo.ScatterOp) -> None:
    """As `looked_up`; the windows are the slices."""
    looked_up(dimensions, op)
    numbers = op.scatter_dimension_numbers
    absent = (*numbers.inserted_window_dims.get_values(), *numbers.input_batching_dims.get_values())
    for operand, update in zip(op.inputs, op.updates, strict=True):
        sizes = shape_of(operand)
        kept = [dimension for dimension in range(len(sizes)) if dimension not in absent]
        for dimension, place in zip(kept, numbers.update_window_dims.get_values(), strict=True):
            if shape_of(update)[place] not in (1, sizes[dimension]):
                dimensions.tie(dimensions.of(Leaf(operand))[dimension], dimensions.of(Leaf(update))[place])


DIVIDED: Mapping[type[Operation], Callable[[Dimensions, Any], None]] = {
    hlo.AllGatherOp: Dimensions.freeze_all,
    hlo.AllToAllOp: Dimensions.freeze_all,
    hlo.ReduceScatterOp: Dimensions.freeze_all,
    stablehlo.AllGatherOp: partial(keep, lambda op: [op.all_gather_dim.value.data]),
    stablehlo.AllToAllOp: partial(keep, lambda op: [op.split_dimension.value.data, op.concat_dimension.value.data]),
    stablehlo.FftOp: partial(keep, transformed),
    stablehlo.ReduceScatterOp: partial(keep, lambda op: [op.scatter_dimension.value.data]),
    stablehlo.ScatterOp: scattered,
    stablehlo.SelectAndScatterOp: selected,
}
