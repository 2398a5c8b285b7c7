"""
Asynchronous instructions: `async-start`, `-update` and `-done`, and the sugar `slice-start` for them.

What a start gives is a tuple in HLO text, and any instruction may read it; here it is a bundle, which only the next of
its chain may. So they are kept as they are written, opaque, until the computation has been read. Then each chain of a
start, updates and a done becomes one. An `async-start` must have such a chain. The starts that have opcodes of their
own (`copy-start`, `send`) need not: XLA's pipelining passes them through loops, for example. Those stay opaque.
"""

from typing import TYPE_CHECKING

from xdsl.dialects.builtin import DictionaryAttr, StringAttr
from xdsl.ir import Attribute, SSAValue

from xshardy.dialects import hlo
from xshardy.hlo_text.annotations import KEPT
from xshardy.hlo_text.opcodes import OPCODES
from xshardy.hlo_text.shapes import Shape

if TYPE_CHECKING:
    from xshardy.hlo_text.computation import ComputationReader

SUFFIXES = ("-start", "-update", "-done")
OWN = frozenset({"recv", "send"})
"""Opcodes that start something without saying so."""


def is_asynchronous(opcode: str) -> bool:
    """Whether `opcode` starts, updates or awaits an operation."""
    return opcode in OWN or any(
        opcode.endswith(suffix) and (opcode.removesuffix(suffix) in OPCODES or opcode.startswith(("async-", *OWN)))
        for suffix in SUFFIXES
    )


class AsyncReader:
    """Reads the asynchronous instructions of one computation."""

    def __init__(self, computation: "ComputationReader"):
        self.computation = computation

    def read(self, opcode: str, shape: Shape, name: str, at: int) -> SSAValue:
        """The instruction, as it is written."""
        return self.read_opaque(opcode, shape, name)

    def read_opaque(self, opcode: str, shape: Shape, name: str) -> SSAValue:
        """An instruction as it is written. The cursor is behind its opcode."""
        tokens = self.computation.tokens
        tokens.expect("(")
        operands = self.computation.read_operands()
        tokens.expect(")")
        fields: dict[str, Attribute] = {}
        kept: dict[str, Attribute] = {}
        while tokens.accept(","):
            key_at = tokens.index
            key = tokens.take("name", "an attribute")
            tokens.expect("=")
            if key in fields:
                raise tokens.error(f"{opcode}: attribute '{key}' is given twice", "remove one of the two", key_at)
            if (annotation := KEPT.get(key)) is not None:
                kept[annotation.attribute] = annotation.read(tokens)
            else:
                fields[key] = StringAttr(self.read_raw())
        made = hlo.OpaqueOp.create(
            operands=operands,
            result_types=[shape.type],
            properties={"opcode": StringAttr(opcode), "fields": DictionaryAttr(fields)},
            attributes=kept,
        )
        return self.computation.add(made, shape, name)

    def read_raw(self) -> str:
        """The value of an attribute, which ends with the comma in front of the next, or with the line."""
        tokens = self.computation.tokens
        start = tokens.index
        tokens.take_raw()
        while tokens.text in ("[", "(", "{", "<=", "->"):
            tokens.take_raw()
        return tokens.raw_text(start)
