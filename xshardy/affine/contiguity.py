"""Whether neighbouring values of a variable touch neighbouring elements: its stride, and how the rest is aligned."""

from math import gcd

from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr


def stride(expr: AffineExpr, variable: AffineExpr) -> int | None:
    """
    What `expr` grows by when `variable`, a dimension or a symbol, grows by 1; None where that is not seen.

    Sums and multiples of the variable are followed. In a division or a remainder it may not occur.
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
    A divisor of `expr` wherever `variable` is 0, for a variable of known stride or for none; 0 if `expr` is 0 there.

    `d0 * 4 + s0` without `s0` is aligned to 4, and so is `(d0 * 4) mod 64 + s0`.
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
