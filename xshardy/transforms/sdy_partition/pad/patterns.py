"""The patterns that pad operations, and which operations need none."""

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy import collectives as sdy
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, PropagationBarrierOp, ReshardOp, ShardingConstraintOp
from xshardy.sharding.factor_rule import FactorRule
from xshardy.transforms.sdy_partition.local.communication import COLLECTIVES
from xshardy.transforms.sdy_partition.pad import collectives, contractions, indexing, movement, reductions
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensors
from xshardy.transforms.sdy_partition.pad.padding_pattern import PaddingPattern
from xshardy.transforms.sdy_partition.pad.whole import fits_rule

PATTERNS: tuple[type[PaddingPattern[Any]], ...] = (
    collectives.PadAndTrimExchanged,
    collectives.PadBeforeSlice,
    collectives.TrimAfterGather,
    contractions.PadConvolution,
    contractions.PadDot,
    indexing.PadDynamicSlice,
    indexing.PadDynamicUpdateSlice,
    indexing.PadGather,
    indexing.PadScatter,
    movement.ExtendPad,
    movement.ExtendSlice,
    movement.PadReshape,
    movement.PadSplat,
    movement.SizeWithoutPadding,
    reductions.PadReduce,
    reductions.PadReduceWindow,
    reductions.PadSelectAndScatter,
)

PATTERN_OF: Mapping[type[Operation], type[PaddingPattern[Any]]] = {
    op_type: pattern for pattern in PATTERNS for op_type in pattern.op_types
}

KEEPS_SHAPE: tuple[type[Operation], ...] = (
    *(sdy.AllReduceOp, sdy.CollectivePermuteOp, sdy.ReplicatedToUnreducedOp, sdy.ShardedToUnreducedOp),
    *(DataFlowEdgeOp, PropagationBarrierOp, ReshardOp, ShardingConstraintOp),
)
"""Operations of sdy whose result is their operand: both have the same padding, or the operation is refused."""


def _never(op: Any, tensors: PaddedTensors) -> bool:
    return False


def _sorts_no_padding(op: stablehlo.SortOp, tensors: PaddedTensors) -> bool:
    (rank,) = {len(tensor.shape) for tensor in tensors.operands}
    dim = rank - 1 if op.dimension is None else op.dimension.value.data % rank
    return all(dim not in tensor.padded_dims for tensor in tensors.operands)


def _joins_no_padding(op: stablehlo.ConcatenateOp, tensors: PaddedTensors) -> bool:
    dim = op.dimension.value.data
    return all(dim not in tensor.padded_dims for tensor in (*tensors.operands, *tensors.results))


def _reverses_no_padding(op: stablehlo.ReverseOp, tensors: PaddedTensors) -> bool:
    return not {*op.dimensions.get_values()} & {*tensors.operands[0].padded_dims}


RESTRICTIONS: Mapping[type[Operation], Callable[[Any, PaddedTensors], bool]] = {
    **dict.fromkeys(COLLECTIVES, _never),
    stablehlo.ConcatenateOp: _joins_no_padding,
    stablehlo.ReverseOp: _reverses_no_padding,
    stablehlo.RngBitGeneratorOp: _never,  # other numbers for another shape
    stablehlo.RngOp: _never,
    stablehlo.SortOp: _sorts_no_padding,
}
"""When an operation needs more than its sharding rule says to be padded."""


def needs_types_only(op: Operation, rule: FactorRule | None, tensors: PaddedTensors) -> bool:
    """Whether `op`, for which there is no pattern, only needs the types of padded tensors."""
    if isinstance(op, stablehlo.IotaOp):
        return True
    restriction = RESTRICTIONS.get(type(op))
    return (restriction is None or restriction(op, tensors)) and fits_rule(rule, tensors)
