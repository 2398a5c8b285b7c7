"""What the fake driver holds: memory, modules, kernels, events, graphs, and what was launched."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from math import prod

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import LaunchError, PtxError
from xshardy.ptx.faults import FaultError
from xshardy.ptx.machine import Machine
from xshardy.ptx.memory import LARGEST_ACCESS, Region
from xshardy.ptx.text import read_ptx

ALIGNMENT = 256
"""Of allocated memory in bytes, as the driver's."""

WORD = 4
"""Bytes that atomic updates of smaller elements access."""

_ENTRY = re.compile(r"\.entry (\S+?)\((.*?)\)", re.DOTALL)
_ALIGNMENT = re.compile(r"\.align (\d+)")


class Result(IntEnum):
    """Error codes of the driver, as in NVIDIA's `cuda.h`."""

    SUCCESS = 0
    INVALID_VALUE = 1
    OUT_OF_MEMORY = 2
    NO_DEVICE = 100
    INVALID_PTX = 218
    NOT_FOUND = 500
    ILLEGAL_ADDRESS = 700
    MISALIGNED_ADDRESS = 716
    NOT_SUPPORTED = 801
    UNKNOWN = 999


class DriverError(Exception):
    """What a function of the driver refuses, and why."""

    def __init__(self, result: Result, reason: str):
        super().__init__(reason)
        self.result = result


@dataclass(frozen=True, slots=True)
class Kernel:
    """An entry of a loaded module."""

    machine: Machine
    alignments: tuple[int, ...]
    """Of what each parameter points to, in bytes."""

    @property
    def name(self) -> str:
        return self.machine.entry.name


@dataclass(frozen=True, slots=True)
class Launch:
    """A launch of a kernel that was executed."""

    name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    pointers: tuple[int, ...]
    stream: int


@dataclass(slots=True)
class Driver:
    """A machine with one GPU; streams run in the order of the calls."""

    is_present: bool = False
    free: int = 0
    """Bytes that can be allocated."""
    alive: dict[int, tuple[Array, int]] = field(default_factory=dict[int, tuple[Array, int]])
    """Allocated memory by its address, and its size; the array may be a little larger."""
    kernels: dict[int, dict[str, Kernel]] = field(default_factory=dict[int, dict[str, Kernel]])
    """By the handle of their module, and by name."""
    handles: dict[int, object] = field(default_factory=dict[int, object])
    """What is known by a number: kernels, events, graphs."""
    captured: dict[int, int] = field(default_factory=dict[int, int])
    """For a stream that records what it is asked to do: the handle of the graph."""
    launches: list[Launch] = field(default_factory=list[Launch])
    graph_launches: int = 0
    failure: DriverError | None = None
    """What a kernel did wrong: all that is asked for after its launch fails."""
    refusals: list[str] = field(default_factory=list[str])
    """The reasons of all errors."""

    def reset(self, memory: int) -> None:
        """A machine on which nothing has happened. Memory that is still in use stays, but does not count."""
        self.free = memory
        self.captured.clear()
        self.launches.clear()
        self.refusals.clear()
        self.graph_launches = 0
        self.failure = None

    def handle(self, thing: object) -> int:
        """A number for `thing`."""
        number = 0x10000 + 16 * len(self.handles)
        self.handles[number] = thing
        return number

    def recorded(self, graph: int) -> list[Callable[[], None]]:
        """The work of a graph."""
        found = self.handles[graph]
        assert isinstance(found, list)
        return found

    def do(self, stream: int, work: Callable[[], None]) -> None:
        """Do `work`, or record it if `stream` is captured."""
        if stream in self.captured:
            self.recorded(self.captured[stream]).append(work)
            return
        if self.failure is not None:
            raise self.failure
        work()

    # -- Memory ------------------------------------------------------------------------------------------------------

    def allocate(self, size: int) -> int:
        """The address of new memory, filled with a pattern."""
        if not size:
            raise DriverError(Result.INVALID_VALUE, "0 bytes: the driver allocates at least one")
        if size > self.free:
            raise DriverError(Result.OUT_OF_MEMORY, f"out of memory: {size:,} bytes, but {self.free:,} are free")
        space = np.full(-(-size // LARGEST_ACCESS) * LARGEST_ACCESS + ALIGNMENT, 0xAB, np.uint8)
        start = -space.ctypes.data % ALIGNMENT
        data = space[start : start + space.size - ALIGNMENT]
        self.alive[data.ctypes.data] = data, size
        self.free -= size
        return data.ctypes.data

    def release(self, pointer: int) -> None:
        if pointer not in self.alive:
            raise DriverError(Result.INVALID_VALUE, f"{pointer:#x} is freed, but not allocated")
        data, size = self.alive.pop(pointer)
        data[:] = 0xCD
        self.free += size

    def region(self, pointer: int, name: str) -> Region:
        """The memory from `pointer` to the end of its allocation, which is that of a word, as on a GPU."""
        for start, (data, size) in self.alive.items():
            if start <= pointer < start + max(size, 1):
                offset = pointer - start
                return Region(name, -(-size // WORD) * WORD - offset, data[offset:])
        raise DriverError(Result.ILLEGAL_ADDRESS, f"{name}: nothing is allocated at {pointer:#x}")

    def require(self, pointer: int, size: int) -> None:
        """`size` bytes from `pointer` on must be allocated; on the host, anything may be."""
        if self.is_device_pointer(pointer) and self.region(pointer, "memory").size < size:
            raise DriverError(Result.INVALID_VALUE, f"{size:,} bytes at {pointer:#x}: the allocation ends before")

    def is_device_pointer(self, pointer: int) -> bool:
        return any(start <= pointer < start + max(size, 1) for start, (_, size) in self.alive.items())

    # -- Kernels -----------------------------------------------------------------------------------------------------

    def load(self, text: str) -> int:
        """The handle of a module in PTX."""
        try:
            module = read_ptx(text)
        except PtxError as error:
            raise DriverError(Result.INVALID_PTX, str(error)) from error
        alignments = {name: tuple(map(int, _ALIGNMENT.findall(listed))) for name, listed in _ENTRY.findall(text)}
        kernels = {name: Kernel(Machine(module, name), alignments[name]) for name in module.entries}
        number = self.handle(module)
        self.kernels[number] = kernels
        return number

    def launch(self, kernel: Kernel, launch: Launch) -> None:
        """Execute `kernel`."""
        grid, block, pointers = launch.grid, launch.block, launch.pointers
        if prod(block) > 1024 or grid[0] >= 2**31 or max(grid[1:]) >= 2**16 or not prod(grid):
            raise DriverError(Result.INVALID_VALUE, f"{kernel.name}: a grid of {grid} blocks of {block} threads")
        for index, (pointer, alignment) in enumerate(zip(pointers, kernel.alignments, strict=True)):
            if pointer % alignment:
                reason = f"{kernel.name}: argument {index} is at {pointer:#x}, no multiple of {alignment} bytes"
                raise DriverError(Result.MISALIGNED_ADDRESS, reason)
        try:
            regions = {pointer: self.region(pointer, f"argument {i}") for i, pointer in enumerate(pointers)}
            kernel.machine.run(grid, block, [regions[pointer] for pointer in pointers])
        except LaunchError as error:
            raise DriverError(Result.INVALID_VALUE, str(error)) from error
        except (DriverError, FaultError) as error:
            self.failure = DriverError(Result.ILLEGAL_ADDRESS, f"{kernel.name}: {error}")
        self.launches.append(launch)


DRIVER = Driver()
