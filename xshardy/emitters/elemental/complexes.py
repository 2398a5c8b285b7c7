"""Elementwise operations on complex numbers. Source: XGPU-14, StableHLO's specification."""

from collections.abc import Mapping

from xdsl.dialects import arith, complex, math
from xdsl.ir import SSAValue

from xshardy.emitters.elemental.scalars import MakeOp, Rule, Scalars

COMPLEX_OPS: Mapping[str, MakeOp] = {
    "chlo.tan": complex.TanOp,
    "stablehlo.abs": complex.AbsOp,
    "stablehlo.add": complex.AddOp,
    "stablehlo.atan2": complex.Atan2Op,
    "stablehlo.cosine": complex.CosOp,
    "stablehlo.divide": complex.DivOp,
    "stablehlo.exponential": complex.ExpOp,
    "stablehlo.exponential_minus_one": complex.Expm1Op,
    "stablehlo.imag": complex.ImOp,
    "stablehlo.log": complex.LogOp,
    "stablehlo.log_plus_one": complex.Log1pOp,
    "stablehlo.multiply": complex.MulOp,
    "stablehlo.negate": complex.NegOp,
    "stablehlo.power": complex.PowOp,
    "stablehlo.real": complex.ReOp,
    "stablehlo.rsqrt": complex.RsqrtOp,
    "stablehlo.sign": complex.SignOp,
    "stablehlo.sine": complex.SinOp,
    "stablehlo.sqrt": complex.SqrtOp,
    "stablehlo.subtract": complex.SubOp,
    "stablehlo.tan": complex.TanOp,
    "stablehlo.tanh": complex.TanhOp,
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


COMPLEX_RULES: Mapping[str, Rule] = {
    "chlo.conj": conj,
    "chlo.square": square,
    "stablehlo.cbrt": cbrt,
    "stablehlo.logistic": logistic,
}
