"""xDSL's lexer with a fast path: one regular expression matches the most frequent tokens."""

import re
from collections.abc import Mapping
from typing import NoReturn

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Position, Span, Token
from xdsl.utils.mlir_lexer import KIND_BY_PUNCTUATION_SPELLING, MLIRLexer, MLIRToken, MLIRTokenKind, StringLiteral

_SUFFIX = r"(?:[0-9]+|[a-zA-Z$._-][a-zA-Z0-9$._-]*)"

_TOKEN = re.compile(
    rf"""
    (?: [ \t\r\n\f\v]++ | //[^\n]*+ )*+
    (?:
      (?P<BARE_IDENT>         [a-zA-Z_][a-zA-Z0-9_$.]* )
    | (?P<PERCENT_IDENT>      %{_SUFFIX} )
    | (?P<punctuation>        -> | [,:()\[\]<>=}}+*?|] | \{{(?!-\#) )
    | (?P<INTEGER_LIT>        [0-9]+(?![0-9.x]) )
    | (?P<FLOAT_LIT>          [0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)? )
    | (?P<STRING_LIT>         "[^"\\\n\v\f]*+" )
    | (?P<EXCLAMATION_IDENT>  !{_SUFFIX} )
    | (?P<HASH_IDENT>         \#(?!-\}}){_SUFFIX} )
    | (?P<AT_IDENT>           @[a-zA-Z_][a-zA-Z0-9_$.]* )
    | (?P<CARET_IDENT>        \^{_SUFFIX} )
    )
    """,
    re.VERBOSE | re.ASCII,
)

_KINDS: Mapping[str, MLIRTokenKind] = {
    group: MLIRTokenKind[group] for group in _TOKEN.groupindex if group != "punctuation"
}


def make_span(start: int, end: int, input: Input) -> Span:
    """`Span(start, end, input)`, without the slow constructor of the frozen dataclass."""
    span = object.__new__(Span)
    span.__dict__.update(start=start, end=end, input=input)
    return span


class TextToken(Token[MLIRTokenKind, str]):
    """A token that stores its text, which the parser reads repeatedly, and creates its span on demand."""

    __slots__ = ("input", "kind", "start", "text")

    def __init__(self, kind: MLIRTokenKind, text: str, start: int, input: Input):
        self.kind = kind
        self.text = text  # pyright: ignore[reportAttributeAccessIssue, reportIncompatibleMethodOverride]
        self.start = start
        self.input = input

    @property
    def span(self) -> Span:  # pyright: ignore[reportIncompatibleVariableOverride]
        return make_span(self.start, self.start + len(self.text), self.input)


class Lexer(MLIRLexer):
    """Returns the tokens of xDSL's lexer, which still handles strings, other numbers and errors."""

    _unescaped_characters_regex = re.compile(r'"(?:[^"\\\n\v\f]++|\\(?:["nt\\]|[0-9A-Fa-f]{2}))*+"')
    """xDSL's pattern of a string, with linear time for an unclosed string: xDSL's takes exponential time."""

    def _lex_string_literal(self, start_pos: Position) -> MLIRToken:
        """As xDSL's; text in UTF-8 that is written with escapes, as it is printed, is a string and not bytes."""
        token = super()._lex_string_literal(start_pos)
        if token.kind is not MLIRTokenKind.BYTES_LIT:
            return token
        literal = StringLiteral.from_span(token.span)
        try:
            literal.bytes_contents.decode()
        except UnicodeDecodeError:
            return token
        return Token(MLIRTokenKind.STRING_LIT, literal)

    def _lex_bare_identifier(self, start_pos: Position) -> NoReturn:
        """The complaint about a letter that is not ASCII: `_TOKEN` has all others."""
        raise ParseError(make_span(self.pos - 1, self.pos, self.input), "unexpected character: quote this name")

    def _lex_prefixed_ident(self, start_pos: Position) -> NoReturn:
        """The complaint about a sigil without a name: `_TOKEN` has those with one."""
        sigil = self.input.at(start_pos)
        raise ParseError(
            make_span(start_pos, self.pos, self.input),
            f"expected a name after '{sigil}': digits, or letters, digits and $._- that do not start with a digit",
        )

    def lex(self) -> MLIRToken:
        input = self.input
        match = _TOKEN.match(input.content, self.pos)
        if match is None:
            return super().lex()
        group = match.lastgroup
        assert group is not None  # each alternative is a group
        self.pos = end = match.end()
        text = match[group]
        kind = KIND_BY_PUNCTUATION_SPELLING[text] if group == "punctuation" else _KINDS[group]
        return TextToken(kind, text, end - len(text), input)
