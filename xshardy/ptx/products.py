"""How many products of numbers a warp executes by one matrix instruction, from its shape and types."""

import re

from xshardy.ptx.module import Instruction
from xshardy.ptx.types import TYPES

_SHAPE = re.compile(r"\.m(\d+)n(\d+)k(\d+)\b")
WARPS_OF_GROUP = 4
"""Four warps execute a `wgmma` together."""
BITS = 16


def products_of(instruction: Instruction) -> float:
    """
    The products of a matrix instruction in units of one of 16 bits: one of 8 bits counts half, one of 32 bits twice.

    0 for other instructions, and for products of f64, which have a rate of their own.
    """
    name = instruction.opcode.partition(".")[0]
    shape = _SHAPE.search(instruction.opcode)
    if name not in ("mma", "wgmma") or shape is None:
        return 0.0
    types = [TYPES[modifier] for modifier in instruction.opcode.split(".") if modifier in TYPES]
    of_a = types[1] if len(types) > 1 else types[0]
    if of_a.bits == 64:
        return 0.0
    rows, columns, depth = map(int, shape.groups())
    return rows * columns * depth * of_a.bits / BITS / (WARPS_OF_GROUP if name == "wgmma" else 1)
