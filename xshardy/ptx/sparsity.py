"""
The metadata of sparse matrices: which elements of each chunk of a row are stored; the others are 0.

A chunk has a code of 4 bits. Of four elements two are stored, and the code has their places, of 2 bits each, the first
in the lower bits; integers of 4 bits are stored by pairs, and the places are those of pairs. Of two elements of `tf32`
one is stored. Source: PTX ISA, "Sparse matrix storage".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array

CODE_BITS = 4
ROWS = 16
"""Of the matrix of a warp."""


@dataclass(frozen=True, slots=True)
class Chunks:
    """How chunks of elements of some width are stored."""

    elements: int
    stored: int
    places: Mapping[int, Sequence[int]]
    """By a valid code, where in the chunk each stored element is."""
    splits_registers: bool
    """Whether a register of metadata has codes of row g in its lower half, and of row g + 8 in its upper half."""


def _two_of_four(width: int) -> Mapping[int, Sequence[int]]:
    """The places by the code, of elements that are stored by so many."""
    return {
        first | second << 2: [width * place + number for place in (first, second) for number in range(width)]
        for first in range(4)
        for second in range(4)
        if first != second
    }


CHUNKS: Mapping[int, Chunks] = {
    32: Chunks(2, 1, {0b0100: [0], 0b1110: [1]}, True),
    16: Chunks(4, 2, _two_of_four(1), True),
    8: Chunks(4, 2, _two_of_four(1), False),
    4: Chunks(8, 4, _two_of_four(2), False),
}
"""By the bits of an element."""


def is_ordered(code: int) -> bool:
    """Whether the first place of a code is below the second, as `::ordered_metadata` demands."""
    return code & 3 < code >> 2


@dataclass(frozen=True, slots=True)
class Sparsity:
    """The sparse matrix of a warp, 16 rows of so many chunks."""

    chunks: Chunks
    count: int
    """The chunks of a row."""
    selector: int
    """Which threads of each group of four have the metadata."""
    ordered: bool

    @property
    def threads(self) -> int:
        """How many threads of each group of four have metadata."""
        return ROWS * self.count * CODE_BITS // (8 * 32)

    @property
    def holders(self) -> Array:
        """Whether each lane has metadata."""
        first = self.selector * self.threads
        lane = np.arange(32) % 4
        return (lane >= first) & (lane < first + self.threads)

    def codes(self, metadata: Array) -> Array:
        """From the registers of all lanes, [..., 32], the codes: [..., 16 rows, chunks]."""
        first = self.selector * self.threads
        held = metadata.reshape(*metadata.shape[:-1], 8, 4)[..., first : first + self.threads]
        shifts = np.arange(0, 32, CODE_BITS, dtype=np.uint32)
        codes = held[..., None] >> shifts & np.uint32(15)  # [..., g, threads, 8]
        lead = codes.shape[:-3]
        if self.chunks.splits_registers:  # a thread has four chunks of both rows
            parts = codes.reshape(*lead, 8, self.threads, 2, 4)
            return np.moveaxis(parts, -2, -4).reshape(*lead, ROWS, self.count)
        parts = codes.reshape(*lead, 8, self.threads // 2, 2, 8)  # a thread has eight chunks of one row
        return np.moveaxis(parts, -2, -4).reshape(*lead, ROWS, self.count)

    def is_valid(self, metadata: Array) -> Array:
        """For each lane, [..., 32], whether its metadata are valid, if they are used."""
        allowed = [code for code in self.chunks.places if not self.ordered or is_ordered(code)]
        good = np.isin(metadata[..., None] >> np.arange(0, 32, CODE_BITS, dtype=np.uint32) & np.uint32(15), allowed)
        return good.all(axis=-1) | ~self.holders

    def expanded(self, stored: Array, codes: Array) -> Array:
        """The matrix with its zeros, [..., 16, columns], from the stored half of its columns."""
        chunks = self.chunks
        table = np.zeros((16, chunks.stored), np.int64)
        for code, places in chunks.places.items():
            table[code] = places
        result = np.zeros((*stored.shape[:-1], self.count, chunks.elements))
        parts = stored.reshape(*stored.shape[:-1], self.count, chunks.stored)
        np.put_along_axis(result, table[codes], parts, axis=-1)
        return result.reshape(*stored.shape[:-1], -1)
