"""The attributes, types, strings and dialects of bytecode that is written: each gets a number when it is first used."""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import groupby

from xdsl.dialects.builtin import DictionaryAttr, MemRefType
from xdsl.ir import Attribute, TypeAttribute

from xshardy.dialects.texts import Text
from xshardy.ir.hashing import Key, key_of
from xshardy.syntax.bytecode.attribute_table import ENCODINGS
from xshardy.syntax.bytecode.builtin import BUILTIN, sorted_entries
from xshardy.syntax.bytecode.encoding import DialectEncoding, Table
from xshardy.syntax.bytecode.errors import BytecodeError
from xshardy.syntax.bytecode.stream import ByteWriter
from xshardy.syntax.bytecode.vhlo import MIXED, VHLO, Version, since, text_of
from xshardy.syntax.printer import Printer

VHLO_DIALECT = "vhlo"
BUILTIN_DIALECT = "builtin"
DICTIONARY_CODE = next(row.code for row in BUILTIN.attributes.rows if row.kind is DictionaryAttr)


class Form(Enum):
    """What an attribute is written as."""

    PLAIN = "as it is"
    VHLO = "in VHLO"
    ENTRIES = "a dictionary of MLIR's with values of VHLO"


@dataclass(frozen=True, slots=True)
class WrittenEntry:
    """An attribute or type as it is in bytecode."""

    dialect: str
    data: bytes
    is_encoded: bool


@dataclass
class Numbers:
    """
    The numbers of attributes, or of types, in the order in which they were first asked for.

    `version` is that of StableHLO whose VHLO is written.
    """

    is_type: bool
    by_key: dict[tuple[Form, Key], int] = field(default_factory=dict[tuple[Form, Key], int])
    waiting: deque[tuple[Form, Attribute]] = field(default_factory=deque[tuple[Form, Attribute]])

    def number(self, form: Form, attribute: Attribute) -> int:
        """The number of `attribute`."""
        key = form, key_of(attribute)
        if (number := self.by_key.get(key)) is None:
            number = self.by_key[key] = len(self.by_key)
            self.waiting.append((form, attribute))
        return number


