"""A plan: what a program communicates and holds on each device, computed without running it."""

import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp
from xdsl.ir import Operation
from xdsl.utils.exceptions import DiagnosticException

from xshardy.display.html_parts import facts
from xshardy.ir.clones import clone_operation
from xshardy.planning.byte_counts import in_bytes
from xshardy.planning.cause_picture import cause_picture
from xshardy.planning.causes import Causes
from xshardy.planning.collective_time import collective_seconds
from xshardy.planning.collectives import Collective, collectives_of
from xshardy.planning.fusion import Fusions
from xshardy.planning.memory import memory_of
from xshardy.planning.origins import Origins
from xshardy.planning.roofline import Compute, Work, compute_of, work_of
from xshardy.planning.specs import named_specs, partition_spec
from xshardy.planning.topology import Topology, as_topology
from xshardy.planning.traced_partition import TracedPartition, partition_traced
from xshardy.programs.garbage import collection_suspended
from xshardy.programs.names import SourceNames
from xshardy.programs.program import Program
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.failures import OperationWarning
from xshardy.transforms.inline import InlinePass

if TYPE_CHECKING:
    from jax.sharding import PartitionSpec

SHOWN_TENSORS = 8
"""How many tensors at the peak of memory a notebook shows."""


@dataclass(frozen=True, slots=True)
class HeldTensor:
    """A tensor of the source that is in memory at the peak."""

    name: str
    line: str
    """The place of the operation that computes it; empty for an argument."""
    bytes: int


@dataclass(frozen=True, slots=True)
class Estimate:
    """The time of one execution, in seconds."""

    topology: Topology
    compute: Compute
    collectives: Sequence[float]
    """The time of each of the collectives of the plan, in their order."""

    @property
    def communication(self) -> float:
        """The time of all collectives, one after the other."""
        return sum(self.collectives)

    @property
    def total(self) -> float:
        """The time if communication and computation do not overlap. With full overlap, it is the larger of both."""
        return self.compute.seconds + self.communication


@dataclass(frozen=True, repr=False)
class Plan:
    """What each device of a partitioned program communicates and holds, and why."""

    devices: int
    collectives: Sequence[Collective]
    """In the order of the program."""
    argument_bytes: int
    """The bytes of the arguments of a device."""
    result_bytes: int
    """The bytes of its results that are no arguments."""
    peak_bytes: int
    """The most bytes that it holds at a time, with arguments and results: `memory` has the model."""
    held: Sequence[HeldTensor]
    """What it holds then, largest first."""
    work: Sequence[Work]
    """What it computes between collectives."""
    program: Program
    """The program as it was before propagation: edits are of its values."""
    copies: Mapping[Operation, Operation]
    """For each operation of `program`, that of the copy whose shardings were propagated."""
    traced: TracedPartition

    def __repr__(self) -> str:
        counts = ", ".join(f"{count} {kind}" for kind, count in sorted(self.counts.items())) or "no collectives"
        sent, peak = in_bytes(self.bytes), in_bytes(self.peak_bytes)
        return f"<plan for {self.devices} devices: {sent} sent per device in {counts}; {peak} at the peak>"

    @property
    def names(self) -> SourceNames:
        """The names of the values of the propagated program."""
        return self.traced.sharded.names

    @property
    def bytes(self) -> int:
        """The bytes that a device sends in all collectives."""
        return sum(collective.total for collective in self.collectives)

    @property
    def counts(self) -> Mapping[str, int]:
        """The number of executed collectives of each kind."""
        counts = Counter[str]()
        for collective in self.collectives:
            counts[collective.kind] += collective.count
        return dict(counts)

    def estimate(self, topology: Topology | str) -> Estimate:
        """
        The time of one execution on `topology`, also given as what `topology_named` takes.

        Raises `TopologyError` if that is unknown or lacks a link.
        """
        machine = as_topology(topology)
        times = [collective_seconds(collective, machine) for collective in self.collectives]
        return Estimate(machine, compute_of(self.work, machine), times)

    @property
    def in_shardings(self) -> Any:
        """
        The `PartitionSpec` of each argument, nested as the positional arguments of the function: `jax.jit` takes it.

        A tuple if the program is not a function of JAX. None stands for an argument that the program does not read.
        Raises `ValueError` for a sub-axis, which JAX cannot name.
        """
        shardings = self.traced.partitioned.argument_shardings
        return self.program.source.structure.of_arguments([*map(partition_spec, shardings)])

    @property
    def out_shardings(self) -> Any:
        """The `PartitionSpec` of each result, nested as the results. As `in_shardings`."""
        shardings = self.traced.partitioned.result_shardings
        return self.program.source.structure.of_results([*map(partition_spec, shardings)])

    @cached_property
    def shardings(self) -> Mapping[str, "PartitionSpec"]:
        """The `PartitionSpec` of each tensor by its name: `p['emb']`, `%arg0`, `%7#1`."""
        return named_specs(self.traced.sharded)

    def _repr_html_(self) -> str:
        """What is sent, by causes, as a picture, and the largest tensors at the peak of memory, for notebooks."""
        sent = cause_picture({f"{self.devices} devices": self.collectives}).svg()
        largest = {tensor.name: in_bytes(tensor.bytes) for tensor in self.held[:SHOWN_TENSORS]}
        return f"{sent}{facts({'memory at the peak': in_bytes(self.peak_bytes), **largest})}"


def inlined_module(traced: TracedPartition, context: Context) -> ModuleOp:
    """The program of each device with its calls inlined; it may be that of `traced` itself."""
    module = traced.partitioned.module
    if operations_of(module, CallOp):
        module = clone_operation(module)
        InlinePass().apply(context, module)
    return module


@collection_suspended()
def plan_program(program: Program) -> Plan:
    """
    The plan of `program`, which is left as it is.

    Raises what `partition_module` raises.
    """
    copy, copies = program.copy()
    traced = partition_traced(copy)
    causes = Causes(Origins(traced.sharded.history, copy.names))
    inlined = inlined_module(traced, program.context)
    fusions = Fusions()
    memory = memory_of(inlined, fusions)
    held = Counter[tuple[str, str]]()
    for buffer in memory.held:
        value = traced.traces.original(buffer.value)
        name = "a temporary" if value is None else copy.names.describe(value)
        held[name, "" if value is None else causes.origins.line(value)] += buffer.bytes
    return Plan(
        traced.partitioned.devices,
        collectives_of(traced, causes),
        memory.arguments,
        memory.results,
        memory.peak,
        [HeldTensor(name, line, bytes) for (name, line), bytes in held.most_common()],
        [work for _, work in work_of(inlined, fusions)],
        program,
        copies,
        traced,
    )


def plan_or_none(program: Program) -> Plan | None:
    """
    The plan of a variant of a program, without its warnings, which have been shown for the program.

    None if propagation or partitioning refuses it.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OperationWarning)
        try:
            return plan_program(program)
        except (DiagnosticException, ValueError):
            return None
