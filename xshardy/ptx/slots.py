"""How many machine instructions ptxas makes of an instruction: an estimate, by its row."""

from xshardy.ptx.instructions.row import Slots
from xshardy.ptx.instructions.table import modifiers_of, row_of
from xshardy.ptx.module import Instruction


def slots_of(instruction: Instruction) -> Slots:
    """The machine instructions for an instruction, at least and at most."""
    slots = row_of(instruction).slots
    return slots(modifiers_of(instruction)) if callable(slots) else slots
