"""
The lexer against xDSL's: the same tokens, on every input of the FileCheck tests and on random text.

Two differences are meant: bare names are ASCII, and text in UTF-8 that is written with escapes is a string.
"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis.strategies import lists, sampled_from
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from xshardy.syntax.lexer import Lexer

INPUTS = sorted((Path(__file__).parents[2] / "filecheck").rglob("*.mlir"))

PIECES = (
    *("a", "abc.d$1", "_", "%0", "%a-b.c", "%", "#m", "#0", "#-}", "{-#", "{", "}", "!t", "^bb0", "@f", '@"f g"', "@"),
    *("0", "12", "0x1F", "0xi32", "1.5", "1.", "2.5e-3", "1e5", "-", "->", "-1", "...", ".", "::", "(", "?", "/", "*"),
    *('"s"', '"a\\22b"', '"\\FF"', '"\\C3\\A9"', '"open', "// comment\n", "//", " ", "\n", "\t", "é", "\x00", "x4xf32"),
)


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


def check_same(content: str) -> None:
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


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_inputs(path: Path):
    check_same(path.read_text())


@given(lists(sampled_from(PIECES)).map("".join))
def test_random_text(content: str):
    check_same(content)


def test_white_space_takes_linear_time():
    """A quadratic pattern would not end within the lifetime of the test."""
    text = Input((" " * 1000 + "// comment\n") * 1000 + '"end"', "input")
    assert len(tokens(Lexer(text))[0]) == 2
