"""
The sections of MLIR bytecode, in front of which are its version and the name of the program that wrote it.

Source: MLIR, docs/BytecodeFormat, "Sections" and "MLIR Encoding".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate, repeat
from typing import TypeVar

from xshardy.dialects.texts import Text, decoded
from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.resources import Resource, read_resources
from xshardy.syntax.bytecode.stream import MAGIC, ByteReader

T = TypeVar("T")

NEWEST_FORMAT = 6
"""The newest version of the format that is read, and the one that is written."""

VERSIONED_DIALECTS = 1
REGION_SECTIONS = 2
USE_LIST_ORDERS = 3
UNKNOWN_ARGUMENT_LOCATIONS = 4
PROPERTIES = 5
SEGMENT_SIZES = 6
"""The versions of the format that brought these."""


class Section(IntEnum):
    """The number of a section."""

    STRINGS = 0
    DIALECTS = 1
    ATTRIBUTES = 2
    ATTRIBUTE_OFFSETS = 3
    OPERATIONS = 4
    RESOURCES = 5
    RESOURCE_OFFSETS = 6
    DIALECT_VERSIONS = 7
    PROPERTIES = 8


@dataclass(frozen=True, slots=True)
class OperationName:
    """The name of an operation, and whether the program that wrote the bytecode knew its definition."""

    name: str
    is_registered: bool


Entry = tuple[str, int, int, int]
"""
The bytes of an attribute or a type: the name of its dialect, the first byte, how many bytes, and whether they are in an
encoding of the dialect (1) or text (0).
"""


@dataclass(frozen=True, slots=True)
class Container:
    """What is in bytecode, with attributes and operations yet to be read."""

    data: bytes
    version: int
    producer: str
    strings: Sequence[Text]
    """Those that are no text in UTF-8, as kernels in another format, are bytes."""
    operation_names: Sequence[OperationName]
    attributes: Sequence[Entry]
    types: Sequence[Entry]
    properties: Sequence[tuple[int, int]]
    """The first byte of each set of properties, and the byte behind its last."""
    resources: Sequence[Resource]
    operations: ByteReader


def open_container(data: bytes) -> Container:
    """The sections of `data`. Raises `BytecodeError`."""
    reader = ByteReader(data, 0, len(data))
    if reader.bytes(min(len(MAGIC), len(data))) != MAGIC:
        raise BytecodeError("byte 0: this is no MLIR bytecode, which starts with 'ML\\xefR'")
    version = reader.varint()
    if version > NEWEST_FORMAT:
        raise BytecodeError(f"the bytecode has format {version}: known are formats up to {NEWEST_FORMAT}")
    producer = reader.text()
    sections = dict(_sections(reader))
    required = (Section.STRINGS, Section.DIALECTS, Section.ATTRIBUTES, Section.ATTRIBUTE_OFFSETS, Section.OPERATIONS)
    for section in required:
        if section not in sections:
            raise reader.error(f"the bytecode has no section of {section.name.lower().replace('_', ' ')}")
    strings = _strings(sections[Section.STRINGS])
    dialects, operation_names = _dialects(sections[Section.DIALECTS], strings, version)
    attributes, types = _entries(sections, dialects)
    return Container(
        data,
        version,
        producer,
        strings,
        operation_names,
        attributes,
        types,
        _properties(sections.get(Section.PROPERTIES)),
        tuple(_resources(sections, strings)),
        sections[Section.OPERATIONS],
    )


def _sections(reader: ByteReader) -> Iterator[tuple[Section, ByteReader]]:
    seen: set[int] = set()
    while reader.remaining:
        number, content = read_section(reader)
        if number in seen or number not in Section.__members__.values():
            raise reader.error(f"section {number} is " + ("there twice" if number in seen else "not known"))
        seen.add(number)
        yield Section(number), content


def read_section(reader: ByteReader) -> tuple[int, ByteReader]:
    """The number of the next section, and a reader of what is in it."""
    first = reader.byte()
    size = reader.varint()
    if first & 0x80:
        reader.align(reader.varint())
    return first & 0x7F, reader.part(size)


def _strings(reader: ByteReader) -> Sequence[Text]:
    """The strings of the string section: their sizes, with NUL, from the last to the first, then all of them."""
    found: list[Text] = []
    for size in reversed(reader.varints(reader.count())):
        if size == 0:
            raise reader.error("a string lacks the NUL at its end")
        found.append(decoded(reader.bytes(size)[:-1]))
    return found


def _dialects(
    reader: ByteReader, strings: Sequence[Text], version: int
) -> tuple[Sequence[str], Sequence[OperationName]]:
    """The names of the dialects, and of all operations, dialect by dialect."""
    names: list[str] = []
    for _ in range(reader.count()):
        number = reader.varint()
        if version >= VERSIONED_DIALECTS:
            number, is_versioned = number >> 1, number & 1
            if is_versioned:
                read_section(reader)  # the versions of the dialects known here change no encoding
        names.append(_name(strings, number, reader))
    operations: list[OperationName] = []
    if version >= UNKNOWN_ARGUMENT_LOCATIONS and reader.remaining:
        reader.varint()  # the number of all operations, to make room for them
    while reader.remaining:
        dialect = _at(names, reader.varint(), reader, "dialect")
        for _ in range(reader.count()):
            number, is_registered = reader.varint(), True
            if version >= PROPERTIES:
                number, is_registered = number >> 1, bool(number & 1)
            name = _name(strings, number, reader)
            operations.append(OperationName(f"{dialect}.{name}" if dialect else name, is_registered))
    return names, operations


def _name(strings: Sequence[Text], number: int, reader: ByteReader) -> str:
    name = _at(strings, number, reader, "string")
    if isinstance(name, bytes):
        raise reader.error(f"string {number}, a name, is not in UTF-8")
    return name


def _entries(
    sections: Mapping[Section, ByteReader], dialects: Sequence[str]
) -> tuple[Sequence[Entry], Sequence[Entry]]:
    """The entries of all attributes and of all types. Their bytes follow each other."""
    reader, content = sections[Section.ATTRIBUTE_OFFSETS], sections[Section.ATTRIBUTES]
    attributes, types = reader.count(), reader.count()

    def read(number: int) -> list[Entry]:
        found: list[Entry] = []
        while len(found) < number:
            dialect = _at(dialects, reader.varint(), reader, "dialect")
            size_of_group = reader.count()
            if not 0 < size_of_group <= number - len(found):
                raise reader.error(f"{size_of_group} attributes or types are in a group of {number - len(found)}")
            sizes_and_forms = reader.varints(size_of_group)
            sizes, forms = [both >> 1 for both in sizes_and_forms], [both & 1 for both in sizes_and_forms]
            starts = accumulate(sizes, initial=content.position)  # and the end of the last
            found += zip(repeat(dialect), starts, sizes, forms, strict=False)
            content.skip(sum(sizes))
        return found

    return read(attributes), read(types)


def _properties(reader: ByteReader | None) -> Sequence[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    for _ in range(0 if reader is None else reader.count()):
        assert reader is not None
        size = reader.varint()
        found.append((reader.position, reader.position + size))
        reader.skip(size)
    return found


def _resources(sections: Mapping[Section, ByteReader], strings: Sequence[Text]) -> Iterator[Resource]:
    names = sections.get(Section.RESOURCE_OFFSETS)
    if names is None:
        return
    contents = sections.get(Section.RESOURCES) or ByteReader(names.data, names.end, names.end)
    yield from read_resources(names, contents, lambda number: _name(strings, number, names))


def _at(items: Sequence[T], index: int, reader: ByteReader, what: str) -> T:
    if index >= len(items):
        raise reader.error(f"there is no {what} {index}: there are {len(items)}")
    return items[index]
