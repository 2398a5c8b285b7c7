"""Elementwise operations on complex numbers. Source: XGPU-14, StableHLO's specification."""

from collections.abc import Mapping
from math import inf

from xdsl.dialects import arith, complex, math
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import chlo, stablehlo
from xshardy.emitters.elemental.scalars import MakeOp, Rule, Scalars

COMPLEX_OPS: Mapping[type[Operation], MakeOp] = {
    chlo.TanOp: complex.TanOp,
    stablehlo.AbsOp: complex.AbsOp,
    stablehlo.AddOp: complex.AddOp,
    stablehlo.Atan2Op: complex.Atan2Op,
    stablehlo.CosineOp: complex.CosOp,
    stablehlo.DivOp: complex.DivOp,
    stablehlo.ExpOp: complex.ExpOp,
    stablehlo.Expm1Op: complex.Expm1Op,
    stablehlo.ImagOp: complex.ImOp,
    stablehlo.LogOp: complex.LogOp,
    stablehlo.Log1pOp: complex.Log1pOp,
    stablehlo.MulOp: complex.MulOp,
    stablehlo.NegOp: complex.NegOp,
    stablehlo.PowOp: complex.PowOp,
    stablehlo.RealOp: complex.ReOp,
    stablehlo.RsqrtOp: complex.RsqrtOp,
    stablehlo.SignOp: complex.SignOp,
    stablehlo.SineOp: complex.SinOp,
    stablehlo.SqrtOp: complex.SqrtOp,
    stablehlo.SubtractOp: complex.SubOp,
    stablehlo.TanOp: complex.TanOp,
    stablehlo.TanhOp: complex.TanhOp,
}


def logistic(s: Scalars, x: SSAValue) -> SSAValue:
    """`1 / (1 + exp(-x))`."""
    one = s.constant(1, x.type)
    return s(complex.DivOp(one, s(complex.AddOp(one, s(complex.ExpOp(s(complex.NegOp(x))))))))


def conj(s: Scalars, x: SSAValue) -> SSAValue:
    """The complex conjugate: the imaginary part is negated."""
    real, imag = s.parts(x)
    return s.complex(real, s(arith.NegfOp(imag)))


def square(s: Scalars, x: SSAValue) -> SSAValue:
    """`(a - b) (a + b) + 2 a b i`, with a real part of 0 where `|a| = |b|`, also where `a + b` overflows."""
    real, imag = s.parts(x)
    size, other = s(math.AbsFOp(real)), s(math.AbsFOp(imag))
    is_zero = s(arith.AndIOp(s.compare("oeq", size, other), s.compare("olt", size, inf)))
    product = s(arith.MulfOp(s(arith.SubfOp(real, imag)), s(arith.AddfOp(real, imag))))
    zero, two = s.constant(0, real.type), s.constant(2, real.type)
    return s.complex(s.select(is_zero, zero, product), s(arith.MulfOp(two, s(arith.MulfOp(real, imag)))))


def cbrt(s: Scalars, x: SSAValue) -> SSAValue:
    """
    The principal cube root: that of the absolute value, at a third of the angle.

    The absolute value is the larger part times that of a moderate number, so that it is never infinite.
    """
    real, imag = s.parts(x)
    large = s(arith.MaximumfOp(s(math.AbsFOp(real)), s(math.AbsFOp(imag))))
    is_divisor = s(arith.AndIOp(s.compare("ogt", large, 0.0), s.compare("olt", large, inf)))
    length = s.select(is_divisor, large, s.constant(1, real.type))
    moderate = s.complex(*(s(arith.DivfOp(part, length)) for part in (real, imag)))
    root = s(arith.MulfOp(s(math.CbrtOp(length)), s(math.CbrtOp(s(complex.AbsOp(moderate))))))
    angle = s(arith.DivfOp(s(math.Atan2Op(imag, real)), s.constant(3, real.type)))
    return s.complex(*(s(arith.MulfOp(root, s(part(angle)))) for part in (math.CosOp, math.SinOp)))


COMPLEX_RULES: Mapping[type[Operation], Rule] = {
    chlo.ConjOp: conj,
    chlo.SquareOp: square,
    stablehlo.CbrtOp: cbrt,
    stablehlo.LogisticOp: logistic,
}
