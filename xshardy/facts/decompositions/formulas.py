"""
The functions of CHLO as arithmetic: formulas that read the same whatever makes the operations.

Accurate to a few units in the last place of the type that they are computed in; `lgamma` and `digamma` to 64, and near
their zeros to 1e-14; `zeta` and `polygamma` to 400, as they raise to powers by logarithms. Sources: M. Giles,
"Approximating the erfinv function"; Lanczos' approximation of gamma with g = 7 and 9 terms; Abramowitz and Stegun,
7.1.5 (erf), 23.2 (zeta, Euler-Maclaurin). The Chebyshev series interpolate values that were computed to 90 digits.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import reduce
from typing import Generic, TypeVar

V = TypeVar("V")

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

ERFCX = (
    1.211761089503218, -0.08346974964483767, -0.00790067567478788, 0.012125794943139914, -0.0055442643544499,
    0.0017736822190053396, -0.00044173128624835434, 8.663218623822214e-05, -1.2775880033849684e-05,
    1.1816607477961827e-06, 1.287747517771634e-09, -2.0735246835976433e-08, 2.8834717541994143e-09,
    4.6866786010652614e-11, -6.573501521738581e-11, 5.622466194309896e-12, 1.0154044216117424e-12,
    -2.1689154942060896e-13, -1.0493357143819582e-14, 6.318249746450611e-15, -3.964811461605268e-17,
    -1.7581186514501058e-16, 7.599755526189306e-18,
)
"""The Chebyshev series of `exp(x^2) erfc(x) (1 + 2 x)` for `x` from 0.75 on, in `1.2 (x - 3.75) / (x + 3.75) - 0.2`."""

BESSEL_SMALL = (
    3.8583847592795104, -2.2520522757563843, 1.1599979814563022, -0.4841896129375248, 0.17518254145467108,
    -0.05420042384993028, 0.013732356889469876, -0.002481914471851761, 9.087869906221382e-05, 0.00016909023519670607,
    -9.533563607906496e-05, 3.501034163211852e-05, -1.0239125450951529e-05, 2.4933421766556734e-06,
    -5.000701605682092e-07, 7.52727301162681e-08, -4.572083908785003e-09, -2.1398015960054415e-09,
    1.1530355517027073e-09, -3.772006428725524e-10, 1.0072715123823264e-10, -2.3713332663722252e-11,
    5.085780076805606e-12, -1.0113328676249745e-12, 1.8850955564033257e-13, -3.318096317697504e-14,
    5.542475885430866e-15, -8.638295458581695e-16,
)
"""The Chebyshev series of `exp(-x) I1(x) (x + 4)^2 / x` for `x` to 8, in `x / 4 - 1`."""

BESSEL_LARGE = (
    0.38928811750914005, -0.009761097491361469, -0.00011058893876262371, -3.882564808877691e-06,
    -2.5122362378702094e-07, -2.6314688468895064e-08, -3.8353803859640914e-09, -5.589743462204344e-10,
    -1.897495812344753e-11, 3.25260358339069e-11, 1.4125807433052865e-11, 2.0356285280186727e-12,
    -7.198551471264664e-13, -4.083550471665482e-13, -2.1015621122164878e-14, 4.272415873944759e-14,
    1.0421519177403943e-14, -3.813471654550257e-15, -1.8878720718216183e-15, 3.264058827690131e-16,
    3.427659534494915e-16,
)
"""The Chebyshev series of `exp(-x) I1(x) sqrt(x)` for `x` from 8 on, in `16 / x - 1`."""

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
"""B2, B4, B6, ..."""
# fmt: on

ERF_TERMS = 24
"""How many terms of the series of `erf` are enough for double precision below `ERF_SMALL`."""
ERF_SMALL = 0.75

ZETA_TERMS = 12
"""How many terms of `zeta` are added up before the asymptotic series."""

SMALL_ANGLE = 2.0**-40
"""Below this, `sin(x)` is `x`. Multiplying a denormal angle by pi would lose precision."""


class Arithmetic(ABC, Generic[V]):
    """
    Functions of floats of one type; `V` is a value. Python numbers are constants.

    A subclass has a way to apply a function by its name, which is that of a method here.
    """

    is_double: bool
    """Whether the type has the precision of f64."""

    @abstractmethod
    def value(self, x: V | float) -> V:
        """`x`, or a constant."""

    @abstractmethod
    def apply(self, function: str, *operands: V | float) -> V:
        """The function of this name of `operands`."""

    def add(self, x: V | float, y: V | float) -> V:
        return self.apply("add", x, y)

    def subtract(self, x: V | float, y: V | float) -> V:
        return self.apply("subtract", x, y)

    def multiply(self, x: V | float, y: V | float) -> V:
        return self.apply("multiply", x, y)

    def divide(self, x: V | float, y: V | float) -> V:
        return self.apply("divide", x, y)

    def select(self, condition: V, then: V | float, otherwise: V | float) -> V:
        return self.apply("select", condition, then, otherwise)

    def is_less(self, x: V, y: V | float) -> V:
        return self.apply("is_less", x, y)

    def is_equal(self, x: V, y: V | float) -> V:
        return self.apply("is_equal", x, y)

    def negate(self, x: V) -> V:
        return self.apply("negate", x)

    def absolute(self, x: V) -> V:
        return self.apply("absolute", x)

    def floor(self, x: V) -> V:
        return self.apply("floor", x)

    def sqrt(self, x: V) -> V:
        return self.apply("sqrt", x)

    def exp(self, x: V) -> V:
        return self.apply("exp", x)

    def expm1(self, x: V) -> V:
        return self.apply("expm1", x)

    def log(self, x: V) -> V:
        return self.apply("log", x)

    def log1p(self, x: V) -> V:
        return self.apply("log1p", x)

    def sin(self, x: V) -> V:
        return self.apply("sin", x)

    def cos(self, x: V) -> V:
        return self.apply("cos", x)

    def erf(self, x: V) -> V:
        return self.apply("erf", x)

    def erfc(self, x: V) -> V:
        return self.apply("erfc", x)

    def atan2(self, y: V, x: V) -> V:
        return self.apply("atan2", y, x)

    def copy_sign(self, x: V | float, y: V) -> V:
        """`x` with the sign of `y`."""
        return self.apply("copy_sign", x, y)


# -- The inverse of erf -----------------------------------------------------------------------------------------------


def erf_inv(f: Arithmetic[V], x: V) -> V:
    """The inverse of `erf`: infinite at 1 and -1, NaN beyond."""
    w = f.negate(f.log1p(f.negate(f.multiply(x, x))))
    is_near = f.is_less(w, 5)
    t = f.select(is_near, f.subtract(w, 2.5), f.subtract(f.sqrt(w), 3))
    polynomial = f.select(is_near, ERF_INV_CENTRAL[0], ERF_INV_TAIL[0])
    for near, far in zip(ERF_INV_CENTRAL[1:], ERF_INV_TAIL[1:], strict=True):
        polynomial = f.add(f.multiply(polynomial, t), f.select(is_near, near, far))
    result = f.multiply(polynomial, x)
    if f.is_double:
        # The polynomial is for f32: beyond, erfc(y) is about exp(-y * y) / (y * sqrt(pi)), where y is about sqrt(w).
        square = f.subtract(f.add(w, math.log(2) - math.log(math.pi) / 2), f.multiply(0.5, f.log(w)))
        result = f.select(f.is_less(w, 16), result, f.copy_sign(f.sqrt(square), x))
        result = _refined(f, x, result)
    size = f.absolute(x)
    infinity = f.copy_sign(math.inf, x)
    return f.select(f.is_equal(size, 1), infinity, result)


def _refined(f: Arithmetic[V], x: V, estimate: V) -> V:
    """
    `estimate` of the inverse of `erf` at `x`, refined by Halley's method; uses `erfc` near 1, where it is more
    accurate.
    """
    size, root = f.absolute(x), f.absolute(estimate)
    is_small, rest = f.is_less(size, 0.5), f.subtract(1, size)
    for _ in range(3):
        error = f.select(is_small, f.subtract(f.erf(root), size), f.subtract(rest, f.erfc(root)))
        slope = f.multiply(2 / math.sqrt(math.pi), f.exp(f.negate(f.multiply(root, root))))
        step = f.divide(error, slope)
        root = f.subtract(root, f.divide(step, f.add(1, f.multiply(root, step))))
    return f.copy_sign(root, x)


# -- Gamma ------------------------------------------------------------------------------------------------------------


def _lanczos(f: Arithmetic[V], z: V) -> tuple[list[V], V, V]:
    """`c_i / (z + i)` for each coefficient, `t = z + g + 1/2`, and `log(t)`."""
    terms = [f.divide(c, f.add(z, i)) for i, c in enumerate(LANCZOS, 1)]
    base = LANCZOS_G + 0.5
    log_t = f.add(math.log(base), f.log1p(f.divide(z, base)))
    return terms, f.add(z, base), log_t


def _total(f: Arithmetic[V], first: float, terms: Sequence[V]) -> V:
    total: V | float = first
    for term in terms:
        total = f.add(total, term)
    return total  # pyright: ignore[reportReturnType]


def lgamma(f: Arithmetic[V], x: V) -> V:
    """`log|gamma(x)|`; infinite at 0, -1, -2, ... and at infinity."""
    reflects = f.is_less(x, 0.5)  # gamma(x) gamma(1 - x) = pi / sin(pi x)
    z = f.select(reflects, f.negate(x), f.subtract(x, 1))
    terms, t, log_t = _lanczos(f, z)
    scaled = f.multiply(f.subtract(f.add(z, 0.5), f.divide(t, log_t)), log_t)
    log_gamma = f.add(f.add(scaled, math.log(2 * math.pi) / 2), f.log(_total(f, 1, terms)))
    size = f.absolute(x)
    fraction = f.subtract(size, f.floor(size))
    nearest = f.select(f.is_less(fraction, 0.5), fraction, f.subtract(1, fraction))
    log_sine = f.log(f.sin(f.multiply(math.pi, nearest)))
    log_angle = f.add(math.log(math.pi), f.log(nearest))
    log_sine = f.select(f.is_less(nearest, SMALL_ANGLE), log_angle, log_sine)
    reflected = f.subtract(f.subtract(math.log(math.pi), log_sine), log_gamma)
    at_pole = f.is_equal(log_sine, -math.inf)
    result = f.select(reflects, f.select(at_pole, math.inf, reflected), log_gamma)
    return f.select(f.is_equal(size, math.inf), math.inf, result)


def digamma(f: Arithmetic[V], x: V) -> V:
    """The derivative of `log(gamma(x))`; -inf at 0, NaN at -1, -2, ..."""
    reflects = f.is_less(x, 0.5)  # digamma(1 - x) - digamma(x) = pi / tan(pi x)
    z = f.select(reflects, f.negate(x), f.subtract(x, 1))
    terms, t, log_t = _lanczos(f, z)
    slopes = [f.divide(term, f.add(z, i)) for i, term in enumerate(terms, 1)]
    logarithmic = f.divide(_total(f, 0, slopes), _total(f, 1, terms))
    result = f.subtract(f.subtract(log_t, logarithmic), f.divide(LANCZOS_G, t))
    floor = f.floor(x)
    angle = f.multiply(math.pi, f.subtract(x, f.floor(f.add(x, 0.5))))
    cotangent = f.divide(f.cos(angle), f.sin(angle))
    reflected = f.subtract(result, f.multiply(math.pi, cotangent))
    reflected = f.select(f.is_equal(floor, x), math.nan, reflected)
    reflected = f.select(f.is_equal(x, 0), -math.inf, reflected)
    return f.select(reflects, reflected, result)


# -- Error functions --------------------------------------------------------------------------------------------------


def chebyshev(f: Arithmetic[V], coefficients: Sequence[float], t: V) -> V:
    """The sum of the Chebyshev polynomials in `t` with these coefficients, lowest first, by Clenshaw's recurrence."""
    twice = f.add(t, t)
    last, before = f.add(f.multiply(twice, coefficients[-1]), coefficients[-2]), coefficients[-1]
    following: V | float = before
    for coefficient in reversed(coefficients[1:-2]):
        last, following = f.add(f.subtract(f.multiply(twice, last), following), coefficient), last
    return f.add(f.subtract(f.multiply(t, last), following), coefficients[0])


