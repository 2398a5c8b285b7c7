"""
A GPU that is not there: it holds memory as numpy arrays and runs kernels on the host, and checks what a driver checks.

A kernel is known by its PTX. A launch is rejected if its number of pointers is not that of the entry's parameters, if a
pointer is not the beginning of memory that is allocated, not large enough or not aligned for the kernel, or if the grid
or block is too large.
"""

import re
from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import numpy as np

from xshardy.engines.cuda import Gpu
from xshardy.engines.cuda.gpu import DeviceMemory, GpuError, Launch
from xshardy.interpreters.element_types import Array
from xshardy.interpreters.host import run_on_host
from xshardy.lowering.nvptx import Kernel

ALIGNMENT = 256
"""The alignment of allocated memory in bytes, as the driver's."""


class FakeGpu(Gpu):
    """A GPU that knows some kernels of ours by their PTX."""

    def __init__(self, *kernels: Kernel, memory: int = 1 << 30):
        self.number = 0
        self.kernels = {kernel.ptx: kernel for kernel in kernels}
        self.free = memory
        self.alive: dict[int, Array] = {}
        self.launches = list[Launch]()
        self._next = 0x7F0000000000

    @property
    def name(self) -> str:
        return "a GPU that is not there"

    @property
    def target(self) -> str:
        return "sm_90"

    @property
    def cache_size(self) -> int:
        return 50 << 20

    def load(self, ptx: str, entry: str) -> Any:
        if f".entry {entry}(" not in ptx or ptx not in self.kernels:
            raise GpuError(f"{self.name} refuses the kernel '{entry}'")
        return self.kernels[ptx]

    def allocate(self, size: int) -> DeviceMemory:
        if size > self.free:
            raise GpuError(f"{self.name} refuses a buffer of {size:,} bytes: out of memory")
        self.free -= size
        pointer, self._next = self._next, self._next + -(-max(size, 1) // ALIGNMENT) * ALIGNMENT
        self.alive[pointer] = np.full(size, 0xAB, np.uint8)
        return DeviceMemory(pointer, size, self)

    def store(self, data: Array, memory: DeviceMemory) -> None:
        self.alive[memory.pointer][:] = data.reshape(-1).view(np.uint8)

    def part(self, memory: DeviceMemory, offset: int, size: int) -> DeviceMemory:
        pointer = memory.pointer + offset
        if offset or size != memory.size:
            self.alive[pointer] = self.alive[memory.pointer][offset : offset + size]
        return DeviceMemory(pointer, size, self)

    def download(self, memory: DeviceMemory) -> Array:
        return self.alive[memory.pointer].copy()

    def fill(self, memory: DeviceMemory, byte: int) -> None:
        self.alive[memory.pointer][:] = byte

    def copy(self, source: DeviceMemory, target: DeviceMemory) -> None:
        self.alive[target.pointer][:] = self.alive[source.pointer]

    def launch(self, launch: Launch) -> None:
        kernel: Kernel = launch.kernel
        parameters = kernel.ptx.partition(".entry ")[2].partition(")")[0].count(".param")
        assert len(launch.pointers) == parameters
        assert prod(launch.block) <= 1024 and launch.grid[0] < 2**31 and max(launch.grid[1:], default=1) < 2**16
        assert (
            launch.block
            == tuple(map(int, re.findall(r"\d+", kernel.ptx.partition(".reqntid")[2])[:3]))[: len(launch.block)]
        )
        for argument, pointer in zip(kernel.arguments, launch.pointers, strict=True):
            assert self.alive[pointer].size >= (argument.size or 0), "an argument is too small"
            assert not argument.alignment or pointer % argument.alignment == 0, "an argument is not aligned"
        buffers = {n: self.alive[pointer] for n, pointer in zip(kernel.buffers, launch.pointers, strict=True)}
        for number, data in run_on_host(kernel, buffers).items():
            buffers[number][:] = data
        self.launches.append(launch)

    def wait(self) -> None:
        pass

    def seconds_of(self, work: Callable[[], None], repeats: int, before: Callable[[], None]) -> Sequence[float]:
        for _ in range(repeats):
            before()
            work()
        return [1e-6] * repeats
