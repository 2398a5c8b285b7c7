"""Compiled kernels of this project on the PTX machine."""

from collections.abc import Mapping
from dataclasses import replace

from xshardy.lowering.code_generators import Kernel
from xshardy.numerics.element_types import Array, packed, unpacked
from xshardy.ptx.machine import Machine, Options
from xshardy.ptx.memory import Region

WORD = 4
"""Atomic updates of smaller elements access the word of so many bytes that they are in. GPUs allocate whole words."""


def run_kernel(kernel: Kernel, buffers: Mapping[int, Array], options: Options | None = None) -> dict[int, Array]:
    """
    Run `kernel`; returns the written buffers by their slice index, in their original shapes.

    `buffers` are the arguments by slice index, elements in memory order; they are not changed. Raises `FaultError` for
    an access out of bounds and the like, also of a part of a vector, and `PtxError` for an instruction that the machine
    does not know.
    """
    multiple = WORD if "atom." in kernel.ptx else 1
    regions = {number: _region(f"buffer {number}", packed(array), multiple) for number, array in buffers.items()}
    arguments = [regions[number] for number in kernel.buffers]
    options = replace(options or Options(), vectors_end_in_bounds=True)
    Machine(kernel.ptx, kernel.entry).run(kernel.grid, kernel.block, arguments, options)
    return {
        number: unpacked(regions[number].data[: packed(buffers[number]).size], buffers[number])
        for number in kernel.written_buffers
    }


def _region(name: str, data: Array, multiple: int) -> Region:
    """A region with a copy of `data`, and what is missing to a multiple of so many bytes."""
    region = Region(name, -(-data.size // multiple) * multiple)
    region.data[: data.size] = data
    return region
