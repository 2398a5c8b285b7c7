"""The attributes and types of bytecode, each read once, when the first operation or attribute asks for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from xdsl.context import Context
from xdsl.dialects.builtin import LocationAttr, StringAttr
from xdsl.ir import Attribute, TypeAttribute
from xdsl.utils.exceptions import ParseError

from xshardy.dialects.texts import Text
from xshardy.syntax.bytecode.builtin import BUILTIN
from xshardy.syntax.bytecode.container import Container, Entry
from xshardy.syntax.bytecode.encoding import DialectEncoding, Encoding
from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.places import UNKNOWN
from xshardy.syntax.bytecode.resources import Resource
from xshardy.syntax.bytecode.sdy import SDY
from xshardy.syntax.bytecode.stablehlo import CHLO, QUANT, STABLEHLO
from xshardy.syntax.bytecode.stream import ByteReader
from xshardy.syntax.bytecode.vhlo import VHLO
from xshardy.syntax.locations.numbered import NumberedLocation
from xshardy.syntax.locations.text import is_location
from xshardy.syntax.parser import Parser

ENCODINGS: Mapping[str, DialectEncoding] = {
    "builtin": BUILTIN,
    "stablehlo": STABLEHLO,
    "chlo": CHLO,
    "quant": QUANT,
    "sdy": SDY,
    "vhlo": VHLO,
}
"""The encodings of attributes and types, by the names of dialects. Those of other dialects are text."""

MOST_PARTS = 1 << 22
"""
How many attributes an attribute may have in it, those in several places counted for each.

