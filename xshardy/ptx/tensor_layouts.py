"""
In which cells of tensor memory the matrices of `tcgen05.mma` are. Source: PTX ISA, "Data Path Layout Organization".

All functions give arrays relative to the address of the matrix.
"""

import numpy as np

from xshardy.interpreters.element_types import Array
from xshardy.ptx.tensor_memory import LANES

QUARTER = LANES // 4


def lanes_of_rows(rows: int) -> Array:
    """The lanes of the rows of a matrix that a block has: of 64 rows 16 are in each quarter, of 128 all."""
    row = np.arange(rows)
    return row if rows == LANES else row // 16 * QUARTER + row % 16


def places_of_sums(rows: int, columns: int, blocks: int) -> tuple[Array, Array, Array]:
    """
    The number of the block, the lane and the column of each element of D: [rows, columns].

    Of two blocks, each has half of the rows. If these are 64, the right half of them is in the upper 64 lanes.
    """
    row, column = np.indices((rows, columns))
    block, own = np.divmod(row, rows // blocks)
    if blocks == 1 or rows // blocks == LANES:
        return block, lanes_of_rows(rows // blocks)[own], column
    half, within = np.divmod(column, columns // 2)
    return block, own + half * (LANES // 2), within


def places_of_factors(count: int) -> tuple[Array, Array]:
    """The lane and column of the cell with the scale factors of each row of A or column of B: 32 to a column."""
    number = np.arange(count)
    return number % QUARTER, number // QUARTER
