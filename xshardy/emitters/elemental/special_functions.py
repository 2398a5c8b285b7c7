"""
CHLO functions that XLA expands before fusion: inverse erf, log gamma, digamma, ...

Narrow floats are computed as f32; functions with cancellation near their zeros, as f64. Sources: M. Giles,
"Approximating the erfinv function"; Lanczos' approximation of gamma with g = 7 and 9 terms; IEEE 754-2019 `nextUp`.
"""

import math as python_math
from collections.abc import Callable, Mapping, Sequence

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import AnyFloat, IntegerType, f32, f64
from xdsl.ir import SSAValue

from xshardy.dialects.extensions.math import ErfcOp
from xshardy.dialects.stablehlo.types import bit_width
from xshardy.emitters.elemental.conversions import convert
from xshardy.emitters.elemental.scalars import MakeOp, Rule, Scalars

# fmt: off
ERF_INV_CENTRAL = (
    2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087,
    -0.00125372503, -0.00417768164, 0.246640727, 1.50140941,
)
"""The coefficients of Giles' polynomial in `w - 2.5`, for `w = -log(1 - x^2)` below 5, highest power first."""
ERF_INV_TAIL = (
    -0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773,
    -0.0076224613, 0.00943887047, 1.00167406, 2.83297682,
)
"""The coefficients of Giles' polynomial in `sqrt(w) - 3`, for `w` of at least 5, highest power first."""

LANCZOS_G = 7.0
LANCZOS = (
    676.5203681218851, -1259.1392167224028, 771.3234287776531, -176.6150291621406,
    12.507343278686905, -0.13857109526572012, 9.984369578019572e-06, 1.5056327351493116e-07,
)
"""The coefficients of `1 / (z + 1)`, `1 / (z + 2)`, ...; the constant term is 1 up to rounding."""
# fmt: on


TINY = 2.0**-40
"""Below this, `sin(x)` is `x`. Multiplying a denormal angle by pi would lose precision."""


class Floats:
    """Arithmetic on floats of one type; Python numbers become constants."""

    def __init__(self, s: Scalars, type: AnyFloat):
        self.s = s
        self.type = type

    def value(self, x: SSAValue | float) -> SSAValue:
        return x if isinstance(x, SSAValue) else self.s.constant(x, self.type)

    def add(self, x: SSAValue | float, y: SSAValue | float) -> SSAValue:
        return self.s(arith.AddfOp(self.value(x), self.value(y)))

    def subtract(self, x: SSAValue | float, y: SSAValue | float) -> SSAValue:
        return self.s(arith.SubfOp(self.value(x), self.value(y)))

    def multiply(self, x: SSAValue | float, y: SSAValue | float) -> SSAValue:
        return self.s(arith.MulfOp(self.value(x), self.value(y)))

    def divide(self, x: SSAValue | float, y: SSAValue | float) -> SSAValue:
        return self.s(arith.DivfOp(self.value(x), self.value(y)))

    def select(self, condition: SSAValue, then: SSAValue | float, otherwise: SSAValue | float) -> SSAValue:
        return self.s.select(condition, self.value(then), self.value(otherwise))

    def is_less(self, x: SSAValue, y: SSAValue | float) -> SSAValue:
        return self.s.compare("olt", x, self.value(y))


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


# -- The inverse of erf -----------------------------------------------------------------------------------------------


def erf_inv(f: Floats, x: SSAValue) -> SSAValue:
    """The inverse of `erf`: infinite at 1 and -1, NaN beyond."""
    s = f.s
    w = s(arith.NegfOp(s(math.Log1pOp(s(arith.NegfOp(f.multiply(x, x)))))))
    is_near = f.is_less(w, 5)
    t = f.select(is_near, f.subtract(w, 2.5), f.subtract(s(math.SqrtOp(w)), 3))
    polynomial = f.select(is_near, ERF_INV_CENTRAL[0], ERF_INV_TAIL[0])
    for near, far in zip(ERF_INV_CENTRAL[1:], ERF_INV_TAIL[1:], strict=True):
        polynomial = f.add(f.multiply(polynomial, t), f.select(is_near, near, far))
    result = f.multiply(polynomial, x)
    if f.type == f64:
        result = _refined(f, x, result)
    size = s(math.AbsFOp(x))
    infinity = s(math.CopySignOp(f.value(python_math.inf), x))
    return f.select(s.compare("oeq", size, f.value(1)), infinity, result)


def _refined(f: Floats, x: SSAValue, estimate: SSAValue) -> SSAValue:
    """
    `estimate` of the inverse of `erf` at `x`, refined by Halley's method; uses `erfc` near 1, where it is more
    accurate.
    """
    s = f.s
    size, root = s(math.AbsFOp(x)), s(math.AbsFOp(estimate))
    is_small, rest = f.is_less(size, 0.5), f.subtract(1, size)
    for _ in range(3):
        error = f.select(is_small, f.subtract(s(math.ErfOp(root)), size), f.subtract(rest, s(ErfcOp(root))))
        slope = f.multiply(2 / python_math.sqrt(python_math.pi), s(math.ExpOp(s(arith.NegfOp(f.multiply(root, root))))))
        step = f.divide(error, slope)
        root = f.subtract(root, f.divide(step, f.add(1, f.multiply(root, step))))
    return s(math.CopySignOp(root, x))


