"""Affine expressions as arith operations, for `simplify_affine` and `lower_affine`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import inf

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)

from xshardy.affine.expressions import MAX, MIN
from xshardy.ir import new_operation
from xshardy.transforms.xla_gpu.index_values import index_constant

Operator = Callable[[SSAValue, SSAValue, "Expander"], SSAValue]
"""Emits an operator other than `+` and `*`. Precondition: the second operand of a division is a positive constant."""

NO_SIGNED_WRAP = arith.IntegerOverflowAttr([arith.IntegerOverflowFlag.NSW])
OVERFLOW = {"overflowFlags": NO_SIGNED_WRAP}

SUMS_AND_PRODUCTS: Mapping[AffineBinaryOpKind, type[arith.AddiOp | arith.MuliOp]] = {
    AffineBinaryOpKind.Add: arith.AddiOp,
    AffineBinaryOpKind.Mul: arith.MuliOp,
}


@dataclass(frozen=True, slots=True)
class Expander:
    """
    Emits expressions of `dims` and `symbols` as operations at `builder`, for `user`.

    `operators` emits what is no sum or product. Index arithmetic does not overflow, so sums and products are `nsw`.
    """

    dims: Sequence[SSAValue]
    symbols: Sequence[SSAValue]
    user: Operation
    builder: Builder
    operators: Mapping[AffineBinaryOpKind, Operator]

    def value(self, expr: AffineExpr) -> SSAValue:
        """`expr` as a value. Constants go to the start of the function."""
        match expr:
            case AffineConstantExpr(value):
                return self.constant(value)
            case AffineDimExpr(position):
                return self.dims[position]
            case AffineSymExpr(position):
                return self.symbols[position]
            case AffineBinaryOpExpr(AffineBinaryOpKind.Add | AffineBinaryOpKind.Mul as kind):
                return self._sum_or_product(expr, kind)
            case _:
                assert isinstance(expr, AffineBinaryOpExpr)
                return self.operators[expr.kind](self.value(expr.lhs), self.value(expr.rhs), self)

    def constant(self, value: int) -> SSAValue:
        return index_constant(value, self.user, self.builder)

    def insert(self, op: Operation) -> SSAValue:
        return self.builder.insert(op).results[0]

    def _sum_or_product(self, expr: AffineExpr, kind: AffineBinaryOpKind) -> SSAValue:
        """
        Operands are ordered by nesting depth, outermost first, so that loop-invariant code motion can hoist the longest
        prefix.
        """
        first, *others = sorted(operands_of(expr, kind), key=self._distance, reverse=True)
        result = self.value(first)
        for operand in others:
            values = result, self.value(operand)
            result = self.insert(new_operation(SUMS_AND_PRODUCTS[kind], values, (result.type,), {**OVERFLOW}))
        return result

    def _distance(self, expr: AffineExpr) -> float:
        """The number of regions between the nearest variable of `expr` and the user; constants count as nearest."""
        return -inf if isinstance(expr, AffineConstantExpr) else self._distance_of_nearest(expr)

    def _distance_of_nearest(self, expr: AffineExpr) -> float:
        match expr:
            case AffineDimExpr(position):
                return _regions_between(self.dims[position], self.user)
            case AffineSymExpr(position):
                return _regions_between(self.symbols[position], self.user)
            case AffineBinaryOpExpr(_, lhs, rhs):
                return min(self._distance_of_nearest(lhs), self._distance_of_nearest(rhs))
            case _:
                return inf


def operands_of(expr: AffineExpr, kind: AffineBinaryOpKind) -> list[AffineExpr]:
    """The summands of a sum, or the factors of a product, from left to right."""
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is kind:
        return operands_of(expr.lhs, kind) + operands_of(expr.rhs, kind)
    return [expr]


def _regions_between(value: SSAValue, user: Operation) -> int:
    """The number of regions around `user` that do not contain the definition of `value`."""
    home = value.owner if isinstance(value.owner, Block) else value.owner.parent
    distance = 0
    block = user.parent
    while block is not None and block is not home:
        distance += 1
        block = block.parent_block()
    return distance


# -- Division ---------------------------------------------------------------------------------------------------------


def floordiv_signed(dividend: SSAValue, divisor: SSAValue, to: Expander) -> SSAValue:
    """`x floordiv n` is `x / n` for `x >= 0`, and else `-1 - (-1 - x) / n`: the quotient rounds towards zero twice."""
    zero, minus_one = to.constant(0), to.constant(-1)
    is_negative = to.insert(arith.CmpiOp(dividend, zero, "slt"))
    mirrored = to.insert(arith.SubiOp(minus_one, dividend, overflow=NO_SIGNED_WRAP))
    quotient = to.insert(arith.DivSIOp(to.insert(arith.SelectOp(is_negative, mirrored, dividend)), divisor))
    mirrored_back = to.insert(arith.SubiOp(minus_one, quotient, overflow=NO_SIGNED_WRAP))
    return to.insert(arith.SelectOp(is_negative, mirrored_back, quotient))


def ceildiv_signed(dividend: SSAValue, divisor: SSAValue, to: Expander) -> SSAValue:
    """`x ceildiv n` is `-((-x) floordiv n)`."""
    zero = to.constant(0)
    negated = to.insert(arith.SubiOp(zero, dividend, overflow=NO_SIGNED_WRAP))
    return to.insert(arith.SubiOp(zero, floordiv_signed(negated, divisor, to), overflow=NO_SIGNED_WRAP))


def mod_signed(dividend: SSAValue, divisor: SSAValue, to: Expander) -> SSAValue:
    """`x mod n` is the remainder of `x / n`, which has the sign of `x`, moved up by `n` if it is negative."""
    remainder = to.insert(arith.RemSIOp(dividend, divisor))
    is_negative = to.insert(arith.CmpiOp(remainder, to.constant(0), "slt"))
    moved_up = to.insert(arith.AddiOp(remainder, divisor, overflow=NO_SIGNED_WRAP))
    return to.insert(arith.SelectOp(is_negative, moved_up, remainder))


def one_operation(op_type: type[Operation]) -> Operator:
    """The emitter of an operator that one operation computes."""
    return lambda x, y, to: to.insert(new_operation(op_type, (x, y), (x.type,)))


UNSIGNED: Mapping[AffineBinaryOpKind, Operator] = {
    AffineBinaryOpKind.FloorDiv: one_operation(arith.DivUIOp),
    AffineBinaryOpKind.Mod: one_operation(arith.RemUIOp),
    MAX: one_operation(arith.MaxUIOp),
    MIN: one_operation(arith.MinUIOp),
}
"""For operands that are known not to be negative."""

SIGNED: Mapping[AffineBinaryOpKind, Operator] = {
    AffineBinaryOpKind.FloorDiv: floordiv_signed,
    AffineBinaryOpKind.CeilDiv: ceildiv_signed,
    AffineBinaryOpKind.Mod: mod_signed,
    MAX: one_operation(arith.MaxSIOp),
    MIN: one_operation(arith.MinSIOp),
}
"""For any operands."""
