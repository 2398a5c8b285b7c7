"""
The properties of operations as MLIR writes them: one after the other, by their names, without the names.

xDSL's definitions have the same names; `DIFFERENT` has those where MLIR has others, or has more. A property that may be
missing is one more than twice its number, or 0. Sizes of segments are numbers, behind all others.
Source: MLIR, OpDefinitionsGen.cpp; the definitions of operations, *.td.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from xdsl.dialects.builtin import DenseArrayBase, i32
from xdsl.ir import Attribute, Operation
from xdsl.irdl import AttrSizedOperandSegments, AttrSizedResultSegments, IRDLOperation, OptionalDef

from xshardy.syntax.bytecode.attribute_table import AttributeReader
from xshardy.syntax.bytecode.container import SEGMENT_SIZES

SEGMENTS: Mapping[str, type[object]] = {
    "operandSegmentSizes": AttrSizedOperandSegments,
    "resultSegmentSizes": AttrSizedResultSegments,
}
"""How MLIR and xDSL call the sizes of segments, and how a declaration says that an operation has them."""

DIFFERENT: Mapping[str, str] = {
    "builtin.module": "sym_name? sym_visibility?",
}
"""Operations whose properties in MLIR are not those of xDSL: their names, with `?` if they may be missing."""


@dataclass(frozen=True, slots=True)
class PropertyLayout:
    """The properties of an operation in the order of bytecode."""

    names: Sequence[tuple[str, bool]]
    """The names, and whether a property may be missing."""
    segments: Sequence[str]

    def read(self, reader: AttributeReader, version: int) -> dict[str, Attribute]:
        """The properties. Raises `BytecodeError`."""
        found: dict[str, Attribute] = {}
        older = self.segments if version < SEGMENT_SIZES else ()
        for name, may_be_missing in sorted((*self.names, *((segment, False) for segment in older))):
            value = reader.optional_attribute() if may_be_missing else reader.attribute()
            if value is not None:
                found[name] = value
        for segment in () if older else self.segments:
            found[segment] = DenseArrayBase.from_list(i32, _sparse_array(reader))
        if reader.remaining:
            raise reader.error(f"properties end before their bytes do: {', '.join(found) or 'none'} were expected")
        return found


MOST_SEGMENTS = 1 << 10


def _sparse_array(reader: AttributeReader) -> Sequence[int]:
    """Numbers: all of them, or for those that are not 0, the number and its place in one."""
    number, is_sparse = divmod(reader.varint(), 2)
    if number > min(reader.remaining, MOST_SEGMENTS):
        raise reader.error(f"{number} sizes of segments are said to follow in {reader.remaining} bytes")
    if not is_sparse or not number:
        return [reader.varint() for _ in range(number)]
    bits = reader.varint()
    pairs = [reader.varint() for _ in range(number)]
    found = {pair & (1 << bits) - 1: pair >> bits for pair in pairs} if bits < 32 else {MOST_SEGMENTS: 0}
    if max(found) >= MOST_SEGMENTS:
        raise reader.error("an operation has too many segments")
    return [found.get(i, 0) for i in range(max(found) + 1)]


@cache
def layout_of(op_type: type[Operation]) -> PropertyLayout | None:
    """The layout of the properties of an operation; None for one that has no declaration."""
    if not issubclass(op_type, IRDLOperation):
        return None
    definition = op_type.get_irdl_definition()
    segments = [name for name, option in SEGMENTS.items() if any(isinstance(o, option) for o in definition.options)]
    if (different := DIFFERENT.get(op_type.name)) is not None:
        return PropertyLayout([(name.removesuffix("?"), name.endswith("?")) for name in different.split()], segments)
    names = [
        (name, isinstance(declaration, OptionalDef) or declaration.default_value is not None)
        for name, declaration in (*definition.properties.items(), *definition.attributes.items())
        if name not in SEGMENTS
    ]
    return PropertyLayout(names, segments)
