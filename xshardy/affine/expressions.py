"""
Affine expressions: xDSL's nodes, with builders that fold.

xDSL's own operators refuse products of two variables and fold little. The builders here fold by a look at the two
operands, without reordering sums; `simplify.py` does the rest. Constants go to the right.

xDSL's classes of expressions are abstract ones without subclasses. `isinstance` calls Python code for these, so classes
are compared, here and where expressions are walked a lot.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from functools import lru_cache
from typing import TypeVar, cast

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

T = TypeVar("T")


class _Extremum(Enum):
    MAX, MIN = auto(), auto()


MAX, MIN = cast(AffineBinaryOpKind, _Extremum.MAX), cast(AffineBinaryOpKind, _Extremum.MIN)
"""The operators of indexing maps that xDSL's affine maps lack."""

EXTREMA: Mapping[AffineBinaryOpKind, str] = {MAX: "max", MIN: "min"}


@lru_cache(maxsize=4096)
def constant(value: int) -> AffineExpr:
    return AffineConstantExpr(value)


@lru_cache(maxsize=256)
def dim(position: int) -> AffineExpr:
    return AffineDimExpr(position)


@lru_cache(maxsize=256)
def sym(position: int) -> AffineExpr:
    return AffineSymExpr(position)


def split_constant(expr: AffineExpr) -> tuple[AffineExpr, int]:
    """`e + c` as `(e, c)`; an expression with no constant on its right as `(expr, 0)`."""
    if type(expr) is not AffineBinaryOpExpr or expr.kind is not AffineBinaryOpKind.Add:
        return expr, 0
    lhs, rhs = expr.lhs, expr.rhs
    return (lhs, rhs.value) if type(rhs) is AffineConstantExpr else (expr, 0)


def split_factor(expr: AffineExpr) -> tuple[AffineExpr, int]:
    """`e * c` as `(e, c)`; an expression with no constant factor on its right as `(expr, 1)`."""
    if type(expr) is not AffineBinaryOpExpr or expr.kind is not AffineBinaryOpKind.Mul:
        return expr, 1
    lhs, rhs = expr.lhs, expr.rhs
    return (lhs, rhs.value) if type(rhs) is AffineConstantExpr else (expr, 1)


def add(a: AffineExpr, b: AffineExpr) -> AffineExpr:
    """`a + b`. Folds constants, moves them to the right, and joins two multiples of one expression."""
    (a, a_constant), (b, b_constant) = _without_constant(a), _without_constant(b)
    offset = a_constant + b_constant
    if b is _ZERO:
        total = a
    elif a is _ZERO:
        total = b
    else:
        (a_term, a_factor), (b_term, b_factor) = split_factor(a), split_factor(b)
        if a_term == b_term:
            total = mul(a_term, constant(a_factor + b_factor))
        else:
            total = AffineBinaryOpExpr(AffineBinaryOpKind.Add, a, b)
    if total is _ZERO:
        return constant(offset)
    return AffineBinaryOpExpr(AffineBinaryOpKind.Add, total, constant(offset)) if offset else total


def mul(a: AffineExpr, b: AffineExpr) -> AffineExpr:
    """`a * b`. Folds constants and moves them to the right: `(d0 * 2) * s0` is `(d0 * s0) * 2`. Does not distribute."""
    (a, a_factor), (b, b_factor) = _without_factor(a), _without_factor(b)
    factor = a_factor * b_factor
    if factor == 0:
        return _ZERO
    if b is _ONE:
        product = a
    elif a is _ONE:
        product = b
    else:
        product = AffineBinaryOpExpr(AffineBinaryOpKind.Mul, a, b)
    if product is _ONE:
        return constant(factor)
    return AffineBinaryOpExpr(AffineBinaryOpKind.Mul, product, constant(factor)) if factor != 1 else product


