"""Ranges: which values an affine expression can take when its variables run over their intervals."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from xshardy.indexing.interval import Interval, at_corners, mod_range

RANGE_RULES: Mapping[AffineBinaryOpKind, Callable[[Interval, Interval], Interval]] = {
    AffineBinaryOpKind.Add: lambda a, b: Interval(a.lower + b.lower, a.upper + b.upper),
    AffineBinaryOpKind.Mul: at_corners(lambda x, y: x * y),
    AffineBinaryOpKind.FloorDiv: at_corners(lambda x, y: x // y),
    AffineBinaryOpKind.CeilDiv: at_corners(lambda x, y: -(-x // y)),
    AffineBinaryOpKind.Mod: mod_range,
}


def range_of(expr: AffineExpr, dims: Sequence[Interval], symbols: Sequence[Interval] = ()) -> Interval:
    """
    A range that holds every value of `expr` when `d_i` runs over `dims[i]` and `s_i` over `symbols[i]`.

    Not always tight: the two `d0` of `d0 - d0` are taken as independent. Divisors must be positive.
    Raises `IndexError` if `expr` has a variable without an interval.
    Source: XLA indexing docs, "Indexing Map simplification".
    """
    match expr:
        case AffineConstantExpr(value):
            return Interval(value, value)
        case AffineDimExpr(position):
            return dims[position]
        case AffineSymExpr(position):
            return symbols[position]
        case AffineBinaryOpExpr(kind, lhs, rhs):
            return RANGE_RULES[kind](range_of(lhs, dims, symbols), range_of(rhs, dims, symbols))
        case _:
            raise NotImplementedError(f"no range for {expr}")
