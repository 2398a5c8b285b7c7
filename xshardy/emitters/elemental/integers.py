"""
Elementwise operations on integers and predicates.

HLO defines the cases that hardware leaves undefined: division by zero, the one overflowing quotient, and shifts by the
width or more. Source: XGPU-14, StableHLO's specification, XLA's elemental IR emitter.
"""

from collections.abc import Mapping

from xdsl.dialects import arith, math, scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Block, Region, SSAValue

from xshardy.emitters.elemental.scalars import MakeOp, Rule, Scalars, width_of

ANY_SIGN_OPS: Mapping[str, MakeOp] = {
    "stablehlo.add": arith.AddiOp,
    "stablehlo.and": arith.AndIOp,
    "stablehlo.count_leading_zeros": math.CountLeadingZerosOp,
    "stablehlo.multiply": arith.MuliOp,
    "stablehlo.or": arith.OrIOp,
    "stablehlo.popcnt": math.CtPopOp,
    "stablehlo.subtract": arith.SubiOp,
    "stablehlo.xor": arith.XOrIOp,
}

SIGNED_OPS: Mapping[str, MakeOp] = {
    **ANY_SIGN_OPS,
    "stablehlo.maximum": arith.MaxSIOp,
    "stablehlo.minimum": arith.MinSIOp,
}

UNSIGNED_OPS: Mapping[str, MakeOp] = {
    **ANY_SIGN_OPS,
    "stablehlo.maximum": arith.MaxUIOp,
    "stablehlo.minimum": arith.MinUIOp,
}

PRED_OPS: Mapping[str, MakeOp] = {
    "stablehlo.add": arith.OrIOp,
    "stablehlo.and": arith.AndIOp,
    "stablehlo.maximum": arith.OrIOp,
    "stablehlo.minimum": arith.AndIOp,
    "stablehlo.multiply": arith.AndIOp,
    "stablehlo.or": arith.OrIOp,
    "stablehlo.xor": arith.XOrIOp,
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


ANY_SIGN_RULES: Mapping[str, Rule] = {
    "stablehlo.negate": negate,
    "stablehlo.not": bitwise_not,
    "stablehlo.shift_left": shift_left,
    "stablehlo.shift_right_arithmetic": shift_right_arithmetic,
    "stablehlo.shift_right_logical": shift_right_logical,
}

SIGNED_RULES: Mapping[str, Rule] = {
    **ANY_SIGN_RULES,
    "stablehlo.abs": absolute,
    "stablehlo.clamp": signed_clamp,
    "stablehlo.divide": signed_divide,
    "stablehlo.power": signed_power,
    "stablehlo.remainder": signed_remainder,
    "stablehlo.sign": sign,
}

UNSIGNED_RULES: Mapping[str, Rule] = {
    **ANY_SIGN_RULES,
    "stablehlo.clamp": unsigned_clamp,
    "stablehlo.divide": unsigned_divide,
    "stablehlo.power": unsigned_power,
    "stablehlo.remainder": unsigned_remainder,
}

PRED_RULES: Mapping[str, Rule] = {
    "stablehlo.clamp": pred_clamp,
    "stablehlo.not": bitwise_not,
}
