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
        self.bytes_of(memory)[:] = data.reshape(-1).view(np.uint8)

    def part(self, memory: DeviceMemory, offset: int, size: int) -> DeviceMemory:
        assert offset + size <= memory.size
        return DeviceMemory(memory.pointer + offset, size, self)

    def bytes_of(self, memory: DeviceMemory) -> Array:
        """The bytes of memory that is allocated, or of a part of it."""
        return self.bytes_from(memory.pointer)[: memory.size]

    def bytes_from(self, pointer: int) -> Array:
        """The bytes from an address to the end of the memory around it."""
        for start, data in self.alive.items():
            if start <= pointer < start + max(data.size, 1):
                return data[pointer - start :]
        raise AssertionError(f"nothing is allocated at {pointer:#x}")

    def download(self, memory: DeviceMemory) -> Array:
        return self.bytes_of(memory).copy()

    def fill(self, memory: DeviceMemory, byte: int) -> None:
        self.bytes_of(memory)[:] = byte

    def copy(self, source: DeviceMemory, target: DeviceMemory) -> None:
        self.bytes_of(target)[:] = self.bytes_of(source)

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
            assert self.bytes_from(pointer).size >= (argument.size or 0), "an argument is too small"
            assert not argument.alignment or pointer % argument.alignment == 0, "an argument is not aligned"
        arguments = zip(kernel.buffers, kernel.arguments, launch.pointers, strict=True)
        buffers = {number: self.bytes_from(pointer)[: argument.size] for number, argument, pointer in arguments}
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
