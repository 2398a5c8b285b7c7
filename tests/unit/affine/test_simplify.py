"""The forms that simplification arrives at, rule by rule; that they are right is for the tests against brute force."""

import pytest

from xshardy.affine.text import parse_indexing_map


def simplified(results: str, domain: str, variables: str = "(a, b)[s]") -> str:
    return str(parse_indexing_map(f"{variables} -> ({results}), domain: {domain}").simplify())


BOX = "a in [0, 99], b in [0, 7], s in [0, 3]"

EXPRESSIONS = [
    # order: multiples first, then remainders, quotients, dimensions, symbols, the constant
    ("1 + s + b + a * 2", "a * 2 + b + s + 1"),
    ("a - b * 3 + s * 2", "b * -3 + s * 2 + a"),
    ("s + a mod 5 + (a floordiv 7) * 2 + b floordiv 3", "(a floordiv 7) * 2 + a mod 5 + b floordiv 3 + s"),
    ("a * b * 2 + s * a", "(a * b) * 2 + a * s"),
    ("(a + 1) * (b - 1)", "a * b - a + b - 1"),
    ("a - b", "a - b"),
    # like terms
    ("a + a + a * 2", "a * 4"),
    ("a * 3 - a * 2 - a", "0"),
    # ranges
    ("b mod 8", "b"),
    ("b floordiv 8", "0"),
    ("(b + 10) mod 8", "(b + 2) mod 8"),
    ("(b + 8) mod 8", "b"),
    ("(b - 8) mod 16", "b + 8"),
    ("(b - 8) floordiv 16", "-1"),
    ("(-b) mod 8", "(-b) mod 8"),
    # multiples of the divisor
    ("(a * 12 + b) floordiv 4", "a * 3 + b floordiv 4"),
    ("(a * 12 + b) mod 4", "b mod 4"),
    ("(a - 1) floordiv 2", "(a - 1) floordiv 2"),
    ("(a - 7) floordiv 2", "(a - 1) floordiv 2 - 3"),
    # common factors, with a rest that is too small to matter
    ("(a * 8 + b) floordiv 24", "a floordiv 3"),
    ("(a * 8 + b) mod 24", "(a mod 3) * 8 + b"),
    ("(a * 6 + 4) floordiv 9", "(a * 2 + 1) floordiv 3"),
    ("(a * 8 + s * 2 + 1) mod 12", "((a * 4 + s) mod 6) * 2 + 1"),
    # divisions of divisions
    ("(a floordiv 4) floordiv 5", "a floordiv 20"),
    ("(a floordiv 4 + b) floordiv 5", "(b * 4 + a) floordiv 20"),
    ("(a floordiv 4 + b floordiv 3) floordiv 5", "(a floordiv 4 + b floordiv 3) floordiv 5"),
    ("(a mod 24) floordiv 4", "(a floordiv 4) mod 6"),
    ("(a mod 24) mod 4", "a mod 4"),
    ("(a mod 24 + b) mod 5", "(a mod 24 + b) mod 5"),
    ("a ceildiv 4", "(a + 3) floordiv 4"),
    # remainder and quotient of one division
    ("(a * 32 + s * 4) mod 14 * 3 + ((a mod 7 * 32 + s * 4) floordiv 14) * 42", "(a mod 7) * 96 + s * 12"),
    (
        "((a mod 7 * 32 + s * 4 + b) mod 14) * 3 + ((a mod 7 * 64 + s * 8 + b * 2) floordiv 28) * 42",
        "(a mod 7) * 96 + b * 3 + s * 12",
    ),
    ("(a floordiv 5) * 5 + a mod 5", "a"),
    ("(a floordiv 5) * 15 + (a mod 5) * 3 + b", "a * 3 + b"),
    ("((a + b) floordiv 5) * 5 + (a + b) mod 5", "a + b"),
    ("(a floordiv 5) * 5 + b mod 5", "(a floordiv 5) * 5 + b mod 5"),
    ("a - (a floordiv 5) * 5", "a mod 5"),
    ("a * 3 - (a floordiv 5) * 10 + b", "(a mod 5) * 2 + a + b"),
    ("a + b + 1 - ((a + b) floordiv 5) * 5", "(a + b) mod 5 + 1"),
    ("(a floordiv 20) * 100 + ((a floordiv 4) mod 5) * 20 + (a mod 4) * 5", "a * 5"),
]


@pytest.mark.parametrize(("expr", "expected"), EXPRESSIONS)
def test_expressions(expr, expected):
    assert simplified(expr, BOX) == f"(a, b)[s] -> ({expected}), domain: {BOX}"


