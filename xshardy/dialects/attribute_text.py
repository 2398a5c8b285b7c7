"""
The text of an attribute as data: literals, fields and lists, with one reader and one printer for all attributes.

An attribute declares its `BODY`, for example `body("(", field("pre_size", INT64), ")", field("size", INT64))` for
`(1)2`. xDSL 0.75 declares the text of operations (`assembly_format`), but for attributes its formats have keywords and
white space only, and no variables; hence this vocabulary. Errors have upstream's wording.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Self, TypeVar, cast

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, IntAttr, StringAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, OpaqueSyntaxAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import PunctuationSpelling
from xdsl.utils.str_enum import StrEnum

from xshardy.ir.hashing import KeptHash

AttributeT = TypeVar("AttributeT", bound=Attribute)

# -- Reading tokens ---------------------------------------------------------------------------------------------------


def expect(parser: AttrParser, punctuation: PunctuationSpelling) -> None:
    """Read `punctuation`, or fail with `expected '...'`."""
    if parser.parse_optional_punctuation(punctuation) is None:
        parser.raise_error(f"expected '{punctuation}'")


def parse_int64(parser: AttrParser, context: str = "") -> int:
    """An integer of 64 bits, as upstream reads. `context` says what it is for, as in ` for a size`."""
    start = parser.pos
    try:
        value = parser.parse_integer(allow_boolean=False, context_msg=context)
    except ValueError:  # Python does not convert thousands of digits
        parser.raise_error("integer value too large", start, parser.pos)
    if not -(2**63) <= value < 2**63:
        parser.raise_error("integer value too large", start, parser.pos)
    return value


_TOKEN = re.compile(r"[a-z_]+|->|[^a-z_ ]")


@dataclass(frozen=True, init=False)
class Literal:
    """Fixed text of keywords and punctuation, such as `, device_ids=`. Printed as it is; white space is optional."""

    text: str
    tokens: tuple[str, ...]

    def __init__(self, text: str):
        object.__setattr__(self, "text", text)
        object.__setattr__(self, "tokens", tuple(_TOKEN.findall(text)))

    def read(self, parser: AttrParser) -> None:
        """Read all tokens, or fail with `expected '...'` at the one that is missing."""
        for token in self.tokens:
            if not _read_token(parser, token):
                parser.raise_error(f"expected '{token}'")

    def read_optional(self, parser: AttrParser) -> bool:
        """Read all tokens if the first one is there."""
        if not _read_token(parser, self.tokens[0]):
            return False
        for token in self.tokens[1:]:
            if not _read_token(parser, token):
                parser.raise_error(f"expected '{token}'")
        return True


def _read_token(parser: AttrParser, token: str) -> bool:
    if token[0].isalpha():
        return parser.parse_optional_keyword(token) is not None
    return parser.parse_optional_punctuation(cast(PunctuationSpelling, token)) is not None


# -- The text of one value --------------------------------------------------------------------------------------------


class Text(ABC, Generic[AttributeT]):
    """How one attribute, the value of a field or the element of a list, is read and printed."""

    @abstractmethod
    def read(self, parser: AttrParser) -> AttributeT: ...

    @abstractmethod
    def print(self, printer: Printer, value: AttributeT) -> None: ...


@dataclass(frozen=True)
class Int64(Text[IntAttr]):
    """`42`. `context` ends the error where there is no integer."""

    context: str = ""

    def read(self, parser: AttrParser) -> IntAttr:
        return IntAttr(parse_int64(parser, self.context))

    def print(self, printer: Printer, value: IntAttr) -> None:
        printer.print_string(str(value.data))


INT64 = Int64()


class String(Text[StringAttr]):
    """A string literal, of characters or of the bytes that they print as: `"é"`, `"\\C3\\A9"`."""

    def read(self, parser: AttrParser) -> StringAttr:
        start = parser.pos
        text = parser.parse_optional_str_literal()
        if text is not None:
            return StringAttr(text)
        data = parser.parse_optional_bytes_literal()
        if data is None:
            parser.raise_error("expected string")
        try:
            return StringAttr(data.decode())
        except UnicodeDecodeError:
            parser.raise_error("expected string of UTF-8", start, parser.pos)

    def print(self, printer: Printer, value: StringAttr) -> None:
        printer.print_string_literal(value.data)


STRING = String()


@dataclass(frozen=True)
class EnumMember(Text[EnumAttribute[Any]]):
    """The name of a member of the enum that `attribute` holds."""

    attribute: type[EnumAttribute[Any]]

    def read(self, parser: AttrParser) -> EnumAttribute[Any]:
        enum: type[StrEnum] = self.attribute.enum_type
        return self.attribute(parser.parse_str_enum(enum))

    def print(self, printer: Printer, value: EnumAttribute[Any]) -> None:
        printer.print_string(value.data.value)


@dataclass(frozen=True)
class Listed(Text[ArrayAttr[AttributeT]]):
    """`[a, b]`: elements between the two characters of `delimiters`. With `at_least_one`, not an empty list."""

    element: Text[AttributeT]
    delimiters: str = "[]"
    at_least_one: bool = False

    def read(self, parser: AttrParser) -> ArrayAttr[AttributeT]:
        opening, closing = cast(Sequence[PunctuationSpelling], self.delimiters)
        expect(parser, opening)
        if not self.at_least_one and parser.parse_optional_punctuation(closing) is not None:
            return ArrayAttr(())
        elements = [self.element.read(parser)]
        while parser.parse_optional_punctuation(",") is not None:
            elements.append(self.element.read(parser))
        expect(parser, closing)
        return ArrayAttr(elements)

    def print(self, printer: Printer, value: ArrayAttr[AttributeT]) -> None:
        opening, closing = self.delimiters
        printer.print_string(opening)
        printer.print_list(value.data, lambda element: self.element.print(printer, element))
        printer.print_string(closing)


# -- The text of an attribute -----------------------------------------------------------------------------------------

Values = dict[str, Attribute]
"""The values of fields that have been read, by name."""


class Part(ABC):
    """A part of the text of an attribute, which holds none, one or several of its fields."""

    @abstractmethod
    def read(self, parser: AttrParser, values: Values) -> None:
        """Read the text and add what it says to `values`."""

    @abstractmethod
    def print(self, printer: Printer, attribute: Attribute) -> None:
        """Print the fields of `attribute` that belong to this part."""


@dataclass(frozen=True)
class LiteralPart(Part):
    """Text between fields."""

    literal: Literal

    def read(self, parser: AttrParser, values: Values) -> None:
        self.literal.read(parser)

    def print(self, printer: Printer, attribute: Attribute) -> None:
        printer.print_string(self.literal.text)


@dataclass(frozen=True)
class Field(Part):
    """The value of the field `name`."""

    name: str
    text: Text[Any]

    def read(self, parser: AttrParser, values: Values) -> None:
        values[self.name] = self.text.read(parser)

    def print(self, printer: Printer, attribute: Attribute) -> None:
        self.text.print(printer, getattr(attribute, self.name))


@dataclass(frozen=True)
class OptionalField(Part):
    """`literal` and the value of the field `name`; nothing if the value is `absent`."""

    literal: Literal
    name: str
    text: Text[Any]
    absent: Attribute

    def read(self, parser: AttrParser, values: Values) -> None:
        is_present = self.literal.read_optional(parser)
        values[self.name] = self.text.read(parser) if is_present else self.absent

    def print(self, printer: Printer, attribute: Attribute) -> None:
        value = getattr(attribute, self.name)
        if value != self.absent:
            printer.print_string(self.literal.text)
            self.text.print(printer, value)


@dataclass(frozen=True)
class Flag(Part):
    """`literal` if the field `name` is true; nothing if it is false."""

    literal: Literal
    name: str

    def read(self, parser: AttrParser, values: Values) -> None:
        values[self.name] = BoolAttr.from_bool(self.literal.read_optional(parser))

    def print(self, printer: Printer, attribute: Attribute) -> None:
        if getattr(attribute, self.name):
            printer.print_string(self.literal.text)


@dataclass(frozen=True)
class Body:
    """The text of an attribute, part by part."""

    parts: tuple[Part, ...]

    def read(self, parser: AttrParser) -> Values:
        values: Values = {}
        for part in self.parts:
            part.read(parser, values)
        return values

    def print(self, printer: Printer, attribute: Attribute) -> None:
        for part in self.parts:
            part.print(printer, attribute)


class BodyAttribute(KeptHash):
    """
    An attribute whose text inside operations and other attributes is its body alone: `{"a", "b"}`, `<@mesh, [{"a"}]>`.

    By itself it is `#dialect.mnemonic` and a body that begins with `<`.
    """

    BODY: ClassVar[Body]

    @classmethod
    def of_fields(cls, fields: Mapping[str, Attribute]) -> Self:
        """The attribute with the `fields` that were read."""
        return cls.new([fields[name] for name, _ in cls.get_irdl_definition().parameters])

    @classmethod
    def parse_body(cls, parser: AttrParser) -> Self:
        return cls.of_fields(cls.BODY.read(parser))

    def print_body(self, printer: Printer) -> None:
        self.BODY.print(printer, self)

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return cls.parse_body(parser).parameters

    def print_parameters(self, printer: Printer) -> None:
        self.print_body(printer)


class BareBodyAttribute(BodyAttribute, OpaqueSyntaxAttribute):
    """
    An attribute whose body has no angle brackets: by itself it prints as `#dialect<mnemonic body>`.

    `#dialect.mnemonic<body>`, as the documents write it, is read too (row SDY-Q-12).
    """

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        if parser.parse_optional_punctuation("<") is None:
            return cls.parse_body(parser).parameters
        attribute = cls.parse_body(parser)
        expect(parser, ">")
        return attribute.parameters


@dataclass(frozen=True)
class Nested(Text[BodyAttribute]):
    """The body of an attribute of a class."""

    attribute: type[BodyAttribute]

    def read(self, parser: AttrParser) -> BodyAttribute:
        return self.attribute.parse_body(parser)

    def print(self, printer: Printer, value: BodyAttribute) -> None:
        value.print_body(printer)


# -- How a body is written down ---------------------------------------------------------------------------------------

Described = Text[Any] | type[BodyAttribute]
"""A text, or a class of attributes, which stands for the text of their bodies."""


def _text(described: Described) -> Text[Any]:
    return Nested(described) if isinstance(described, type) else described


def body(*parts: str | Part) -> Body:
    """The text that these parts make; a string is a literal."""
    return Body(tuple(LiteralPart(Literal(part)) if isinstance(part, str) else part for part in parts))


def field(name: str, text: Described) -> Field:
    """The value of the field `name`."""
    return Field(name, _text(text))


def optional(literal: str, name: str, text: Described, absent: Attribute) -> OptionalField:
    """`literal`, and behind it the value of the field `name`, unless it is `absent`."""
    return OptionalField(Literal(literal), name, _text(text), absent)


def flag(literal: str, name: str) -> Flag:
    """`literal` if the field `name` is true."""
    return Flag(Literal(literal), name)


def listed(element: Described, delimiters: str = "[]", *, at_least_one: bool = False) -> Listed[Any]:
    """`[a, b]`."""
    return Listed(_text(element), delimiters, at_least_one)


def array(values: Iterable[AttributeT]) -> ArrayAttr[AttributeT]:
    """The array attribute of `values`, which may be one already: the converter of list parameters."""
    return values if isinstance(values, ArrayAttr) else ArrayAttr(values)


NONE_LISTED: ArrayAttr[Any] = ArrayAttr(())
"""The value of a list that is left out."""
