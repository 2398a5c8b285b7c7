"""The alternative to an exchange: all devices get the dimensions in question whole, and take their parts again."""

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects import stablehlo
from xshardy.rewriting import DecisionPattern
from xshardy.transforms.sdy_export.factor_conflicts import FactorConflicts, Resolution
from xshardy.transforms.sdy_export.insert_explicit_reshards import apply_resolution
from xshardy.transforms.sdy_export.local.whole_tensors import WholeTensors
from xshardy.transforms.sdy_export.permutation.exchanged_windows import windows_stay
from xshardy.transforms.sdy_export.permutation.neighbours import Reads, neighbours
from xshardy.transforms.sdy_export.permutation.pattern import has_same_axes, part_size
from xshardy.transforms.sdy_export.permutation.reshapes import MovedGroups
from xshardy.transforms.sdy_export.permutation.slices_and_pads import slice_stays


def _slice_stays(op: stablehlo.SliceOp, dim: int, before: WholeTensors) -> bool:
    return slice_stays(op, dim, before.operands[0], before.results[0])


def _pad_stays(op: stablehlo.PadOp, dim: int, before: WholeTensors) -> bool:
    source, (target,) = before.operands[0], before.results
    reads = Reads(part_size(target, dim), op.edge_padding_low.get_values()[dim])
    near = neighbours(source.shape[dim], source.parts(dim), reads)
    return not (op.interior_padding.get_values()[dim] or near.left or near.right)


def _window_stays(op: stablehlo.ReduceWindowOp | stablehlo.SelectAndScatterOp, dim: int, before: WholeTensors) -> bool:
    if isinstance(op, stablehlo.SelectAndScatterOp) and not has_same_axes(*before.operands[:2]):
        return False
    return windows_stay(op.window()[dim], dim, before.operands[0])


def _convolution_stays(op: stablehlo.ConvolutionOp, dim: int, before: WholeTensors) -> bool:
    index = op.dimension_numbers.input_spatial_dimensions.get_values().index(dim)
    return windows_stay(op.window()[index], dim, before.operands[0])


Stays = Callable[[Any, int, WholeTensors], bool]
"""Whether each part of the result needs, along a dimension of the operand, only elements of its part."""

STAYS_UPSTREAM: Mapping[type[Operation], Stays] = {stablehlo.PadOp: _pad_stays, stablehlo.SliceOp: _slice_stays}
"""As far as upstream knows."""

STAYS: Mapping[type[Operation], Stays] = {
    **STAYS_UPSTREAM,
    stablehlo.ConvolutionOp: _convolution_stays,
    stablehlo.ReduceWindowOp: _window_stays,
    stablehlo.SelectAndScatterOp: _window_stays,
}


def gathered(
    op: Operation, before: WholeTensors, conflicts: FactorConflicts, stays_of: Mapping[type[Operation], Stays] = STAYS
) -> Resolution | None:
    """The reshards that let no part of a result of `op` need elements of other parts; None if it needs none anyway."""
    if isinstance(op, stablehlo.ReshapeOp):
        moved = MovedGroups.of(before)
        return None if moved is None else moved.gathered()
    stays = stays_of.get(type(op))
    factors = [
        factor
        for factor, dims in conflicts.permutation_factors(op).items()
        if stays is None or not stays(op, dims[0], before)
    ]
    return conflicts.without_axes(op, factors)


class GatherDimensions(DecisionPattern[Operation, Resolution]):
    """`f(x)` -> `reshard(f(reshard(x)))`, where the dimensions in question are not sharded."""

    def rewrite(self, op: Operation, decision: Resolution, rewriter: PatternRewriter, /) -> None:
        apply_resolution(op, decision, rewriter)
