"""
Elementwise operations on integers and predicates.

HLO defines the cases that hardware leaves undefined: division by zero, the one overflowing quotient, and shifts by the
width or more. Source: XGPU-14, StableHLO's specification, XLA's elemental IR emitter.
"""

from collections.abc import Mapping

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Operation, Region, SSAValue

from xshardy.dialects import stablehlo
from xshardy.emitters.elemental.scalars import MakeOp, Rule, Scalars, width_of

ANY_SIGN_OPS: Mapping[type[Operation], MakeOp] = {
    stablehlo.AddOp: arith.AddiOp,
    stablehlo.AndOp: arith.AndIOp,
    stablehlo.ClzOp: math.CountLeadingZerosOp,
    stablehlo.MulOp: arith.MuliOp,
    stablehlo.OrOp: arith.OrIOp,
    stablehlo.PopulationCountOp: math.CtPopOp,
    stablehlo.SubtractOp: arith.SubiOp,
    stablehlo.XorOp: arith.XOrIOp,
}

SIGNED_OPS: Mapping[type[Operation], MakeOp] = {
    **ANY_SIGN_OPS,
    stablehlo.MaxOp: arith.MaxSIOp,
    stablehlo.MinOp: arith.MinSIOp,
}

UNSIGNED_OPS: Mapping[type[Operation], MakeOp] = {
    **ANY_SIGN_OPS,
    stablehlo.MaxOp: arith.MaxUIOp,
    stablehlo.MinOp: arith.MinUIOp,
}

PRED_OPS: Mapping[type[Operation], MakeOp] = {
    stablehlo.AddOp: arith.OrIOp,
    stablehlo.AndOp: arith.AndIOp,
    stablehlo.MaxOp: arith.OrIOp,
    stablehlo.MinOp: arith.AndIOp,
    stablehlo.MulOp: arith.AndIOp,
    stablehlo.OrOp: arith.OrIOp,
    stablehlo.XorOp: arith.XOrIOp,
}
"""Addition and multiplication of predicates are `or` and `and`."""


def bitwise_not(s: Scalars, x: SSAValue) -> SSAValue:
    """`x xor -1`."""
    return s(arith.XOrIOp(x, s.constant(-1, x.type)))


def negate(s: Scalars, x: SSAValue) -> SSAValue:
    """`0 - x`."""
    return s(arith.SubiOp(s.constant(0, x.type), x))


def absolute(s: Scalars, x: SSAValue) -> SSAValue:
    """`x` or `-x`; the smallest integer is returned unchanged."""
    return s.select(s.compare("slt", x, 0), negate(s, x), x)


def sign(s: Scalars, x: SSAValue) -> SSAValue:
    """-1, 0 or 1: `x >> (width - 1) | 1`, or 0 if `x` is 0."""
    sign_bits = s(arith.ShRSIOp(x, s.constant(width_of(x) - 1, x.type)))
    return s.select(s.compare("eq", x, 0), x, s(arith.OrIOp(sign_bits, s.constant(1, x.type))))


def _safe_signed_divisor(s: Scalars, x: SSAValue, y: SSAValue) -> SSAValue:
    """`y`, or 1 where `x / y` is undefined: division by zero, and the smallest integer divided by -1."""
    smallest = s.compare("eq", x, -(1 << (width_of(x) - 1)))
    overflows = s(arith.AndIOp(smallest, s.compare("eq", y, -1)))
    undefined = s(arith.OrIOp(s.compare("eq", y, 0), overflows))
    return s.select(undefined, s.constant(1, y.type), y)


def signed_divide(s: Scalars, x: SSAValue, y: SSAValue) -> SSAValue:
    """`x / y` rounded toward zero; -1 where `y` is 0; the smallest integer over -1 is itself."""
    quotient = s(arith.DivSIOp(x, _safe_signed_divisor(s, x, y)))
    return s.select(s.compare("eq", y, 0), s.constant(-1, x.type), quotient)


def signed_remainder(s: Scalars, x: SSAValue, y: SSAValue) -> SSAValue:
    """`x - y * (x / y)`, with the sign of `x`; `x` where `y` is 0; 0 for the smallest integer and -1."""
    remainder = s(arith.RemSIOp(x, _safe_signed_divisor(s, x, y)))
    return s.select(s.compare("eq", y, 0), x, remainder)


def unsigned_divide(s: Scalars, x: SSAValue, y: SSAValue) -> SSAValue:
    """`x / y` rounded down; all bits set where `y` is 0."""
    is_zero = s.compare("eq", y, 0)
    quotient = s(arith.DivUIOp(x, s.select(is_zero, s.constant(1, y.type), y)))
    return s.select(is_zero, s.constant(-1, x.type), quotient)


def unsigned_remainder(s: Scalars, x: SSAValue, y: SSAValue) -> SSAValue:
    """`x - y * (x / y)`; `x` where `y` is 0."""
    is_zero = s.compare("eq", y, 0)
    remainder = s(arith.RemUIOp(x, s.select(is_zero, s.constant(1, y.type), y)))
    return s.select(is_zero, x, remainder)


