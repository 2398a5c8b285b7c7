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
    LaunchStep,
    LibraryStep,
    MemsetStep,
    WhileStep,
)
from xshardy.launch.leaves import SAME_MEMORY, Leaf, leaves_of, origin, returned, started
from xshardy.launch.prepared_program import name_of
from xshardy.lowering.code_generators import ptx_name


@dataclass(slots=True)
class StepMaker:
    """The steps made so far of one program."""

    assignment: BufferAssignment
    fingerprints: Mapping[hlo.FusionOp, str]
    count: int = 0
    kernels: dict[str, str] = field(default_factory=dict[str, str])
    starts: dict[Operation, str] = field(default_factory=dict[Operation, str])
    """The name of each asynchronous start. No two have one in common: dones refer to them."""
    names_of_starts: set[str] = field(default_factory=set[str])

    def steps(self, block: Block) -> tuple[LaunchStep, ...]:
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

    return plan_in_memory(entry, assign_buffers(entry, in_place, donated), fingerprints)


def plan_in_memory(entry: FuncOp, assignment: BufferAssignment, fingerprints: Mapping[hlo.FusionOp, str]) -> LaunchPlan:
    """
    The steps of the prepared program `entry`, with the memory of `assignment`.

    `fingerprints` has what equal fusions have in common.
    """
    maker = StepMaker(assignment, fingerprints)
    steps = maker.steps(entry.body.block)
    results = maker.arguments(returned(entry.body.block).operands)
    return LaunchPlan(entry.sym_name.data, entry, assignment, steps, maker.kernels, results)


def _kernel(maker: StepMaker, op: hlo.FusionOp) -> LaunchStep:
    fingerprint = maker.fingerprints[op]
    if fingerprint not in maker.kernels:
        name, taken = ptx_name(name_of(op)), set(maker.kernels.values())
        numbered = (f"{name}_{number}" for number in range(len(taken)))
        maker.kernels[fingerprint] = name if name not in taken else next(n for n in numbered if n not in taken)
    return KernelStep(*maker.call(op), fingerprint)


def _copy(maker: StepMaker, op: hlo.CopyOp) -> LaunchStep | None:
    """A copy within one buffer is no step, and that of a constant of equal bytes sets these."""
    if maker.assignment.slice(Leaf(op.operand)) == maker.assignment.slice(Leaf(op.result)):
        return None
    source = origin(Leaf(op.operand))
    if isinstance(source.value.owner, stablehlo.ConstantOp):
        from xshardy.interpreters.stablehlo.constants import constant_value  # the interpreter, for few modules only
        from xshardy.launch.memory import to_memory

        constant = constant_value(source.value)
        data = None if constant is None else to_memory(constant, source)
        if data is not None and data.size and (data == data[0]).all():
            return MemsetStep(*maker.heading(op), (), maker.arguments(op.results), int(data[0]))
    return CopyStep(*maker.call(op))


def _library(maker: StepMaker, op: Operation) -> LaunchStep:
    target = op.call_target_name.data if isinstance(op, stablehlo.CustomCallOp) else op.name.partition(".")[2]
    return LibraryStep(*maker.call(op), target)


def _collective(maker: StepMaker, op: Operation) -> LaunchStep:
    return CollectiveStep(*maker.call(op))


def _loop(maker: StepMaker, op: stablehlo.WhileOp) -> LaunchStep:
    heading = maker.heading(op)
    predicate = maker.argument(Leaf(returned(op.cond.block).operands[0]))
    return WhileStep(*heading, predicate, maker.steps(op.cond.block), maker.steps(op.body.block))


def _branches(maker: StepMaker, op: stablehlo.CaseOp | stablehlo.IfOp) -> LaunchStep:
    heading = maker.heading(op)
    branches = tuple(maker.steps(region.block) for region in op.regions)
    return ConditionalStep(*heading, maker.argument(Leaf(op.selector)), branches)


def _start(maker: StepMaker, op: stablehlo.AsyncStartOp) -> LaunchStep:
    number, name, _ = maker.heading(op)
    while name in maker.names_of_starts:
        name = f"{name}_{number}"
    maker.names_of_starts.add(name)
    maker.starts[op] = name
    return AsyncStartStep(number, name, op, maker.steps(op.body.block))


def _done(maker: StepMaker, op: hlo.DoneOp | stablehlo.AsyncDoneOp) -> LaunchStep:
    return AsyncDoneStep(*maker.heading(op), maker.starts[started(op)])


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
"""Operations that other devices take part in, or that depend on the number of the device."""

STEPS: Mapping[type[Operation], Callable[[StepMaker, Any], LaunchStep | None]] = {
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
