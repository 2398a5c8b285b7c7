"""
How each operation is partitioned: one row for each class, with what the passes of the partitioner do with it.

To partition a new operation, add a row here. `docs/extending.md` adds one, and tells what a pattern gets and returns.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from xdsl.dialects import func
from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.sdy import collectives as sdy_collectives
from xshardy.dialects.sdy import ops as sdy
from xshardy.sharding.factor_rule import FactorRule
from xshardy.transforms.sdy_export.factor_conflicts import Resolution
from xshardy.transforms.sdy_partition.exchange import (
    exchanged_concatenations,
    exchanged_movement,
    exchanged_reshapes,
    exchanged_scatters,
    exchanged_windows,
    gathers,
    reshapes,
    reverses,
    slices_and_pads,
    summed_dynamic_slices,
)
from xshardy.transforms.sdy_partition.local import (
    collectives,
    communication,
    constants,
    contractions,
    convolutions,
    custom_calls,
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
from xshardy.transforms.sdy_partition.local import gathers as local_gathers
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPatternClass
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors
from xshardy.transforms.sdy_partition.pad import collectives as pad_collectives
from xshardy.transforms.sdy_partition.pad import contractions as pad_contractions
from xshardy.transforms.sdy_partition.pad import indexing, movement, padded_types
from xshardy.transforms.sdy_partition.pad import reductions as pad_reductions
from xshardy.transforms.sdy_partition.pad.padded_tensors import PaddedTensors
from xshardy.transforms.sdy_partition.pad.padding_pattern import PaddingPattern

PatternT = TypeVar("PatternT")


@dataclass(frozen=True, slots=True)
class Partitioning:
    """What the passes do with the operations of a class. None where they do nothing that is special to them."""

    local: LocalPatternClass | None = None
    """The pattern of `sdy-convert-global-to-local`. Operations without one only get local types."""
    check: Callable[[Any, WholeTensors], None] | None = None
    """The condition under which local types are enough: raises `OperationFailedException` if it does not hold."""
    exchange: LocalPatternClass | None = None
    """The pattern of `sdy-resolve-permutation-factors` that moves only the elements that are needed."""
    whole_parts: LocalPatternClass | None = None
    """The pattern of that pass that moves whole parts, as upstream does."""
    gather: Callable[[Any, WholeTensors], Resolution | None] | None = None
    """
    The resolution without exchanges, of operations that can need elements of other parts although their rule has no
    factor that says so.
    """
    stays: gathers.Stays | None = None
    """Whether a permutation factor needs no resolution."""
    padding: type[PaddingPattern[Any, Any]] | None = None
    """The pattern of `sdy-pad-for-divisibility`."""
    pads_types: Callable[[Any, FactorRule | None, PaddedTensors], bool] = padded_types.fits_rule
    """Whether padded types are enough, of operations without a pattern."""


PLAIN = Partitioning()
"""Most operations of StableHLO: their sharding rule says all."""

OPERATIONS: Mapping[type[Operation], Partitioning] = {
    # Collectives of sdy
    sdy_collectives.AllGatherOp: Partitioning(
        collectives.GatherBetweenDevices, padding=pad_collectives.TrimAfterGather
    ),
    sdy_collectives.AllReduceOp: Partitioning(collectives.ReduceBetweenDevices),
    sdy_collectives.AllSliceOp: Partitioning(collectives.TakeOwnPart, padding=pad_collectives.PadBeforeSlice),
    sdy_collectives.AllToAllOp: Partitioning(
        collectives.ExchangeBetweenDevices, padding=pad_collectives.PadAndTrimExchanged
    ),
    sdy_collectives.CollectivePermuteOp: Partitioning(collectives.SendToDevices),
    sdy_collectives.ReduceScatterOp: Partitioning(
        collectives.ReduceAndScatterBetweenDevices, padding=pad_collectives.PadBeforeSlice
    ),
    sdy_collectives.ReplicatedToUnreducedOp: Partitioning(collectives.KeepOnFirstDevice),
    sdy_collectives.ShardedToUnreducedOp: Partitioning(
        collectives.PlacePartAmongZeros, padding=pad_collectives.TrimAfterGather
    ),
    # Other operations outside of StableHLO
    func.CallOp: PLAIN,
    func.ReturnOp: PLAIN,
    hlo.CopyOp: PLAIN,
    hlo.ElidedConstantOp: Partitioning(constants.ElidedConstantOfPart),
    hlo.TopKOp: PLAIN,
    sdy.ConstantOp: Partitioning(constants.ConstantOfPart, padding=movement.PadSplat),
    sdy.ManualComputationOp: Partitioning(regions.InlineManualComputation),
    sdy.NamedComputationOp: PLAIN,
    sdy.PropagationBarrierOp: Partitioning(regions.EraseBarrier),
    sdy.ReshardOp: Partitioning(reshards.TakePartOverOtherMesh),
    sdy.ReturnOp: PLAIN,
    # StableHLO
    **dict.fromkeys(
        communication.COLLECTIVES, Partitioning(communication.CollectiveOfOneDevice, pads_types=padded_types.never)
    ),
    stablehlo.ConcatenateOp: Partitioning(
        check=slices.check_concatenate,
        exchange=exchanged_concatenations.ExchangeOfConcatenate,
        pads_types=padded_types.joins_no_padding,
    ),
    stablehlo.ConstantOp: Partitioning(padding=movement.PadSplat),
    stablehlo.ConvolutionOp: Partitioning(
        convolutions.ConvolutionOfParts,
        exchange=exchanged_windows.ExchangeOfConvolution,
        gather=gathers.gathered_convolution,
        padding=pad_contractions.PadConvolution,
    ),
    stablehlo.CustomCallOp: Partitioning(check=custom_calls.check_custom_call),
    stablehlo.DotGeneralOp: Partitioning(check=contractions.check_dot_general, padding=pad_contractions.PadDot),
    stablehlo.DotOp: Partitioning(check=contractions.check_dot, padding=pad_contractions.PadDot),
    stablehlo.DynamicSliceOp: Partitioning(
        slices.DynamicSliceOfPart,
        exchange=summed_dynamic_slices.SumOfDynamicSlices,
        padding=indexing.PadDynamicSlice,
    ),
    stablehlo.DynamicUpdateSliceOp: Partitioning(
        updates.DynamicUpdateSliceOfPart, padding=indexing.PadDynamicUpdateSlice
    ),
    stablehlo.GatherOp: Partitioning(local_gathers.GatherFromPart, padding=indexing.PadGather),
    stablehlo.GetDimensionSizeOp: Partitioning(sizes.SizeOfWhole, padding=movement.SizeWithoutPadding),
    stablehlo.IotaOp: Partitioning(constants.IotaOfPart, pads_types=padded_types.always),
    stablehlo.PadOp: Partitioning(
        slices.PadOfPart,
        exchange=exchanged_movement.ExchangeOfPad,
        whole_parts=slices_and_pads.PadOfWholeParts,
        stays=slices_and_pads.pad_stays,
        padding=movement.ExtendPad,
    ),
    stablehlo.PartitionIdOp: Partitioning(check=communication.check_partition_id),
    stablehlo.ReduceOp: Partitioning(reductions.ReduceOfPart, padding=pad_reductions.PadReduce),
    stablehlo.ReduceWindowOp: Partitioning(
        check=windows.check_windows,
        exchange=exchanged_windows.ExchangeOfReduceWindow,
        gather=gathers.gathered_windows,
        padding=pad_reductions.PadReduceWindow,
    ),
    stablehlo.ReshapeOp: Partitioning(
        exchange=exchanged_reshapes.ExchangeOfReshape,
        whole_parts=reshapes.ReshapeOfWholeParts,
        gather=reshapes.gathered_reshape,
        pads_types=padded_types.reshapes_padding_alike,
    ),
    stablehlo.ReverseOp: Partitioning(
        slices.ReverseOfPart,
        exchange=exchanged_movement.ExchangeOfReverse,
        whole_parts=reverses.ReverseOfWholeParts,
        pads_types=padded_types.reverses_no_padding,
    ),
    stablehlo.RngBitGeneratorOp: Partitioning(random_numbers.RandomBitsOfPart, pads_types=padded_types.never),
    stablehlo.RngOp: Partitioning(random_numbers.RandomNumbersOfPart, pads_types=padded_types.never),
    stablehlo.ScatterOp: Partitioning(scatters.ScatterToPart, padding=indexing.PadScatter),
    stablehlo.SelectAndScatterOp: Partitioning(
        check=windows.check_windows,
        exchange=exchanged_scatters.ExchangeOfSelectAndScatter,
        stays=gathers.window_stays,
        padding=pad_reductions.PadSelectAndScatter,
    ),
    stablehlo.SliceOp: Partitioning(
        slices.SliceOfPart,
        exchange=exchanged_movement.ExchangeOfSlice,
        whole_parts=slices_and_pads.SliceOfWholeParts,
        stays=slices_and_pads.plain_slice_stays,
        padding=movement.ExtendSlice,
    ),
    stablehlo.SortOp: Partitioning(pads_types=padded_types.sorts_no_padding),
}


def partitioning_of(op: Operation) -> Partitioning | None:
    """The row of `op`; None for an operation that does not become local. Unregistered operations do."""
    row = OPERATIONS.get(type(op))
    if row is None and (op.name.startswith(("chlo.", "mhlo.", "stablehlo.")) or isinstance(op, UnregisteredOp)):
        return PLAIN
    return row


def patterns_of(
    column: Callable[[Partitioning], PatternT | None], decisions: Mapping[Operation, object]
) -> Mapping[PatternT, Mapping[Operation, object]]:
    """The patterns of a column, in the order of the rows, with the decisions for their operations."""
    patterns = {op_type: pattern for op_type, row in OPERATIONS.items() if (pattern := column(row)) is not None}
    grouped: dict[PatternT, dict[Operation, object]] = {pattern: {} for pattern in patterns.values()}
    for op, decision in decisions.items():
        grouped[patterns[type(op)]][op] = decision
    return grouped
