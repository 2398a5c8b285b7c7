"""Elementwise operations on native floats. Source: XGPU-14, XLA's elemental IR emitter."""

import math as python_math
from collections.abc import Mapping

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type, IntegerType
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.dialects import chlo, stablehlo
from xshardy.dialects.extensions.arith import RemFOp
from xshardy.emitters.elemental.scalars import MakeOp, Rule, Scalars

FLOAT_OPS: Mapping[type[Operation], MakeOp] = {
    chlo.AcosOp: math.AcosOp,
    chlo.AcoshOp: math.AcoshOp,
    chlo.AsinOp: math.AsinOp,
    chlo.AsinhOp: math.AsinhOp,
    chlo.AtanOp: math.AtanOp,
    chlo.AtanhOp: math.AtanhOp,
    chlo.CoshOp: math.CoshOp,
    chlo.ErfOp: math.ErfOp,
    chlo.SinhOp: math.SinhOp,
    chlo.TanOp: math.TanOp,
    stablehlo.AbsOp: math.AbsFOp,
    stablehlo.AddOp: arith.AddfOp,
    stablehlo.Atan2Op: math.Atan2Op,
    stablehlo.CbrtOp: math.CbrtOp,
    stablehlo.CeilOp: math.CeilOp,
    stablehlo.CosineOp: math.CosOp,
    stablehlo.DivOp: arith.DivfOp,
    stablehlo.ExpOp: math.ExpOp,
    stablehlo.Expm1Op: math.ExpM1Op,
    stablehlo.FloorOp: math.FloorOp,
    stablehlo.LogOp: math.LogOp,
    stablehlo.Log1pOp: math.Log1pOp,
    stablehlo.MaxOp: arith.MaximumfOp,
    stablehlo.MinOp: arith.MinimumfOp,
    stablehlo.MulOp: arith.MulfOp,
    stablehlo.NegOp: arith.NegfOp,
    stablehlo.PowOp: math.PowFOp,
    stablehlo.RemOp: RemFOp,
    stablehlo.RoundOp: math.RoundOp,
    stablehlo.RoundNearestEvenOp: math.RoundEvenOp,
    stablehlo.RsqrtOp: math.RsqrtOp,
    stablehlo.SineOp: math.SinOp,
    stablehlo.SqrtOp: math.SqrtOp,
    stablehlo.SubtractOp: arith.SubfOp,
    stablehlo.TanOp: math.TanOp,
    stablehlo.TanhOp: math.TanhOp,
}
"""Opcodes that are one operation; `maximum` and `minimum` propagate NaN."""


def sign(s: Scalars, x: SSAValue) -> SSAValue:
    """1 with the sign of `x`; zeros and NaN are returned unchanged."""
    one = s(math.CopySignOp(s.constant(1, x.type), x))
    return s.select(s.compare("one", x, 0), one, x)


def logistic(s: Scalars, x: SSAValue) -> SSAValue:
    """`1 / (1 + exp(-x))`."""
    one = s.constant(1, x.type)
    return s(arith.DivfOp(one, s(arith.AddfOp(one, s(math.ExpOp(s(arith.NegfOp(x))))))))


def clamp(s: Scalars, lower: SSAValue, x: SSAValue, upper: SSAValue) -> SSAValue:
    """`min(max(lower, x), upper)`; NaN if an operand is NaN."""
    return s(arith.MinimumfOp(s(arith.MaximumfOp(lower, x)), upper))


def is_finite(s: Scalars, x: SSAValue) -> SSAValue:
    """Whether `|x|` differs from infinity, by an ordered comparison: false for NaN."""
    return s.compare("one", s(math.AbsFOp(x)), python_math.inf)


def real(s: Scalars, x: SSAValue) -> SSAValue:
    """The real part of a real number."""
    return x


def imag(s: Scalars, x: SSAValue) -> SSAValue:
    """The imaginary part of a real number."""
    return s.constant(0, x.type)


FLOAT_RULES: Mapping[type[Operation], Rule] = {
    stablehlo.ClampOp: clamp,
    stablehlo.ImagOp: imag,
    stablehlo.IsFiniteOp: is_finite,
    stablehlo.LogisticOp: logistic,
    stablehlo.RealOp: real,
    stablehlo.SignOp: sign,
}
"""Opcodes that expand to several operations."""

FORMATS: Mapping[type[Attribute], tuple[int, int, int]] = {
    Float64Type: (64, 52, 11),
    Float32Type: (32, 23, 8),
    Float16Type: (16, 10, 5),
    BFloat16Type: (16, 7, 8),
}
"""Width, stored mantissa bits, and exponent bits."""


def reduce_precision(s: Scalars, x: SSAValue, exponent_bits: int, mantissa_bits: int) -> SSAValue:
    """
    `x` rounded to a float with these numbers of exponent and mantissa bits, and converted back.

    The mantissa is rounded to nearest even. Overflow gives infinity, and a result below the smallest normal number
    gives 0, both with the sign of `x`. NaN stays NaN.
    """
    width, own_mantissa, own_exponent = FORMATS[type(x.type)]
    integer = IntegerType(width)
    bits = s(arith.BitcastOp(x, integer))

    def constant(value: int) -> SSAValue:
        return s.constant(value, integer)

    result = bits
    if (dropped := own_mantissa - mantissa_bits) > 0:
        last_kept = s(arith.AndIOp(s(arith.ShRUIOp(bits, constant(dropped))), constant(1)))
        rounded = s(arith.AddiOp(bits, s(arith.AddiOp(last_kept, constant((1 << (dropped - 1)) - 1)))))
        result = s(arith.AndIOp(rounded, constant(-1 << dropped)))
    if exponent_bits < own_exponent:
        bias, new_bias = (1 << (own_exponent - 1)) - 1, (1 << (exponent_bits - 1)) - 1
        exponent_mask = ((1 << own_exponent) - 1) << own_mantissa
        exponent = s(arith.AndIOp(result, constant(exponent_mask)))
        sign_bit = s(arith.AndIOp(result, constant(1 << (width - 1))))
        overflows = s.compare("ugt", exponent, constant((bias + new_bias) << own_mantissa))
        underflows = s.compare("ule", exponent, constant((bias - new_bias) << own_mantissa))
        infinity = s(arith.OrIOp(sign_bit, constant(exponent_mask)))
        result = s.select(overflows, infinity, result)
        result = s.select(underflows, sign_bit, result)
    return s.select(s.compare("uno", x, x), x, s(arith.BitcastOp(result, x.type)))
