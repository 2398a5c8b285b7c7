"""The lexer against xDSL's, on random text. `test_filecheck_inputs.py` compares them on the FileCheck tests."""

from hypothesis import given
from hypothesis.strategies import lists, sampled_from
from input_checks.same_tokens import check, tokens
from xdsl.utils.lexer import Input

from xshardy.syntax.lexer import Lexer

PIECES = (
    *("a", "abc.d$1", "_", "%0", "%a-b.c", "%", "#m", "#0", "#-}", "{-#", "{", "}", "!t", "^bb0", "@f", '@"f g"', "@"),
    *("0", "12", "0x1F", "0xi32", "1.5", "1.", "2.5e-3", "1e5", "-", "->", "-1", "...", ".", "::", "(", "?", "/", "*"),
    *('"s"', '"a\\22b"', '"\\FF"', '"\\C3\\A9"', "// comment\n", "//", " ", "\n", "\t", "é", "\x00", "x4xf32"),
    '"open\n',  # ended by the line: xDSL's time is exponential in the length of what is behind the start of a string
)


@given(lists(sampled_from(PIECES)).map("".join))
def test_random_text(content: str):
    check(content)


def test_white_space_takes_linear_time():
    """A quadratic pattern would not end within the lifetime of the test."""
    text = Input((" " * 1000 + "// comment\n") * 1000 + '"end"', "input")
    assert len(tokens(Lexer(text))[0]) == 2
