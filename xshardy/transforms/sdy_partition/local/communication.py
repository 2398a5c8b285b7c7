"""
Communication that a program for all devices has already: between replicas, of which this one has a single one.

What refers to partitions has a meaning in the program of one device only, as in a manual computation.
"""

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Operation, SSAValue
from xdsl.traits import is_side_effect_free
from xdsl.utils.hints import isa

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.collectives import Reduction
from xshardy.dialects.sdy.value_shardings import SHARDING
from xshardy.dialects.stablehlo.control_flow import CaseOp, IfOp
from xshardy.dialects.stablehlo.replica_groups import NO_DEVICE, integer_table
from xshardy.dialects.stablehlo.structs import ChannelHandleAttr
from xshardy.sharding.devices import shard_indices
from xshardy.transforms.sdy_partition.local.device_code import DeviceCode
from xshardy.transforms.sdy_partition.local.local_pattern import LocalPattern
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensors, refuse

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


def _is_reduced(op: Operation) -> bool:
    """Whether the results of `op` are partial: only reductions between devices, and branches like `op`, read them."""
    return all(_reads_partial(use.operation, op) for result in op.results for use in result.uses)


def _reads_partial(user: Operation, op: Operation) -> bool:
    """Whether `user` reduces the partial results of `op`, perhaps padded, or is in a branch that is like `op`."""
    branch = user.parent_op()
    if isinstance(branch, IfOp | CaseOp) and branch is not op.parent_op():
        return _is_reduced(branch)
    return isinstance(user, Reduction) or (isinstance(user, stablehlo.PadOp) and _is_reduced(user))


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
    if not before.is_manual and not _only_chooses_branches(op.result):
        raise refuse(op, "is outside of a manual computation: the program for all devices has no partitions")


def _groups(op: Operation, devices: int) -> list[list[int]] | None:
    """
    The devices that communicate with each other in the collective `op`, by group: a pair of a permutation is a group.

    None for groups over the axes of a mesh.
    """
    if isinstance(op, stablehlo.CollectivePermuteOp):
        _, numbers = integer_table("source_target_pairs", op.source_target_pairs)
        return [[*pair] for pair in zip(numbers[::2], numbers[1::2], strict=True)]
    groups = op.properties.get("replica_groups")
    if not isa(groups, DenseIntOrFPElementsAttr):
        return None
    (_, width), numbers = integer_table("replica_groups", groups)
    if not numbers:
        return [[*range(devices)]]
    rows = (numbers[start : start + width] for start in range(0, len(numbers), width))
    return [[device for device in row if device != NO_DEVICE] for row in rows]


def _is_alone(op: Operation, devices: int) -> bool:
    """
    Whether no device of the collective `op` communicates with another one.

    So it is in what was a manual computation along axes of one device.
    """
    groups = _groups(op, devices) or []
    found = {device for group in groups for device in group}
    return all(len({*group}) == 1 for group in groups) and found == {*range(devices)}


def _mixes_parts(op: Operation, before: WholeTensors) -> bool:
    """Whether devices communicate in the collective `op` that have different parts of one of its tensors."""
    sharded = [value for value in (*before.operands, *before.results) if not value.is_replicated]
    if not sharded:
        return False
    if (groups := _groups(op, before.mesh.device_count)) is None:
        return True
    for value in sharded:
        for dim in range(len(value.shape)):
            if axes := value.axes(dim):
                part_of = shard_indices(axes, value.mesh)
                if any(len({part_of[device] for device in group}) > 1 for group in groups):
                    return True
    return False


class CollectiveOfOneDevice(LocalPattern[Operation, WholeTensors]):
    """
    `all_reduce %x` -> `%x`, between groups of one device each. Other collectives stay as they are.

    Refuses: a collective between partitions outside of manual computations, since the whole program has none; one in a
    manual computation between devices with different parts of a tensor.
    """

    @staticmethod
    def decide(op: Operation, before: WholeTensors) -> WholeTensors | None:
        """
        Raises `OperationFailedException` if `op` is between partitions, and outside of a manual computation; or if
        it is in one, and mixes parts of tensors that are sharded along the other axes.
        """
        channel = op.properties.get("channel_handle")
        has_channel = isinstance(channel, ChannelHandleAttr) and channel.handle.data > 0
        if not (has_channel or "use_global_device_ids" in op.properties):
            return None
        if before.is_manual:
            if _mixes_parts(op, before):
                raise refuse(
                    op,
                    "is between devices with different parts of a tensor, which is sharded along axes that are not "
                    "manual: reshard the tensor so that it is not, or make the axes manual",
                )
            return None
        sharded = [value for value in (*before.operands, *before.results) if value.sharding is not None]
        if sharded and [*op.operand_types] == [*op.result_types] and _is_alone(op, before.mesh.device_count):
            return before
        raise refuse(
            op,
            "is between partitions, and outside of a manual computation: the program for all devices has no partitions",
        )

    def rewrite(self, op: Operation, decision: WholeTensors, code: DeviceCode) -> None:
        code.replace(op, *op.operands)
