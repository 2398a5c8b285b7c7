"""
Rules for the ops of sdy in a program for all devices, whose values are whole tensors.

Movements and reductions between devices do not change a whole tensor. A manual computation runs on all devices of its
mesh: each takes its parts of the operands, and the parts of the results are put together.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import Operation, SSAValue

from xshardy.axes.grid import Grid
from xshardy.dialects.sdy import ops as sdy
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, AxisRefs
from xshardy.dialects.sdy.attributes.enums import ReductionOp
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.axis_refs import sharded_size
from xshardy.dialects.sdy.collectives import COLLECTIVES
from xshardy.dialects.sdy.value_shardings import common_mesh
from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.constants import constant_array
from xshardy.interpreters.stablehlo.calls import Execution, Meeting
from xshardy.interpreters.stablehlo.control import pass_through
from xshardy.interpreters.stablehlo.devices import Device, on_all_devices
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Results, Rule, Value, unsupported
from xshardy.numerics.element_types import Array, as_tensor_type
from xshardy.numerics.partial_results import combined, summands
from xshardy.sharding.devices import device_groups, shard_indices


def constant(evaluator: Evaluator, op: sdy.ConstantOp) -> Array:
    return constant_array(op.value)


def sharding_group(evaluator: Evaluator, op: sdy.ShardingGroupOp, x: Array) -> Sequence[Value]:
    return []


def named_computation(evaluator: Evaluator, op: sdy.NamedComputationOp, *operands: Value) -> Execution:
    return evaluator.running(op.body.block, operands)


def manual_computation(evaluator: Evaluator, op: sdy.ManualComputationOp, *operands: Value) -> Results | Execution:
    """
    On one device, start the others of the mesh, with the same whole tensors.

    Raises `InterpretationError` if the program runs on several devices, but not on those of the mesh.
    """
    shardings = [*op.in_shardings.shardings, *op.out_shardings.shardings]
    mesh = common_mesh(shardings, op) if shardings else None
    if mesh is None or not op.manual_axes.names:
        return evaluator.running(op.body.block, operands)
    grid = evaluator.device.grid
    if grid.size == mesh.device_count:
        return on_own_parts(evaluator, op, operands, mesh)
    if grid.size > 1:
        raise unsupported(op, f"its mesh has {mesh.device_count} devices, but the program runs on {grid.size}")
    return on_all_devices(
        Grid(1, mesh.device_count), lambda device: on_own_parts(evaluator.on(device), op, operands, mesh)
    )[0]


def on_own_parts(
    evaluator: Evaluator, op: sdy.ManualComputationOp, operands: Sequence[Value], mesh: MeshAttr
) -> Execution:
    """The whole results, from the operands that each device has whole along the manual axes."""
    manual = op.manual_axes.names
    device = evaluator.device
    parts = [
        summand_of(part_of(operand, manual_axes(sharding, manual), mesh, device.number), sharding, manual, mesh, device)
        for operand, sharding in zip(operands, op.in_shardings.shardings, strict=True)
    ]
    results: Sequence[Array] = yield evaluator.running(op.body.block, parts)
    groups = device_groups(tuple(AxisRefAttr(axis) for axis in mesh.sizes if axis in manual), mesh)
    group = next(tuple(group) for group in groups if device.number in group)
    meeting: Meeting = yield device.arrive(op, group, results)
    wholes: list[Array] = []
    for index, (result, sharding) in enumerate(zip(op.outputs, op.out_shardings.shardings, strict=True)):
        by_device = {number: values[index] for number, values in zip(group, meeting.values, strict=True)}
        if axes := unreduced_axes(sharding, manual):
            groups = [summed for summed in device_groups(axes, mesh) if summed[0] in by_device]
            for summed in groups:
                total = combined([by_device[number] for number in summed], sharding.reduction_op.data)
                by_device |= dict.fromkeys(summed, total)
        wholes.append(put_together(by_device, result, manual_axes(sharding, manual), mesh))
    return wholes


def manual_axes(sharding: TensorShardingAttr, manual: Sequence[str]) -> list[list[AxisRefAttr]]:
    """The axes of each dimension that are manual: the others shard the part of a device, as a whole tensor."""
    return [[axis for axis in of_dim.axes if axis.axis.data in manual] for of_dim in sharding.dim_shardings]


def part_of(whole: Value, axes: Sequence[Sequence[AxisRefAttr]], mesh: MeshAttr, device: int) -> Value:
    """The part of `whole` on `device`, with its dimensions sharded along `axes`."""
    if isinstance(whole, tuple):
        return whole
    for dim, of_dim in enumerate(axes):
        indices = shard_indices(tuple(of_dim), mesh)
        extent = whole.shape[dim] // (max(indices) + 1)
        whole = whole.take(range(indices[device] * extent, (indices[device] + 1) * extent), dim)
    return whole


def unreduced_axes(sharding: TensorShardingAttr, manual: Sequence[str]) -> AxisRefs:
    """The manual axes along which devices have parts of a sum, a maximum or a minimum."""
    return tuple(axis for axis in sharding.unreduced_axes if axis.axis.data in manual)


def summand_of(
    part: Value, sharding: TensorShardingAttr, manual: Sequence[str], mesh: MeshAttr, device: Device
) -> Value:
    """What `device` has of `part`: all of it, or if that is unreduced by a sum, a summand of it."""
    axes = unreduced_axes(sharding, manual)
    if isinstance(part, tuple) or not axes or sharding.reduction_op.data is not ReductionOp.SUM:
        return part
    place = shard_indices(axes, mesh)[device.number]
    last = sharded_size(axes, mesh) - 1
    first, other = summands(part) if last else (part, part)
    return first if place == 0 else other if place == last else np.zeros_like(part)


def put_together(
    parts: Mapping[int, Array], result: SSAValue, axes: Sequence[Sequence[AxisRefAttr]], mesh: MeshAttr
) -> Array:
    """The tensor `result` from its parts by device; of equal parts, that of the first device."""
    (first, *_) = parts.values()
    if as_tensor_type(result.type) is None:
        return first
    whole = np.empty(shape_of(result), first.dtype)
    indices = [shard_indices(tuple(of_dim), mesh) for of_dim in axes]
    for device, part in reversed([*parts.items()]):
        starts = [of_dim[device] * size for of_dim, size in zip(indices, part.shape, strict=True)]
        whole[tuple(slice(start, start + size) for start, size in zip(starts, part.shape, strict=True))] = part
    return whole


UNCHANGED = (
    *COLLECTIVES,
    sdy.DataFlowEdgeOp,
    sdy.FuncDataFlowEdgeOp,
    sdy.PropagationBarrierOp,
    sdy.ReshardOp,
    sdy.ShardingConstraintOp,
)
"""Operations whose result is their operand as a whole tensor."""

SHARDED: Mapping[type[Operation], Rule] = {
    **dict.fromkeys(UNCHANGED, pass_through),
    sdy.ConstantOp: constant,
    sdy.ManualComputationOp: manual_computation,
    sdy.NamedComputationOp: named_computation,
    sdy.ShardingGroupOp: sharding_group,
}
