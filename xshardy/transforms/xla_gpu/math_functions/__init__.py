"""
Functions of floats by arithmetic, for f32 and f64, within 2 units in the last place (tan: 3, erfc: 4).

A module per family of functions. A function takes `Scalar`s and inserts `arith`, the exact operations of `math` (`fma`,
`sqrt`, `absf`, ...), and `scf.if` and `scf.while` for rare cases. A quotient or root of f32 may be wrong by 2 units in
the last place, as PTX's `div.full.f32` and `sqrt.approx.f32` are. `FUNCTIONS` is the table.
"""

from collections.abc import Callable, Mapping

from xdsl.dialects import math
from xdsl.ir import Operation

from xshardy.dialects.extensions.arith import RemFOp
from xshardy.dialects.extensions.math import ErfcOp
from xshardy.rewriting.scalars import Scalar
from xshardy.transforms.xla_gpu.math_functions.error_functions import erf, erfc
from xshardy.transforms.xla_gpu.math_functions.exponentials import exp, expm1
from xshardy.transforms.xla_gpu.math_functions.hyperbolic import cosh, sinh, tanh
from xshardy.transforms.xla_gpu.math_functions.inverse_hyperbolic import acosh, asinh, atanh
from xshardy.transforms.xla_gpu.math_functions.inverse_trigonometric import acos, asin, atan, atan2
from xshardy.transforms.xla_gpu.math_functions.logarithms import log, log1p
from xshardy.transforms.xla_gpu.math_functions.powers import power
from xshardy.transforms.xla_gpu.math_functions.remainders import remainder
from xshardy.transforms.xla_gpu.math_functions.roots import cbrt, rsqrt
from xshardy.transforms.xla_gpu.math_functions.trigonometric import cos, sin, tan

FUNCTIONS: Mapping[type[Operation], Callable[..., Scalar]] = {
    RemFOp: remainder,
    math.AcosOp: acos,
    math.AcoshOp: acosh,
    math.AsinOp: asin,
    math.AsinhOp: asinh,
    math.Atan2Op: atan2,
    math.AtanOp: atan,
    math.AtanhOp: atanh,
    math.CbrtOp: cbrt,
    math.CosOp: cos,
    math.CoshOp: cosh,
    math.ErfOp: erf,
    ErfcOp: erfc,
    math.ExpM1Op: expm1,
    math.ExpOp: exp,
    math.Log1pOp: log1p,
    math.LogOp: log,
    math.PowFOp: power,
    math.RsqrtOp: rsqrt,
    math.SinOp: sin,
    math.SinhOp: sinh,
    math.TanOp: tan,
    math.TanhOp: tanh,
}
"""What computes each operation, from its operands."""
