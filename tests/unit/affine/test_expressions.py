"""The folding builders, substitution and ranges, against evaluation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from indexing_strategies import DIVISIONS, exprs, intervals, raw, values
from xdsl.ir.affine import AffineBinaryOpKind

from xshardy.affine.expression_text import print_expr
from xshardy.affine.expressions import BUILDERS, add, constant, dim, mul, substitute, sym, used_variables, value_of
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.affine.ranges import range_of
from xshardy.affine.simplify import simplify

points = st.tuples(*[st.integers(-50, 50)] * 4)
pairs = st.tuples(intervals, intervals)


def box(expr, dims, symbols):
    return IndexingMap((expr,), tuple(Variable("", i) for i in dims), tuple(Variable("", i) for i in symbols))


@given(a=exprs(), b=exprs(), divisor=st.integers(1, 9), point=points)
def test_builders_fold_to_the_same_value(a, b, divisor, point):
    dims, symbols = point[:2], point[2:]
    for kind, build in BUILDERS.items():
        right = constant(divisor) if kind in DIVISIONS else b
        assert value_of(build(a, right), dims, symbols) == value_of(raw(kind, a, right), dims, symbols)


@given(expr=exprs(), replacements=st.lists(exprs(), min_size=4, max_size=4), point=points)
def test_substitute_is_evaluation_of_the_replacements(expr, replacements, point):
    inner = [value_of(e, point[:2], point[2:]) for e in replacements]
    substituted = substitute(expr, replacements[:2], replacements[2:])
    assert value_of(substituted, point[:2], point[2:]) == value_of(expr, inner[:2], inner[2:])


@given(expr=exprs(), point=points, other=points)
def test_only_used_variables_matter(expr, point, other):
    dims, symbols = used_variables(expr)
    mixed_dims = [point[i] if i in dims else other[i] for i in range(2)]
    mixed_symbols = [point[2 + i] if i in symbols else other[2 + i] for i in range(2)]
    assert value_of(expr, point[:2], point[2:]) == value_of(expr, mixed_dims, mixed_symbols)


@given(expr=exprs(), dims=pairs, symbols=pairs)
def test_range_of_holds_every_value(expr, dims, symbols):
    bound = range_of(expr, dims, symbols)
    assert all(bound.contains(value) for (value,) in values(box(expr, dims, symbols)).values())


@given(expr=exprs(), dims=pairs, symbols=pairs)
def test_simplify_keeps_the_value_in_the_bounds(expr, dims, symbols):
    simplified = simplify(expr, dims, symbols)
    assert values(box(simplified, dims, symbols)) == values(box(expr, dims, symbols))
    assert simplify(simplified, dims, symbols) == simplified


def test_builders_look_at_two_operands_and_keep_the_order():
    d0, d1, s0, two = dim(0), dim(1), sym(0), constant(2)
    assert print_expr(add(constant(1), add(d0, constant(-1)))) == "d0"
    assert print_expr(add(add(d1, constant(3)), d0)) == "d1 + d0 + 3"
    assert print_expr(add(mul(d0, two), d0)) == "d0 * 3"
    assert print_expr(mul(mul(two, d0), s0)) == "(d0 * s0) * 2"
    assert print_expr(BUILDERS[AffineBinaryOpKind.FloorDiv](mul(d0, constant(6)), two)) == "d0 * 3"
    assert print_expr(BUILDERS[AffineBinaryOpKind.Mod](mul(d0, constant(6)), two)) == "0"
    assert print_expr(BUILDERS[AffineBinaryOpKind.CeilDiv](constant(-7), two)) == "-3"


def test_an_interval_has_a_value():
    assert Interval(2, 2).lower == 2
    with pytest.raises(ValueError, match=r"empty interval \[3, 2\]: swap the bounds, or drop the variable"):
        Interval(3, 2)


def test_interval():
    assert str(Interval(-1, 3)) == "[-1, 3]"
    assert Interval.of_size(4) == Interval(0, 3)
    assert Interval(0, 3).intersect(Interval(2, 9)) == Interval(2, 3)
    assert Interval(0, 3).intersect(Interval(4, 9)) is None
