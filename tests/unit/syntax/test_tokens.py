"""The lexer against xDSL's: the same tokens, on every input of the FileCheck tests and on random text."""

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
    *('"s"', '"a\\22b"', '"\\FF"', '"open', "// comment\n", "//", " ", "\n", "\t", "é", "\x00", "x4xf32"),
)


def tokens(lexer: MLIRLexer) -> list[tuple[MLIRTokenKind, int, int]] | str:
    found: list[tuple[MLIRTokenKind, int, int]] = []
    try:
        while not found or found[-1][0] is not MLIRTokenKind.EOF:
            token = lexer.lex()
            found.append((token.kind, token.span.start, token.span.end))
    except ParseError as error:
        return f"{found} {error.msg} {error.span.start} {error.span.end}"
    return found


@pytest.mark.parametrize("path", INPUTS, ids=lambda path: path.stem)
def test_inputs(path: Path):
    text = Input(path.read_text(), "input")
    assert tokens(Lexer(text)) == tokens(MLIRLexer(text))


@given(lists(sampled_from(PIECES)).map("".join))
def test_random_text(content: str):
    text = Input(content, "input")
    assert tokens(Lexer(text)) == tokens(MLIRLexer(text))


def test_white_space_takes_linear_time():
    """A quadratic pattern would not end within the lifetime of the test."""
    text = Input((" " * 1000 + "// comment\n") * 1000 + '"end"', "input")
    assert len(tokens(Lexer(text))) == 2
