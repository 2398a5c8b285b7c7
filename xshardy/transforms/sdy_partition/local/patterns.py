"""The patterns that make operations local, and which operations need none."""

from collections.abc import Callable, Mapping
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.sdy import ops as sdy
from xshardy.transforms.sdy_partition.local import (
    collectives,
    communication,
    constants,
    contractions,
    convolutions,
    custom_calls,
    gathers,
    random_numbers,
    reductions,
    regions,
    reshards,
    scatters,
    sizes,
    slices,
    updates,
    windows,
)
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors

PATTERNS: tuple[type[LocalPattern[Any, Any]], ...] = (
    collectives.GatherBetweenDevices,
    collectives.ReduceBetweenDevices,
    collectives.TakeOwnPart,
    collectives.ExchangeBetweenDevices,
    collectives.SendToDevices,
    collectives.ReduceAndScatterBetweenDevices,
    communication.CollectiveOfOneDevice,
    constants.ConstantOfPart,
    constants.ElidedConstantOfPart,
    constants.IotaOfPart,
    convolutions.ConvolutionOfParts,
    gathers.GatherFromPart,
    random_numbers.RandomBitsOfPart,
    random_numbers.RandomNumbersOfPart,
    reductions.ReduceOfPart,
    regions.EraseBarrier,
    regions.InlineManualComputation,
    reshards.TakePartOverOtherMesh,
    scatters.ScatterToPart,
    sizes.SizeOfWhole,
    slices.DynamicSliceOfPart,
    slices.PadOfPart,
    slices.ReverseOfPart,
    slices.SliceOfPart,
    updates.DynamicUpdateSliceOfPart,
)

PATTERN_OF: Mapping[type[Operation], type[LocalPattern[Any, Any]]] = {
    op_type: pattern for pattern in PATTERNS for op_type in pattern.op_types
}

CHECKS: Mapping[type[Operation], Callable[[Any, WholeTensors], None]] = {
    stablehlo.ConcatenateOp: slices.check_concatenate,
    stablehlo.CustomCallOp: custom_calls.check_custom_call,
    stablehlo.DotGeneralOp: contractions.check_dot_general,
    stablehlo.DotOp: contractions.check_dot,
    stablehlo.PartitionIdOp: communication.check_partition_id,
    stablehlo.ReduceWindowOp: windows.check_windows,
    stablehlo.SelectAndScatterOp: windows.check_windows,
}
"""Operations that only need local types, under a condition: the function raises if it does not hold."""

UNCONDITIONAL = frozenset[type[Operation]](
    {func.CallOp, func.ReturnOp, hlo.CopyOp, hlo.TopKOp, sdy.NamedComputationOp, sdy.ReturnOp}
)
"""Operations outside of StableHLO that only need local types."""


def is_local_with_local_types(op: Operation) -> bool:
    """
    Whether `op` only needs local types, perhaps under a condition of `CHECKS`. True for unregistered operations.
    """
    return (
        op.name.startswith(("chlo.", "mhlo.", "stablehlo."))
        or type(op) in UNCONDITIONAL
        or isinstance(op, UnregisteredOp)
    )
