"""
Where the metadata of a sparse A lie in tensor memory, and what they say. Source: PTX ISA, "Sparse Matrices" of
`tcgen05`.

A row has a code of 4 bits for each of its chunks: 16 of them in two columns of its own lane, the first in the lowest
bits; or, of elements of 16 and 32 bits, 8 of them: rows r and r + 8 of 16 share a lane, one the lower bits, the other
the upper ones, for the first four of their chunks, and the lane 8 further for the others. The PTX ISA shows that in
figures only. A product of 64 rows uses 16 lanes of each quarter; the metadata are taken to be in the lanes of the rows.
"""

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.sparsity import CHUNKS, CODE_BITS, Sparsity, is_ordered

PAIRED_BITS = 16
"""Elements with at least so many have two rows in a lane."""
SELECTORS = 2
"""Of those: which of two columns has the metadata."""
UNORDERED = 0b0110
"""The code that is valid though its places are not in order."""


def sparsity_of(container: int, depth: int) -> Sparsity:
    """How an A is stored whose elements take so many bits."""
    chunks = CHUNKS[container]
    return Sparsity(chunks, depth // chunks.elements, 0, ordered=False)


def places_of_codes(rows: int, container: int, count: int) -> tuple[Array, Array, Array]:
    """The row whose lane has each code of each row, the column, and the first bit: [rows, codes]."""
    row, code = np.indices((rows, count))
    if container < PAIRED_BITS:
        return row, code // 8, code % 8 * CODE_BITS
    lane = row // 16 * 16 + code // 4 * 8 + row % 8
    return lane, np.zeros_like(lane), row % 16 // 8 * 16 + code % 4 * CODE_BITS


def valid_codes(sparsity: Sparsity) -> list[int]:
    """The codes that name elements."""
    return [code for code in sparsity.chunks.places if is_ordered(code) or code == UNORDERED]