An attribute that is twice in the next one, which is twice in the next one, and so on, would take more time to compare
than there is.
"""


@dataclass
class Entries:
    """The attributes, or the types, of bytecode."""

    entries: Sequence[Entry]
    what: str
    rows: Mapping[str, Mapping[int, Encoding]]
    """The encodings by dialect and code."""
    found: list[tuple[Attribute, int] | None] = field(init=False)
    """What has been read: each with the number of attributes and types that are in it, itself included."""
    being_read: set[int] = field(default_factory=set[int], init=False)

    def __post_init__(self):
        self.found = [None] * len(self.entries)


class AttributeTable:
    """The attributes and types of `container`, built in `context`. All methods raise `BytecodeError`."""

    def __init__(self, container: Container, context: Context):
        self._container, self._context = container, context
        attributes = {dialect: encoding.attributes.by_code for dialect, encoding in ENCODINGS.items()}
        types = {dialect: encoding.types.by_code for dialect, encoding in ENCODINGS.items()}
        self.attributes = Entries(container.attributes, "attribute", attributes)
        self.types = Entries(container.types, "type", types)

    def attribute(self, number: int) -> Attribute:
        """The attribute `number`."""
        return self.at(self.attributes, number)[0]

    def type(self, number: int) -> Attribute:
        """The type `number`."""
        return self.at(self.types, number)[0]

    def location(self, number: int) -> LocationAttr:
        """The location that is attribute `number`, read when it is asked for; so is what is wrong with it found."""
        if number >= len(self.attributes.entries):
            raise BytecodeError(f"there is no location {number}: there are {len(self.attributes.entries)} attributes")
        dialect, start, size, _ = self.attributes.entries[number]
        if size == 1 and dialect == "builtin" and self._container.data[start] == UNKNOWN << 1 | 1:
            return self._read_location(number)  # rewrites compare it with `UNKNOWN_LOC`
        location: Any = NumberedLocation(self._read_location, number)  # xDSL's type of slots has its own classes only
        return location

    def _read_location(self, number: int) -> LocationAttr:
        try:
            found = self.attribute(number)
        except RecursionError:
            raise BytecodeError(f"location {number} is nested too deeply") from None
        if not is_location(found):
            raise BytecodeError(f"expected a location, but attribute {number} is '{found}'")
        return found

    def string(self, number: int) -> str:
        """The string `number`, a name. Raises `BytecodeError` if it is not in UTF-8."""
        name = self.text_or_bytes(number)
        if isinstance(name, bytes):
            raise BytecodeError(f"string {number}, a name, is not in UTF-8")
        return name

    def text_or_bytes(self, number: int) -> Text:
        """The string `number`; bytes if it is not in UTF-8."""
        if number >= len(self._container.strings):
            raise BytecodeError(f"there is no string {number}: there are {len(self._container.strings)}")
        return self._container.strings[number]

    def resource(self, number: int) -> Resource:
        """The resource `number`."""
        if number >= len(self._container.resources):
            raise BytecodeError(f"there is no resource {number}: there are {len(self._container.resources)}")
        return self._container.resources[number]

    def at(self, table: Entries, number: int) -> tuple[Attribute, int]:
        """The attribute or type `number`, and how many of both are in it."""
        if number >= len(table.found):
            raise BytecodeError(f"there is no {table.what} {number}: there are {len(table.found)}")
        return table.found[number] or self._read(table, number)

    def _read(self, table: Entries, number: int) -> tuple[Attribute, int]:
        if number in table.being_read:
            raise BytecodeError(f"{table.what} {number} is inside itself")
        table.being_read.add(number)
        dialect, start, size, is_encoded = table.entries[number]
        reader = AttributeReader(self._container.data, start, start + size, self)
        try:
            value = _encoded(table, dialect, reader) if is_encoded else self._parsed(table, reader)
            if table is self.types and not isinstance(value, TypeAttribute):
                raise reader.error(f"type {number} is '{value}', which is no type")
        except (BytecodeError, RecursionError):
            raise
        except Exception as error:  # what xDSL's constructors and verifiers raise
            raise BytecodeError(f"byte {start}: {table.what} {number}: {error}") from error
        if reader.position != reader.end:
            raise reader.error(f"{table.what} {number} ends before its bytes do")
        found = table.found[number] = value, reader.parts
        return found

    def _parsed(self, table: Entries, reader: "AttributeReader") -> Attribute:
        place, text = reader.position, reader.text()
        parser = Parser(self._context, text, f"the text at byte {place}")
        try:
            value = parser.parse_type() if table is self.types else parser.parse_attribute()
            if parser.pos != len(text):
                parser.raise_error("expected the end of the text")
        except ParseError as error:
            raise BytecodeError(f"byte {place}: '{text}': {error.args[-1] if error.args else error}") from error
        return value


@dataclass(slots=True)
class AttributeReader(ByteReader):
    """Reads the fields of one attribute: a `Source`."""

    table: AttributeTable
    parts: int = 1

    def attribute(self, kind: type[Attribute] = Attribute) -> Any:
        return self._attribute(self.varint(), kind)

    def optional_attribute(self) -> Attribute | None:
        number, is_there = divmod(self.varint(), 2)
        return self._attribute(number) if is_there else None

    def _attribute(self, number: int, kind: type[Attribute] = Attribute) -> Attribute:
        value = self._counted(self.table.attributes, number)
        # `isinstance` of subclasses of `Attribute` is slow.
        if kind is not Attribute and type(value) is not kind and not isinstance(value, kind):
            name = "a string" if kind is StringAttr else f"a '{getattr(kind, 'name', kind.__name__)}'"
            raise self.error(f"expected {name}, but attribute {number} is '{value}'")
        return value

    def type(self) -> Attribute:
        return self._counted(self.table.types, self.varint())

    def string(self) -> str:
        return self.table.string(self.varint())

    def text_or_bytes(self) -> Text:
        return self.table.text_or_bytes(self.varint())

    def resource(self) -> Resource:
        return self.table.resource(self.varint())

    def _counted(self, table: Entries, number: int) -> Attribute:
        found = table.found[number] if number < len(table.found) else None
        value, parts = found or self.table.at(table, number)
        self.parts += parts
        if self.parts > MOST_PARTS:
            raise self.error(f"an attribute has more than {MOST_PARTS} others in it")
        return value


def _encoded(table: Entries, dialect: str, reader: AttributeReader) -> Attribute:
    if (rows := table.rows.get(dialect)) is None:
        raise reader.error(f"no encoding of dialect '{dialect}' is known")
    code = reader.varint()
    if (row := rows.get(code)) is None:
        raise reader.error(f"{table.what} with code {code} of dialect '{dialect}' is not known")
    return row.build(*[field.read(reader) for field in row.fields])
