"""
Rules for collectives. Source: StableHLO specification, the ops' semantics.

A single-device evaluation has a grid of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block, Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.replica_groups import NO_DEVICE, ReplicaGroups, integer_table
from xshardy.interpreters.element_types import Array, numpy_dtype
from xshardy.interpreters.numerics.conversions import convert
from xshardy.interpreters.stablehlo.devices import Group
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, unsupported

Reducing = stablehlo.AllReduceOp | stablehlo.ReduceScatterOp


def groups_in(op: Operation, groups: ReplicaGroups, everyone: int) -> list[list[int]]:
    """The rows of `groups`; one group of all devices if there are none."""
    if not isinstance(groups, DenseIntOrFPElementsAttr):
        raise unsupported(op, "groups over the axes of a mesh: write them as lists, sdy-inline-meshes does")
    shape, numbers = integer_table("replica_groups", groups)
    width = shape[-1] if shape else 0
    if not width:
        return [list(range(everyone))]
    rows = [numbers[start : start + width] for start in range(0, len(numbers), width)]
    return [[number for number in row if number != NO_DEVICE] for row in rows]


def channel_of(op: Operation) -> int:
    """The number of the channel of a collective, 0 if there is none."""
    channel = op.properties.get("channel_handle")
    return channel.handle.data if isinstance(channel, stablehlo.ChannelHandleAttr) else 0


def group_over_all(evaluator: Evaluator, op: stablehlo.AllGatherOp | Reducing) -> Group:
    """The group of this device: replicas, with a channel all their partitions, or numbers of devices."""
    grid = evaluator.device.grid
    if op.use_global_device_ids is not None:
        groups = [tuple(group) for group in groups_in(op, op.replica_groups, grid.size)]
    elif channel_of(op) > 0:
        groups = grid.cross_replica_and_partition(groups_in(op, op.replica_groups, grid.replicas))
    else:
        groups = grid.cross_replica(groups_in(op, op.replica_groups, grid.replicas))
    return own_group(evaluator, op, groups)


def group_over_one(evaluator: Evaluator, op: stablehlo.AllToAllOp | stablehlo.CollectiveBroadcastOp) -> Group:
    """The group of this device: replicas, or with a channel partitions."""
    grid = evaluator.device.grid
    if channel_of(op) > 0:
        groups = grid.cross_partition(groups_in(op, op.replica_groups, grid.partitions))
    else:
        groups = grid.cross_replica(groups_in(op, op.replica_groups, grid.replicas))
    return own_group(evaluator, op, groups)


def own_group(evaluator: Evaluator, op: Operation, groups: Sequence[Group]) -> Group:
    """The group that contains this device; empty if there is none."""
    for group in groups:
        if max(group) >= evaluator.device.grid.size:
            raise unsupported(op, f"device {max(group)} is in a group, but there are {evaluator.device.grid.size}")
    return next((group for group in groups if evaluator.device.number in group), ())


def exchange(evaluator: Evaluator, op: Operation, group: Group, operands: Sequence[Array]) -> list[list[Array]]:
    """For each operand, its values on all devices of the group."""
    if not group:
        raise unsupported(op, f"device {evaluator.device.number} is in no group")
    brought = cast(list[tuple[Array, ...]], evaluator.device.exchange(op, group, operands))
    return [[values[i] for values in brought] for i in range(len(operands))]


def reduced(evaluator: Evaluator, body: Block, values: Sequence[Array]) -> Array:
    """`values`, combined sequentially by `body` in the element type of the body."""
    type = numpy_dtype(body.args[0].type)
    result, *others = (convert(value, type) for value in values)
    for other in others:
        (combined,) = evaluator.run(body, [result, other], elementwise=True)
        result = np.asarray(combined)
    return result


def all_gather(evaluator: Evaluator, op: stablehlo.AllGatherOp, *operands: Array) -> Sequence[Array]:
    gathered = exchange(evaluator, op, group_over_all(evaluator, op), operands)
    return [np.concatenate(values, axis=op.all_gather_dim.value.data) for values in gathered]


def all_reduce(evaluator: Evaluator, op: stablehlo.AllReduceOp, *operands: Array) -> Sequence[Array]:
    gathered = exchange(evaluator, op, group_over_all(evaluator, op), operands)
    return [reduced(evaluator, op.computation.block, values) for values in gathered]


def reduce_scatter(evaluator: Evaluator, op: stablehlo.ReduceScatterOp, operand: Array) -> Array:
    group = group_over_all(evaluator, op)
    (values,) = exchange(evaluator, op, group, [operand])
    parts = np.split(reduced(evaluator, op.computation.block, values), len(group), op.scatter_dimension.value.data)
    return parts[group.index(evaluator.device.number)]


def all_to_all(evaluator: Evaluator, op: stablehlo.AllToAllOp, *operands: Array) -> Sequence[Array]:
    group = group_over_one(evaluator, op)
    place = group.index(evaluator.device.number) if group else 0
    split, concat, count = (x.value.data for x in (op.split_dimension, op.concat_dimension, op.split_count))
    gathered = exchange(evaluator, op, group, operands)
    return [
        np.concatenate([np.split(value, count, split)[place] for value in values], axis=concat) for values in gathered
    ]


def collective_broadcast(
    evaluator: Evaluator, op: stablehlo.CollectiveBroadcastOp, *operands: Array
) -> Sequence[Array]:
    """The operand of the first device of the group; zeros on a device without a group."""
    if op.has_dynamic_root is not None:
        raise unsupported(op, "the root is only known when the program runs")
    group = group_over_one(evaluator, op)
    if not group:
        return [np.zeros_like(operand) for operand in operands]
    return [values[0] for values in exchange(evaluator, op, group, operands)]


def collective_permute(evaluator: Evaluator, op: stablehlo.CollectivePermuteOp, operand: Array) -> Array:
    """All devices of a replica, or of a partition, exchange operands; each takes the operand of its source."""
    device, grid = evaluator.device, evaluator.device.grid
    _, numbers = integer_table("source_target_pairs", op.source_target_pairs)
    sources = dict(zip(numbers[1::2], numbers[::2], strict=True))
    if channel_of(op) > 0:
        group, own = grid.cross_partition([range(grid.partitions)])[device.replica], device.partition
    else:
        group, own = grid.cross_replica([range(grid.replicas)])[device.partition], device.replica
    if own in sources and sources[own] >= len(group):
        raise unsupported(op, f"it receives from {sources[own]}, but there are {len(group)} that send")
    (values,) = exchange(evaluator, op, group, [operand])
    return values[sources[own]] if own in sources else np.zeros_like(operand)


def partition_id(evaluator: Evaluator, op: stablehlo.PartitionIdOp) -> Array:
    return np.asarray(evaluator.device.partition, np.uint32)


def replica_id(evaluator: Evaluator, op: stablehlo.ReplicaIdOp) -> Array:
    return np.asarray(evaluator.device.replica, np.uint32)


COLLECTIVES: Mapping[type[Operation], Rule] = {
    stablehlo.AllGatherOp: all_gather,
    stablehlo.AllReduceOp: all_reduce,
    stablehlo.AllToAllOp: all_to_all,
    stablehlo.CollectiveBroadcastOp: collective_broadcast,
    stablehlo.CollectivePermuteOp: collective_permute,
    stablehlo.PartitionIdOp: partition_id,
    stablehlo.ReduceScatterOp: reduce_scatter,
    stablehlo.ReplicaIdOp: replica_id,
}
