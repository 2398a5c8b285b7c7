"""All instructions: the row of each, by its name, or by its name and the word behind that, as in `tcgen05.mma`."""

from collections.abc import Mapping

from xshardy.ptx.errors import PtxError
from xshardy.ptx.instructions.branches import BRANCHES
from xshardy.ptx.instructions.row import Row
from xshardy.ptx.instructions.scalar.amd_conversions import AMD_CONVERSIONS
from xshardy.ptx.instructions.scalar.atomics import ATOMICS
from xshardy.ptx.instructions.scalar.bits import BITS
from xshardy.ptx.instructions.scalar.comparisons import COMPARISONS
from xshardy.ptx.instructions.scalar.conversions import CONVERSIONS
from xshardy.ptx.instructions.scalar.floats import FLOATS
from xshardy.ptx.instructions.scalar.integers import INTEGERS
from xshardy.ptx.instructions.scalar.memory import MEMORY
from xshardy.ptx.instructions.synchronization import BARRIERS
from xshardy.ptx.instructions.system_calls import SYSTEM_CALLS
from xshardy.ptx.instructions.tensor.async_stores import ASYNC_STORES
from xshardy.ptx.instructions.tensor.copies import COPIES
from xshardy.ptx.instructions.tensor.mbarriers import MBARRIERS
from xshardy.ptx.instructions.tensor.tensor_copies import TENSOR_MAPS
from xshardy.ptx.instructions.tensor.tensor_memory import TENSOR_MEMORY
from xshardy.ptx.instructions.tensor.warpgroups import WARP_GROUPS
from xshardy.ptx.instructions.textures import TEXTURES
from xshardy.ptx.instructions.warp.matrices import MATRICES
from xshardy.ptx.instructions.warp.warps import WARPS
from xshardy.ptx.instructions.warp.waves import WAVES
from xshardy.ptx.instructions.warp.wmma import WMMA
from xshardy.ptx.module import Instruction
from xshardy.ptx.types import TYPES, Kind

INSTRUCTIONS: Mapping[str, Row] = {
    **AMD_CONVERSIONS,
    **ASYNC_STORES,
    **ATOMICS,
    **BARRIERS,
    **BITS,
    **BRANCHES,
    **COMPARISONS,
    **CONVERSIONS,
    **COPIES,
    **MATRICES,
    **MBARRIERS,
    **MEMORY,
    **SYSTEM_CALLS,
    **TENSOR_MAPS,
    **TENSOR_MEMORY,
    **TEXTURES,
    **WARPS,
    **WARP_GROUPS,
    **WAVES,
    **WMMA,
}
"""Instructions whose name decides what they are; others are in `FLOATS` or `INTEGERS`, by the kind of their types."""


def name_of(instruction: Instruction) -> str:
    """The first two words of an opcode if they name an instruction, else the first."""
    name, *modifiers = instruction.opcode.split(".", 2)
    long = ".".join((name, *modifiers[:1]))
    return long if long in INSTRUCTIONS else name


def modifiers_of(instruction: Instruction) -> list[str]:
    """The words of an opcode behind its name."""
    return instruction.opcode.split(".")[name_of(instruction).count(".") + 1 :]


def row_of(instruction: Instruction) -> Row:
    """The row of an instruction. Raises `PtxError` for an unknown one."""
    name, *modifiers = instruction.opcode.split(".")
    row = INSTRUCTIONS.get(name_of(instruction))
    if row is None:
        has_floats = any(modifier in TYPES and TYPES[modifier].kind is Kind.FLOAT for modifier in modifiers)
        row = (FLOATS if has_floats else INTEGERS).get(name)
    if row is None:
        words = [f".{long.partition('.')[2]}" for long in INSTRUCTIONS if long.startswith(f"{name}.")]
        what = f"expected one of {', '.join(words)}" if words else "unknown instruction"
        raise PtxError(instruction.line, f"{instruction.opcode}: {what}")
    return row
