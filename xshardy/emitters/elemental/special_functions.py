"""
CHLO functions that XLA expands before fusion: inverse erf, log gamma, digamma, ...

Narrow floats are computed as f32; functions with cancellation near their zeros, as f64. The formulas are those of
`facts/decompositions/formulas.py`. Source: IEEE 754-2019 `nextUp`.
"""

import math as python_math
from collections.abc import Callable, Mapping
from functools import partial

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IntegerType, f32, f64
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import chlo
from xshardy.dialects.extensions.math import ErfcOp
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.emitters.elemental.conversions import convert, round_float, widened
from xshardy.emitters.elemental.scalars import MakeOp, Rule, Scalars
from xshardy.facts.decompositions.formulas import Arithmetic, digamma, erf_inv, lgamma

FUNCTIONS: Mapping[str, MakeOp] = {
    "absolute": math.AbsFOp,
    "add": arith.AddfOp,
    "atan2": math.Atan2Op,
    "copy_sign": math.CopySignOp,
    "cos": math.CosOp,
    "divide": arith.DivfOp,
    "erf": math.ErfOp,
    "erfc": ErfcOp,
    "exp": math.ExpOp,
    "expm1": math.ExpM1Op,
    "floor": math.FloorOp,
    "is_equal": partial(arith.CmpfOp, arg="oeq"),
    "is_less": partial(arith.CmpfOp, arg="olt"),
    "log": math.LogOp,
    "log1p": math.Log1pOp,
    "multiply": arith.MulfOp,
    "negate": arith.NegfOp,
    "select": arith.SelectOp,
    "sin": math.SinOp,
    "sqrt": math.SqrtOp,
    "subtract": arith.SubfOp,
}
"""The operation of each function of `Arithmetic`."""


class Floats(Arithmetic[SSAValue]):
    """Arithmetic on scalars of one float type, by operations of arith and math."""

    def __init__(self, s: Scalars, type: AnyFloat):
        self.s = s
        self.type = type
        self.is_double = type == f64

    def value(self, x: SSAValue | float) -> SSAValue:
        return x if isinstance(x, SSAValue) else self.s.constant(x, self.type)

    def apply(self, function: str, *operands: SSAValue | float) -> SSAValue:
        return self.s(FUNCTIONS[function](*map(self.value, operands)))


Formula = Callable[[Floats, SSAValue], SSAValue]


def computed_as(type_of: Callable[[AnyFloat], AnyFloat], formula: Formula) -> Rule:
    """The rule that computes `formula` in the float type `type_of(operand type)`."""

    def rule(s: Scalars, x: SSAValue) -> SSAValue:
        narrow = x.type
        assert isinstance(narrow, AnyFloat)
        wide = type_of(narrow)
        return convert(s, formula(Floats(s, wide), convert(s, x, narrow, wide)), wide, narrow)

    return rule


def at_least_f32(type: AnyFloat) -> AnyFloat:
    return type if bit_width(type) >= f32.bitwidth else f32


def wider(type: AnyFloat) -> AnyFloat:
    """f64 for f32; f32 for narrower floats."""
    return f64 if bit_width(type) >= f32.bitwidth else f32


# -- Neighbours, infinities, and others -------------------------------------------------------------------------------


def next_after(s: Scalars, x: SSAValue, y: SSAValue) -> SSAValue:
    """
    The float next to `x` in the direction of `y`; `y` if they are equal, NaN if an operand is NaN.

    Small floats are compared as f32, and moved by their own bits.
    """
    integer = IntegerType(width := bit_width(x.type))
    of_x, of_y = (s(arith.BitcastOp(value, integer)) for value in (x, y))
    wide_x, wide_y = widened(s, x), widened(s, y)
    grows = s(arith.XOrIOp(s.compare("olt", wide_x, wide_y), s.compare("olt", wide_x, 0)))  # away from 0
    moved = s(arith.AddiOp(of_x, s.select(grows, s.constant(1, integer), s.constant(-1, integer))))
    sign = s(arith.AndIOp(of_y, s.constant(-(1 << width - 1), integer)))
    bits = s.select(s.compare("oeq", wide_x, 0), s(arith.OrIOp(sign, s.constant(1, integer))), moved)
    bits = s.select(s.compare("oeq", wide_x, wide_y), of_y, bits)
    is_nan = s.compare("uno", wide_x, wide_y)
    return s.select(is_nan, round_float(s, s(arith.AddfOp(wide_x, wide_y)), x.type), s(arith.BitcastOp(bits, x.type)))


def is_inf(s: Scalars, x: SSAValue) -> SSAValue:
    return s.compare("oeq", s(math.AbsFOp(x)), python_math.inf)


def is_pos_inf(s: Scalars, x: SSAValue) -> SSAValue:
    return s.compare("oeq", x, python_math.inf)


def is_neg_inf(s: Scalars, x: SSAValue) -> SSAValue:
    return s.compare("oeq", x, -python_math.inf)


def square(s: Scalars, x: SSAValue) -> SSAValue:
    return s(arith.MulfOp(x, x))


def conj(s: Scalars, x: SSAValue) -> SSAValue:
    """A real number is its own conjugate."""
    return x


SPECIAL_OPS: Mapping[type[Operation], MakeOp] = {chlo.ErfcOp: ErfcOp}
"""Opcodes that are one operation."""

SPECIAL_RULES: Mapping[type[Operation], Rule] = {
    chlo.ConjOp: conj,
    chlo.DigammaOp: computed_as(wider, digamma),
    chlo.ErfInvOp: computed_as(at_least_f32, erf_inv),
    chlo.IsInfOp: is_inf,
    chlo.IsNegInfOp: is_neg_inf,
    chlo.IsPosInfOp: is_pos_inf,
    chlo.LgammaOp: computed_as(wider, lgamma),
    chlo.SquareOp: square,
}
"""Opcodes that expand to several operations."""