class NumberTable:
    """
    What the operations of bytecode refer to by numbers.

    `version` is that of StableHLO for which VHLO is written, if it is. Methods raise `BytecodeError`.
    """

    def __init__(self, version: Version | None):
        self.version = version
        self.attributes, self.types = Numbers(is_type=False), Numbers(is_type=True)
        self.strings: dict[Text, int] = {}
        self.dialects: dict[str, int] = {}
        self.resources: dict[str, int] = {}
        """Resources of the builtin dialect, the only one that has any."""

    def string(self, text: Text) -> int:
        """The number of a string."""
        return self.strings.setdefault(text, len(self.strings))

    def dialect(self, name: str) -> int:
        """The number of a dialect."""
        self.string(name)
        return self.dialects.setdefault(name, len(self.dialects))

    def resource(self, name: str) -> int:
        """The number of a resource, whose elements are not known."""
        self.dialect(BUILTIN_DIALECT)
        self.string(name)
        return self.resources.setdefault(name, len(self.resources))

    def attribute(self, attribute: Attribute, form: Form = Form.PLAIN) -> int:
        """The number of an attribute."""
        return self.attributes.number(form, attribute)

    def type(self, type: Attribute, form: Form = Form.PLAIN) -> int:
        """The number of a type."""
        return self.types.number(form, type)

    def entries(self) -> tuple[Sequence[WrittenEntry], Sequence[WrittenEntry]]:
        """All attributes and all types that have numbers, and those inside of them, in the order of their numbers."""
        attributes: list[WrittenEntry] = []
        types: list[WrittenEntry] = []
        while self.attributes.waiting or self.types.waiting:
            if self.attributes.waiting:
                attributes.append(self._written(self.attributes, *self.attributes.waiting.popleft()))
            if self.types.waiting:
                types.append(self._written(self.types, *self.types.waiting.popleft()))
        return attributes, types

    def _written(self, numbers: Numbers, form: Form, attribute: Attribute) -> WrittenEntry:
        if form is Form.ENTRIES:
            return self._entries(attribute)
        kind = TypeAttribute if isinstance(attribute, TypeAttribute) and not numbers.is_type else attribute.__class__
        for dialect, encoding in self._encodings(form, attribute):
            table: Table = encoding.types if numbers.is_type else encoding.attributes
            if (found := table.row_of(attribute, kind)) is None:
                continue
            row, parts = found
            if dialect == VHLO_DIALECT:
                self._check(attribute)
            writer = AttributeWriter(table=self, form=form if dialect == VHLO_DIALECT else Form.PLAIN)
            writer.varint(row.code)
            for one, value in zip(row.fields, parts, strict=True):
                one.write(writer, value)
            return WrittenEntry(dialect, bytes(writer.data), True)
        return self._text(form, attribute)

    def _encodings(self, form: Form, attribute: Attribute) -> Iterator[tuple[str, DialectEncoding]]:
        """The encodings that may have a row for `attribute`, with their dialects."""
        if form is Form.VHLO:
            yield VHLO_DIALECT, VHLO
            if is_of_vhlo(attribute):
                return
        yield BUILTIN_DIALECT, BUILTIN
        if (encoding := ENCODINGS.get(dialect := attribute.name.partition(".")[0])) is not None:
            yield dialect, encoding

    def _entries(self, attribute: Attribute) -> WrittenEntry:
        assert isinstance(attribute, DictionaryAttr)
        writer = AttributeWriter(table=self, form=Form.VHLO)
        writer.varint(DICTIONARY_CODE)
        entries = sorted_entries(attribute)
        writer.varint(len(entries))
        for name, value in entries:
            writer.varint(self.attribute(name))
            writer.attribute(value)
        return WrittenEntry(BUILTIN_DIALECT, bytes(writer.data), True)

    def _text(self, form: Form, attribute: Attribute) -> WrittenEntry:
        """An attribute that no table has: its text."""
        if form is Form.VHLO:
            if is_of_vhlo(attribute) or isinstance(attribute, MemRefType):
                raise BytecodeError(f"'{attribute}' has no form in a portable artifact")
            self.check_version(MIXED, f"'{attribute}', which is not StableHLO's")
        text = Printer().attribute_text(attribute)
        writer = ByteWriter()
        writer.text(text)
        dialect = attribute.name.partition(".")[0] if text.startswith(("#", "!")) else BUILTIN_DIALECT
        return WrittenEntry(dialect, bytes(writer.data), False)

    def _check(self, attribute: Attribute) -> None:
        if (version := since(attribute)) is not None:
            self.check_version(version, f"'{attribute}'")

    def check_version(self, version: Version, what: str) -> None:
        """Raise `BytecodeError` if `what` needs a newer version of StableHLO than the one that is written."""
        if self.version is not None and self.version < version:
            raise BytecodeError(f"{what} needs StableHLO {text_of(version)}, and not {text_of(self.version)}")


def is_of_vhlo(attribute: Attribute) -> bool:
    """Whether VHLO has its own form of all attributes of the dialect, if it has one of this."""
    dialect, dot, _ = attribute.name.partition(".")
    return not dot or dialect in ("builtin", "stablehlo")


@dataclass(slots=True)
class AttributeWriter(ByteWriter):
    """Writes the fields of one attribute: a `Sink`. Attributes inside of it are written in the same form."""

    table: NumberTable = field(kw_only=True)
    form: Form = field(kw_only=True)

    def byte(self, value: int) -> None:
        self.data.append(value)

    def bytes(self, data: bytes) -> None:
        self.data += data

    def attribute(self, attribute: Attribute) -> None:
        self.varint(self.table.attribute(attribute, self.form))

    def optional_attribute(self, attribute: Attribute | None) -> None:
        self.varint(0 if attribute is None else self.table.attribute(attribute, self.form) << 1 | 1)

    def type(self, type: Attribute) -> None:
        self.varint(self.table.type(type, self.form))

    def string(self, text: Text) -> None:
        self.varint(self.table.string(text))

    def resource(self, name: str) -> None:
        self.varint(self.table.resource(name))


def grouped(entries: Sequence[WrittenEntry]) -> Iterator[tuple[str, Sequence[WrittenEntry]]]:
    """The entries that follow each other and are of one dialect."""
    for dialect, group in groupby(entries, lambda entry: entry.dialect):
        yield dialect, tuple(group)