def _erf_series(f: Arithmetic[V], x: V) -> V:
    """`erf` of small numbers, by its power series."""
    square = f.multiply(x, x)
    terms = [(-1) ** n * 2 / math.sqrt(math.pi) / math.factorial(n) / (2 * n + 1) for n in range(ERF_TERMS)]
    first: V | float = terms[-1]
    return f.multiply(x, reduce(lambda sum, term: f.add(f.multiply(sum, square), term), reversed(terms[:-1]), first))


def _erfc_of_large(f: Arithmetic[V], size: V) -> V:
    """`erfc` from `ERF_SMALL` on."""
    t = f.subtract(f.divide(f.multiply(1.2, f.subtract(size, 3.75)), f.add(size, 3.75)), 0.2)
    scaled = f.divide(chebyshev(f, ERFCX, t), f.add(1, f.multiply(2, size)))
    # exp(-x^2), with a head of x whose square is exact
    head = f.divide(f.floor(f.multiply(size, 4096)), 4096)
    tail = f.multiply(f.subtract(size, head), f.add(size, head))
    return f.multiply(f.multiply(scaled, f.exp(f.negate(f.multiply(head, head)))), f.exp(f.negate(tail)))


def _bounded(f: Arithmetic[V], size: V, bound: float) -> V:
    return f.select(f.is_less(size, bound), size, bound)


