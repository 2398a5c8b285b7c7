"""How tensor copies and `wgmma` mix the rows of tiles in shared memory, so that columns are in different banks too."""

from collections.abc import Mapping

import numpy as np

from xshardy.numerics.element_types import Array

CHUNK = 16
"""The bytes that stay together."""
ROW = 128
"""The bytes of all banks of shared memory."""

SPANS: Mapping[int, int] = {32: 1, 64: 3, 128: 7}
"""For each swizzle, by the bytes of a row of its tile, which bits of the number of a chunk it changes."""


def swizzled(addresses: Array, span: int) -> Array:
    """
    Where the bytes at addresses in shared memory are, of tiles with rows of `span` bytes; 0 for no swizzle.

    The number of a chunk in its `ROW` is combined with the number of that row. Source: PTX ISA, "Swizzling Modes".
    """
    if span == 0:
        return addresses
    changed = np.uint64(SPANS[span] * CHUNK)
    return addresses ^ (addresses // np.uint64(ROW // CHUNK) & changed)
