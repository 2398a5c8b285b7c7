"""From a prepared program to its launch plan: a table has the kind of step of each kind of operation."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Operation, SSAValue

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.own_async_ops import OWN_DONES
from xshardy.launch.aliases import library_aliases
from xshardy.launch.buffer_assignment import BufferAssignment, assign_buffers
from xshardy.launch.launch_plan import (
    Argument,
    AsyncDoneStep,
    AsyncStartStep,
    CollectiveStep,
    ConditionalStep,
    CopyStep,
    KernelStep,
    LaunchPlan,
    LibraryStep,
    MemsetStep,
    Step,
    WhileStep,
)
from xshardy.launch.leaves import SAME_MEMORY, Leaf, leaves_of, origin, returned, started
from xshardy.launch.memory import to_memory
from xshardy.launch.program import name_of
from xshardy.lowering.nvptx import ptx_name


@dataclass(slots=True)
class Scheduler:
    """The steps made so far of one program."""

    assignment: BufferAssignment
    fingerprints: Mapping[hlo.FusionOp, str]
    count: int = 0
    kernels: dict[str, str] = field(default_factory=dict[str, str])
    starts: dict[Operation, str] = field(default_factory=dict[Operation, str])
    """The name of each asynchronous start. No two have one in common: dones refer to them."""
    names_of_starts: set[str] = field(default_factory=set[str])

    def steps(self, block: Block) -> tuple[Step, ...]:
        """The steps of `block`, in order."""
        found = (STEPS[type(op)](self, op) for op in block.ops if type(op) in STEPS)
        return tuple(step for step in found if step is not None)

    def argument(self, leaf: Leaf) -> Argument:
        """`leaf` in memory."""
        return Argument(leaf, self.assignment.slice(leaf))

    def heading(self, op: Operation) -> tuple[int, str, Operation]:
        """The number of the next step, its name and its operation."""
        self.count += 1
        return self.count - 1, name_of(op), op

    def arguments(self, values: Iterable[SSAValue]) -> tuple[Argument, ...]:
        """The tensors of `values` in memory."""
        return tuple(self.argument(leaf) for value in values for leaf in leaves_of(value))

    def call(self, op: Operation) -> tuple[int, str, Operation, tuple[Argument, ...], tuple[Argument, ...]]:
        """The fields of a step that reads the operands of `op` and writes its results."""
        return (*self.heading(op), self.arguments(op.operands), self.arguments(op.results))


def plan_of(
    entry: FuncOp,
    fingerprints: Mapping[hlo.FusionOp, str],
    aliases: Callable[[hlo.FusionOp], Mapping[int, int]],
    donated: Mapping[int, int],
) -> LaunchPlan:
    """
    The launch plan of the prepared program `entry`, into which this inserts copies.

    `fingerprints` has what equal fusions have in common, `aliases` the results of one that are written into the memory
    of operands, `donated` the results of the program that are written into that of parameters, by number each. Raises
    `ModuleError` for a tensor of unknown size.
    Precondition: `unfused` finds nothing in the program.
    """

    def in_place(op: Operation) -> Mapping[int, int]:
        return aliases(op) if isinstance(op, hlo.FusionOp) else library_aliases(op)

    return schedule(entry, assign_buffers(entry, in_place, donated), fingerprints)


def schedule(entry: FuncOp, assignment: BufferAssignment, fingerprints: Mapping[hlo.FusionOp, str]) -> LaunchPlan:
    """
    The steps of the prepared program `entry`, with the memory of `assignment`.

    `fingerprints` has what equal fusions have in common.
    """
    scheduler = Scheduler(assignment, fingerprints)
    steps = scheduler.steps(entry.body.block)
    results = scheduler.arguments(returned(entry.body.block).operands)
    return LaunchPlan(entry.sym_name.data, entry, assignment, steps, scheduler.kernels, results)


def _kernel(scheduler: Scheduler, op: hlo.FusionOp) -> Step:
    fingerprint = scheduler.fingerprints[op]
    if fingerprint not in scheduler.kernels:
        name, taken = ptx_name(name_of(op)), set(scheduler.kernels.values())
        numbered = (f"{name}_{number}" for number in range(len(taken)))
        scheduler.kernels[fingerprint] = name if name not in taken else next(n for n in numbered if n not in taken)
    return KernelStep(*scheduler.call(op), fingerprint)


def _copy(scheduler: Scheduler, op: hlo.CopyOp) -> Step | None:
    """A copy within one buffer is no step, and that of a constant of equal bytes sets these."""
    if scheduler.assignment.slice(Leaf(op.operand)) == scheduler.assignment.slice(Leaf(op.result)):
        return None
    source = origin(Leaf(op.operand))
    if isinstance(source.value.owner, stablehlo.ConstantOp):
        from xshardy.interpreters.stablehlo.constants import constant_value  # the interpreter, for few modules only

        constant = constant_value(source.value)
        data = None if constant is None else to_memory(constant, source)
        if data is not None and data.size and (data == data[0]).all():
            return MemsetStep(*scheduler.heading(op), (), scheduler.arguments(op.results), int(data[0]))
    return CopyStep(*scheduler.call(op))


def _library(scheduler: Scheduler, op: Operation) -> Step:
    target = op.call_target_name.data if isinstance(op, stablehlo.CustomCallOp) else op.name.partition(".")[2]
    return LibraryStep(*scheduler.call(op), target)


def _collective(scheduler: Scheduler, op: Operation) -> Step:
    return CollectiveStep(*scheduler.call(op))


def _loop(scheduler: Scheduler, op: stablehlo.WhileOp) -> Step:
    heading = scheduler.heading(op)
    predicate = scheduler.argument(Leaf(returned(op.cond.block).operands[0]))
    return WhileStep(*heading, predicate, scheduler.steps(op.cond.block), scheduler.steps(op.body.block))


def _branches(scheduler: Scheduler, op: stablehlo.CaseOp | stablehlo.IfOp) -> Step:
    heading = scheduler.heading(op)
    branches = tuple(scheduler.steps(region.block) for region in op.regions)
    return ConditionalStep(*heading, scheduler.argument(Leaf(op.selector)), branches)


def _start(scheduler: Scheduler, op: stablehlo.AsyncStartOp) -> Step:
    number, name, _ = scheduler.heading(op)
    while name in scheduler.names_of_starts:
        name = f"{name}_{number}"
    scheduler.names_of_starts.add(name)
    scheduler.starts[op] = name
    return AsyncStartStep(number, name, op, scheduler.steps(op.body.block))


def _done(scheduler: Scheduler, op: hlo.DoneOp | stablehlo.AsyncDoneOp) -> Step:
    return AsyncDoneStep(*scheduler.heading(op), scheduler.starts[started(op)])


LIBRARY = (stablehlo.CholeskyOp, stablehlo.CustomCallOp, stablehlo.FftOp, stablehlo.SortOp, stablehlo.TriangularSolveOp)
"""Operations that a library computes in optimised modules."""

COLLECTIVES = (
    stablehlo.AllGatherOp,
    stablehlo.AllReduceOp,
    stablehlo.AllToAllOp,
    stablehlo.CollectiveBroadcastOp,
    stablehlo.CollectivePermuteOp,
    stablehlo.PartitionIdOp,
    stablehlo.ReduceScatterOp,
    stablehlo.ReplicaIdOp,
)
"""Operations that concern other devices."""

STEPS: Mapping[type[Operation], Callable[[Scheduler, Any], Step | None]] = {
    **dict.fromkeys(COLLECTIVES, _collective),
    **dict.fromkeys((hlo.AsyncDoneOp, stablehlo.AsyncDoneOp, *OWN_DONES.values()), _done),
    **dict.fromkeys(LIBRARY, _library),
    hlo.CopyOp: _copy,
    hlo.FusionOp: _kernel,
    stablehlo.AsyncStartOp: _start,
    stablehlo.CaseOp: _branches,
    stablehlo.IfOp: _branches,
    stablehlo.WhileOp: _loop,
}
"""The step of each kind of operation."""

MEMORY_ONLY = (
    *SAME_MEMORY,
    ReturnOp,
    hlo.ElidedConstantOp,
    stablehlo.AfterAllOp,
    stablehlo.ConstantOp,
    stablehlo.CreateTokenOp,
    stablehlo.GetTupleElementOp,
    stablehlo.ReturnOp,
    stablehlo.TupleOp,
)
"""Operations that do not run."""
