"""
Execute a launch plan on a machine, and check every step against the evaluator.

What a step reads must be, bit for bit, what the step that computed it wrote, so a step that overwrites memory too early
is found where its victim is read. What a kernel writes must be what the evaluator makes of the same operands, up to
rounding.

Several devices execute a plan in turns: each goes on until a collective makes it wait for others.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from typing_extensions import TypeVar
from xdsl.ir import Operation, SSAValue
from xdsl.utils.exceptions import DiagnosticException

from xshardy.dialects import hlo, stablehlo
from xshardy.interpreters.check import Comparison
from xshardy.interpreters.reference import Reference
from xshardy.interpreters.stablehlo.calls import results_of
from xshardy.interpreters.stablehlo.devices import Device, alone
from xshardy.interpreters.stablehlo.endless_loops import LoopWatch
from xshardy.interpreters.stablehlo.evaluator import RULES, flattened
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import listed
from xshardy.launch.buffer_assignment import Slice
from xshardy.launch.computations import Computations
from xshardy.launch.launch_plan import (
    Argument,
    AsyncDoneStep,
    AsyncStartStep,
    Call,
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
from xshardy.launch.leaves import Leaf, leaves_of, origin, returned, started
from xshardy.launch.memory import from_memory, to_memory
from xshardy.launch.prepared_program import ModuleError, module_around
from xshardy.numerics.element_types import Array, DType, numpy_dtype
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.hlo.expand_library_calls import TARGETS


class Machine(Protocol):
    """Memory, and how the steps that are no control flow are executed on it."""

    def allocate(self, sizes: Sequence[int]) -> None:
        """Get an allocation of each of `sizes` bytes, in place of those from before."""
        ...

    def read(self, place: Slice) -> Array:
        """A copy of the bytes at `place`."""
        ...

    def write(self, place: Slice, data: Array) -> None:
        """Set the bytes at `place`."""
        ...

    def kernel(self, step: KernelStep) -> None:
        """Launch a kernel."""
        ...

    def library(self, step: LibraryStep) -> None:
        """Call a library."""
        ...

    def is_reference(self, step: LibraryStep) -> bool:
        """Whether the evaluator computes `step`, so that there is nothing to compare its results with."""
        ...

    def copy(self, source: Slice, target: Slice) -> None:
        """Copy bytes."""
        ...

    def fill(self, place: Slice, byte: int) -> None:
        """Set all bytes at `place` to `byte`."""
        ...


@dataclass(frozen=True, slots=True)
class Wrong:
    """A step whose operand or result is not what it should be."""

    step: LaunchStep
    what: str
    reason: Comparison | str

    def __str__(self) -> str:
        return f"step {self.step.number}, {self.step.name}, {self.what}: {self.reason}"


MAX_WATCHED = 1 << 16
"""The bytes of a tensor that are read in each iteration, to find loops that never end. Chosen by us."""


class StepFailedError(DiagnosticException):
    """A step that cannot be executed; the message names it."""


Finished = Callable[[LaunchStep], None]
"""Called after each step."""

T = TypeVar("T", default=None)

Running: TypeAlias = Generator[Any, Any, T]
"""Steps that run. At a collective, it yields what an evaluation of StableHLO does: see `stablehlo/calls.py`."""


@dataclass
class Execution:
    """One execution of `plan` on `machine`, which is `device`. Without `checks`, nothing is compared."""

    plan: LaunchPlan
    machine: Machine
    checks: bool
    finished: Finished = lambda step: None
    device: Device = field(default_factory=alone)
    late: bool = False
    """Whether what is started asynchronously runs at its done, not at its start: the first and the last moment."""
    wrong: Wrong | None = None
    """The first step that is wrong."""
    steps: int = 0
    """How many steps were executed, those of loops as often as they were."""
    _started: dict[Operation, AsyncStartStep] = field(default_factory=dict[Operation, AsyncStartStep])
    """With `late`, what was started and has not run yet, by its operation."""
    _computations: Computations = field(default_factory=Computations)
    """Those of the steps that were compared."""
    _written: dict[Leaf, Array] = field(default_factory=dict[Leaf, Array])
    """With `checks`, the bytes of each tensor as they were written."""

    def run(self, arguments: Sequence[Array]) -> list[Array]:
        """
        The results of the program for `arguments`, whose shapes and types are those of its parameters.

        Raises `ModuleError` for others, and `StepFailedError` for a step that cannot be executed. With `checks`, ends
        after the first step that is wrong.
        """
        with np.errstate(all="ignore"):
            return list(flattened(listed(results_of(self.running(arguments)))))

    def running(self, arguments: Sequence[Array]) -> Running[list[Array]]:
        """What `run` does, on one device of several."""
        parameters = self.plan.parameters
        check_count(parameters, arguments)
        for leaf, array in zip(parameters, arguments, strict=True):
            check_type(leaf, array.shape, array.dtype)
        allocations = self.plan.assignment.allocations
        self.machine.allocate([allocation.size for allocation in allocations])
        for allocation in allocations:
            if allocation.constant is None:
                continue
            if (data := allocation.constant_value) is None:
                raise ModuleError(f"constant {allocation.constant.name}: {hlo.ElidedConstantOp.ERROR}")
            self._write(allocation.constant, data)
        for leaf, array in zip(parameters, arguments, strict=True):
            self._write(leaf, to_memory(array, leaf))
        yield from self.run_steps(self.plan.steps)
        for step in self._started.values():  # without a done
            yield from self.run_steps(step.steps)
        return [from_memory(self.machine.read(result.slice), result.leaf) for result in self.plan.results]

    def execute(self, steps: Sequence[LaunchStep] | None = None) -> None:
        """Run `steps`, by default all, on memory that has what they read. Raises `StepFailedError`."""

        def running() -> Running[tuple[()]]:
            yield from self.run_steps(self.plan.steps if steps is None else steps)
            return ()

        with np.errstate(all="ignore"):
            results_of(running())

    def _write(self, leaf: Leaf, data: Array) -> None:
        """Set the bytes of a tensor of the program before it begins."""
        self.machine.write(self.plan.assignment.slice(leaf), data)
        self._remember(leaf, data)

    def _remember(self, leaf: Leaf, data: Array) -> None:
        if self.checks:
            self._written[origin(leaf)] = data

    def _known(self, leaf: Leaf) -> Array | None:
        """The bytes of a tensor as they were written; a copy within a buffer, which is no step, has those before it."""
        first = origin(leaf)
        while isinstance(copy := first.value.owner, hlo.CopyOp) and copy in self.plan.assignment.inserted:
            before = origin(Leaf(copy.operand))
            if self.plan.assignment.slice(before) != self.plan.assignment.slice(first):
                break
            first = before
        return self._written.get(first)

    def run_steps(self, steps: Sequence[LaunchStep]) -> Running:
        """Run some steps of the plan, in order."""
        for step in steps:
            try:
                if (running := RUN[type(step)](self, step)) is not None:
                    yield from running
            except StepFailedError:
                raise
            except (DiagnosticException, ValueError) as error:
                raise StepFailedError(f"step {step.number}, {step.name}: {error}") from error
            if self.wrong is not None:
                return
            self.steps += 1
            self.finished(step)

    # -- Steps -------------------------------------------------------------------------------------------------------

    def kernel(self, step: KernelStep) -> None:
        operands = self._operand_arrays(step)
        self.machine.kernel(step)
        results = self._result_arrays(step)
        if self.checks and self.wrong is None:
            self._compare(step, operands, results)

    def library(self, step: LibraryStep) -> None:
        operands = self._operand_arrays(step)
        self.machine.library(step)
        results = self._result_arrays(step)
        if self.checks and self.wrong is None and is_comparable(step) and not self.machine.is_reference(step):
            self._compare(step, operands, results)

    def collective(self, step: CollectiveStep) -> Running:
        """Exchange data with the other devices, through the host."""
        self._operand_arrays(step)
        operands = [from_memory(self.machine.read(argument.slice), argument.leaf) for argument in step.operands]
        results = RULES[type(step.op)](self._evaluator, step.op, *operands)
        if isinstance(results, Generator):
            results = yield results
        for argument, array in zip(step.results, flattened(listed(results)), strict=True):
            self.machine.write(argument.slice, to_memory(array, argument.leaf))
        self._result_arrays(step)

    @cached_property
    def _evaluator(self) -> Evaluator:
        """What evaluates collectives."""
        return Evaluator(RULES, functions_of(module_around(self.plan.entry)), self.device)

    def copy(self, step: CopyStep) -> None:
        self._operand_arrays(step)
        self.machine.copy(step.operands[0].slice, step.results[0].slice)
        self._result_arrays(step)

    def memset(self, step: MemsetStep) -> None:
        self.machine.fill(step.results[0].slice, step.byte)
        self._result_arrays(step)

    def loop(self, step: WhileStep) -> Running:
        op = step.op
        assert isinstance(op, stablehlo.WhileOp)
        state: Sequence[SSAValue] = op.operands
        watch = LoopWatch(op)
        while True:
            self._pass_on(state, op.cond.block.args)
            yield from self.run_steps(step.condition)
            if self.wrong is not None:
                return
            if not self._value(step, step.predicate).any():
                break
            watch.iterate(lambda index: self._bytes(op.cond.block.args[index]))
            self._pass_on(op.cond.block.args, op.body.block.args)
            yield from self.run_steps(step.body)
            if self.wrong is not None:
                return
            state = returned(op.body.block).operands
        self._pass_on(op.cond.block.args, op.results)

    def _bytes(self, value: SSAValue) -> object:
        """The memory of `value`, also of a tuple; what equals nothing if that takes long to read from a GPU."""
        places = [self.plan.assignment.slice(origin(leaf)) for leaf in leaves_of(value)]
        is_small = sum(place.size for place in places) <= MAX_WATCHED
        return b"".join(self.machine.read(place).tobytes() for place in places) if is_small else object()

    def branch(self, step: ConditionalStep) -> Running:
        chosen = step.branch(int(self._value(step, step.selector)))
        yield from self.run_steps(step.branches[chosen])
        self._pass_on(returned(step.op.regions[chosen].block).operands, step.op.results)

    def start(self, step: AsyncStartStep) -> Running:
        """Machines execute in order: what is started runs before the next step, or when it is waited for."""
        if self.late:
            self._started[step.op] = step
        else:
            yield from self.run_steps(step.steps)

    def done(self, step: AsyncDoneStep) -> Running:
        """Run what was started, if it has not run yet."""
        if (waited_for := self._started.pop(started(step.op), None)) is not None:
            yield from self.run_steps(waited_for.steps)

    # -- Checks ------------------------------------------------------------------------------------------------------

    def _value(self, step: LaunchStep, argument: Argument) -> Array:
        """A tensor that decides how `step` goes on."""
        data = self.machine.read(argument.slice)
        self._require_written(step, argument, data)
        return from_memory(data, argument.leaf)

    def _operand_arrays(self, step: Call) -> list[Array]:
        """With checks, the bytes of the operands of `step`."""
        found: list[Array] = []
        for argument in step.operands if self.checks else ():
            found.append(data := self.machine.read(argument.slice))
            self._require_written(step, argument, data)
        return found

    def _require_written(self, step: LaunchStep, argument: Argument, data: Array) -> None:
        """`step` is wrong if an operand is not what was written."""
        expected = self._known(argument.leaf)
        if self.wrong is None and expected is not None and (changed := np.flatnonzero(data != expected)).size:
            reason = f"{changed.size} of its {data.size} bytes were overwritten before, the first at {changed[0]}"
            self.wrong = Wrong(step, f"operand {argument.leaf.name}", reason)

    def _result_arrays(self, step: Call) -> list[Array]:
        """With checks, the bytes of the results of `step`, which are remembered."""
        found = [self.machine.read(argument.slice) for argument in step.results] if self.checks else []
        for argument, data in zip(step.results, found, strict=False):
            self._remember(argument.leaf, data)
        return found

    def _compare(self, step: Call, operands: Sequence[Array], results: Sequence[Array]) -> None:
        """`step` is wrong if a result is not that of the evaluator for the same operands."""
        arrays = [from_memory(data, argument.leaf) for argument, data in zip(step.operands, operands, strict=True)]
        reference = Reference(self._computations.of(step), arrays)
        compared = step.results[: len(reference.results)]  # without workspace
        for index, (argument, data) in enumerate(zip(compared, results, strict=False)):
            if index in reference.undefined:
                continue
            comparison = reference.compare(index, from_memory(data, argument.leaf))
            if not comparison:
                self.wrong = Wrong(step, f"result {argument.leaf.name}", comparison)
                return

    def _pass_on(self, sources: Sequence[SSAValue], targets: Sequence[SSAValue]) -> None:
        """Each of `targets` is now what the source of the same number is."""
        now = [self._known(Leaf(source)) for source in sources]
        for target, data in zip(targets, now, strict=True):
            if data is not None:
                self._written[Leaf(target)] = data


def is_comparable(step: LibraryStep) -> bool:
    """
    Whether the results of `step` can be compared: HLO defines them, up to rounding that an evaluation can follow.

    HLO leaves open where a sort has equal keys, which sign a singular vector has, and half of a triangular matrix. How
    rounding moves a solution or a Fourier transform is not known, as the evaluator computes each at once.
    """
    if isinstance(step.op, stablehlo.SortOp):
        return step.op.is_stable is not None and bool(step.op.is_stable.value.data)
    return step.target in TARGETS


def check_count(parameters: Sequence[Leaf], arrays: Sequence[object]) -> None:
    """Raises `ModuleError` if there is not an array for each parameter."""
    if len(arrays) != len(parameters):
        raise ModuleError(f"the program has {len(parameters)} parameters, but there are {len(arrays)} arrays")


def check_type(parameter: Leaf, shape: tuple[int, ...], dtype: DType | None) -> None:
    """Raises `ModuleError` for an array of another shape or type than `parameter`."""
    if shape != parameter.type.get_shape() or dtype != numpy_dtype(parameter.type):
        raise ModuleError(
            f"parameter {parameter.name} is a {parameter.shape_text}, but the array for it is {dtype}{[*shape]}"
        )


RUN: Mapping[type[LaunchStep], Callable[[Execution, Any], Running | None]] = {
    AsyncDoneStep: Execution.done,
    AsyncStartStep: Execution.start,
    CollectiveStep: Execution.collective,
    ConditionalStep: Execution.branch,
    CopyStep: Execution.copy,
    KernelStep: Execution.kernel,
    LibraryStep: Execution.library,
    MemsetStep: Execution.memset,
    WhileStep: Execution.loop,
}
"""How each kind of step is executed."""
