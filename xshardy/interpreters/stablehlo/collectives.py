"""
Rules for collectives. Source: StableHLO specification, the ops' semantics.

A single-device evaluation has a grid of one.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TypeVar, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Block, Operation
from xdsl.utils.exceptions import InterpretationError

from xshardy.axes.grid import Grid, Group
from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.replica_groups import (
    ReplicaGroupMeshAxesAttr,
    ReplicaGroups,
    integer_table,
    listed_groups,
)
from xshardy.interpreters.stablehlo.calls import Arrival, Execution, Meeting
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, unsupported
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import Array, numpy_dtype
from xshardy.sharding.group_axes import groups_along_axes

Reducing = stablehlo.AllReduceOp | stablehlo.ReduceScatterOp
Rooted = stablehlo.CollectiveBroadcastOp | stablehlo.CollectiveReduceOp


def groups_in(op: Operation, groups: ReplicaGroups, everyone: int, grid: Grid) -> list[list[int]]:
    """
    The rows of `groups`, which have numbers below `everyone`; one group of all if there are none.

    The axes of a mesh say which devices: these are the numbers if all of `grid` have one.
    """
    if isinstance(groups, ReplicaGroupMeshAxesAttr) and everyone == grid.size:
        return groups_along_axes(op, groups)
    if not isinstance(groups, DenseIntOrFPElementsAttr):
        raise unsupported(op, "groups of replicas or partitions over the axes of a mesh: write them as lists")
    shape = groups.get_shape()
    has_width = bool(shape) and shape[-1] > 0
    return listed_groups(groups) if has_width else [list(range(everyone))]


def channel_of(op: Operation) -> int:
    """The number of the channel of a collective, 0 if there is none."""
    channel = op.properties.get("channel_handle")
    return channel.handle.data if isinstance(channel, stablehlo.ChannelHandleAttr) else 0


def groups_over_all(op: stablehlo.AllGatherOp | Reducing, grid: Grid) -> Sequence[Group]:
    """The groups of replicas, with a channel of all their partitions, or of numbers of devices."""
    if op.use_global_device_ids is not None:
        return [tuple(group) for group in groups_in(op, op.replica_groups, grid.size, grid)]
    if channel_of(op) > 0:
        return grid.cross_replica_and_partition(groups_in(op, op.replica_groups, grid.replicas, grid))
    return grid.cross_replica(groups_in(op, op.replica_groups, grid.replicas, grid))


def groups_over_one(op: stablehlo.AllToAllOp | Rooted, grid: Grid) -> Sequence[Group]:
    """The groups of replicas, or with a channel of partitions."""
    if channel_of(op) > 0:
        return grid.cross_partition(groups_in(op, op.replica_groups, grid.partitions, grid))
    return grid.cross_replica(groups_in(op, op.replica_groups, grid.replicas, grid))


def missing(op: Operation, what: str) -> InterpretationError:
    """An error for a collective with devices that do not exist: most often, partitions that are taken for replicas."""
    hint = "" if channel_of(op) > 0 else ". It has no channel, so its numbers are those of replicas, not of partitions"
    return unsupported(op, what + hint)


OpT = TypeVar("OpT", bound=Operation)


def own_group(evaluator: Evaluator, op: OpT, groups: Callable[[OpT, Grid], Sequence[Group]]) -> Group:
    """The group of this device; empty if there is none. All devices share the table of groups."""
    device = evaluator.device
    if (known := evaluator.groups.get(op)) is None:
        known = evaluator.groups[op] = {}
        for group in groups(op, device.grid):
            if max(group) >= device.grid.size:
                raise missing(op, f"device {max(group)} is in a group, but there are {device.grid.size}")
            known.update(dict.fromkeys(group, group))
    return known.get(device.number, ())


def meet(
    evaluator: Evaluator, op: Operation, group: Group, operands: Sequence[Array]
) -> Generator[Arrival, Meeting, Meeting]:
    """The meeting of the devices of the group, to which each brings its operands."""
    if not group:
        raise unsupported(op, f"device {evaluator.device.number} is in no group")
    return (yield evaluator.device.arrive(op, group, operands))


def reduced(evaluator: Evaluator, body: Block, values: Sequence[Array]) -> Array:
    """`values`, combined sequentially by `body` in the element type of the body."""
    type = numpy_dtype(body.args[0].type)
    result, *others = (convert(value, type) for value in values)
    for other in others:
        (combined,) = evaluator.run(body, [result, other], elementwise=True)
        result = np.asarray(combined)
    return result


def all_gather(evaluator: Evaluator, op: stablehlo.AllGatherOp, *operands: Array) -> Execution:
    meeting = yield from meet(evaluator, op, own_group(evaluator, op, groups_over_all), operands)
    dim = op.all_gather_dim.value.data
    return meeting.once(lambda brought: [np.concatenate(values, axis=dim) for values in zip(*brought, strict=True)])


def all_reduce(evaluator: Evaluator, op: stablehlo.AllReduceOp, *operands: Array) -> Execution:
    meeting = yield from meet(evaluator, op, own_group(evaluator, op, groups_over_all), operands)
    body = op.computation.block
    return meeting.once(lambda brought: [reduced(evaluator, body, values) for values in zip(*brought, strict=True)])


def reduce_scatter(evaluator: Evaluator, op: stablehlo.ReduceScatterOp, operand: Array) -> Execution:
    group = own_group(evaluator, op, groups_over_all)
    meeting = yield from meet(evaluator, op, group, [operand])
    body, dim = op.computation.block, op.scatter_dimension.value.data

    def parts(brought: Sequence[tuple[Array, ...]]) -> dict[int, Array]:
        whole = reduced(evaluator, body, [value for (value,) in brought])
        return dict(zip(group, np.split(whole, len(group), dim), strict=True))

    return meeting.once(parts)[evaluator.device.number]


def all_to_all(evaluator: Evaluator, op: stablehlo.AllToAllOp, *operands: Array) -> Execution:
    group = own_group(evaluator, op, groups_over_one)
    meeting = yield from meet(evaluator, op, group, operands)
    split, concat, count = (x.value.data for x in (op.split_dimension, op.concat_dimension, op.split_count))
    place = group.index(evaluator.device.number)
    return [
        np.concatenate([np.split(value, count, split)[place] for value in values], axis=concat)
        for values in zip(*meeting.values, strict=True)
    ]


def ragged_groups(op: stablehlo.CustomCallOp, grid: Grid) -> Sequence[Group]:
    """The groups in the configuration of the call: of partitions with a channel, else of replicas."""
    groups = cast(ReplicaGroups, op.config.get("replica_groups"))
    if "channel_id" in op.config:
        return grid.cross_partition(groups_in(op, groups, grid.partitions, grid))
    return grid.cross_replica(groups_in(op, groups, grid.replicas, grid))


def ragged_all_to_all(evaluator: Evaluator, op: stablehlo.CustomCallOp, *operands: Array) -> Execution:
    """The second operand with the rows that each device of the group sends: `jax.lax.ragged_all_to_all`."""
    group = own_group(evaluator, op, ragged_groups)
    meeting = yield from meet(evaluator, op, group, operands)
    place, result = group.index(evaluator.device.number), operands[1].copy()
    for source, _, *tables in meeting.values:
        for start, size, target, _ in np.split(np.transpose(tables), len(group))[place]:
            if min(start, size, target) < 0 or start + size > len(source) or target + size > len(result):
                raise unsupported(
                    op, f"{size} rows from {start} to {target} are out of bounds: give it other arguments"
                )
            result[target : target + size] = source[start : start + size]
    return [result]


def with_roots(op: Rooted, group: Group, operands: Sequence[Array]) -> Sequence[tuple[Array, int]]:
    """The tensors of a collective, each with the place of its root in the group: the first, or as an operand says."""
    if op.has_dynamic_root is None:
        return [(operand, 0) for operand in operands]
    roots = [int(root) for root in operands[-1]]
    if group and (wrong := [root for root in roots if not 0 <= root < len(group)]):
        raise unsupported(op, f"the root is number {wrong[0]} of a group of {len(group)}")
    return list(zip(operands[:-1], roots, strict=True))


def collective_broadcast(evaluator: Evaluator, op: stablehlo.CollectiveBroadcastOp, *operands: Array) -> Execution:
    """The tensors of the roots; zeros on a device without a group."""
    group = own_group(evaluator, op, groups_over_one)
    tensors = with_roots(op, group, operands)
    if not group:
        return [np.zeros_like(tensor) for tensor, _ in tensors]
    meeting = yield from meet(evaluator, op, group, operands)
    return [meeting.values[root][number] for number, (_, root) in enumerate(tensors)]


def collective_reduce(evaluator: Evaluator, op: stablehlo.CollectiveReduceOp, *operands: Array) -> Execution:
    """The combined tensors on their roots; zeros on all other devices."""
    group = own_group(evaluator, op, groups_over_one)
    tensors = with_roots(op, group, operands)
    results = [
        np.zeros(tensor.shape, numpy_dtype(result.type))
        for (tensor, _), result in zip(tensors, op.results, strict=True)
    ]
    if not group:
        return results
    meeting = yield from meet(evaluator, op, group, operands)
    place = group.index(evaluator.device.number)
    for number, (_, root) in enumerate(tensors):
        if root == place:
            results[number] = reduced(evaluator, op.computation.block, [values[number] for values in meeting.values])
    return results


def permuting_groups(op: stablehlo.CollectivePermuteOp, grid: Grid) -> Sequence[Group]:
    """The partitions of each replica with a channel, else the replicas of each partition."""
    if channel_of(op) > 0:
        return grid.cross_partition([range(grid.partitions)])
    return grid.cross_replica([range(grid.replicas)])


def collective_permute(evaluator: Evaluator, op: stablehlo.CollectivePermuteOp, operand: Array) -> Execution:
    """All devices of a replica, or of a partition, exchange operands; each takes the operand of its source."""
    device = evaluator.device
    _, numbers = integer_table("source_target_pairs", op.source_target_pairs)
    group, own = own_group(evaluator, op, permuting_groups), device.partition if channel_of(op) > 0 else device.replica
    source = next((source for source, target in zip(numbers[::2], numbers[1::2], strict=True) if target == own), None)
    if source is not None and source >= len(group):
        raise missing(op, f"it receives from {source}, but there are {len(group)} that send")
    meeting = yield from meet(evaluator, op, group, [operand])
    return np.zeros_like(operand) if source is None else meeting.values[source][0]


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
    stablehlo.CollectiveReduceOp: collective_reduce,
    stablehlo.PartitionIdOp: partition_id,
    stablehlo.ReduceScatterOp: reduce_scatter,
    stablehlo.ReplicaIdOp: replica_id,
}
