"""How many products of numbers a warp executes by one matrix instruction, from its shape and types."""

import re

from xshardy.ptx.instructions.row import Scope
from xshardy.ptx.instructions.table import modifiers_of, row_of
from xshardy.ptx.instructions.warp.matrices import DENSE_KINDS
from xshardy.ptx.instructions.warp.matrix_elements import DENSE_E2M1, ELEMENTS
from xshardy.ptx.module import Instruction

_SHAPE = re.compile(r"\.m(\d+)n(\d+)k(\d+)\b")
WARPS_OF_GROUP = 4
"""Four warps execute a `wgmma` together."""
BITS = 16
SPARSE = frozenset({"sp", "sp::ordered_metadata"})
HALF = ELEMENTS["f16"]
"""Of A and B of `wmma.mma`, which then names only the types of the result and of C."""
PRODUCTS_OF_SUM = 16
"""Of `tcgen05.mma` for each sum, in the units of `products_of`: of every kind, a row of A has 16 times 16 bits."""


def products_of(instruction: Instruction) -> float:
    """
    The products of a matrix instruction in units of one of 16 bits: one of 8 bits counts half, one of 32 bits twice.

    Of a sparse A only the elements that are stored are multiplied. 0 for other instructions, for products of f64, which
    have a rate of their own, and for `tcgen05.mma`, whose shape is in a register: `Traffic` counts its sums.
    """
    row, modifiers = row_of(instruction), modifiers_of(instruction)
    shape = _SHAPE.search(instruction.opcode)
    if not row.multiplies or shape is None:
        return 0.0
    types = [ELEMENTS[modifier] for modifier in modifiers if modifier in ELEMENTS]
    of_a = types[1] if len(types) > 2 else HALF
    if any(kind in modifiers for kind in DENSE_KINDS):
        of_a = DENSE_E2M1
    if of_a.bits == 64:
        return 0.0
    rows, columns, depth = map(int, shape.groups())
    stored = depth / 2 if SPARSE.intersection(modifiers) else depth
    pairs = 4 if (of_a.name, shape[0]) == ("f16", ".m8n8k4") else 1
    return pairs * rows * columns * stored * of_a.bits / BITS / (WARPS_OF_GROUP if row.scope is Scope.WARP_GROUP else 1)
