"""The attributes that keep the names of instructions, and the positions of parameters among them."""

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation

NAME = "hlo.name"
"""The name of an instruction, if it is no valid name hint in xDSL (those have no number behind `_`)."""
POSITIONS = "hlo.parameter_positions"
"""The positions of the parameters among the instructions, unless they are first and in order."""


def instruction_name(op: Operation) -> str | None:
    """The name in HLO text of `op`, an instruction with results; None if it has none."""
    kept = op.attributes.get(NAME)
    if isinstance(kept, StringAttr):
        return kept.data
    return op.results[0].name_hint if op.results else None
