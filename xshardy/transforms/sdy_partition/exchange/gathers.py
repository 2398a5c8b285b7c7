"""The alternative to an exchange: all devices get the dimensions in question whole, and take their parts again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.collectives import AllReduceOp
from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.rewriting import DecisionPattern, because
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.factor_conflicts import Resolution
from xshardy.transforms.sdy_export.insert_explicit_reshards import apply_resolution
from xshardy.transforms.sdy_partition.exchange.exchanged_windows import windows_stay
from xshardy.transforms.sdy_partition.exchange.pattern import has_same_axes, sharded_dims, whole_along
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors

Stays = Callable[[Any, int, WholeTensors], bool]
"""Whether each part of the result needs, along a dimension of the operand, only elements of its part."""


def window_stays(op: stablehlo.SelectAndScatterOp, dim: int, before: WholeTensors) -> bool:
    source, updates = before.operands[:2]
    return has_same_axes(source, updates) and windows_stay(op.window()[dim], dim, source)


def gathered_windows(op: stablehlo.ReduceWindowOp, before: WholeTensors) -> Resolution | None:
    """Dimensions whose windows reach several parts are not sharded."""
    windows, inputs = op.window(), len(op.inputs)
    source, tensors = before.operands[0], (*before.operands[:inputs], *before.results)
    if source.sharding is None or not all(has_same_axes(source, tensor) for tensor in tensors):
        return None
    dims = [dim for dim in sharded_dims(source) if not windows_stay(windows[dim], dim, source)]
    if not dims:
        return None
    becomes = [whole_along(tensor, dims) for tensor in tensors]
    rest = [None] * (len(before.operands) - inputs)
    mesh = source.sharding.mesh_or_ref
    return Resolution([*becomes[:inputs], *rest], becomes[inputs:], (), ReductionOp.SUM, mesh)


def gathered_convolution(op: stablehlo.ConvolutionOp, before: WholeTensors) -> Resolution | None:
    """
    Spatial dimensions whose windows reach several parts, or that are sharded on one side only, are not sharded.

    Those along which the kernel is sharded stay: something behind the convolution reduces the partial results.
    """
    (input, kernel), (output,) = before.operands, before.results
    spatial = zip(*(dims[2:] for dims in op.dimension_numbers.roles), strict=True)
    dims: list[tuple[int, int]] = []
    for window, (input_dim, kernel_dim, output_dim) in zip(op.window(), spatial, strict=True):
        is_alike = tuple(input.axes(input_dim)) == tuple(output.axes(output_dim))
        if not (kernel.axes(kernel_dim) or (is_alike and windows_stay(window, input_dim, input))):
            dims.append((input_dim, output_dim))
    becomes = whole_along(input, [dim for dim, _ in dims]), whole_along(output, [dim for _, dim in dims])
    if becomes == (None, None):
        return None
    mesh = next(tensor.sharding for tensor in (input, output) if tensor.sharding is not None).mesh_or_ref
    return Resolution([becomes[0], None], [becomes[1]], (), ReductionOp.SUM, mesh)


@dataclass(frozen=True, slots=True)
class Gather:
    """The reshards of an operation, if they are not left to another pass, and why nothing is exchanged instead."""

    resolution: Resolution | None
    reason: str


class GatherDimensions(DecisionPattern[Operation, Gather]):
    """
    `f(x)` -> `reshard(f(reshard(x)))`, where the dimensions in question are not sharded.

    `all_reduce(f(x))` -> `reshard(all_reduce(f(reshard(x))))`
    """

    def rewrite(self, op: Operation, decision: Gather, rewriter: PatternRewriter, /) -> None:
        because(rewriter, "%s", decision.reason)
        if decision.resolution is None:
            return
        apply_resolution(op, decision.resolution, rewriter)
        for result in op.results:
            reshard = result.get_user_of_unique_use()
            if not isinstance(reshard, ReshardOp):
                continue
            reduction = reshard.result.get_user_of_unique_use()
            if isinstance(reduction, AllReduceOp) and (sharding := sharding_of(result)) is not None:
                _reduce_first(reshard, reduction, sharding, rewriter)


def _reduce_first(
    reshard: ReshardOp, reduction: AllReduceOp, sharding: TensorShardingAttr, rewriter: PatternRewriter
) -> None:
    """`all_reduce(reshard(x))` -> `reshard(all_reduce(x))`; `sharding` is that of `x`."""
    reduced = AllReduceOp(reshard.input, reduction.reduction_axes, sharding, reduction.reduction)
    moved = ReshardOp(reduced.result, reduction.out_sharding)
    rewriter.replace(reduction, [reduced, moved], [moved.result])
    rewriter.erase(reshard)
