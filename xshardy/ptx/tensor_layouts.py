"""
In which cells of tensor memory the matrices of `tcgen05.mma` are. Source: PTX ISA, "Data Path Layout Organization".

All functions give arrays relative to the address of the matrix.
"""

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.tensor_memory import LANES

QUARTER = LANES // 4


def lanes_of_rows(rows: int, parts: int) -> Array:
    """
    The lanes of the rows of a matrix that a block has: of 64 rows whose sums are in one part 16 are in each quarter,
    else they follow each other.
    """
    row = np.arange(rows)
    return row // 16 * QUARTER + row % 16 if parts == 1 and rows < LANES else row


def places_of_sums(rows: int, columns: int, blocks: int, parts: int) -> tuple[Array, Array, Array]:
    """
    The number of the block, the lane and the column of each element of D: [rows, columns].

    Of two blocks, each has half of the rows. The columns are in so many parts: the further ones are in further lanes.
    """
    row, column = np.indices((rows, columns))
    block, own = np.divmod(row, rows // blocks)
    part, within = np.divmod(column, columns // parts)
    return block, lanes_of_rows(rows // blocks, parts)[own] + part * (LANES // parts), within


def places_of_factors(count: int) -> tuple[Array, Array]:
    """The lane and column of the cell with the scale factors of each row of A or column of B: 32 to a column."""
    number = np.arange(count)
    return number % QUARTER, number // QUARTER
