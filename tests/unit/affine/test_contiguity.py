"""Strides and alignments against the values of the expression."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.ir.affine import AffineExpr

from xshardy.affine.contiguity import alignment_without, stride
from xshardy.affine.expressions import add, constant, dim, floordiv, mod, mul, sym

VARIABLE = sym(0)


def expressions() -> st.SearchStrategy[AffineExpr]:
    """Expressions in d0, d1 and the variable s0."""
    leaves = st.one_of(st.sampled_from([dim(0), dim(1), VARIABLE]), st.integers(-9, 9).map(constant))

    def grow(inner: st.SearchStrategy[AffineExpr]) -> st.SearchStrategy[AffineExpr]:
        divisors = st.integers(1, 12).map(constant)
        return st.one_of(
            st.builds(add, inner, inner),
            st.builds(mul, inner, st.integers(-6, 6).map(constant)),
            st.builds(floordiv, inner, divisors),
            st.builds(mod, inner, divisors),
        )

    return st.recursive(leaves, grow, max_leaves=8)


@given(expressions())
def test_stride_is_the_difference_of_adjacent_values(expr: AffineExpr):
    step = stride(expr, VARIABLE)
    if step is None:
        return
    for d0, d1, s0 in product((0, 3), (1, 7), range(4)):
        assert expr.eval([d0, d1], [s0 + 1]) - expr.eval([d0, d1], [s0]) == step


@given(expressions())
def test_alignment_divides_the_first_index(expr: AffineExpr):
    if stride(expr, VARIABLE) is None:
        return
    alignment = alignment_without(expr, VARIABLE)
    for d0, d1 in product(range(5), range(5)):
        value = expr.eval([d0, d1], [0])
        assert value % alignment == 0 if alignment else value == 0


@given(expressions())
def test_alignment_divides_every_index(expr: AffineExpr):
    alignment = alignment_without(expr, None)
    for d0, d1, s0 in product(range(4), range(4), range(4)):
        value = expr.eval([d0, d1], [s0])
        assert value % alignment == 0 if alignment else value == 0


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (VARIABLE, 1),
        (add(mul(dim(0), constant(4)), VARIABLE), 1),
        (add(VARIABLE, VARIABLE), 2),
        (dim(0), 0),
        (mul(VARIABLE, constant(-3)), -3),
        (floordiv(VARIABLE, constant(2)), None),
    ],
)
def test_stride(expr: AffineExpr, expected: int | None):
    assert stride(expr, VARIABLE) == expected


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        (VARIABLE, 0),
        (constant(-8), 8),
        (add(add(mul(dim(0), constant(4)), VARIABLE), constant(8)), 4),
        (add(mod(mul(dim(0), constant(12)), constant(64)), VARIABLE), 4),
        (add(mul(floordiv(dim(0), constant(3)), constant(8)), VARIABLE), 8),
        (add(floordiv(dim(0), constant(3)), VARIABLE), 1),
    ],
)
def test_alignment_without(expr: AffineExpr, expected: int):
    assert alignment_without(expr, VARIABLE) == expected
