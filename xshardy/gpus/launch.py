"""The grid of threads of a kernel, and its partition into chunks."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

AXES = ("x", "y", "z")


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


def along_axis(numbers: NDArray[Any], sizes: Sequence[int], axis: int) -> NDArray[Any]:
    """The coordinates along one axis of linear numbers of threads or blocks."""
    return numbers // prod(sizes[:axis]) % sizes[axis]


def padded(sizes: Sequence[int]) -> tuple[int, int, int]:
    """Sizes along x, y and z; 1 where omitted."""
    x, y, z = (*sizes, 1, 1, 1)[:3]
    return x, y, z
