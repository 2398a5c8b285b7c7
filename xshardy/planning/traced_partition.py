"""A program that is partitioned while its propagated form, the steps of propagation and the traces are kept."""

from dataclasses import dataclass

from xdsl.passes import PassPipeline

from xshardy.ir.clones import clone_operation
from xshardy.planning.traces import Traces
from xshardy.programs.meshes import mesh_of
from xshardy.programs.partitioned import BEFORE_PARTITIONING, PartitionedProgram, distributed_tensors
from xshardy.programs.program import Program
from xshardy.programs.sharded import PROPAGATION, Sharded, shard
from xshardy.transforms.sdy_partition.partitioner_pipeline import PartitionerPipelinePass


@dataclass(frozen=True, slots=True)
class TracedPartition:
    """The program of each device, and the propagated program that it comes from."""

    partitioned: PartitionedProgram
    sharded: Sharded
    traces: Traces


def partition_traced(program: Program) -> TracedPartition:
    """
    Propagate the shardings of `program`, in place, and partition a copy of it, as `partition_module` does.

    Raises what that raises.
    """
    module, context = program.module, program.context
    PROPAGATION.check(module)
    mesh, devices = mesh_of(module)
    sharded = shard(program)
    copy = clone_operation(module)
    traces = Traces([*module.walk()], [*copy.walk()])
    PassPipeline(PROPAGATION.passes_after_propagation).apply(context, copy)
    arguments, results = distributed_tensors(copy, devices)
    PassPipeline(BEFORE_PARTITIONING).apply(context, copy)
    traces.record_movements(copy)
    for _ in PartitionerPipelinePass().applied(context, copy, traces.add_reason):
        traces.record_movements(copy)
    return TracedPartition(PartitionedProgram(copy, mesh, devices, arguments, results), sharded, traces)
