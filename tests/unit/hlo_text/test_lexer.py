"""Tokens of HLO text: their kinds, their places, and linear time."""

from time import perf_counter

import pytest
from hypothesis import given
from hypothesis.strategies import integers, lists, sampled_from

from xshardy.hlo_text.errors import HLOError, Source
from xshardy.hlo_text.lexer import Tokens


def tokens_of(text: str) -> list[tuple[str, str]]:
    tokens = Tokens(Source(text, "test.hlo"))
    return list(zip(tokens.kinds, tokens.texts, strict=True))[:-1]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("f32[]", "shape"),
        ("f32[2,3]{1,0}", "shape"),
        ("f32[2, 3] {1, 0}", "shape"),
        ("f32[2,3]{1,0:T(8,128)(2,1)S(1)}", "shape"),
        ("pred[]{:T(256)}", "shape"),
        ("s32[<=8,?]", "shape"),
        ("%add.1", "name"),
        ("get-tuple-element", "name"),
        ("_x", "name"),
        ("nan", "name"),
        ("-1", "number"),
        ("1.5e-07", "number"),
        ("-inf", "number"),
        ("-nan", "number"),
        ("0x7fC0", "number"),
        (".5", "number"),
        ("1_2x0_-1_3", "sizes"),
        ("3x3", "sizes"),
        ("b01f_01io->b01f", "labels"),
        (r'"a \" b"', "string"),
        ("->", "mark"),
        ("...", "mark"),
    ],
)
def test_one_token(text: str, kind: str):
    assert tokens_of(text) == [(kind, text)]


def test_arrow_after_a_name():
    texts = [text for _, text in tokens_of("(p: f32[])->f32[] a->b")]
    assert " ".join(texts) == "( p : f32[] ) -> f32[] a -> b"


def test_a_body_is_no_layout():
    assert [text for _, text in tokens_of("-> f32[2] { p = f32[] x() }")][:3] == ["->", "f32[2]", "{"]


@given(lists(sampled_from(["%a.1", "f32[2]{0}", "{", "}", ",", "-1.5", '"s // t"', "=", "->", "/*c*/", "//c\n", "\n"])))
def test_places(pieces: list[str]):
    """The text at the place of each token is the token, and no token is lost."""
    text = " ".join(pieces)
    tokens = Tokens(Source(text, "test.hlo"))
    expected = [piece for piece in pieces if not piece.startswith("/") and piece.strip()]
    assert tokens.texts[:-1] == expected
    for start, token in zip(tokens.starts, tokens.texts, strict=True):
        assert text.startswith(token, start)


@given(integers(1, 30), integers(0, 30))
def test_line_and_column(line: int, column: int):
    source = Source("\n" * (line - 1) + " " * column + "x", "test.hlo")
    assert source.line_and_column(line - 1 + column) == (line, column + 1)


@pytest.mark.parametrize("piece", ["/*", '"', "{", "f32[", "(", "a[ ", "1_", "-", "/* /", '"\\', "\x00"])
def test_linear_time(piece: str):
    """A text of 500 kB that is one mistake, over and over, is read in a second; quadratic would be minutes."""
    text = piece * (500_000 // len(piece))
    start = perf_counter()
    Tokens(Source(text, "test.hlo"))
    assert perf_counter() - start < 20


@pytest.mark.parametrize(
    ("text", "message"), [("/* x", "comment is not closed"), ('"x', "string is not closed"), ("@", "found '@'")]
)
def test_bad_characters(text: str, message: str):
    tokens = Tokens(Source(text, "test.hlo"))
    with pytest.raises(HLOError, match=message):
        tokens.expect("{")
