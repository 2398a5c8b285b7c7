"""Contiguity of an expression in a variable: its stride, and the alignment of the rest."""

from math import gcd

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr


def stride(expr: AffineExpr, variable: AffineExpr) -> int | None:
    """
    The increment of `expr` when `variable`, a dimension or a symbol, grows by 1; None if unknown.

    Follows sums and multiples of the variable. Unknown if the variable occurs in a division or a remainder.
    """
    match expr:
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add, lhs, rhs):
            left, right = stride(lhs, variable), stride(rhs, variable)
            return None if left is None or right is None else left + right
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, lhs, AffineConstantExpr(factor)):
            step = stride(lhs, variable)
            return None if step is None else step * factor
        case AffineBinaryOpExpr(_, lhs, rhs):
            return 0 if stride(lhs, variable) == stride(rhs, variable) == 0 else None
        case _:
            return 1 if expr == variable else 0


def alignment_without(expr: AffineExpr, variable: AffineExpr | None) -> int:
    """
    A divisor of `expr` with `variable` set to 0; 0 if `expr` is then 0.

    The stride of the variable must be known, or the variable absent. `d0 * 4 + s0` without `s0` is aligned to 4, and so
    is `(d0 * 4) mod 64 + s0`.
    """
    match expr:
        case AffineConstantExpr(value):
            return abs(value)
        case AffineBinaryOpExpr(AffineBinaryOpKind.Add | AffineBinaryOpKind.Mod, lhs, rhs):
            # (a * n) mod (b * n) is (a mod b) * n
            return gcd(alignment_without(lhs, variable), alignment_without(rhs, variable))
        case AffineBinaryOpExpr(AffineBinaryOpKind.Mul, lhs, rhs):
            return alignment_without(lhs, variable) * alignment_without(rhs, variable)
        case _:
            return 0 if expr == variable else 1
