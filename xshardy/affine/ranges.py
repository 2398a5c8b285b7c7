"""Ranges of affine expressions over intervals of their variables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineExpr

from xshardy.affine.expressions import MAX, MIN, evaluate
from xshardy.affine.interval import Interval, at_corners, mod_range

RANGE_RULES: Mapping[AffineBinaryOpKind, Callable[[Interval, Interval], Interval]] = {
    AffineBinaryOpKind.Add: lambda a, b: Interval(a.lower + b.lower, a.upper + b.upper),
    AffineBinaryOpKind.Mul: at_corners(lambda x, y: x * y),
    AffineBinaryOpKind.FloorDiv: at_corners(lambda x, y: x // y),
    AffineBinaryOpKind.CeilDiv: at_corners(lambda x, y: -(-x // y)),
    AffineBinaryOpKind.Mod: mod_range,
    MAX: at_corners(max),
    MIN: at_corners(min),
}


def range_of(expr: AffineExpr, dims: Sequence[Interval], symbols: Sequence[Interval] = ()) -> Interval:
    """
    A range that holds every value of `expr` when `d_i` runs over `dims[i]` and `s_i` over `symbols[i]`.

    Not always tight: the two `d0` of `d0 - d0` are taken as independent. Divisors must be positive.
    Raises `IndexError` if `expr` has a variable without an interval.
    Source: XLA indexing docs, "Indexing Map simplification".
    """
    return evaluate(expr, dims, symbols, Interval.point, RANGE_RULES)


def range_where(
    expr: AffineExpr, dims: Sequence[Interval], symbols: Sequence[Interval], known: Mapping[AffineExpr, Interval]
) -> Interval:
    """
    `range_of` at the points where each expression of `known` lies in its interval; the whole box if there are none.

    Narrows the subexpressions that are equal to an expression of `known`.
    """
    if isinstance(expr, AffineBinaryOpExpr):
        parts = (range_where(part, dims, symbols, known) for part in (expr.lhs, expr.rhs))
        found = RANGE_RULES[expr.kind](*parts)
    else:
        found = range_of(expr, dims, symbols)
    bounds = known.get(expr)
    return found if bounds is None else found.intersect(bounds) or found