def erf(f: Arithmetic[V], x: V) -> V:
    size = f.absolute(x)
    large = f.copy_sign(f.subtract(1, _erfc_of_large(f, _bounded(f, size, 30))), x)
    result = f.select(f.is_less(size, ERF_SMALL), _erf_series(f, x), large)
    return f.select(f.is_equal(x, x), result, x)


def erfc(f: Arithmetic[V], x: V) -> V:
    size = f.absolute(x)
    large = _erfc_of_large(f, _bounded(f, size, 30))
    large = f.select(f.is_less(x, 0), f.subtract(2, large), large)
    result = f.select(f.is_less(size, ERF_SMALL), f.subtract(1, _erf_series(f, x)), large)
    return f.select(f.is_equal(x, x), result, x)


# -- Bessel, zeta -----------------------------------------------------------------------------------------------------


def bessel_i1e(f: Arithmetic[V], x: V) -> V:
    """`exp(-|x|)` times the modified Bessel function of the first kind of order 1."""
    size = f.absolute(x)
    bounded = _bounded(f, size, 8)
    root = f.add(bounded, 4)
    small = f.multiply(chebyshev(f, BESSEL_SMALL, f.subtract(f.divide(bounded, 4), 1)), bounded)
    small = f.divide(small, f.multiply(root, root))
    at_least_8 = f.select(f.is_less(size, 8), 8, size)
    large = f.divide(chebyshev(f, BESSEL_LARGE, f.subtract(f.divide(16, at_least_8), 1)), f.sqrt(at_least_8))
    result = f.copy_sign(f.select(f.is_less(size, 8), small, large), x)
    return f.select(f.is_equal(x, x), result, x)