def shift_left(s: Scalars, x: SSAValue, amount: SSAValue) -> SSAValue:
    """`x << amount`; 0 if `amount`, unsigned, is at least the width."""
    in_range = s.compare("ult", amount, width_of(x))
    return s.select(in_range, s(arith.ShLIOp(x, amount)), s.constant(0, x.type))


def shift_right_logical(s: Scalars, x: SSAValue, amount: SSAValue) -> SSAValue:
    """`x >> amount`, zero-extended; 0 if `amount`, unsigned, is at least the width."""
    in_range = s.compare("ult", amount, width_of(x))
    return s.select(in_range, s(arith.ShRUIOp(x, amount)), s.constant(0, x.type))


def shift_right_arithmetic(s: Scalars, x: SSAValue, amount: SSAValue) -> SSAValue:
    """`x >> amount`, sign-extended; the sign in all bits if `amount`, unsigned, is at least the width."""
    last = s.constant(width_of(x) - 1, x.type)
    in_range = s.compare("ult", amount, width_of(x))
    return s(arith.ShRSIOp(x, s.select(in_range, amount, last)))


def unsigned_power(s: Scalars, base: SSAValue, exponent: SSAValue) -> SSAValue:
    """`base ** exponent` modulo the width, both unsigned, by repeated squaring over the bits of the exponent."""
    bits = width_of(exponent)
    zero, one = s.constant(0, exponent.type), s.constant(1, exponent.type)
    body = Block(arg_types=[IndexType(), base.type, base.type, exponent.type])
    _, power, square, rest = body.args
    step = Scalars.at_end(body)
    is_odd = step.compare("ne", step(arith.AndIOp(rest, one)), zero)
    next_power = step.select(is_odd, step(arith.MuliOp(power, square)), power)
    step.builder.insert(scf.YieldOp(next_power, step(arith.MuliOp(square, square)), step(arith.ShRUIOp(rest, one))))
    start, end, step_size = (s.constant(value, IndexType()) for value in (0, bits, 1))
    return s(scf.ForOp(start, end, step_size, [one, base, exponent], Region(body)))


def signed_power(s: Scalars, base: SSAValue, exponent: SSAValue) -> SSAValue:
    """`base ** exponent`; with a negative exponent, 1 or -1 for the bases 1 and -1, otherwise 0."""
    zero, one = s.constant(0, base.type), s.constant(1, base.type)
    minus_one = s.constant(-1, base.type)
    is_odd = s.compare("ne", s(arith.AndIOp(exponent, one)), zero)
    of_minus_one = s.select(is_odd, minus_one, one)
    inverse = s.select(s.compare("eq", base, one), one, zero)
    inverse = s.select(s.compare("eq", base, minus_one), of_minus_one, inverse)
    return s.select(s.compare("slt", exponent, zero), inverse, unsigned_power(s, base, exponent))


def signed_clamp(s: Scalars, lower: SSAValue, x: SSAValue, upper: SSAValue) -> SSAValue:
    """`min(max(lower, x), upper)`."""
    return s(arith.MinSIOp(s(arith.MaxSIOp(lower, x)), upper))


def unsigned_clamp(s: Scalars, lower: SSAValue, x: SSAValue, upper: SSAValue) -> SSAValue:
    """`min(max(lower, x), upper)`."""
    return s(arith.MinUIOp(s(arith.MaxUIOp(lower, x)), upper))


def pred_clamp(s: Scalars, lower: SSAValue, x: SSAValue, upper: SSAValue) -> SSAValue:
    """`(lower or x) and upper`."""
    return s(arith.AndIOp(s(arith.OrIOp(lower, x)), upper))


ANY_SIGN_RULES: Mapping[type[Operation], Rule] = {
    stablehlo.NegOp: negate,
    stablehlo.NotOp: bitwise_not,
    stablehlo.ShiftLeftOp: shift_left,
    stablehlo.ShiftRightArithmeticOp: shift_right_arithmetic,
    stablehlo.ShiftRightLogicalOp: shift_right_logical,
}

SIGNED_RULES: Mapping[type[Operation], Rule] = {
    **ANY_SIGN_RULES,
    stablehlo.AbsOp: absolute,
    stablehlo.ClampOp: signed_clamp,
    stablehlo.DivOp: signed_divide,
    stablehlo.PowOp: signed_power,
    stablehlo.RemOp: signed_remainder,
    stablehlo.SignOp: sign,
}

UNSIGNED_RULES: Mapping[type[Operation], Rule] = {
    **ANY_SIGN_RULES,
    stablehlo.ClampOp: unsigned_clamp,
    stablehlo.DivOp: unsigned_divide,
    stablehlo.PowOp: unsigned_power,
    stablehlo.RemOp: unsigned_remainder,
}

PRED_RULES: Mapping[type[Operation], Rule] = {
    stablehlo.ClampOp: pred_clamp,
    stablehlo.NotOp: bitwise_not,
}
