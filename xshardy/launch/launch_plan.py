"""
What a program launches, in which order and on which memory: the model of `plan.json`.

A step is an operation of the prepared program that runs. Bitcasts, constants and elements of tuples are no steps: they
are memory.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.launch.buffer_assignment import BufferAssignment, Slice
from xshardy.launch.leaves import Leaf, leaves_of
from xshardy.launch.live_ranges import Interval

_CAPITAL = re.compile("(?<=[a-z])[A-Z]")


@dataclass(frozen=True, slots=True)
class Argument:
    """A tensor that a step reads or writes."""

    leaf: Leaf
    slice: Slice


@dataclass(frozen=True, slots=True)
class LaunchStep:
    """A step; `number` counts all steps in schedule order, those inside of others after these."""

    number: int
    name: str
    op: Operation = field(repr=False)

    @property
    def kind(self) -> str:
        """What it does: `kernel`, `async_start`, ..."""
        return _CAPITAL.sub(r"_\g<0>", type(self).__name__.removesuffix("Step")).lower()

    @property
    def inner(self) -> tuple[Sequence["LaunchStep"], ...]:
        """The sequences of steps inside of this one."""
        return ()


@dataclass(frozen=True, slots=True)
class Call(LaunchStep):
    """A step that reads operands and writes results."""

    operands: tuple[Argument, ...]
    results: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class KernelStep(Call):
    """Launch the kernel of a fusion: its arguments are the operands, then the results."""

    fingerprint: str


@dataclass(frozen=True, slots=True)
class LibraryStep(Call):
    """Call the function `target` of a library, with the configuration that the operation has."""

    target: str


@dataclass(frozen=True, slots=True)
class CollectiveStep(Call):
    """Exchange data with other devices, or ask for the number of this one."""


@dataclass(frozen=True, slots=True)
class CopyStep(Call):
    """Copy the bytes of the operand to the result."""


@dataclass(frozen=True, slots=True)
class MemsetStep(Call):
    """Set every byte of the result to `byte`."""

    byte: int


@dataclass(frozen=True, slots=True)
class WhileStep(LaunchStep):
    """Run `condition`; while `predicate` is not zero then, run `body` and `condition`."""

    predicate: Argument
    condition: tuple[LaunchStep, ...]
    body: tuple[LaunchStep, ...]

    @property
    def inner(self) -> tuple[Sequence[LaunchStep], ...]:
        return self.condition, self.body


@dataclass(frozen=True, slots=True)
class ConditionalStep(LaunchStep):
    """
    Run the steps of one branch.

    A predicate chooses the first one if it is not zero. An index chooses by number; one without a branch stands for the
    last.
    """

    selector: Argument
    branches: tuple[tuple[LaunchStep, ...], ...]

    def branch(self, selected: int) -> int:
        """The number of the branch that runs if the selector is `selected`."""
        if isinstance(self.op, stablehlo.IfOp):
            return 0 if selected else 1
        return selected if 0 <= selected < len(self.branches) else len(self.branches) - 1

    @property
    def inner(self) -> tuple[Sequence[LaunchStep], ...]:
        return self.branches


@dataclass(frozen=True, slots=True)
class AsyncStartStep(LaunchStep):
    """
    Start `steps` on another stream. No other start has the same name.

    Their memory belongs to them until the step `done`, or the end without one.
    """

    steps: tuple[LaunchStep, ...]

    @property
    def inner(self) -> tuple[Sequence[LaunchStep], ...]:
        return (self.steps,)


@dataclass(frozen=True, slots=True)
class AsyncDoneStep(LaunchStep):
    """Wait for the steps that the step called `start` has started."""

    start: str


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """The steps of a program, and its memory."""

    name: str
    entry: FuncOp = field(repr=False)
    assignment: BufferAssignment = field(repr=False)
    steps: Sequence[LaunchStep]
    kernels: Mapping[str, str] = field(repr=False)
    """The name of the entry of each kernel in PTX, by the fingerprint of its fusions, in the order of first use."""
    results: tuple[Argument, ...]

    @property
    def parameters(self) -> tuple[Leaf, ...]:
        """The tensors that the program is given."""
        return tuple(leaf for value in self.entry.body.block.args for leaf in leaves_of(value))

    def all_steps(self) -> Iterator[LaunchStep]:
        """The steps in the order of their numbers."""
        return walk(self.steps)

    def library_steps(self) -> Iterator[LibraryStep]:
        """The calls of libraries, in order."""
        return (step for step in self.all_steps() if isinstance(step, LibraryStep))

    def counted(self) -> str:
        """How many steps of each kind there are: `2 kernel, 1 library`."""
        counts = Counter(step.kind for step in self.all_steps())
        return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))

    def lifetime(self, times: Interval) -> tuple[int, int]:
        """The numbers of the first and the last step during which a tensor that is live at `times` is live."""
        numbers = [2 * self.assignment.ranges.numbers[step.op] for step in self.all_steps()]
        first = min(bisect_left(numbers, times.start), len(numbers) - 1)
        return max(first, 0), max(bisect_right(numbers, times.end - 1) - 1, first, 0)


def walk(steps: Sequence[LaunchStep]) -> Iterator[LaunchStep]:
    """`steps` and those inside of them."""
    for step in steps:
        yield step
        for inner in step.inner:
            yield from walk(inner)
