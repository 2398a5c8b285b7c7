"""A program that is partitioned while its propagated form, the steps of propagation and the traces are kept."""

from dataclasses import dataclass

from xshardy.axes.grid import Grid
from xshardy.dialects.declared_grid import declared_grid
from xshardy.ir.clones import clone_operation
from xshardy.planning.traces import Traces
from xshardy.programs.device_programs import operation_of_devices
from xshardy.programs.meshes import mesh_of
from xshardy.programs.partitioned import BEFORE_PARTITIONING, PartitionedProgram, distributed_tensors
from xshardy.programs.program import Program
from xshardy.programs.sharded import PROPAGATION, Sharded, shard
from xshardy.rewriting.walk import operations_from
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.transforms.hlo_async.unwrap import AsyncUnwrapPass
from xshardy.transforms.pipeline_pass import IndexedPipeline
from xshardy.transforms.sdy_partition.partitioner_pipeline import PartitionerPipelinePass
from xshardy.transforms.sdy_propagation.module_program import program_of
from xshardy.transforms.sdy_propagation.propagation_history import History


@dataclass(frozen=True, slots=True)
class TracedPartition:
    """The program of each device, and the propagated program that it comes from."""

    partitioned: PartitionedProgram
    sharded: Sharded
    traces: Traces
    grid: Grid
    """The devices."""


def partition_traced(program: Program) -> TracedPartition:
    """
    Propagate the shardings of `program`, in place, and partition a copy of it, as `partition_module` does.

    A program that is written for each of several devices is the program of each device already. Raises what
    `partition_module` raises.
    """
    module, context = program.module, program.context
    PROPAGATION.check(module)
    mesh, devices = mesh_of(module)
    if operation_of_devices(module, mesh) is not None:
        return _program_of_devices(program)
    sharded = shard(program)
    copy = clone_operation(module)
    traces = Traces(operations_from(module), operations_from(copy))
    IndexedPipeline(PROPAGATION.passes_after_propagation).apply(context, copy)
    arguments, results = distributed_tensors(copy, devices)
    IndexedPipeline(BEFORE_PARTITIONING).apply(context, copy)
    traces.record_movements(copy)
    for _ in PartitionerPipelinePass().applied(context, copy, traces.add_reason):
        traces.record_movements(copy)
    return TracedPartition(
        PartitionedProgram(copy, mesh, devices, arguments, results), sharded, traces, Grid(1, devices)
    )


def _program_of_devices(program: Program) -> TracedPartition:
    """A program that each device executes as it is written, with asynchronous operations where they start."""
    AsyncUnwrapPass().apply(program.context, program.module)
    sharded = Sharded(program, History(program_of(program.module, ShardingRules())))
    copy, grid = clone_operation(program.module), declared_grid(program.module)
    partitioned = PartitionedProgram(copy, None, grid.size, *distributed_tensors(copy, grid.size))
    return TracedPartition(partitioned, sharded, Traces(operations_from(program.module), operations_from(copy)), grid)
