"""What the sdy attributes share in their text: lists, strings and punctuation, and upstream's wording for errors."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import Self, TypeVar

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, OpaqueSyntaxAttribute, ParametrizedAttribute
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.mlir_lexer import PunctuationSpelling

T = TypeVar("T")
AttributeT = TypeVar("AttributeT", bound=Attribute)


def array(values: Iterable[AttributeT]) -> ArrayAttr[AttributeT]:
    """The array attribute of `values`, which may be one already: the converter of list parameters."""
    return values if isinstance(values, ArrayAttr) else ArrayAttr(values)


def expect(parser: AttrParser, punctuation: PunctuationSpelling) -> None:
    """Read `punctuation`, or fail with `expected '...'`."""
    if parser.parse_optional_punctuation(punctuation) is None:
        parser.raise_error(f"expected '{punctuation}'")


def expect_keyword(parser: AttrParser, keyword: str) -> None:
    """Read `keyword`, or fail with `expected '...'`."""
    if parser.parse_optional_keyword(keyword) is None:
        parser.raise_error(f"expected '{keyword}'")


def parse_list(
    parser: AttrParser, parse_element: Callable[[], T], opening: PunctuationSpelling, closing: PunctuationSpelling
) -> list[T]:
    """`opening element, element, ... closing`; the list may be empty."""
    expect(parser, opening)
    if parser.parse_optional_punctuation(closing) is not None:
        return []
    elements = [parse_element()]
    while parser.parse_optional_punctuation(",") is not None:
        elements.append(parse_element())
    expect(parser, closing)
    return elements


def parse_string(parser: AttrParser) -> str:
    """A string literal, of characters or of the bytes that they print as: `"é"`, `"\\C3\\A9"`."""
    start = parser.pos
    text = parser.parse_optional_str_literal()
    if text is not None:
        return text
    data = parser.parse_optional_bytes_literal()
    if data is None:
        parser.raise_error("expected string")
    try:
        return data.decode()
    except UnicodeDecodeError:
        parser.raise_error("expected string of UTF-8", start, parser.pos)


def parse_int64(parser: AttrParser, context: str = "") -> int:
    """An integer of 64 bits, which is what upstream reads. `context` says what it is for, as in ` for a size`."""
    start = parser.pos
    try:
        value = parser.parse_integer(allow_boolean=False, context_msg=context)
    except ValueError:  # Python does not convert thousands of digits
        parser.raise_error("integer value too large", start, parser.pos)
    if not -(2**63) <= value < 2**63:
        parser.raise_error("integer value too large", start, parser.pos)
    return value


class BodyAttribute(ParametrizedAttribute):
    """
    An attribute whose text inside operations is its body alone: `{"a", "b"}`, `<@mesh, [{"a"}]>`.

    By itself it is `#sdy.mnemonic` and a body that begins with `<`.
    """

    @classmethod
    @abstractmethod
    def parse_body(cls, parser: AttrParser) -> Self: ...

    @abstractmethod
    def print_body(self, printer: Printer) -> None: ...

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return cls.parse_body(parser).parameters

    def print_parameters(self, printer: Printer) -> None:
        self.print_body(printer)


class BareBodyAttribute(BodyAttribute, OpaqueSyntaxAttribute):
    """
    One whose body has no angle brackets: by itself it prints as `#sdy<mnemonic body>`.

    `#sdy.mnemonic<body>`, as the documents write it, is read too (row SDY-Q-12).
    """

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        if parser.parse_optional_punctuation("<") is None:
            return cls.parse_body(parser).parameters
        attribute = cls.parse_body(parser)
        expect(parser, ">")
        return attribute.parameters
