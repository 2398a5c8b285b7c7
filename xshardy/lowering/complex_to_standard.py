"""
Arithmetic on complex numbers to arithmetic on their parts.

The formulas avoid overflow and cancellation: a quotient is scaled by its divisor (Smith), a logarithm near 1 uses
`log1p`, `exp` is the product of two halves. Numbers whose absolute value is infinite, or has few digits, are scaled
by a power of two. Special values follow numpy, the reference of `interpreters/stablehlo/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import inf, log
from typing import ClassVar

from xdsl.dialects import complex, math
from xdsl.dialects.builtin import ComplexType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter
from xdsl.utils.hints import isa

from xshardy.rewriting import OpTypePattern, PatternPass, PatternSet
from xshardy.rewriting.scalars import Scalar

FAR = 20.0
"""Above it, `e^-2x` is nothing beside 1."""


@dataclass(frozen=True, slots=True)
class Range:
    """
    The exponents of moderate numbers, from `low` up to `high`, and the powers of two that scale others into it, up and
    down.
    """

    low: int
    up: int
    high: int
    down: int


RANGES = {"f32": Range(-100, 48, 125, -6), "f64": Range(-950, 108, 1021, -6)}
"""By the type of the parts: for absolute values, and quotients. The powers have halves and thirds."""

SQUARE_RANGES = {"f32": Range(-40, 90, 60, -65), "f64": Range(-400, 600, 500, -520)}
"""The same for sums of squares."""

# --- formulas as Python expressions -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Complex:
    """The two parts of a complex number; operators on it are those of complex arithmetic."""

    re: Scalar
    im: Scalar

    def constant(self, value: float) -> Scalar:
        """A float of the type of the parts."""
        return self.re.constant(value)

    def __add__(self, other: Complex) -> Complex:
        return Complex(self.re + other.re, self.im + other.im)

    def __sub__(self, other: Complex) -> Complex:
        return Complex(self.re - other.re, self.im - other.im)

    def __mul__(self, other: Complex) -> Complex:
        return Complex(
            self.re * other.re - self.im * other.im,
            self.re * other.im + self.im * other.re,
        )

    def __neg__(self) -> Complex:
        return Complex(-self.re, -self.im)

    def __truediv__(self, other: Complex) -> Complex:
        """
        Smith's quotient, of numbers that are scaled to a moderate size: both are scaled by the larger part of the
        divisor. A divisor of 0 has the sign of its real part.

        An infinite number by a finite one is infinite, and a finite number by an infinite one is 0, also where this
        gives NaN for both parts: then infinite parts count as 1, the others as 0. Source: ISO C99, Annex G.5.1.
        """
        (a, by_a), (b, by_b) = self.scaled(), other.scaled()
        by_re, by_im = _scaled_quotient(a, b), _scaled_quotient(a.turned(), b.turned())
        unscaled, wide = (by_b.power(1), by_a.power(-1)), abs(other.re).compare(">=", abs(other.im))
        zero = other.is_zero()
        by_zero = Complex(self.re / other.re, self.im / other.re)
        quotient = chosen(zero, by_zero, chosen(wide, by_re, by_im).times(*unscaled))
        grows = self.is_infinite() & other.is_finite()
        vanishes = self.is_finite() & other.is_infinite()
        over, under = (
            chosen(grows, self.infinite_parts(), self),
            chosen(vanishes, other.infinite_parts(), other),
        )
        scale = grows.select(self.constant(inf), self.constant(0.0))
        special = Complex(
            (over.re * under.re + over.im * under.im) * scale,
            (over.im * under.re - over.re * under.im) * scale,
        )
        return chosen((grows | vanishes) & quotient.is_lost(), special, quotient)

    def is_infinite(self) -> Scalar:
        """Whether a part is infinite, even if the other one is NaN."""
        return abs(self.re).maximum_number(abs(self.im)).compare("==", inf)

    def is_finite(self) -> Scalar:
        """Whether both parts are finite."""
        return abs(self.re).compare("<", inf) & abs(self.im).compare("<", inf)

    def is_lost(self) -> Scalar:
        """Whether both parts are NaN."""
        return self.re.is_nan() & self.im.is_nan()

    def infinite_parts(self) -> Complex:
        """1 for an infinite part, and 0 for any other, with the sign of the part."""

        def one_if_infinite(part: Scalar) -> Scalar:
            is_infinite = abs(part).compare("==", inf)
            return is_infinite.select(self.constant(1.0), self.constant(0.0)).copysign(part)

        return Complex(one_if_infinite(self.re), one_if_infinite(self.im))

    def times(self, *factors: Scalar) -> Complex:
        """The product with real numbers, from left to right."""
        re, im = self.re, self.im
        for factor in factors:
            re, im = re * factor, im * factor
        return Complex(re, im)

    def larger_part(self) -> Scalar:
        """The larger absolute value of both parts."""
        return abs(self.re).maximum_number(abs(self.im))

    def scaled(self) -> tuple[Complex, Scale]:
        """The number times a power of two, so that its absolute value is finite, and has all digits."""
        scale = _scale(self.larger_part(), RANGES)
        return self.times(scale.power(1)), scale

    def turned(self) -> Complex:
        """`-i` times the number, which swaps the parts; a quotient does not change if both numbers are turned."""
        return Complex(self.im, -self.re)

    def is_zero(self) -> Scalar:
        """Whether both parts are zero, of any sign."""
        return self.re.compare("==", 0.0) & self.im.compare("==", 0.0)

    def magnitude(self) -> Scalar:
        """`|z|` without overflow on the way; infinite if any part is, even if the other part is NaN."""
        re, im = abs(self.re), abs(self.im)
        large, small = re.maximum(im), re.minimum(im)
        ratio = small / large
        length = large * (ratio * ratio + 1.0).apply(math.SqrtOp)
        # 0/0 and inf/inf: then both are the length.
        length = ratio.is_nan().select(small, length)
        return self.is_infinite().select(self.constant(inf), length)

    def angle(self) -> Scalar:
        """The argument, in (-pi, pi]."""
        return self.im.atan2(self.re)

    def exp(self) -> Complex:
        """`e^re (cos im + i sin im)`. `e^re` is two factors: it may overflow where the result does not."""
        half = (self.re * 0.5).apply(math.ExpOp)
        real = half * self.im.apply(math.CosOp) * half
        imaginary = half * self.im.apply(math.SinOp) * half
        vanishes = half.compare("==", 0.0)
        imaginary = self.im.compare("==", 0.0).select(self.im, imaginary)
        return Complex(vanishes.select(half, real), vanishes.select(half, imaginary))

    def log(self) -> Complex:
        """`log |z| + i angle z`."""
        return Complex(self._log_magnitude(), self.angle())

    def _log_magnitude(self) -> Scalar:
        """`log |z|`; for moderate numbers by `log1p` of `|z|^2 - 1`, in which nothing cancels near 1."""
        re, im = abs(self.re), abs(self.im)
        large, small = re.maximum(im), re.minimum(im)
        near = (((large - 1.0) * (large + 1.0)) + small * small).apply(math.Log1pOp) * 0.5
        moderate = large.compare(">=", 0.5) & large.compare("<=", 3.0)
        scaled, by = self.scaled()
        far = scaled.magnitude().apply(math.LogOp) + by.choose(lambda exponent: -exponent * log(2))
        return moderate.select(near, far)

    def log1p(self) -> Complex:
        """`log(1 + z)`, by `log1p` of `|1 + z|^2 - 1 = re (re + 2) + im^2` for small numbers."""
        shifted = Complex(self.re + 1.0, self.im)
        near = (self.re * (self.re + 2.0) + self.im * self.im).apply(math.Log1pOp) * 0.5
        small = abs(self.re).compare("<", 0.5) & abs(self.im).compare("<", 0.5)
        return Complex(small.select(near, shifted._log_magnitude()), shifted.angle())

    def expm1(self) -> Complex:
        """`e^z - 1`: its real part is `expm1(re) cos im - 2 sin^2(im / 2)`, and that of `e^z` far to the right."""
        sine, exp = (self.im * 0.5).apply(math.SinOp), self.exp()
        real = self.re.apply(math.ExpM1Op) * self.im.apply(math.CosOp) - sine * sine * 2.0
        return Complex(self.re.compare(">", FAR).select(exp.re, real), exp.im)

    def sqrt(self) -> Complex:
        """The root with a real part that is not negative."""
        scaled, by = self.scaled()
        return scaled._moderate_sqrt().times(by.power(-0.5))

    def _moderate_sqrt(self) -> Complex:
        """The root from `t = sqrt((|re| + |z|) / 2)` and `im / 2t`."""
        t = (abs(self.re) * 0.5 + self.magnitude() * 0.5).apply(math.SqrtOp)
        other = self.im / (t * 2.0)
        right = self.re.compare(">=", 0.0)
        real, imaginary = right.select(t, abs(other)), right.select(other, t.copysign(self.im))
        zero, infinite = self.is_zero(), abs(self.im).compare("==", inf)
        zero_or_infinite = zero | infinite
        return Complex(
            infinite.select(self.constant(inf), zero.select(self.constant(0.0), real)),
            zero_or_infinite.select(self.im, imaginary),
        )

    def power(self, exponent: Complex) -> Complex:
        """`e^(exponent log z)`; 1 for an exponent of 0, and 0 for a base of 0 and an exponent on the right."""
        value = (exponent * self.log()).exp()
        zero, one = self.constant(0.0), self.constant(1.0)
        is_one, is_zero = exponent.is_zero(), self.is_zero() & exponent.re.compare(">", 0.0)
        return Complex(
            is_one.select(one, is_zero.select(zero, value.re)),
            (is_one | is_zero).select(zero, value.im),
        )

    def sin(self) -> Complex:
        """`sin re cosh im + i cos re sinh im`."""
        sine, cosine = self.re.apply(math.SinOp), self.re.apply(math.CosOp)
        cosh, sinh, factor = self._hyperbolic_of_im()
        return Complex(sine.compare("==", 0.0).select(sine, sine * cosh * factor), cosine * sinh * factor)

    def cos(self) -> Complex:
        """`cos re cosh im - i sin re sinh im`."""
        sine, cosine = self.re.apply(math.SinOp), self.re.apply(math.CosOp)
        cosh, sinh, factor = self._hyperbolic_of_im()
        zero = sine * self.constant(1.0).copysign(self.im)
        return Complex(cosine * cosh * factor, -sine.compare("==", 0.0).select(zero, sine * sinh * factor))

    def _hyperbolic_of_im(self) -> tuple[Scalar, Scalar, Scalar]:
        """
        `cosh im` and `sinh im`, over a third number: their product with a sine may be finite where they overflow.
        """
        far, half = abs(self.im).compare(">", FAR), (abs(self.im) * 0.5).apply(math.ExpOp)
        return (
            far.select(half * 0.5, self.im.apply(math.CoshOp)),
            far.select((half * 0.5).copysign(self.im), self.im.apply(math.SinhOp)),
            far.select(half, self.constant(1.0)),
        )

    def tanh(self) -> Complex:
        """Kahan's: from `tan im` and `sinh re`; for a large real part, where it rounds to 1, by its limit."""
        tangent, sine = self.im.apply(math.TanOp), self.re.apply(math.SinhOp)
        beta = tangent * tangent + 1.0
        denominator = beta * sine * sine + 1.0
        real = beta * (sine * sine + 1.0).apply(math.SqrtOp) * sine / denominator
        decay = (abs(self.re) * -2.0).apply(math.ExpOp)
        far_imaginary = self.im.apply(math.SinOp) * self.im.apply(math.CosOp) * decay * 4.0
        far_imaginary = decay.compare("==", 0.0).select(decay, far_imaginary)
        far = abs(self.re).compare(">", FAR)
        return Complex(
            far.select(self.constant(1.0).copysign(self.re), real),
            far.select(far_imaginary, tangent / denominator),
        )

    def times_i(self) -> Complex:
        """`i` times the number."""
        return Complex(-self.im, self.re)

    def tan(self) -> Complex:
        """`-i tanh(i z)`."""
        return self.times_i().tanh().turned()

    def sign(self) -> Complex:
        """`z / |z|`, and 0 for 0."""
        (number, _), zero = self.scaled(), self.is_zero()
        length = number.magnitude()
        return Complex(zero.select(self.re, number.re / length), zero.select(self.im, number.im / length))

    def reciprocal_sqrt(self) -> Complex:
        """`1 / sqrt(z)`."""
        return Complex(self.constant(1.0), self.constant(0.0)) / self.sqrt()

    def atan2(self, x: Complex) -> Complex:
        """`-i log((x + i z) / sqrt(x^2 + z^2))`, of both times a number, so that no square overflows."""
        scale = _scale(self.larger_part().maximum_number(x.larger_part()), SQUARE_RANGES).power(1)
        y, x = self.times(scale), x.times(scale)
        return ((x + y.times_i()) / (x * x + y * y).sqrt()).log().turned()


