"""
The bytes that each device sends in a collective.

The figures are those of the algorithms that send least: a ring for gathers and reductions, a direct message to each
device for exchanges. Source: Thakur, Rabenseifner, Gropp, "Optimization of Collective Communication Operations in
MPICH" (2005); PERFORMANCE.md of nccl-tests, whose "bus bandwidth" divides the same bytes by the time.
"""

from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, StringAttr
from xdsl.ir import Attribute, Operation

from xshardy.axes.grid import Grid
from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.stablehlo.calls import RAGGED_ALL_TO_ALL
from xshardy.dialects.stablehlo.replica_groups import ReplicaGroupMeshAxesAttr, integer_table, listed_groups
from xshardy.sharding.group_axes import groups_along_axes
from xshardy.transforms.hlo_async.report import size_in_bytes

Groups = Sequence[Sequence[int]]
"""The numbers of the devices of each group."""

ALL_GATHER, ALL_REDUCE, REDUCE_SCATTER = "all-gather", "all-reduce", "reduce-scatter"
ALL_TO_ALL, PERMUTE, BROADCAST, REDUCE = "all-to-all", "collective-permute", "collective-broadcast", "collective-reduce"
RAGGED = "ragged-all-to-all"

KINDS: Mapping[type[Operation], str] = {
    stablehlo.AllGatherOp: ALL_GATHER,
    stablehlo.AllReduceOp: ALL_REDUCE,
    stablehlo.CrossReplicaSumOp: ALL_REDUCE,
    stablehlo.ReduceScatterOp: REDUCE_SCATTER,
    stablehlo.AllToAllOp: ALL_TO_ALL,
    stablehlo.CollectivePermuteOp: PERMUTE,
    stablehlo.CollectiveBroadcastOp: BROADCAST,
    stablehlo.CollectiveReduceOp: REDUCE,
    hlo.AllGatherOp: ALL_GATHER,
    hlo.AllReduceOp: ALL_REDUCE,
    hlo.ReduceScatterOp: REDUCE_SCATTER,
    hlo.AllToAllOp: ALL_TO_ALL,
    hlo.CollectivePermuteOp: PERMUTE,
    hlo.CollectiveBroadcastOp: BROADCAST,
    hlo.RaggedAllToAllOp: RAGGED,
}
"""The collectives, by HLO's names."""

SENT: Mapping[str, Callable[[int, int], int]] = {
    ALL_GATHER: lambda bytes, size: (size - 1) * bytes,
    ALL_REDUCE: lambda bytes, size: _rounded_up(2 * (size - 1) * bytes, size),
    REDUCE_SCATTER: lambda bytes, size: _rounded_up((size - 1) * bytes, size),
    ALL_TO_ALL: lambda bytes, size: _rounded_up((size - 1) * bytes, size),
    PERMUTE: lambda bytes, size: bytes if size > 1 else 0,
    BROADCAST: lambda bytes, size: bytes if size > 1 else 0,
    REDUCE: lambda bytes, size: bytes if size > 1 else 0,
    RAGGED: lambda bytes, size: bytes if size > 1 else 0,
}
"""
The bytes that a device sends, from the bytes of its operands and the devices in its group.

An all-gather sends the operand to all others; an all-reduce is a reduce-scatter and an all-gather; a ragged all-to-all
is counted as if each device sends its whole operand, which is the most that it can.
"""


def _rounded_up(dividend: int, divisor: int) -> int:
    return -(-dividend // divisor)


def kind_of(op: Operation) -> str | None:
    """`all-gather` and so on, as in HLO; None if `op` is no collective."""
    if type(op) is stablehlo.CustomCallOp:
        return RAGGED if op.call_target_name.data == RAGGED_ALL_TO_ALL else None
    return KINDS.get(type(op))


def _fields(op: Operation) -> Mapping[str, Attribute]:
    """The properties of a collective; of a call, its configuration."""
    return op.config if isinstance(op, stablehlo.CustomCallOp) else op.properties


def groups_of(op: Operation, grid: Grid) -> Groups:
    """
    The groups of devices of `grid` that the collective `op` communicates in.

    For a permute, pairs of source and target; a device that keeps its own operand is in a group alone. Without a
    channel, groups are of replicas. Raises `ValueError` or xDSL's `VerifyException` for groups that cannot be read.
    """
    has_channel = bool(_channel(op))
    if isinstance(op, stablehlo.CollectivePermuteOp | hlo.CollectivePermuteOp):
        _, numbers = integer_table("source_target_pairs", op.source_target_pairs)
        pairs = [tuple(dict.fromkeys(pair)) for pair in zip(numbers[::2], numbers[1::2], strict=True)]
        if 1 in (grid.replicas, grid.partitions):
            return pairs
        return grid.cross_partition(pairs) if has_channel else grid.cross_replica(pairs)
    written = _written_groups(op, _fields(op).get("replica_groups"))
    if _fields(op).get("use_global_device_ids") not in (None, IntegerAttr.from_bool(False)):
        return written or [range(grid.size)]
    if has_channel and kind_of(op) in (ALL_TO_ALL, BROADCAST, RAGGED):
        return grid.cross_partition(written or [range(grid.partitions)])
    replicas = written if written and grid.replicas > 1 else [range(grid.replicas)]
    return grid.cross_replica_and_partition(replicas) if has_channel else grid.cross_replica(replicas)


def _channel(op: Operation) -> int:
    """The number of the channel; 0 if there is none."""
    match _fields(op).get("channel_handle") or _fields(op).get("channel_id"):
        case stablehlo.ChannelHandleAttr() as channel:
            return channel.handle.data
        case IntegerAttr() as number:
            return number.value.data
        case _:
            return 0


def _written_groups(op: Operation, groups: Attribute | None) -> Groups:
    """The groups in the attribute; none if it is empty, which stands for a group of all."""
    match groups:
        case DenseIntOrFPElementsAttr():
            return listed_groups(groups)
        case StringAttr():
            from xshardy.hlo_text.groups import groups_of as groups_in_text  # loads the reader of HLO: for HLO only

            return [group for group in groups_in_text(groups.data) if group]
        case ReplicaGroupMeshAxesAttr():
            return groups_along_axes(op, groups)
        case _:
            return []


def operand_bytes(op: Operation) -> int:
    """
    The bytes of a device's part of what the collective `op` sends, each element in whole bytes.

    Precondition: static shapes. The offsets and sizes of a ragged all-to-all, and the root of a broadcast or a
    reduction, do not count.
    """
    operands = op.operands
    if kind_of(op) == RAGGED:
        operands = operands[:1]
    elif isinstance(op, stablehlo.CollectiveBroadcastOp | stablehlo.CollectiveReduceOp) and op.has_dynamic_root:
        operands = operands[:-1]
    return sum(size_in_bytes(operand.type) or 0 for operand in operands)


def bytes_sent(op: Operation, grid: Grid) -> int:
    """
    The bytes that a device sends in one execution of the collective `op`; the most of all devices if they differ.

    Raises what `groups_of` raises.
    """
    kind = kind_of(op)
    assert kind is not None, f"{op.name} is no collective"
    size = max((len(group) for group in groups_of(op, grid)), default=1)
    return SENT[kind](operand_bytes(op), size)