DOMAINS = [
    # into the bounds of a variable
    ("a + 3 in [5, 11]", "a in [2, 8], b in [0, 7], s in [0, 3]"),
    ("a * 4 in [5, 11]", "a in [2, 2], b in [0, 7], s in [0, 3]"),
    ("a * -4 in [-11, 0]", "a in [0, 2], b in [0, 7], s in [0, 3]"),
    ("a floordiv 4 in [2, 3]", "a in [8, 15], b in [0, 7], s in [0, 3]"),
    ("(a - 1) floordiv 4 * 2 + 5 in [7, 10]", "a in [5, 12], b in [0, 7], s in [0, 3]"),
    ("a * 8 + b in [16, 39]", "a in [2, 4], b in [0, 7], s in [0, 3]"),
    ("a * 8 + b in [16, 40]", "a in [0, 99], b in [0, 7], s in [0, 3], a * 8 + b in [16, 40]"),
    ("a * 4 + b in [16, 39]", "a in [0, 99], b in [0, 7], s in [0, 3], a * 4 + b in [16, 39]"),
    # remainders
    ("a mod 10 in [4, 6]", "a in [4, 96], b in [0, 7], s in [0, 3], a mod 10 in [4, 6]"),
    ("(a + 1) mod 10 in [0, 0]", "a in [9, 99], b in [0, 7], s in [0, 3], (a + 1) mod 10 in [0, 0]"),
    ("a mod 10 in [-5, 3]", "a in [0, 93], b in [0, 7], s in [0, 3], a mod 10 in [-5, 3]"),
    ("a mod 2 in [0, 0], a mod 3 in [0, 0]", "a in [0, 96], b in [0, 7], s in [0, 3], a mod 6 in [0, 0]"),
    # normal forms
    ("a * 2 + b * 4 + 1 in [2, 10]", "a in [0, 99], b in [0, 7], s in [0, 3], b * 2 + a in [1, 4]"),
    ("-a - b in [-10, -3]", "a in [0, 99], b in [0, 7], s in [0, 3], a + b in [3, 10]"),
    ("a + b in [0, 50], b + a in [5, 200]", "a in [0, 99], b in [0, 7], s in [0, 3], a + b in [5, 50]"),
    # always true, and never
    ("a + b in [0, 106]", BOX),
    ("a in [3, 4], a mod 5 in [3, 4]", "a in [3, 4], b in [0, 7], s in [0, 3]"),
    ("a floordiv 8 in [0, 0], a + s in [0, 10]", "a in [0, 7], b in [0, 7], s in [0, 3]"),
    ("a * 2 in [3, 3]", None),
    ("a + b in [200, 300]", None),
    ("a + b in [0, 5], a + b in [6, 9]", None),
    ("a in [0, 3], a in [4, 5]", None),
    ("b mod 16 in [9, 11]", None),
    ("a in [1, 4], a mod 5 in [0, 0]", None),
]


@pytest.mark.parametrize(("constraints", "expected"), DOMAINS)
def test_domains(constraints, expected):
    if expected is None:
        expected = "a in [0, 0], b in [0, 0], s in [0, 0], 0 in [1, 1]"
    assert simplified("", f"{BOX}, {constraints}") == f"(a, b)[s] -> (), domain: {expected}"


def test_narrowed_bounds_simplify_results():
    assert simplified("a mod 16", f"{BOX}, a floordiv 8 in [1, 1]").startswith("(a, b)[s] -> (a), domain: a in [8, 15]")


def test_a_variable_of_one_value_is_its_value():
    assert simplified("a + b", "a in [5, 5], b in [0, 7], s in [0, 3]").startswith(
        "(a, b)[s] -> (b + 5), domain: a in [5, 5]"
    )


def test_gelu_is_linear_once_flattened():
    """Three dimensions of 6 x 512 x 4096 elements, put together again."""
    assert simplified(
        "(bl_x floordiv 4096) * 2097152 + ((bl_x floordiv 8) mod 512) * 4096 + (bl_x mod 8) * 512 + th_x * 4 + i",
        "th_x in [0, 127], bl_x in [0, 24575], i in [0, 3]",
        "(th_x, bl_x)[i]",
    ).startswith("(th_x, bl_x)[i] -> (th_x * 4 + bl_x * 512 + i), domain")


def test_reshapes_that_cancel():
    """[10, 10, 10] -> [50, 20] -> [10, 10, 10]."""
    first = parse_indexing_map(
        "(x, y) -> (x floordiv 5, (x mod 5) * 2 + y floordiv 10, y mod 10), domain: x in [0, 49], y in [0, 19]"
    )
    second = parse_indexing_map(
        "(x, y, z) -> (x * 5 + y floordiv 2, (y mod 2) * 10 + z), domain: x in [0, 9], y in [0, 9], z in [0, 9]"
    )
    identity = "(x, y, z) -> (x, y, z), domain: x in [0, 9], y in [0, 9], z in [0, 9]"
    assert str(second.then(first).simplify()) == identity


LARGE = "a in [0, 2000000000], b in [0, 7], s in [0, 3]"


@pytest.mark.parametrize(
    ("expr", "form"),
    [
        ("(a floordiv 3 + b) floordiv 5", "(b * 3 + a) floordiv 15"),
        ("(a floordiv 3 + b * 100000000) floordiv 7", "(b * 100000000 + a floordiv 3) floordiv 7"),
        ("((a mod 14) * 2 + b) mod 7", "((a mod 14) * 2 + b) mod 7"),
    ],
)
def test_no_rule_makes_numbers_that_exceed_32_bits(expr: str, form: str):
    """Indices that fit are computed in 32 bits, and so are intermediate values."""
    assert simplified(expr, LARGE).split(", domain")[0] == f"(a, b)[s] -> ({form})"
