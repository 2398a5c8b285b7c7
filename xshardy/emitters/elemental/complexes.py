"""Elementwise operations on complex numbers. Source: XGPU-14, StableHLO's specification."""

from collections.abc import Mapping

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
    return s(complex.MulOp(x, x))


def cbrt(s: Scalars, x: SSAValue) -> SSAValue:
    """The principal cube root: that of the absolute value, at a third of the angle."""
    real, imag = s.parts(x)
    root = s(math.CbrtOp(s(complex.AbsOp(x))))
    angle = s(arith.DivfOp(s(math.Atan2Op(imag, real)), s.constant(3, real.type)))
    return s.complex(*(s(arith.MulfOp(root, s(part(angle)))) for part in (math.CosOp, math.SinOp)))


COMPLEX_RULES: Mapping[type[Operation], Rule] = {
    chlo.ConjOp: conj,
    chlo.SquareOp: square,
    stablehlo.CbrtOp: cbrt,
    stablehlo.LogisticOp: logistic,
}