def power(f: Arithmetic[V], x: V, exponent: V) -> V:
    """`x ** exponent` of a positive `x`."""
    return f.exp(f.multiply(exponent, f.log(x)))


def zeta(f: Arithmetic[V], s: V, q: V) -> V:
    """
    The sum of `(q + k) ** -s` over all k from 0; NaN for s < 1, and for q < 0 that is no integer.

    At s = 1 and at poles of an even order it is infinite.
    """
    total = power(f, q, f.negate(s))
    for k in range(1, ZETA_TERMS):
        total = f.add(total, power(f, f.add(q, k), f.negate(s)))
    end = f.add(q, ZETA_TERMS)
    at_end = power(f, end, f.negate(s))
    total = f.add(total, f.add(f.divide(f.multiply(at_end, end), f.subtract(s, 1)), f.multiply(at_end, 0.5)))
    factor = f.divide(f.multiply(s, at_end), end)
    for k, number in enumerate(BERNOULLI, 1):
        total = f.add(total, f.multiply(number / math.factorial(2 * k), factor))
        rising = f.multiply(f.add(s, 2 * k - 1), f.add(s, 2 * k))
        factor = f.divide(f.multiply(factor, rising), f.multiply(end, end))
    total = f.select(f.is_equal(q, math.inf), f.select(f.is_less(s, math.inf), 0, math.nan), total)
    half = f.multiply(s, 0.5)
    is_whole = f.is_equal(f.floor(q), q)
    at_pole = f.select(f.is_equal(f.floor(half), half), math.inf, math.nan)
    below = f.select(is_whole, at_pole, math.nan)
    total = f.select(f.is_less(f.value(0), q), total, below)
    total = f.select(f.is_equal(s, 1), math.inf, total)
    total = f.select(f.is_less(s, 1), math.nan, total)
    return f.select(f.is_equal(q, q), f.select(f.is_equal(s, s), total, s), q)