# -- Gamma ------------------------------------------------------------------------------------------------------------


def _lanczos(f: Floats, z: SSAValue) -> tuple[list[SSAValue], SSAValue, SSAValue]:
    """`c_i / (z + i)` for each coefficient, `t = z + g + 1/2`, and `log(t)`."""
    terms = [f.divide(c, f.add(z, i)) for i, c in enumerate(LANCZOS, 1)]
    base = LANCZOS_G + 0.5
    log_t = f.add(python_math.log(base), f.s(math.Log1pOp(f.divide(z, base))))
    return terms, f.add(z, base), log_t


def _total(f: Floats, first: float, terms: Sequence[SSAValue]) -> SSAValue:
    total = f.value(first)
    for term in terms:
        total = f.add(total, term)
    return total


def lgamma(f: Floats, x: SSAValue) -> SSAValue:
    """`log|gamma(x)|`; infinite at 0, -1, -2, ... and at infinity."""
    s = f.s
    reflects = f.is_less(x, 0.5)  # gamma(x) gamma(1 - x) = pi / sin(pi x)
    z = f.select(reflects, s(arith.NegfOp(x)), f.subtract(x, 1))
    terms, t, log_t = _lanczos(f, z)
    scaled = f.multiply(f.subtract(f.add(z, 0.5), f.divide(t, log_t)), log_t)
    log_gamma = f.add(f.add(scaled, python_math.log(2 * python_math.pi) / 2), s(math.LogOp(_total(f, 1, terms))))
    size = s(math.AbsFOp(x))
    fraction = f.subtract(size, s(math.FloorOp(size)))
    nearest = f.select(f.is_less(fraction, 0.5), fraction, f.subtract(1, fraction))
    log_sine = s(math.LogOp(s(math.SinOp(f.multiply(python_math.pi, nearest)))))
    log_angle = f.add(python_math.log(python_math.pi), s(math.LogOp(nearest)))
    log_sine = f.select(f.is_less(nearest, TINY), log_angle, log_sine)
    reflected = f.subtract(f.subtract(python_math.log(python_math.pi), log_sine), log_gamma)
    at_pole = s.compare("oeq", log_sine, f.value(-python_math.inf))
    result = f.select(reflects, f.select(at_pole, python_math.inf, reflected), log_gamma)
    return f.select(s.compare("oeq", size, f.value(python_math.inf)), python_math.inf, result)


def digamma(f: Floats, x: SSAValue) -> SSAValue:
    """The derivative of `log(gamma(x))`; NaN at 0, -1, -2, ..."""
    s = f.s
    reflects = f.is_less(x, 0.5)  # digamma(1 - x) - digamma(x) = pi / tan(pi x)
    z = f.select(reflects, s(arith.NegfOp(x)), f.subtract(x, 1))
    terms, t, log_t = _lanczos(f, z)
    slopes = [f.divide(term, f.add(z, i)) for i, term in enumerate(terms, 1)]
    logarithmic = f.divide(_total(f, 0, slopes), _total(f, 1, terms))
    result = f.subtract(f.subtract(log_t, logarithmic), f.divide(LANCZOS_G, t))
    floor = s(math.FloorOp(x))
    angle = f.multiply(python_math.pi, f.subtract(x, s(math.FloorOp(f.add(x, 0.5)))))
    cotangent = f.divide(s(math.CosOp(angle)), s(math.SinOp(angle)))
    reflected = f.subtract(result, f.multiply(python_math.pi, cotangent))
    reflected = f.select(s.compare("oeq", floor, x), python_math.nan, reflected)
    return f.select(reflects, reflected, result)


# -- Neighbours, infinities, and others -------------------------------------------------------------------------------


def next_after(s: Scalars, x: SSAValue, y: SSAValue) -> SSAValue:
    """The float next to `x` in the direction of `y`; `y` if they are equal, NaN if an operand is NaN."""
    integer = IntegerType(bit_width(x.type))
    bits = s(arith.BitcastOp(x, integer))
    grows = s(arith.XOrIOp(s.compare("olt", x, y), s.compare("olt", x, 0)))  # away from 0
    step = s.select(grows, s.constant(1, integer), s.constant(-1, integer))
    moved = s(arith.BitcastOp(s(arith.AddiOp(bits, step)), x.type))
    smallest = s(math.CopySignOp(s(arith.BitcastOp(s.constant(1, integer), x.type)), y))
    result = s.select(s.compare("oeq", x, 0), smallest, moved)
    result = s.select(s.compare("oeq", x, y), y, result)
    return s.select(s.compare("uno", x, y), s(arith.AddfOp(x, y)), result)


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


SPECIAL_OPS: Mapping[str, MakeOp] = {"chlo.erfc": ErfcOp}
"""Opcodes that are one operation."""

SPECIAL_RULES: Mapping[str, Rule] = {
    "chlo.conj": conj,
    "chlo.digamma": computed_as(wider, digamma),
    "chlo.erf_inv": computed_as(at_least_f32, erf_inv),
    "chlo.is_inf": is_inf,
    "chlo.is_neg_inf": is_neg_inf,
    "chlo.is_pos_inf": is_pos_inf,
    "chlo.lgamma": computed_as(wider, lgamma),
    "chlo.next_after": next_after,
    "chlo.square": square,
}
"""Opcodes that expand to several operations."""
