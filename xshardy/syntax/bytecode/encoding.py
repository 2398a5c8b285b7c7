"""
How dialects encode their attributes and types: tables of rows, each with a code and fields, for reading and writing.

An attribute is a code, which says what kind it is, and then its fields: numbers, strings, and numbers of attributes and
types that are elsewhere in the bytecode. A dialect without a table, or an attribute without a row, is text.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Protocol

from typing_extensions import TypeVar
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, NoneAttr
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, ParametrizedAttribute

from xshardy.dialects.texts import Text
from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.resources import Resource

AttributeT = TypeVar("AttributeT", bound=Attribute, default=Attribute)

shared = lru_cache(maxsize=4096)
"""
Decorates what builds an attribute from values that are hashable, and that are not floats, where 0.0 equals -0.0: equal
values give one attribute, which is verified once in a process.
"""


class Source(Protocol):
    """What the fields of an attribute are read from. Each method raises `BytecodeError`."""

    def byte(self) -> int: ...
    def varint(self) -> int: ...
    def svarint(self) -> int: ...
    def count(self) -> int: ...
    def bytes(self, size: int) -> bytes: ...
    def attribute(self, kind: type[AttributeT] = Attribute) -> AttributeT: ...
    def optional_attribute(self) -> Attribute | None: ...
    def type(self) -> Attribute: ...
    def string(self) -> str: ...
    def text_or_bytes(self) -> Text: ...
    def resource(self) -> Resource: ...
    def error(self, message: str) -> Exception: ...


class Sink(Protocol):
    """What the fields of an attribute are written to. Each method raises `BytecodeError`."""

    def byte(self, value: int) -> None: ...
    def varint(self, number: int) -> None: ...
    def svarint(self, number: int) -> None: ...
    def bytes(self, data: bytes) -> None: ...
    def attribute(self, attribute: Attribute) -> None: ...
    def optional_attribute(self, attribute: Attribute | None) -> None: ...
    def type(self, type: Attribute) -> None: ...
    def string(self, text: Text) -> None: ...
    def resource(self, name: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Field:
    """How one value of an attribute is read and written."""

    read: Callable[[Source], Any]
    write: Callable[[Sink, Any], None]


VARINT = Field(lambda source: source.varint(), lambda sink, value: sink.varint(value))
SVARINT = Field(lambda source: source.svarint(), lambda sink, value: sink.svarint(value))
BOOL = Field(lambda source: source.byte() != 0, lambda sink, value: sink.byte(int(value)))
STRING = Field(lambda source: source.string(), lambda sink, value: sink.string(value))
TEXT = Field(lambda source: source.text_or_bytes(), lambda sink, value: sink.string(value))
"""A string that need not be in UTF-8."""
RESOURCE = Field(lambda source: source.resource(), lambda sink, name: sink.resource(name))
"""Read with its bytes, written without."""
ATTRIBUTE = Field(lambda source: source.attribute(), lambda sink, value: sink.attribute(value))
TYPE = Field(lambda source: source.type(), lambda sink, value: sink.type(value))


def attribute_of(kind: type[Attribute]) -> Field:
    """An attribute of a class."""
    return Field(lambda source: source.attribute(kind), lambda sink, value: sink.attribute(value))


def converted(field: Field, build: Callable[[Any], object], take_apart: Callable[[Any], object]) -> Field:
    """A value that is built from that of `field`."""
    return Field(lambda source: build(field.read(source)), lambda sink, value: field.write(sink, take_apart(value)))


def optional(field: Field, flag: Field) -> Field:
    """A value, or `NoneAttr`: a number in front of it says which."""

    def write(sink: Sink, value: object) -> None:
        is_there = not isinstance(value, NoneAttr)
        flag.write(sink, int(is_there))
        if is_there:
            field.write(sink, value)

    return Field(lambda source: field.read(source) if flag.read(source) else NoneAttr(), write)


def listed(field: Field) -> Field:
    """A tuple of any length: how many values, then the values."""

    def write(sink: Sink, values: Sequence[object]) -> None:
        sink.varint(len(values))
        for value in values:
            field.write(sink, value)

    return Field(lambda source: tuple([field.read(source) for _ in range(source.count())]), write)


def together(*fields: Field) -> Field:
    """A tuple of one value of each field."""

    def write(sink: Sink, values: Sequence[object]) -> None:
        for field, value in zip(fields, values, strict=True):
            field.write(sink, value)

    return Field(lambda source: tuple([field.read(source) for field in fields]), write)


def _read_blob(source: Source) -> bytes:
    return source.bytes(source.varint())


def _write_blob(sink: Sink, data: bytes) -> None:
    sink.varint(len(data))
    sink.bytes(data)


def array(values: Iterable[AttributeT]) -> ArrayAttr[AttributeT]:
    """`[...]`"""
    return ArrayAttr(values)


BLOB = Field(_read_blob, _write_blob)
TYPES, ATTRIBUTES, SVARINTS = listed(TYPE), listed(ATTRIBUTE), listed(SVARINT)

SHAPE = SVARINTS
"""Sizes of dimensions. MLIR and xDSL have the same number for a dynamic one."""
assert DYNAMIC_INDEX == -(1 << 63)


@dataclass(frozen=True, slots=True)
class Encoding:
    """
    A row: the `code` of a kind of attribute or type, its `fields`, and how it is built and taken apart.

    `parts` has the values of the fields of an attribute of class `kind`; None if another row is for that attribute.
    """

    code: int
    kind: type[Attribute]
    fields: Sequence[Field]
    build: Callable[..., Attribute]
    parts: Callable[[Any], Sequence[object] | None]


def constants(codes: Mapping[int, Attribute]) -> Iterable[Encoding]:
    """Rows of kinds that are one attribute each, by their codes."""

    def row(code: int, constant: Attribute) -> Encoding:
        return Encoding(code, type(constant), (), lambda: constant, lambda value: () if value == constant else None)

    return (row(code, constant) for code, constant in codes.items())


def record(code: int, kind: type[ParametrizedAttribute], *fields: Field) -> Encoding:
    """A row whose fields are the parameters of an attribute, in their order."""
    return Encoding(
        code, kind, fields, shared(lambda *values: kind.new(values)), lambda attribute: attribute.parameters
    )


def enumeration(code: int, kind: type[EnumAttribute[Any]], first: int = 0) -> Encoding:
    """A row of an attribute that is one of an enumeration: its place there, counted from `first` on."""
    cases = tuple(kind.enum_type)

    def build(number: int) -> Attribute:
        if not first <= number < first + len(cases):
            raise BytecodeError(f"there is no '{kind.name}' with number {number}")
        return kind(cases[number - first])

    return Encoding(code, kind, (VARINT,), build, lambda attribute: (cases.index(attribute.data) + first,))


@dataclass(frozen=True)
class Table:
    """The rows of a dialect for its attributes, or for its types."""

    rows: Sequence[Encoding]

    @cached_property
    def by_code(self) -> Mapping[int, Encoding]:
        return {row.code: row for row in self.rows}

    @cached_property
    def by_kind(self) -> Mapping[type[Attribute], Sequence[Encoding]]:
        found: defaultdict[type[Attribute], list[Encoding]] = defaultdict(list)
        for row in self.rows:
            found[row.kind].append(row)
        return found

    def row_of(self, attribute: Attribute, kind: type[Attribute]) -> tuple[Encoding, Sequence[object]] | None:
        """The row for `attribute` among those of `kind`, and the values of its fields; None if there is none."""
        for row in self.by_kind.get(kind, ()):
            if (parts := row.parts(attribute)) is not None:
                return row, parts
        return None


@dataclass(frozen=True, slots=True)
class DialectEncoding:
    """The encodings of a dialect."""

    attributes: Table
    types: Table