def polygamma(f: Arithmetic[V], n: V, x: V) -> V:
    """The derivative of `digamma` of order `n`, a natural number; NaN for any other order."""
    order = f.add(n, 1)
    half = f.multiply(n, 0.5)
    size = f.multiply(f.exp(lgamma(f, order)), zeta(f, order, x))
    result = f.select(f.is_equal(f.floor(half), half), f.negate(size), size)
    result = f.select(f.is_equal(n, 0), digamma(f, x), result)
    result = f.select(f.is_equal(f.floor(n), n), result, math.nan)
    return f.select(f.is_less(n, 0), math.nan, result)


# -- Inverse trigonometric and hyperbolic -----------------------------------------------------------------------------


def _other_leg(f: Arithmetic[V], x: V) -> V:
    """`sqrt(1 - x^2)`"""
    return f.sqrt(f.multiply(f.subtract(1, x), f.add(1, x)))


def acos(f: Arithmetic[V], x: V) -> V:
    return f.atan2(_other_leg(f, x), x)


def asin(f: Arithmetic[V], x: V) -> V:
    return f.atan2(x, _other_leg(f, x))


def atan(f: Arithmetic[V], x: V) -> V:
    return f.atan2(x, f.value(1))


HUGE = 2.0**40
"""From here on, `sqrt(x^2 + 1)` is `x`, also in f64."""


def acosh(f: Arithmetic[V], x: V) -> V:
    less = f.subtract(_bounded(f, x, HUGE), 1)
    near = f.log1p(f.add(less, f.sqrt(f.multiply(less, f.add(less, 2)))))
    result = f.select(f.is_less(x, HUGE), near, f.add(f.log(x), math.log(2)))
    return f.select(f.is_less(x, 1), math.nan, result)


def asinh(f: Arithmetic[V], x: V) -> V:
    size = f.absolute(x)
    bounded = _bounded(f, size, HUGE)
    square = f.multiply(bounded, bounded)
    near = f.log1p(f.add(bounded, f.divide(square, f.add(1, f.sqrt(f.add(square, 1))))))
    far = f.add(f.log(f.select(f.is_less(size, HUGE), HUGE, size)), math.log(2))
    return f.copy_sign(f.select(f.is_less(size, HUGE), near, far), x)


def atanh(f: Arithmetic[V], x: V) -> V:
    """`log((1 + x) / (1 - x)) / 2`"""
    size = f.absolute(x)
    ratio = f.divide(f.multiply(2, size), f.subtract(1, size))
    result = f.copy_sign(f.multiply(0.5, f.log1p(ratio)), x)
    return f.select(f.is_less(f.value(1), size), math.nan, result)


def sinh(f: Arithmetic[V], x: V) -> V:
    """By `exp(x) - 1` where it is small, and by a product of square roots of `exp(x)` where that overflows."""
    size = f.absolute(x)
    less = f.expm1(_bounded(f, size, 1))
    small = f.multiply(0.5, f.add(less, f.divide(less, f.add(less, 1))))
    root = f.exp(f.multiply(0.5, size))
    large = f.subtract(f.multiply(f.multiply(0.5, root), root), f.divide(f.divide(0.5, root), root))
    result = f.copy_sign(f.select(f.is_less(size, 1), small, large), x)
    return f.select(f.is_equal(x, x), result, x)


def cosh(f: Arithmetic[V], x: V) -> V:
    root = f.exp(f.multiply(0.5, f.absolute(x)))
    return f.add(f.multiply(f.multiply(0.5, root), root), f.divide(f.divide(0.5, root), root))
