"""Affine expressions as MLIR prints them."""

from collections.abc import Sequence

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)


def print_expr(expr: AffineExpr, dims: Sequence[str] | None = None, symbols: Sequence[str] | None = None) -> str:
    """`expr` with these names for its variables, by default `d0`, ... and `s0`, ..."""
    match expr:
        case AffineConstantExpr(value):
            return str(value)
        case AffineDimExpr(position):
            return dims[position] if dims is not None else f"d{position}"
        case AffineSymExpr(position):
            return symbols[position] if symbols is not None else f"s{position}"
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add, lhs, rhs):
            left = print_expr(lhs, dims, symbols)
            match rhs:
                case AffineConstantExpr(value) if value < 0:
                    return f"{left} - {-value}"
                case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, base, AffineConstantExpr(-1)):
                    return f"{left} - {_print_operand(base, dims, symbols)}"
                case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, base, AffineConstantExpr(value)) if value < 0:
                    return f"{left} - {_print_operand(base, dims, symbols)} * {-value}"
                case AffineBinaryOpExpr(AffineBinaryOpKind.Add):
                    return f"{left} + ({print_expr(rhs, dims, symbols)})"
                case _:
                    return f"{left} + {print_expr(rhs, dims, symbols)}"
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, lhs, AffineConstantExpr(-1)):
            return f"-{_print_operand(lhs, dims, symbols)}"
        case AffineBinaryOpExpr(kind, lhs, rhs):
            return f"{_print_operand(lhs, dims, symbols)} {kind.get_token()} {_print_operand(rhs, dims, symbols)}"
        case _:
            raise NotImplementedError(f"no text for {expr}")


def _print_operand(expr: AffineExpr, dims: Sequence[str] | None, symbols: Sequence[str] | None) -> str:
    """`expr` as an operand of any operator but addition."""
    text = print_expr(expr, dims, symbols)
    return f"({text})" if isinstance(expr, AffineBinaryOpExpr) else text
