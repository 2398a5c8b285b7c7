"""
Range-aware simplification of expressions and of whole indexing maps.

Equal maps become identical as far as the rules of `linear.py` reach. Source: XLA indexing docs, "Indexing Map
simplification".
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import gcd, lcm
from typing import NamedTuple

from xdsl.ir.affine import AffineExpr

from xshardy.affine.interval import Interval
from xshardy.affine.linear import Atom, Bounds, Kind, Linear, combination, expr_of, linear, single
from xshardy.affine.variables import Constraint


def simplify(expr: AffineExpr, dims: Sequence[Interval], symbols: Sequence[Interval] = ()) -> AffineExpr:
    """
    An expression with the value of `expr` wherever `d_i` is in `dims[i]` and `s_i` in `symbols[i]`, in canonical form.

    Raises `IndexError` if `expr` has a variable without an interval, `ValueError` for a divisor that is not positive.
    """
    return _simplify(expr, tuple(dims), tuple(symbols))


@lru_cache(maxsize=8192)
def _simplify(expr: AffineExpr, dims: tuple[Interval, ...], symbols: tuple[Interval, ...]) -> AffineExpr:
    return expr_of(Bounds(dims, symbols).linear(expr))


class _Empty(Exception):
    """The constraints are unsatisfiable."""


class Domain(NamedTuple):
    """The intervals of the dimensions and of the symbols of a map, and its constraints."""

    dims: Sequence[Interval]
    symbols: Sequence[Interval]
    constraints: tuple[Constraint, ...]


def simplify_in_domain(results: Sequence[AffineExpr], domain: Domain) -> tuple[tuple[AffineExpr, ...], Domain] | None:
    """
    The domain with narrowed intervals and simplified constraints, and the canonical `results`.

    None for an empty domain.
    """
    dims, symbols = list(domain.dims), list(domain.symbols)
    try:
        constraints = _Box(dims, symbols).simplified(domain.constraints)
    except _Empty:
        return None
    bounds = Bounds(dims, symbols)
    return tuple(expr_of(bounds.linear(result)) for result in results), Domain(dims, symbols, constraints)


class _Box:
    """The box of a map with intervals that are narrowed in place, and its constraints as canonical sums."""

    def __init__(self, dims: list[Interval], symbols: list[Interval]):
        self.boxes = {Kind.DIM: dims, Kind.SYMBOL: symbols}
        self.narrowed = False

    def simplified(self, constraints: Sequence[Constraint]) -> tuple[Constraint, ...]:
        """The constraints that the narrowed box does not imply. Raises `_Empty`."""
        if not constraints:
            return ()
        exprs = [(c.expr, c.bounds) for c in constraints]
        while True:
            # Narrower bounds simplify the constraints, and simpler constraints narrow the bounds.
            self.narrowed = False
            bounds = Bounds(self.boxes[Kind.DIM], self.boxes[Kind.SYMBOL])
            kept: dict[Linear, Interval] = {}
            for expr, interval in exprs:
                self._keep(kept, *normalised(bounds.linear(expr), interval, bounds), bounds)
            kept = _merged_divisibility(kept)
            for value, interval in kept.items():
                self._narrow_by_remainder(value, interval)
            before, exprs = exprs, [(expr_of(value), interval) for value, interval in sorted(kept.items())]
            if not self.narrowed and exprs == before:
                return tuple(Constraint(expr, interval) for expr, interval in exprs)

    def _keep(self, kept: dict[Linear, Interval], value: Linear, interval: Interval | None, bounds: Bounds) -> None:
        """Add `value in interval` to `kept`, unless it is implied or becomes a bound of the box. Raises `_Empty`."""
        reach = Interval(*bounds.range_of(value))
        common = interval and interval.intersect(reach)
        if interval is None or common is None:
            raise _Empty
        if interval.includes(reach):
            return
        atom = value.as_atom
        if atom is not None and atom.kind in self.boxes:
            self._narrow(atom, common)
            return
        both = kept.get(value, interval).intersect(interval)
        if both is None:
            raise _Empty
        kept[value] = both

    def _narrow(self, variable: Atom, interval: Interval) -> None:
        box = self.boxes[variable.kind]
        common = box[variable.position].intersect(interval)
        if common is None:
            raise _Empty
        if common != box[variable.position]:
            box[variable.position] = common
            self.narrowed = True

    def _narrow_by_remainder(self, value: Linear, interval: Interval) -> None:
        """`(v + c) mod n in [a, b]`: move the bounds of the variable `v` inwards to values that satisfy it."""
        remainder = value.as_atom
        if remainder is None or remainder.kind is not Kind.MOD:
            return
        terms, offset = remainder.dividend
        if len(terms) != 1 or terms[0].factor != 1 or terms[0].atom.kind not in self.boxes:
            return
        variable, n = terms[0].atom, remainder.divisor
        box = self.boxes[variable.kind][variable.position]
        wanted = interval.intersect(Interval.of_size(n))
        if wanted is None:
            raise _Empty
        first, last = (box.lower + offset) % n, (box.upper + offset) % n
        lower, upper = box.lower, box.upper
        if not wanted.contains(first):
            lower += (wanted.lower - first) % n
        if not wanted.contains(last):
            upper -= (last - wanted.upper) % n
        if lower > upper:
            raise _Empty
        self._narrow(variable, Interval(lower, upper))


def normalised(value: Linear, interval: Interval, bounds: Bounds) -> tuple[Linear, Interval | None]:
    """
    `value in interval` as a simpler equivalent `(value, interval)`.

    Without a constant, a common factor or an outermost division, and with a positive first factor. The interval is None
    if the constraint is unsatisfiable.
    """
    lower, upper = interval.lower - value.constant, interval.upper - value.constant
    value = Linear(value.terms, 0)
    if not value.terms:
        return value, Interval(lower, upper)
    if value.terms[0].factor < 0:
        value, lower, upper = combination((value, -1)), -upper, -lower

    # a * g in [l, u] -> a in [ceil(l / g), floor(u / g)]
    common = gcd(*(term.factor for term in value.terms))
    if common > 1:
        value = linear(((atom, factor // common) for atom, factor in value.terms), 0)
        lower, upper = -(-lower // common), upper // common
    if lower > upper:
        return value, None

    # a floordiv n in [l, u] -> a in [l * n, u * n + n - 1]
    atom = value.as_atom
    if atom is not None and atom.kind is Kind.FLOORDIV:
        n = atom.divisor
        return normalised(atom.dividend, Interval(lower * n, upper * n + n - 1), bounds)

    # a * g + b in [l * g, u * g + g - 1] -> a in [l, u], for b in [0, g)
    for g in sorted({abs(term.factor) for term in value.terms}, reverse=True):
        if g > 1 and lower % g == 0 and (upper + 1) % g == 0:
            multiples, rest = value.split(g)
            low, high = bounds.range_of(rest)
            if low >= 0 and high < g:
                return normalised(multiples, Interval(lower // g, (upper + 1) // g - 1), bounds)
    return value, Interval(lower, upper)


def _merged_divisibility(constraints: dict[Linear, Interval]) -> dict[Linear, Interval]:
    """`a mod 2 in [0, 0]` and `a mod 3 in [0, 0]` -> `a mod 6 in [0, 0]`."""
    divisors: dict[Linear, int] = {}
    merged: dict[Linear, Interval] = {}
    for value, interval in constraints.items():
        atom = value.as_atom
        if atom is not None and atom.kind is Kind.MOD and interval == Interval(0, 0):
            divisors[atom.dividend] = lcm(divisors.get(atom.dividend, 1), atom.divisor)
        else:
            merged[value] = interval
    return merged | {single(Atom(Kind.MOD, value, n)): Interval(0, 0) for value, n in divisors.items()}
