"""The CPU as a machine: an array of bytes for each allocation, kernels executed at a level of the lowering."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from xshardy.dialects.hlo import FusionOp
from xshardy.interpreters.memory_limit import require_memory
from xshardy.interpreters.stablehlo import evaluate
from xshardy.launch.buffer_assignment import BufferAssignment, Slice
from xshardy.launch.computations import Computations
from xshardy.launch.kernel_levels import CpuKernel, kernel_at
from xshardy.launch.launch_plan import Argument, KernelStep, LibraryStep
from xshardy.launch.memory import from_memory, to_memory
from xshardy.numerics.element_types import Array, numpy_dtype, packed, unpacked

UNINITIALISED = 0xFF
"""Every byte of memory that nothing was written to: NaN for floats."""


@dataclass(eq=False)
class CpuMachine:
    """Executes kernels at `level`, as they are for `target`, and library calls by the evaluator."""

    level: str
    target: str
    math: str = "auto"
    kernels: dict[str, CpuKernel] = field(default_factory=dict[str, CpuKernel], repr=False)
    """Those that were executed, by their fingerprints. Machines of one program can have them in common."""
    computations: Computations = field(default_factory=Computations, repr=False)
    """Those of library calls, likewise."""
    _memory: list[Array] = field(default_factory=list[Array], repr=False)

    def allocate(self, sizes: Sequence[int]) -> None:
        self._memory = [np.full(size, UNINITIALISED, np.uint8) for size in sizes]

    def _bytes(self, place: Slice) -> Array:
        return self._memory[place.allocation][place.offset : place.offset + place.size]

    def read(self, place: Slice) -> Array:
        return self._bytes(place).copy()

    def write(self, place: Slice, data: Array) -> None:
        self._bytes(place)[:] = data

    def copy(self, source: Slice, target: Slice) -> None:
        self._bytes(target)[:] = self._bytes(source)

    def fill(self, place: Slice, byte: int) -> None:
        self._bytes(place)[:] = byte

    def kernel(self, step: KernelStep) -> None:
        assert isinstance(step.op, FusionOp)
        if step.fingerprint not in self.kernels:
            self.kernels[step.fingerprint] = kernel_at(step.op, self.level, self.target, self.math)
        arguments = [self._elements(argument) for argument in (*step.operands, *step.results)]
        results = self.kernels[step.fingerprint].run(arguments)
        for argument, array in zip(step.results, results, strict=True):
            self.write(argument.slice, packed(array))

    def _elements(self, argument: Argument) -> Array:
        """The elements of a tensor in memory order."""
        type = argument.leaf.type
        return unpacked(self._bytes(argument.slice), np.empty(type.element_count(), numpy_dtype(type)))

    def library(self, step: LibraryStep) -> None:
        operands = [from_memory(self.read(argument.slice), argument.leaf) for argument in step.operands]
        results = evaluate(self.computations.of(step), operands)
        for argument, array in zip(step.results, results, strict=False):  # without workspace
            self.write(argument.slice, to_memory(array, argument.leaf))

    def is_reference(self, step: LibraryStep) -> bool:
        return True


def cpu_machines(
    assignment: BufferAssignment, count: int, level: str, target: str, math: str = "auto"
) -> list[CpuMachine]:
    """
    Machines for `count` devices, with memory for what `assignment` allocates, and kernels and computations in common.

    Raises `MemoryError` if this machine has less.
    """
    require_memory(count * assignment.total_bytes, "the buffers of the program")
    kernels: dict[str, CpuKernel] = {}
    computations = Computations()
    return [CpuMachine(level, target, math, kernels, computations) for _ in range(count)]
