"""Affine expressions as text: as MLIR prints them, or as XLA's symbolic expressions."""

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from xshardy.affine.expressions import EXTREMA
from xshardy.affine.spelling import Spelling, spelling

Bracket = Callable[[AffineExpr, AffineBinaryOpKind], bool]
"""Whether an operation that is the left, or right, operand of an operator other than `+` is in parentheses."""


def always(expr: AffineExpr, operator: AffineBinaryOpKind) -> bool:
    return True


def unless_same(expr: AffineExpr, operator: AffineBinaryOpKind) -> bool:
    return not isinstance(expr, AffineBinaryOpExpr) or expr.kind is not operator


def unless_product(expr: AffineExpr, operator: AffineBinaryOpKind) -> bool:
    return operator is not AffineBinaryOpKind.Mul or unless_same(expr, operator)


BRACKETS: Mapping[Spelling, tuple[Bracket, Bracket]] = {
    Spelling.AFFINE: (always, always),
    Spelling.SYMBOLIC: (unless_same, unless_product),
}


def print_expr(expr: AffineExpr, dims: Sequence[str] | None = None, symbols: Sequence[str] | None = None) -> str:
    """`expr` in the current spelling, with these names for its variables, by default `d0`, ... and `s0`, ..."""
    spelled = spelling()
    left_bracket, right_bracket = BRACKETS[spelled]

    def text(expr: AffineExpr) -> str:
        match expr:
            case AffineConstantExpr(value):
                return str(value)
            case AffineDimExpr(position):
                return dims[position] if dims is not None else f"d{position}"
            case AffineSymExpr(position):
                return symbols[position] if symbols is not None else f"s{position}"
            case AffineBinaryOpExpr(AffineBinaryOpKind.Add, lhs, rhs):
                return f"{text(lhs)} {added(rhs)}"
            case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, lhs, AffineConstantExpr(-1)):
                return f"-{operand(lhs, AffineBinaryOpKind.Mul, left_bracket)}"
            case AffineBinaryOpExpr(kind, lhs, rhs) if kind in EXTREMA:
                return f"{EXTREMA[kind]}({text(lhs)}, {text(rhs)})"
            case AffineBinaryOpExpr(kind, lhs, rhs):
                is_quotient = kind is AffineBinaryOpKind.FloorDiv and spelled is Spelling.SYMBOLIC
                operator = "/" if is_quotient else kind.get_token()
                return f"{operand(lhs, kind, left_bracket)} {operator} {operand(rhs, kind, right_bracket)}"
            case _:
                raise NotImplementedError(f"no text for {expr}")

    def added(expr: AffineExpr) -> str:
        """`expr` behind a summand, with its sign."""
        match expr:
            case AffineConstantExpr(value) if value < 0:
                return f"- {-value}"
            case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, base, AffineConstantExpr(value)) if value < 0:
                factor = "" if value == -1 else f" * {-value}"
                return f"- {operand(base, AffineBinaryOpKind.Mul, left_bracket)}{factor}"
            case AffineBinaryOpExpr(AffineBinaryOpKind.Add) if spelled is Spelling.AFFINE:
                return f"+ ({text(expr)})"
            case _:
                return f"+ {text(expr)}"

    def operand(expr: AffineExpr, operator: AffineBinaryOpKind, bracket: Bracket) -> str:
        is_operation = isinstance(expr, AffineBinaryOpExpr) and expr.kind not in EXTREMA
        return f"({text(expr)})" if is_operation and bracket(expr, operator) else text(expr)

    return text(expr)
