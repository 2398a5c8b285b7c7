"""
Templates of operations in bytecode: what the bytes of an operation say besides its location and its operands.

This is the counterpart of `syntax/templates.py`. An operation is a name, a mask that says which parts follow, its
location, these parts, and its operands. Operations with the same bytes before the location, their *head*, and with the
same bytes between it and the operands, their *tail*, are the same up to location and operands. The head says how the
tail is read, so no tail is the start of another one with the same head.

An operation with successors, regions or orders of uses has no template.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute, Operation

HEAD_SIZE = 2
"""In bytes: a name, of which the first 128 have one byte, and the mask. Others are not looked up."""


@dataclass(frozen=True, slots=True)
class OperationTemplate:
    """An operation without its location and its operands."""

    op_type: type[Operation]
    properties: dict[str, Attribute]
    attributes: dict[str, Attribute]
    result_types: Sequence[Attribute]
    operands: int
    """How many there are."""


Tails = dict[int, dict[bytes, OperationTemplate]]
"""The templates with one head: by the size of the tail, and by the tail."""
