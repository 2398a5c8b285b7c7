"""
Communication that a program for all devices has already: between replicas, of which this one has a single one.

What refers to partitions has a meaning in the program of one device only, as in a manual computation.
"""

from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr
from xshardy.transforms.sdy_export.local.whole_tensors import WholeTensors, refuse

COLLECTIVES: tuple[type[Operation], ...] = (
    stablehlo.AllGatherOp,
    stablehlo.AllReduceOp,
    stablehlo.AllToAllOp,
    stablehlo.CollectiveBroadcastOp,
    stablehlo.CollectivePermuteOp,
    stablehlo.CollectiveReduceOp,
    stablehlo.CrossReplicaSumOp,
    stablehlo.ReduceScatterOp,
)


def _is_manual(op: Operation) -> bool:
    """Whether `op` is in the body of a manual computation."""
    parent = op.parent_op()
    while parent is not None and not isinstance(parent, ManualComputationOp):
        parent = parent.parent_op()
    return parent is not None


def check_partition_id(op: stablehlo.PartitionIdOp, before: WholeTensors) -> None:
    """Raises `OperationFailedException` outside of manual computations: the whole program has no partitions."""
    if not _is_manual(op):
        raise refuse(op, "is outside of a manual computation: the program for all devices has no partitions")


def check_collective(op: Operation, before: WholeTensors) -> None:
    """Raises `OperationFailedException` if `op` is between partitions, and outside of a manual computation."""
    channel = op.properties.get("channel_handle")
    has_channel = isinstance(channel, ChannelHandleAttr) and channel.handle.data > 0
    if (has_channel or "use_global_device_ids" in op.properties) and not _is_manual(op):
        raise refuse(
            op,
            "is between partitions, and outside of a manual computation: the program for all devices has no partitions",
        )