def chosen(condition: Scalar, yes: Complex, no: Complex) -> Complex:
    """`yes` where the condition holds, `no` elsewhere."""
    return Complex(condition.select(yes.re, no.re), condition.select(yes.im, no.im))


@dataclass(frozen=True, slots=True)
class Scale:
    """The power of two that brings `large` into `range`."""

    large: Scalar
    range: Range

    def choose(self, value: Callable[[int], float]) -> Scalar:
        """`value` of the exponent of the power."""
        down, up, one = (self.large.constant(value(exponent)) for exponent in (self.range.down, self.range.up, 0))
        is_huge = self.large.compare(">=", 2.0**self.range.high)
        return is_huge.select(down, self.large.compare("<", 2.0**self.range.low).select(up, one))

    def power(self, exponent: float) -> Scalar:
        """The power raised to another one."""
        return self.choose(lambda scale: 2.0 ** (scale * exponent))


def _scale(large: Scalar, ranges: Mapping[str, Range]) -> Scale:
    return Scale(large, ranges[str(large.value.type)])


def _scaled_quotient(a: Complex, b: Complex) -> Complex:
    """`a / b` for a `b` whose real part is the larger one."""
    ratio = b.im / b.re
    denominator = b.re + b.im * ratio
    return Complex((a.re + a.im * ratio) / denominator, (a.im - a.re * ratio) / denominator)


