"""
Communication that a program for all devices has already: between replicas, of which this one has a single one.

What refers to partitions has a meaning in the program of one device only, as in a manual computation.
"""

from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.collectives import AllReduceOp
from xshardy.dialects.sdy.ops import ManualComputationOp
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.control_flow import CaseOp, IfOp
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


def _is_reduced(op: Operation) -> bool:
    """Whether the results of `op` are partial: only reductions between devices read them."""
    return all(isinstance(use.operation, AllReduceOp) for result in op.results for use in result.uses)


def _only_chooses_branches(value: SSAValue) -> bool:
    """
    Whether devices only choose partial results by `value`, or compute them from it in a branch.

    So does what `sdy-resolve-single-device-sharding` makes.
    """
    for use in value.uses:
        user, around = use.operation, use.operation.parent_op()
        branch = user if isinstance(user, IfOp | CaseOp) else around
        if isinstance(branch, IfOp | CaseOp) and branch is not value.owner:
            if not _is_reduced(branch):
                return False
        elif not (is_side_effect_free(user) and user.results and SHARDING not in user.attributes) or not all(
            map(_only_chooses_branches, user.results)
        ):
            return False
    return True


def check_partition_id(op: stablehlo.PartitionIdOp, before: WholeTensors) -> None:
    """
    Raises `OperationFailedException` outside of manual computations: the whole program has no partitions.

    Except where the number only decides which device computes something.
    """
    if not _is_manual(op) and not _only_chooses_branches(op.result):
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
