"""The rule of each operation, by its class."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any, TypeAlias

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Operation

from xshardy.dialects import chlo, hlo, sdy, stablehlo
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.shapes import shape_of
from xshardy.proving.kernel import Kernel, Undecided
from xshardy.proving.rules import collectives, lookups, movement, reductions, windows
from xshardy.proving.rules.elementwise import elementwise
from xshardy.proving.rules.whole import applied_to_whole
from xshardy.proving.views import View

Rule: TypeAlias = Callable[[Kernel, Any, Sequence[View]], Sequence[View]]


def along_last(kernel: Kernel, op: Operation, operands: Sequence[View], count: int) -> Sequence[View]:
    """Operations that take the last `count` dimensions as a whole and compute alike along the others."""
    given = [_without_last(len(view.shape), count) for view in operands]
    return applied_to_whole(kernel, op, operands, given, [_without_last(len(shape_of(r)), count) for r in op.results])


def _without_last(rank: int, count: int) -> list[int | None]:
    return [dim if dim < rank - count else None for dim in range(rank)]


def bitcast_convert(kernel: Kernel, op: stablehlo.BitcastConvertOp, operands: Sequence[View]) -> Sequence[View]:
    """Elementwise between types of one width; otherwise the last dimension is a part of an element."""
    rank, result_rank = len(operands[0].shape), len(shape_of(op.result))
    dims, count = range(min(rank, result_rank)), max(rank, result_rank)
    given, made = ([*dims, *([None] * (count - len(dims)))][:each] for each in (rank, result_rank))
    return applied_to_whole(kernel, op, operands, [given], [made])


def custom_call(kernel: Kernel, op: stablehlo.CustomCallOp, operands: Sequence[View]) -> Sequence[View]:
    """The first dimensions are parallel where JAX says so, as for LAPACK; otherwise operands are taken as a whole."""
    attributes = op.attributes.get("mhlo.frontend_attributes")
    said = attributes.data.get("num_batch_dims") if isinstance(attributes, DictionaryAttr) else None
    count = int(said.data) if isinstance(said, StringAttr) else 0
    given = [_first(len(view.shape), count) for view in operands]
    return applied_to_whole(kernel, op, operands, given, [_first(len(shape_of(r)), count) for r in op.results])


def _first(rank: int, count: int) -> list[int | None]:
    return [dim if dim < count else None for dim in range(rank)]


def sort(kernel: Kernel, op: stablehlo.SortOp, operands: Sequence[View]) -> Sequence[View]:
    rank = len(operands[0].shape)
    dim = (-1 if op.dimension is None else op.dimension.value.data) % rank
    dims = [None if d == dim else d for d in range(rank)]
    leave_out = frozenset({"dimension"})
    return applied_to_whole(kernel, op, operands, [dims] * len(operands), [dims] * len(operands), leave_out=leave_out)


def elided(kernel: Kernel, op: Operation, operands: Sequence[View]) -> Sequence[View]:
    raise Undecided("the text leaves out the elements of a constant: write it with --xla_dump_large_constants")


RULES: Mapping[type[Operation], Rule] = {
    hlo.CopyOp: movement.same,
    hlo.ElidedConstantOp: elided,
    sdy.ConstantOp: movement.constant,
    sdy.PropagationBarrierOp: movement.same,
    sdy.ReshardOp: movement.same,
    sdy.ShardingConstraintOp: movement.same,
    sdy.ShardingGroupOp: lambda kernel, op, operands: (),
    chlo.TopKOp: lambda kernel, op, operands: along_last(kernel, op, operands, 1),
    stablehlo.AllGatherOp: collectives.all_gather,
    stablehlo.AllReduceOp: collectives.all_reduce,
    stablehlo.AllToAllOp: collectives.all_to_all,
    stablehlo.BitcastConvertOp: bitcast_convert,
    stablehlo.BroadcastInDimOp: movement.rearranged,
    stablehlo.CholeskyOp: lambda kernel, op, operands: along_last(kernel, op, operands, 2),
    stablehlo.CollectiveBroadcastOp: collectives.collective_broadcast,
    stablehlo.CollectivePermuteOp: collectives.collective_permute,
    stablehlo.ConcatenateOp: movement.concatenate,
    stablehlo.ConstantOp: movement.constant,
    stablehlo.ConvolutionOp: windows.convolution,
    stablehlo.CustomCallOp: custom_call,
    stablehlo.DotGeneralOp: reductions.product,
    stablehlo.DynamicSliceOp: movement.dynamic_slice,
    stablehlo.DynamicUpdateSliceOp: movement.dynamic_update_slice,
    stablehlo.FftOp: lambda kernel, op, operands: along_last(kernel, op, operands, len(op.fft_length)),
    stablehlo.GatherOp: lookups.gather,
    stablehlo.IotaOp: movement.iota,
    stablehlo.OptimizationBarrierOp: movement.same,
    stablehlo.PadOp: movement.pad,
    stablehlo.PartitionIdOp: collectives.partition_id,
    stablehlo.ReduceOp: reductions.reduce,
    stablehlo.ReduceScatterOp: collectives.reduce_scatter,
    stablehlo.ReduceWindowOp: windows.reduce_window,
    stablehlo.ReplicaIdOp: collectives.partition_id,
    stablehlo.ReshapeOp: movement.reshape,
    stablehlo.ReverseOp: movement.rearranged,
    stablehlo.ScatterOp: lookups.scatter,
    stablehlo.SelectAndScatterOp: windows.select_and_scatter,
    stablehlo.SliceOp: movement.rearranged,
    stablehlo.SortOp: sort,
    stablehlo.TransposeOp: movement.rearranged,
    stablehlo.TriangularSolveOp: lambda kernel, op, operands: along_last(kernel, op, operands, 2),
}
"""An operation without a row is elementwise, if it has that trait, or takes its operands as a whole."""


@cache
def rule_of(kind: type[Operation]) -> Rule:
    """The rule of a class of operations."""
    if (rule := RULES.get(kind)) is not None:
        return rule
    is_elementwise = kind.has_trait(Elementwise, value_if_unregistered=False)
    return elementwise if is_elementwise else applied_to_whole