def _equal(a: Complex, b: Complex) -> Scalar:
    return a.re.compare("==", b.re) & a.im.compare("==", b.im)


def _not_equal(a: Complex, b: Complex) -> Scalar:
    return a.re.compare("!=", b.re) | a.im.compare("!=", b.im)


def _conjugate(z: Complex) -> Complex:
    return Complex(z.re, -z.im)


# --- patterns ---------------------------------------------------------------------------------------------------------

Formula = Callable[..., Complex | Scalar]
"""A result from complex operands."""

FORMULAS: Mapping[type[Operation], Formula] = {
    complex.AbsOp: Complex.magnitude,
    complex.AddOp: Complex.__add__,
    complex.AngleOp: Complex.angle,
    complex.Atan2Op: Complex.atan2,
    complex.ConjOp: _conjugate,
    complex.CosOp: Complex.cos,
    complex.DivOp: Complex.__truediv__,
    complex.EqualOp: _equal,
    complex.ExpOp: Complex.exp,
    complex.Expm1Op: Complex.expm1,
    complex.Log1pOp: Complex.log1p,
    complex.LogOp: Complex.log,
    complex.MulOp: Complex.__mul__,
    complex.NegOp: Complex.__neg__,
    complex.NotEqualOp: _not_equal,
    complex.PowOp: Complex.power,
    complex.RsqrtOp: Complex.reciprocal_sqrt,
    complex.SignOp: Complex.sign,
    complex.SinOp: Complex.sin,
    complex.SqrtOp: Complex.sqrt,
    complex.SubOp: Complex.__sub__,
    complex.TanOp: Complex.tan,
    complex.TanhOp: Complex.tanh,
}


@dataclass(frozen=True)
class ExpandFormula(OpTypePattern):
    """`complex.f %z` -> `complex.re %z`, `complex.im %z`, `formula` of both in `arith` and `math`, `complex.create`."""

    formula: Formula

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        result = self.formula(*(_parts(operand, rewriter) for operand in op.operands))
        if isinstance(result, Complex):
            type = op.results[0].type
            assert isa(type, ComplexType)
            rewriter.replace(op, complex.CreateOp(result.re.value, result.im.value, type))
        else:
            rewriter.replace(op, (), [result.value])


def _parts(value: SSAValue, rewriter: PatternRewriter) -> Complex:
    """The two parts of a complex number."""
    re, im = (rewriter.insert(part(value)).result for part in (complex.ReOp, complex.ImOp))
    return Complex(Scalar(re, rewriter), Scalar(im, rewriter))


PATTERNS = PatternSet([ExpandFormula(op, formula) for op, formula in FORMULAS.items()])


class ConvertComplexToStandardPass(PatternPass):
    """Lower arithmetic on complex numbers to arithmetic on their parts."""

    name = "convert-complex-to-standard"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM" (XGPU-37), `convert-complex-to-standard` of MLIR'
    fixed_patterns = PATTERNS
