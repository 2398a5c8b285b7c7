"""
The state of tensor memory: for each block 128 lanes by 512 columns of 32 bits, of which its warps allocate columns.

An address has the lane in its upper 16 bits, and the column in the lower ones. Source: PTX ISA, "Tensor Memory".
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from xshardy.numerics.element_types import Array

TENSOR = "tensor memory"
LANES, COLUMNS = 128, 512
CELLS = LANES * COLUMNS
"""Of a block. A cell has 32 bits."""
LANE_BITS = 16
"""The lane of an address begins at this bit."""
LEAST_COLUMNS = 32
"""Of an allocation."""


@dataclass(frozen=True, slots=True)
class Allocation:
    """Columns that a block has allocated."""

    block: int
    """Its number among those executed together."""
    first: int
    columns: int
    line: int
    """Of the instruction that has allocated them."""


class TensorMemory:
    """The tensor memory of so many blocks that are executed together."""

    def __init__(self, blocks: int):
        self.is_allocated = np.zeros((blocks, COLUMNS), np.bool_)
        self.may_allocate = np.ones(blocks, np.bool_)
        """Until a thread of the block relinquishes the permit."""
        self.last = np.full(blocks, COLUMNS, np.int64)
        """The columns of the last allocation of each block: no later one may have more."""
        self._allocations: dict[tuple[int, int], Allocation] = {}
        """By block and first column."""

    @cached_property
    def cells(self) -> Array:
        """All cells: those of a lane lie together, then those of a block."""
        return np.zeros(len(self.may_allocate) * CELLS, np.uint32)

    def room(self, block: int, columns: int) -> int | None:
        """Where a block can allocate so many columns: at the lowest multiple of them that is free; or None."""
        for first in range(0, COLUMNS, columns):
            if not self.is_allocated[block, first : first + columns].any():
                return first
        return None

    def allocate(self, allocation: Allocation) -> None:
        block, first, columns = allocation.block, allocation.first, allocation.columns
        self._allocations[block, first] = allocation
        self.is_allocated[block, first : first + columns] = True
        self.last[block] = columns

    def free(self, block: int, first: int, columns: int) -> bool:
        """Free an allocation. Whether there is this one."""
        found = self._allocations.get((block, first))
        if found is None or found.columns != columns:
            return False
        del self._allocations[block, first]
        self.is_allocated[block, first : first + columns] = False
        return True

    def kept(self) -> Iterator[Allocation]:
        """The allocations that nobody has freed."""
        yield from self._allocations.values()


def split(addresses: Array) -> tuple[Array, Array]:
    """The lanes and columns of addresses."""
    wide = addresses.astype(np.int64)
    return wide >> LANE_BITS, wide & ((1 << LANE_BITS) - 1)
