"""The launch dimensions of a kernel, and the partition of the grid into chunks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects import func, gpu

from xshardy.dialects.xla_gpu.discardable import get_range, launch_dimensions
from xshardy.interpreters.element_types import Array
from xshardy.interpreters.simt.errors import SimtError

AXES = ("x", "y", "z")
WARP_SIZE = 32


@dataclass(frozen=True, slots=True)
class Launch:
    """The threads of a block and the blocks of the grid, each along x, y and z. Linear numbers run along x first."""

    block: tuple[int, int, int]
    grid: tuple[int, int, int]

    @property
    def threads(self) -> int:
        """The threads of a block."""
        return prod(self.block)

    @property
    def blocks(self) -> int:
        """The blocks of the grid."""
        return prod(self.grid)

    def chunks(self, max_lanes: int) -> Iterator[range]:
        """
        The numbers of the blocks, in chunks of whole blocks with at most `max_lanes` threads, or of a single block.
        """
        size = max(max_lanes // max(self.threads, 1), 1)
        for first in range(0, self.blocks, size):
            yield range(first, min(first + size, self.blocks))

    def place(self, lane: int) -> str:
        """The thread with the linear number `lane` in the grid, in words."""
        block, thread = divmod(lane, self.threads)
        return f"thread {coordinates(thread, self.block)} of block {coordinates(block, self.grid)}"


def coordinates(number: int, sizes: Sequence[int]) -> tuple[int, ...]:
    """The coordinates along x, y and z of a linear number, x fastest."""
    return tuple(int(part) for part in np.unravel_index(number, tuple(sizes), order="F"))


def along_axis(numbers: Array, sizes: Sequence[int], axis: int) -> Array:
    """The coordinates along one axis of linear numbers of threads or blocks."""
    return numbers // prod(sizes[:axis]) % sizes[axis]


def launch_of(kernel: func.FuncOp) -> Launch:
    """
    The launch dimensions stated by `kernel`; without them, the dimensions implied by the ranges of its ids.

    Raises `SimtError` for an id without either.
    """
    stated = launch_dimensions(kernel)
    if stated is not None:
        block, grid = stated
        return Launch(padded(block), padded(grid))
    sizes: dict[str, list[int]] = {"thread": [1, 1, 1], "block": [1, 1, 1]}
    for op in kernel.walk():
        if isinstance(op, gpu.ThreadIdOp | gpu.BlockIdOp):
            interval = get_range(op)
            if interval is None:
                raise SimtError(
                    f"{op}: the launch dimensions are not known: give the kernel gpu.known_block_size and "
                    "gpu.known_grid_size, or this op an xla.range"
                )
            along = sizes["thread" if isinstance(op, gpu.ThreadIdOp) else "block"]
            axis = AXES.index(op.dimension.data.value)
            along[axis] = max(along[axis], interval.upper + 1)
    return Launch(padded(sizes["thread"]), padded(sizes["block"]))


def padded(sizes: Sequence[int]) -> tuple[int, int, int]:
    """Sizes along x, y and z; 1 where omitted."""
    x, y, z = (*sizes, 1, 1, 1)[:3]
    return x, y, z
