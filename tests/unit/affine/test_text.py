"""The text of indexing maps: parsing, printing, and messages of syntax errors."""

import pytest

from xshardy.affine.text import IndexingMapSyntaxError, parse_indexing_map

CANONICAL = [
    "() -> ()",
    "() -> (3)",
    "(d0, d1)[s0]{rt0} -> (d0, d1 + s0), domain: d0 in [1, 2], d1 in [5, 8], s0 in [0, 32], rt0 in [-1, 1], "
    "d0 + s0 in [1, 10], d1 mod 2 in [0, 0]",
    "(th_x, bl_x)[vector_index] -> (bl_x floordiv 4096, (bl_x floordiv 8) mod 512, "
    "(bl_x mod 8) * 512 + th_x * 4 + vector_index), "
    "domain: th_x in [0, 127], bl_x in [0, 24575], vector_index in [0, 3]",
    "(d0)[s0] -> (-d0 + 16, d0 - s0, d0 - s0 * 2 - 3, (-d0) mod 2, (d0 * s0) * 2, d0 - (d0 + s0), (d0 + 1) ceildiv 2), "
    "domain: d0 in [0, 1], s0 in [0, 1]",
    "{a} -> ()".replace("{a}", "(a)") + ", domain: a in [0, 0], 0 in [1, 1]",
]


@pytest.mark.parametrize("text", CANONICAL)
def test_canonical_text_round_trips(text):
    assert str(parse_indexing_map(text)) == text


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("(a)->(a/2),domain:a in[0,9]", "(a) -> (a floordiv 2), domain: a in [0, 9]"),
        ("(a) -> (2 * a - -1), domain: a in [0, 9],", "(a) -> (a * 2 + 1), domain: a in [0, 9]"),
        ("(a) -> (a), domain: a in [0, 9], is_simplified: true", "(a) -> (a), domain: a in [0, 9]"),
        ("(a) -> (a), domain: a in [0, 9], a in [3, 20]", "(a) -> (a), domain: a in [3, 9]"),
        ("(d1, x)[s7] -> (d1 + s7), domain: d1 in [0, 9], x in [0, 1], s7 in [0, 2]",
         "(d0, x)[s0] -> (d0 + s0), domain: d0 in [0, 9], x in [0, 1], s0 in [0, 2]"),
        ("(a, b) -> (a), domain: b in [0, 9], a + b in [0, 3], a in [0, 8]",
         "(a, b) -> (a), domain: a in [0, 8], b in [0, 9], a + b in [0, 3]"),
        ("(a) -> (a + 1 floordiv 2 mod 3), domain: a in [0, 9]", "(a) -> (a), domain: a in [0, 9]"),
        ("(a) -> (a), domain: a in [3, 2]", "(a) -> (a), domain: a in [0, 0], 0 in [1, 1]"),
        ("() -> (3), domain:", "() -> (3)"),
    ],
)  # fmt: skip
def test_other_spellings_are_read(text, canonical):
    assert str(parse_indexing_map(text)) == canonical


@pytest.mark.parametrize(
    ("text", "message", "at"),
    [
        ("", "expected '(', found 'the end'", ""),
        ("(a", "expected ',', found 'the end'", ""),
        ("(a b) -> ()", "expected ',', found 'b'", "b) -> ()"),
        ("(3) -> ()", "expected the name of a variable, found '3'", "3) -> ()"),
        ("(mod) -> ()", "expected the name of a variable, found 'mod'", "mod) -> ()"),
        ("(a, a) -> (a), domain: a in [0, 1]", "variable a is declared twice: rename one of the two", "-> (a)"),
        ("(a) -> (b)", "unknown variable b: declare it before the arrow", "b)"),
        ("(a) -> (a", "expected ',', found 'the end'", ""),
        ("(a) -> (a +)", "expected an expression, found ')'", ")"),
        ("(a) -> (a floordiv 0)", "expected a positive constant as divisor", "0)"),
        ("(a) -> (a mod a)", "expected a positive constant as divisor", "a)"),
        ("(a) -> (a)", "variable a has no bounds: add `a in [lower, upper]` to the domain", ""),
        ("(a) -> (a), domain: a in [0, x]", "expected an integer, found 'x'", "x]"),
        ("(a) -> (a), domain: a [0, 1]", "expected 'in', found '['", "[0, 1]"),
        ("(a) -> (a), domain: a in [0, 1] a", "expected ',', found 'a'", "a"),
        ("(a) -> (a), domain: a in [0, 1], is_simplified: maybe", "expected 'true' or 'false'", "maybe"),
        (
            "(a) -> (" + "a mod 3 + " * 101 + "a)",
            "expected at most 200 operators and parentheses in an expression",
            "mod 3 + a)",
        ),
        ("(a) -> (" + "(" * 5000, "expected at most 200 operators and parentheses in an expression", "(" * 4799),
        ("(a) -> (a % 2)", "unexpected character '%'", "% 2)"),
    ],
)
def test_syntax_errors_say_where(text, message, at):
    with pytest.raises(IndexingMapSyntaxError) as error:
        parse_indexing_map(text)
    assert error.value.message == message
    assert text[error.value.position :].startswith(at) and (at or error.value.position == len(text))
    assert str(error.value) == f"{message} at position {error.value.position} of indexing map: {text}"


def test_the_longest_expression():
    text = "(a, b) -> (" + "(a + b * 3) mod 50 floordiv 3 + " * 33 + "a), domain: a in [0, 99], b in [0, 99]"
    assert parse_indexing_map(str(parse_indexing_map(text).simplify())).evaluate((7, 5)) == (33 * 7 + 7,)
