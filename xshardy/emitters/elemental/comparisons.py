"""Comparison of two elements. Source: StableHLO's specification of `compare`."""

from collections.abc import Mapping

from xdsl.dialects import arith, complex
from xdsl.dialects.builtin import IntegerType
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects.stablehlo.attributes import ComparisonDirection
from xshardy.emitters.elemental.kinds import NATIVE_FLOATS, Kind
from xshardy.emitters.elemental.scalars import MakeOp, Scalars

FLOAT_PREDICATES: Mapping[ComparisonDirection, str] = {
    ComparisonDirection.EQ: "oeq",
    ComparisonDirection.NE: "une",
    ComparisonDirection.GE: "oge",
    ComparisonDirection.GT: "ogt",
    ComparisonDirection.LE: "ole",
    ComparisonDirection.LT: "olt",
}
"""All false if an operand is NaN, except `NE`."""

SIGNED_PREDICATES: Mapping[ComparisonDirection, str] = {
    ComparisonDirection.EQ: "eq",
    ComparisonDirection.NE: "ne",
    ComparisonDirection.GE: "sge",
    ComparisonDirection.GT: "sgt",
    ComparisonDirection.LE: "sle",
    ComparisonDirection.LT: "slt",
}

UNSIGNED_PREDICATES: Mapping[ComparisonDirection, str] = {
    ComparisonDirection.EQ: "eq",
    ComparisonDirection.NE: "ne",
    ComparisonDirection.GE: "uge",
    ComparisonDirection.GT: "ugt",
    ComparisonDirection.LE: "ule",
    ComparisonDirection.LT: "ult",
}

PREDICATES: Mapping[Kind, Mapping[ComparisonDirection, str]] = {
    Kind.FLOAT: FLOAT_PREDICATES,
    Kind.PRED: UNSIGNED_PREDICATES,
    Kind.SIGNED: SIGNED_PREDICATES,
    Kind.UNSIGNED: UNSIGNED_PREDICATES,
}

COMPLEX_COMPARISONS: Mapping[ComparisonDirection, MakeOp] = {
    ComparisonDirection.EQ: complex.EqualOp,
    ComparisonDirection.NE: complex.NotEqualOp,
}


def compare(s: Scalars, direction: ComparisonDirection, kind: Kind, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """`lhs direction rhs` as an i1, for two elements of one kind."""
    if kind is not Kind.COMPLEX:
        return s.compare(PREDICATES[kind][direction], lhs, rhs)
    if direction not in COMPLEX_COMPARISONS:
        raise PassFailedException(f"compare {direction} of complex numbers: they have no order, use EQ or NE")
    return s(COMPLEX_COMPARISONS[direction](lhs, rhs))


def compare_total_order(s: Scalars, direction: ComparisonDirection, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    """As `compare`, for floats in the total order -NaN, -inf, ..., -0, +0, ..., +inf, +NaN."""
    return s.compare(SIGNED_PREDICATES[direction], _ordered_bits(s, lhs), _ordered_bits(s, rhs))


def _ordered_bits(s: Scalars, x: SSAValue) -> SSAValue:
    """The bits of a float as an integer with the same order: negative numbers have all bits but the sign flipped."""
    width = NATIVE_FLOATS[type(x.type)]
    bits = s(arith.BitcastOp(x, IntegerType(width)))
    flipped = s(arith.XOrIOp(bits, s.constant((1 << (width - 1)) - 1, bits.type)))
    return s.select(s.compare("slt", bits, 0), flipped, bits)
