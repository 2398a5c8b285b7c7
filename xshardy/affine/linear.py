"""
Canonical sums, the representation of range-aware simplification.

An affine expression becomes a sum of atoms times integer factors, plus a constant. An atom is a variable, a quotient, a
remainder, or a product of atoms. Sums are tuples, so they compare and hash quickly, and tuple order is the order in
which terms print. `Bounds` simplifies quotients and remainders by the bounds of the variables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum
from itertools import accumulate
from math import gcd
from typing import Any, NamedTuple

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from xshardy.affine.expressions import MAX, MIN, constant, dim, sym
from xshardy.affine.interval import Interval


class Kind(IntEnum):
    """The kind of an atom. The order is that of the terms in a sum."""

    PRODUCT = 0
    MOD = 1
    FLOORDIV = 2
    MAX = 3
    MIN = 4
    DIM = 5
    SYMBOL = 6


class Atom(NamedTuple):
    """
    A variable (`of`: its position), `of floordiv divisor`, `of mod divisor`, the product of the atoms `of`, or the
    larger or smaller one of the two sums `of`.
    """

    kind: Kind
    of: Any
    divisor: int = 0

    @property
    def position(self) -> int:
        """The position of a variable."""
        return self.of

    @property
    def dividend(self) -> Linear:
        """The dividend of a quotient or a remainder."""
        return self.of

    @property
    def operands(self) -> tuple[Linear, Linear]:
        """The operands of an extremum."""
        return self.of

    @property
    def factors(self) -> tuple[Atom, ...]:
        """The factors of a product; any other atom is its own single factor."""
        return self.of if self.kind is Kind.PRODUCT else (self,)


class Term(NamedTuple):
    atom: Atom
    factor: int


class Linear(NamedTuple):
    """The sum of `terms` and `constant`. Terms are sorted, with distinct atoms and factors other than 0."""

    terms: tuple[Term, ...]
    constant: int

    @property
    def as_atom(self) -> Atom | None:
        """The atom if this sum is a single atom; None otherwise."""
        return self.terms[0].atom if self.constant == 0 and len(self.terms) == 1 and self.terms[0].factor == 1 else None

    def factor(self, atom: Atom) -> int:
        """The factor of `atom` in the sum; 0 if absent."""
        return next((term.factor for term in self.terms if term.atom == atom), 0)

    def holds(self, other: Linear, times: int) -> bool:
        """Whether the sum contains `times` times the terms of `other`, which is not empty."""
        factors = dict(self.terms)
        return bool(other.terms) and all(factors.get(atom) == times * factor for atom, factor in other.terms)

    def split(self, divisor: int) -> tuple[Linear, Linear]:
        """
        `(a, b)` with `self == a * divisor + b`; `b` has the terms that `divisor` does not divide and a constant >= 0.
        """
        multiples = tuple(Term(atom, factor // divisor) for atom, factor in self.terms if factor % divisor == 0)
        rest = tuple(term for term in self.terms if term.factor % divisor != 0)
        quotient, remainder = divmod(self.constant, divisor)
        return linear(multiples, quotient), Linear(rest, remainder)


ZERO = Linear((), 0)


def linear(terms: Iterable[tuple[Atom, int]], offset: int) -> Linear:
    """The sum of terms with different atoms, and `offset`, in canonical order."""
    return Linear(tuple(sorted((Term(atom, factor) for atom, factor in terms if factor), key=_term_order)), offset)


def combination(*parts: tuple[Linear, int]) -> Linear:
    """The sum of each `part[0]` times `part[1]`."""
    factors: dict[Atom, int] = {}
    offset = 0
    for part, times in parts:
        offset += part.constant * times
        for atom, factor in part.terms:
            factors[atom] = factors.get(atom, 0) + factor * times
    return linear(factors.items(), offset)


def single(atom: Atom) -> Linear:
    return Linear((Term(atom, 1),), 0)


def _term_order(term: Term) -> tuple[bool, Atom, int]:
    """Multiples first, as in `d1 * 2 + d0`."""
    return abs(term.factor) == 1 and term.atom.kind is not Kind.PRODUCT, term.atom, term.factor


# -- From and to expressions ------------------------------------------------------------------------------------------


_NODES: Mapping[Kind, AffineBinaryOpKind] = {
    Kind.MOD: AffineBinaryOpKind.Mod,
    Kind.FLOORDIV: AffineBinaryOpKind.FloorDiv,
    Kind.MAX: MAX,
    Kind.MIN: MIN,
}


def expr_of(value: Linear) -> AffineExpr:
    """`value` as an affine expression: terms from left to right, the constant last."""
    result: AffineExpr | None = None
    for atom, factor in value.terms:
        term = _atom_expr(atom)
        if factor != 1:
            term = AffineBinaryOpExpr(AffineBinaryOpKind.Mul, term, constant(factor))
        result = term if result is None else AffineBinaryOpExpr(AffineBinaryOpKind.Add, result, term)
    if result is None:
        return constant(value.constant)
    if value.constant == 0:
        return result
    return AffineBinaryOpExpr(AffineBinaryOpKind.Add, result, constant(value.constant))


def _atom_expr(atom: Atom) -> AffineExpr:
    match atom.kind:
        case Kind.DIM:
            return dim(atom.position)
        case Kind.SYMBOL:
            return sym(atom.position)
        case Kind.PRODUCT:
            first, *others = map(_atom_expr, atom.factors)
            for other in others:
                first = AffineBinaryOpExpr(AffineBinaryOpKind.Mul, first, other)
            return first
        case Kind.MOD | Kind.FLOORDIV:
            return AffineBinaryOpExpr(_NODES[atom.kind], expr_of(atom.dividend), constant(atom.divisor))
        case Kind.MAX | Kind.MIN:
            return AffineBinaryOpExpr(_NODES[atom.kind], *map(expr_of, atom.operands))


LARGEST = 2**31 - 1
"""
Index arithmetic is 32 bits wide where all indices fit, so no rule may produce a larger constant or intermediate value.
"""


class Bounds:
    """
    The bounds of the variables, and the simplifications that follow from them.

    Results are cached, so use one object per map.
    """

    def __init__(self, dims: Sequence[Interval], symbols: Sequence[Interval]):
        self.dims = dims
        self.symbols = symbols
        self._ranges: dict[Atom, tuple[int, int]] = {}
        self._quotients: dict[tuple[Linear, int], Linear] = {}
        self._remainders: dict[tuple[Linear, int], Linear] = {}

    # -- Expressions --------------------------------------------------------------------------------------------------

    def linear(self, expr: AffineExpr) -> Linear:
        """`expr` as a canonical sum, equal to it wherever the variables are in their bounds."""
        factors: dict[Atom, int] = {}
        offset = self._accumulate(expr, 1, factors)
        return self.joined(linear(factors.items(), offset))

    def _accumulate(self, expr: AffineExpr, times: int, factors: dict[Atom, int]) -> int:
        """Add the terms of `expr * times` to `factors`, and return its constant."""
        if type(expr) is AffineBinaryOpExpr:
            kind, lhs, rhs = expr.kind, expr.lhs, expr.rhs
            if kind is AffineBinaryOpKind.Add:
                return self._accumulate(lhs, times, factors) + self._accumulate(rhs, times, factors)
            if kind is AffineBinaryOpKind.Mul and type(rhs) is AffineConstantExpr:
                return self._accumulate(lhs, times * rhs.value, factors)
            part = self._binary(kind, self.linear(lhs), self.linear(rhs), expr)
        elif type(expr) is AffineConstantExpr:
            return expr.value * times
        elif type(expr) is AffineDimExpr:
            part = self._variable(Kind.DIM, expr.position, self.dims[expr.position])
        elif type(expr) is AffineSymExpr:
            part = self._variable(Kind.SYMBOL, expr.position, self.symbols[expr.position])
        else:
            raise NotImplementedError(f"no canonical form for {expr}")
        for atom, factor in part.terms:
            factors[atom] = factors.get(atom, 0) + factor * times
        return part.constant * times

    def _binary(self, kind: AffineBinaryOpKind, a: Linear, b: Linear, expr: AffineExpr) -> Linear:
        if kind is AffineBinaryOpKind.Mul:
            return self.product(a, b)
        if kind is MAX:
            return self.extremum(Kind.MAX, a, b, a, b)
        if kind is MIN:
            return self.extremum(Kind.MIN, a, b, b, a)
        if b.terms or b.constant < 1:
            raise ValueError(f"divisor in {expr}: expected a positive constant")
        if kind is AffineBinaryOpKind.Mod:
            return self.mod(a, b.constant)
        if kind is AffineBinaryOpKind.CeilDiv:
            a = Linear(a.terms, a.constant + b.constant - 1)
        return self.floordiv(a, b.constant)

    def _variable(self, kind: Kind, position: int, bounds: Interval) -> Linear:
        return Linear((), bounds.lower) if bounds.is_point else single(Atom(kind, position))

    # -- Ranges -------------------------------------------------------------------------------------------------------

    def range_of(self, value: Linear) -> tuple[int, int]:
        """The bounds of `value`, both included; terms count as independent."""
        lower = upper = value.constant
        for atom, factor in value.terms:
            low, high = self._range_of_atom(atom)
            lower += factor * (low if factor > 0 else high)
            upper += factor * (high if factor > 0 else low)
        return lower, upper

    def _range_of_atom(self, atom: Atom) -> tuple[int, int]:
        known = self._ranges.get(atom)
        if known is None:
            known = self._ranges[atom] = self._compute_range(atom)
        return known

    def _compute_range(self, atom: Atom) -> tuple[int, int]:
        match atom.kind:
            case Kind.DIM:
                return self.dims[atom.position].lower, self.dims[atom.position].upper
            case Kind.SYMBOL:
                return self.symbols[atom.position].lower, self.symbols[atom.position].upper
            case Kind.FLOORDIV:
                lower, upper = self.range_of(atom.dividend)
                return lower // atom.divisor, upper // atom.divisor
            case Kind.MOD:
                return 0, atom.divisor - 1
            case Kind.MAX | Kind.MIN:
                choose = max if atom.kind is Kind.MAX else min
                (a_lower, a_upper), (b_lower, b_upper) = map(self.range_of, atom.operands)
                return choose(a_lower, b_lower), choose(a_upper, b_upper)
            case Kind.PRODUCT:
                lower = upper = 1
                for factor in atom.factors:
                    low, high = self._range_of_atom(factor)
                    corners = (lower * low, lower * high, upper * low, upper * high)
                    lower, upper = min(corners), max(corners)
                return lower, upper

    # -- Arithmetic ---------------------------------------------------------------------------------------------------

    def product(self, a: Linear, b: Linear) -> Linear:
        """`a * b`, multiplied out."""
        parts: list[tuple[Linear, int]] = [(Linear(a.terms, 0), b.constant), (b, a.constant)]
        for x in a.terms:
            for y in b.terms:
                atom = Atom(Kind.PRODUCT, tuple(sorted(x.atom.factors + y.atom.factors)))
                parts.append((single(atom), x.factor * y.factor))
        return combination(*parts)

    def extremum(self, kind: Kind, a: Linear, b: Linear, if_a: Linear, if_b: Linear) -> Linear:
        """The larger or smaller one of `a` and `b`: `if_a` where `a` is never less than `b`, `if_b` if never more."""
        lower, upper = self.range_of(combination((a, 1), (b, -1)))
        if lower >= 0 or upper <= 0:
            return if_a if lower >= 0 else if_b
        return single(Atom(kind, (a, b)))

    def floordiv(self, dividend: Linear, divisor: int) -> Linear:
        """`dividend floordiv divisor`, for a positive divisor."""
        known = self._quotients.get((dividend, divisor))
        if known is None:
            known = self._quotients[dividend, divisor] = self._floordiv(self.joined(dividend), divisor)
        return known

    def _floordiv(self, dividend: Linear, divisor: int) -> Linear:
        lower, upper = self.range_of(dividend)
        if lower // divisor == upper // divisor:
            return Linear((), lower // divisor)

        # (a * n + b) floordiv n -> a + b floordiv n
        multiples, rest = _split_multiples(dividend, divisor)
        if multiples != ZERO:
            return combination((multiples, 1), (self.floordiv(rest, divisor), 1))

        # (a floordiv m + b) floordiv n -> (a + b * m) floordiv (m * n). Invalid with two quotients: remainders could
        # add up.
        quotients = [term for term in dividend.terms if term.atom.kind is Kind.FLOORDIV]
        if len(quotients) == 1 and quotients[0].factor == 1:
            inner, m = quotients[0].atom.dividend, quotients[0].atom.divisor
            others = Linear(tuple(term for term in dividend.terms if term is not quotients[0]), dividend.constant)
            scaled = combination((inner, 1), (others, m))
            if self._is_small(scaled) and m * divisor <= LARGEST:
                return self.floordiv(scaled, m * divisor)

        # (a mod (m * n)) floordiv n -> (a floordiv n) mod m
        atom = dividend.as_atom
        if atom is not None and atom.kind is Kind.MOD and atom.divisor % divisor == 0:
            return self.mod(self.floordiv(atom.dividend, divisor), atom.divisor // divisor)

        # (a * g + b) floordiv (g * n) -> a floordiv n, for b in [0, g)
        for g in _common_factors(dividend, divisor):
            multiples, rest = dividend.split(g)
            if (shift := self._period(rest, g)) is not None:
                return self.floordiv(Linear(multiples.terms, multiples.constant + shift), divisor // g)
        return single(Atom(Kind.FLOORDIV, dividend, divisor))

    def mod(self, dividend: Linear, divisor: int) -> Linear:
        """`dividend mod divisor`, for a positive divisor."""
        known = self._remainders.get((dividend, divisor))
        if known is None:
            known = self._remainders[dividend, divisor] = self._mod(self.joined(dividend), divisor)
        return known

    def _mod(self, dividend: Linear, divisor: int) -> Linear:
        # Within one period, the remainder is the dividend minus a constant.
        if (period := self._period(dividend, divisor)) is not None:
            return Linear(dividend.terms, dividend.constant - period * divisor)

        # (a * n + b) mod n -> b mod n
        multiples, rest = _split_multiples(dividend, divisor)
        if multiples != ZERO:
            return self.mod(rest, divisor)

        # ((a mod (m * n)) + b) mod n -> (a + b) mod n
        inner = [t for t in dividend.terms if t.atom.kind is Kind.MOD and t.factor * t.atom.divisor % divisor == 0]
        if inner:
            others = Linear(tuple(term for term in dividend.terms if term not in inner), dividend.constant)
            unwrapped = combination((others, 1), *((atom.dividend, factor) for atom, factor in inner))
            if self._is_small(unwrapped):
                return self.mod(unwrapped, divisor)

        # (a * g + b) mod (g * n) -> (a mod n) * g + b, for b in [0, g)
        for g in _common_factors(dividend, divisor):
            multiples, rest = dividend.split(g)
            if (shift := self._period(rest, g)) is not None:
                quotient = self.mod(Linear(multiples.terms, multiples.constant + shift), divisor // g)
                return combination((quotient, g), (Linear(rest.terms, rest.constant - shift * g), 1))
        return single(Atom(Kind.MOD, dividend, divisor))

    def _is_small(self, value: Linear) -> bool:
        """Whether `value` fits 32 bits: the dividend of a division may exceed all indices."""
        lower, upper = self.range_of(value)
        return lower >= -LARGEST and upper <= LARGEST

    def _period(self, value: Linear, length: int) -> int | None:
        """The `p` such that `value` is always in `[p * length, (p + 1) * length)`; None if there is none."""
        lower, upper = self.range_of(value)
        return lower // length if lower // length == upper // length else None

    # -- Sums ---------------------------------------------------------------------------------------------------------

    def joined(self, total: Linear) -> Linear:
        """`total` with quotients and remainders of equal divisions combined."""
        for term in total.terms:
            if term.atom.kind is Kind.MOD:
                simpler = self._remainder_and_quotient(total, term) or self._remainder_of_quotient(total, term)
            elif term.atom.kind is Kind.FLOORDIV:
                simpler = self._value_minus_quotient(total, term)
            else:
                continue
            if simpler is not None:
                return self.joined(simpler)
        return total

    def _remainder_and_quotient(self, total: Linear, remainder: Term) -> Linear | None:
        """`(a mod n) * k + (a floordiv n) * n * k` -> `a * k`."""
        value, n, k = remainder.atom.dividend, remainder.atom.divisor, remainder.factor
        quotient = self.floordiv(value, n)
        if not total.holds(quotient, n * k):
            return None
        return combination((total, 1), (value, k), (single(remainder.atom), -k), (quotient, -n * k))

    def _remainder_of_quotient(self, total: Linear, remainder: Term) -> Linear | None:
        """
        `r * k + (a floordiv (m * n)) * n * k` -> `(a floordiv m) * k`, if `r` is `(a floordiv m) mod n`.

        The dividend of `r` may be written differently, since it is known up to multiples of `n` only.
        """
        n, k = remainder.atom.divisor, remainder.factor
        for atom, factor in total.terms:
            if atom.kind is not Kind.FLOORDIV or factor != n * k or atom.divisor % n:
                continue
            value = self.floordiv(atom.dividend, atom.divisor // n)
            if self.mod(value, n).as_atom == remainder.atom:
                return combination((total, 1), (value, k), (single(remainder.atom), -k), (single(atom), -factor))
        return None

    def _value_minus_quotient(self, total: Linear, quotient: Term) -> Linear | None:
        """`a * k - (a floordiv n) * n * k` -> `(a mod n) * k`."""
        value, n, factor = quotient.atom.dividend, quotient.atom.divisor, quotient.factor
        if factor % n != 0:
            return None
        k = -factor // n
        if not total.holds(value, k) and not _contains_more(total, value, k):
            return None
        return combination((total, 1), (value, -k), (single(quotient.atom), -factor), (self.mod(value, n), k))


def _contains_more(total: Linear, value: Linear, times: int) -> bool:
    """Whether `value` is one term that `total` contains more than `times` times: `s0 * 7` for 4 times `s0`."""
    if len(value.terms) != 1:
        return False
    wanted, present = value.terms[0].factor * times, total.factor(value.terms[0].atom)
    return wanted * present > 0 and abs(present) > abs(wanted)


def _split_multiples(value: Linear, divisor: int) -> tuple[Linear, Linear]:
    """As `split`, but the constant of the rest keeps its sign, so that `d0 - 1` stays together."""
    multiples = tuple(Term(atom, factor // divisor) for atom, factor in value.terms if factor % divisor == 0)
    quotient = abs(value.constant) // divisor * (1 if value.constant > 0 else -1)
    if not multiples and not quotient:
        return ZERO, value
    rest = tuple(term for term in value.terms if term.factor % divisor != 0)
    return linear(multiples, quotient), Linear(rest, value.constant - quotient * divisor)


def _common_factors(value: Linear, divisor: int) -> list[int]:
    """
    Divisors of `divisor` that divide some factors of `value`, largest first: candidates for shortening the division.
    """
    factors = sorted({gcd(factor, divisor) for _, factor in value.terms}, reverse=True)
    return [g for g in sorted({*factors, *accumulate(factors, gcd)}, reverse=True) if g != 1]
