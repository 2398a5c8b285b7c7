"""A program that is partitioned while its propagated form, the steps of propagation and the traces are kept."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import PassPipeline

from xshardy.engines.program import PREPARATION, PROPAGATION, PartitionedProgram, distributed_tensors, mesh_of
from xshardy.ir.clones import clone_operation
from xshardy.planning.traces import Traces
from xshardy.transforms.sdy_partition.partitioner_pipeline import PartitionerPipelinePass
from xshardy.transforms.sdy_propagation.propagation_history import History, propagate_with_history


@dataclass(frozen=True, slots=True)
class TracedPartition:
    """The program of each device, the propagated program that it comes from, and how that got its shardings."""

    partitioned: PartitionedProgram
    propagated: ModuleOp
    history: History
    """The steps of the propagation, by the values of `propagated`."""
    traces: Traces


def partition_traced(module: ModuleOp, context: Context) -> TracedPartition:
    """
    Propagate the shardings of `module`, in place, and partition a copy of it, as `partition_module` does.

    Raises what that raises.
    """
    PassPipeline(PREPARATION).apply(context, module)
    (pipeline,) = PROPAGATION
    pipeline.check(module)
    mesh, devices = mesh_of(module)
    history = propagate_with_history(module, context, pipeline)
    copy = clone_operation(module)
    traces = Traces([*module.walk()], [*copy.walk()])
    PassPipeline(pipeline.passes_after_propagation).apply(context, copy)
    arguments, results = distributed_tensors(copy, devices)
    traces.record_movements(copy)
    for _ in PartitionerPipelinePass().applied(context, copy):
        traces.record_movements(copy)
    partitioned = PartitionedProgram(copy, mesh, devices, arguments, results)
    return TracedPartition(partitioned, module, history, traces)
