"""
Which columns of B count as 0 in a product of `tcgen05.mma.ws`, and how far its columns are shifted: 64 bits say so.

The columns are in one part, two or four. In each, runs of used and of skipped columns follow each other, all runs of a
kind of one length; the first run may lack its first columns. Source: PTX ISA, "Zero-Column Mask Descriptor": lengths
as its examples have them, since its table has them the other way round.
"""

from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array

PARTS = 4
START_BITS = 8
FIRST_SPANS, IS_MASK, SKIPPED, USED, SHIFT = 32, 39, 40, 48, 56
"""The first bits of the fields."""
RESERVED = 7 << 36 | 3 << 62
NARROW_ROWS, NARROW_SHIFT, MOST_SHIFT = 32, 16, 32
"""Products of few rows are shifted less."""


@dataclass(frozen=True, slots=True)
class ZeroColumns:
    """What a descriptor says."""

    is_zero: Array
    """Of each column of the product, whether that of B counts as 0."""
    shift: int
    """The number of the column of B in memory that is the first one."""


NOTHING = ZeroColumns(np.zeros(0, np.bool_), 0)


def zero_columns(bits: int, rows: int, columns: int, parts: int) -> ZeroColumns | str:
    """What a descriptor says of a product with so many rows and columns, in so many parts; or what is wrong with it."""
    if bits & RESERVED:
        return "has bits 36 to 38, 62 or 63 set, which must be 0"
    shift, most = bits >> SHIFT & 0x3F, NARROW_SHIFT if rows == NARROW_ROWS else MOST_SHIFT
    if shift > most:
        return f"shifts columns by {shift}, more than {most}"
    if not bits >> IS_MASK & 1:
        return ZeroColumns(np.zeros(columns, np.bool_), shift)
    runs = {False: (bits >> USED & 0xFF) + 1, True: (bits >> SKIPPED & 0xFF) + 1}
    period, own = sum(runs.values()), columns // parts
    found: list[Array] = []
    for part in range(parts):
        first = bool(bits >> (FIRST_SPANS + part) & 1)
        start = bits >> (START_BITS * part) & 0xFF
        of_period = np.repeat([first, not first], [runs[first], runs[not first]])
        found.append(of_period[(start + np.arange(own)) % period])
    return ZeroColumns(np.concatenate(found), shift)