def floordiv(a: AffineExpr, b: AffineExpr) -> AffineExpr:
    """
    `a floordiv b`. Folds constants, a divisor of 1, and a constant factor of `a` that `b` divides. Negative divisors
    become positive ones of `-a`.
    """
    if type(b) is AffineConstantExpr and b.value < 0:
        return floordiv(mul(a, constant(-1)), constant(-b.value))
    return _divide(AffineBinaryOpKind.FloorDiv, a, b, lambda x, y: x // y)


def ceildiv(a: AffineExpr, b: AffineExpr) -> AffineExpr:
    """`a ceildiv b`. Folds as `floordiv` does."""
    return _divide(AffineBinaryOpKind.CeilDiv, a, b, lambda x, y: -(-x // y))


def mod(a: AffineExpr, b: AffineExpr) -> AffineExpr:
    """`a mod b`. Folds constants, a divisor of 1, and a constant factor of `a` that `b` divides."""
    if type(b) is AffineConstantExpr and b.value > 0:
        if type(a) is AffineConstantExpr:
            return constant(a.value % b.value)
        if split_factor(a)[1] % b.value == 0:
            return _ZERO
    return AffineBinaryOpExpr(AffineBinaryOpKind.Mod, a, b)


def maximum(a: AffineExpr, b: AffineExpr) -> AffineExpr:
    """`max(a, b)`. Folds operands whose difference is constant."""
    return _extremum(MAX, a, b, a, b)


def minimum(a: AffineExpr, b: AffineExpr) -> AffineExpr:
    """`min(a, b)`. Folds operands whose difference is constant."""
    return _extremum(MIN, a, b, b, a)


BUILDERS: Mapping[AffineBinaryOpKind, Callable[[AffineExpr, AffineExpr], AffineExpr]] = {
    AffineBinaryOpKind.Add: add,
    AffineBinaryOpKind.Mul: mul,
    AffineBinaryOpKind.FloorDiv: floordiv,
    AffineBinaryOpKind.CeilDiv: ceildiv,
    AffineBinaryOpKind.Mod: mod,
    MAX: maximum,
    MIN: minimum,
}


ON_INTEGERS: Mapping[AffineBinaryOpKind, Callable[[int, int], int]] = {
    AffineBinaryOpKind.Add: int.__add__,
    AffineBinaryOpKind.Mul: int.__mul__,
    AffineBinaryOpKind.FloorDiv: int.__floordiv__,
    AffineBinaryOpKind.CeilDiv: lambda x, y: -(-x // y),
    AffineBinaryOpKind.Mod: int.__mod__,
    MAX: max,
    MIN: min,
}


def total(terms: Sequence[AffineExpr]) -> AffineExpr:
    """The sum of `terms`, in their order; 0 for none."""
    result = _ZERO
    for term in terms:
        result = add(result, term)
    return result


def evaluate(
    expr: AffineExpr,
    dims: Sequence[T],
    symbols: Sequence[T],
    of_constant: Callable[[int], T],
    operators: Mapping[AffineBinaryOpKind, Callable[[T, T], T]],
) -> T:
    """
    Evaluate `expr` in any arithmetic, given the values of its variables, constants and operators.

    `dims[i]` is the value of `d_i`, `symbols[i]` that of `s_i`. Raises `IndexError` for a variable without a value.
    """
    if type(expr) is AffineBinaryOpExpr:
        left = evaluate(expr.lhs, dims, symbols, of_constant, operators)
        return operators[expr.kind](left, evaluate(expr.rhs, dims, symbols, of_constant, operators))
    if type(expr) is AffineDimExpr:
        return dims[expr.position]
    if type(expr) is AffineConstantExpr:
        return of_constant(expr.value)
    if type(expr) is AffineSymExpr:
        return symbols[expr.position]
    raise NotImplementedError(f"affine expression {expr}")


def substitute(expr: AffineExpr, dims: Sequence[AffineExpr], symbols: Sequence[AffineExpr]) -> AffineExpr:
    """
    `expr` with `dims[i]` for `d_i` and `symbols[i]` for `s_i`, rebuilt by the folding builders.

    Raises `IndexError` for a variable without a replacement.
    """
    return evaluate(expr, dims, symbols, constant, BUILDERS)


def value_of(expr: AffineExpr, dims: Sequence[int], symbols: Sequence[int]) -> int:
    """`expr` at one point. Raises `IndexError` for a variable without a value."""
    return evaluate(expr, dims, symbols, int, ON_INTEGERS)


def used_variables(*exprs: AffineExpr) -> tuple[frozenset[int], frozenset[int]]:
    """The positions of the dimensions and of the symbols that occur in one of `exprs`."""
    dims: set[int] = set()
    symbols: set[int] = set()
    for expr in exprs:
        for leaf in leaves(expr):
            if type(leaf) is AffineDimExpr:
                dims.add(leaf.position)
            elif type(leaf) is AffineSymExpr:
                symbols.add(leaf.position)
    return frozenset(dims), frozenset(symbols)


def leaves(expr: AffineExpr) -> list[AffineExpr]:
    """The variables and constants of `expr`, from left to right, with repetitions."""
    found: list[AffineExpr] = []
    pending = [expr]
    while pending:
        expr = pending.pop()
        if type(expr) is AffineBinaryOpExpr:
            pending += (expr.rhs, expr.lhs)
        else:
            found.append(expr)
    return found


_ZERO = constant(0)
_ONE = constant(1)


def _without_constant(expr: AffineExpr) -> tuple[AffineExpr, int]:
    """As `split_constant`, but a constant `c` gives `(0, c)`."""
    return (_ZERO, expr.value) if type(expr) is AffineConstantExpr else split_constant(expr)


def _without_factor(expr: AffineExpr) -> tuple[AffineExpr, int]:
    """As `split_factor`, but a constant `c` gives `(1, c)`."""
    return (_ONE, expr.value) if type(expr) is AffineConstantExpr else split_factor(expr)


def _extremum(kind: AffineBinaryOpKind, a: AffineExpr, b: AffineExpr, if_a: AffineExpr, if_b: AffineExpr) -> AffineExpr:
    """The operation, or `if_a` where `a` is at least `b` by a constant, and `if_b` where it is less."""
    (a_term, a_constant), (b_term, b_constant) = _without_constant(a), _without_constant(b)
    if a_term == b_term:
        return if_a if a_constant >= b_constant else if_b
    return AffineBinaryOpExpr(kind, a, b)


def _divide(kind: AffineBinaryOpKind, a: AffineExpr, b: AffineExpr, divide: Callable[[int, int], int]) -> AffineExpr:
    if type(b) is AffineConstantExpr and b.value > 0:
        if type(a) is AffineConstantExpr:
            return constant(divide(a.value, b.value))
        base, factor = split_factor(a)
        if factor % b.value == 0:
            return mul(base, constant(factor // b.value))
    return AffineBinaryOpExpr(kind, a, b)
