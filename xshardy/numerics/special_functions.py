"""
Special functions that numpy lacks, of one float each, as XLA defines them at poles and beyond.

Sources of the series: Abramowitz and Stegun, 6.3 (digamma), 9.6.19 and 9.7.1 (Bessel), 23.2 (zeta, Euler-Maclaurin).
"""

import math

BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
"""B2, B4, B6, ..."""

ASYMPTOTIC_FROM = 12
"""The argument from which the asymptotic series are exact to double precision."""

NEGLIGIBLE = 2.0**-60
"""The share of a sum that double precision does not hold."""


def lgamma(x: float) -> float:
    """The logarithm of the absolute value of the gamma function; infinite at its poles, and where `x` is."""
    if math.isinf(x) or (x <= 0 and x == math.floor(x)):
        return math.inf
    try:
        return math.lgamma(x)
    except OverflowError:
        return math.inf


def digamma(x: float) -> float:
    """The derivative of `lgamma`; -inf at 0, as XLA of 2026 has it, and NaN at its other poles."""
    if x == 0:
        return -math.inf
    if math.isnan(x) or x == -math.inf or (x <= 0 and x == math.floor(x)):
        return math.nan
    if x > 1 / math.ulp(1.0):  # all other terms are negligible
        return math.log(x) if x < math.inf else x
    if x < 0:
        return digamma(1 - x) - math.pi / math.tan(math.pi * (x - round(x)))  # exact close to poles
    shift = 0.0
    while x < ASYMPTOTIC_FROM:
        shift += 1 / x
        x += 1
    series = sum(number / (2 * k * x ** (2 * k)) for k, number in enumerate(BERNOULLI, 1))
    return math.log(x) - 1 / (2 * x) - series - shift


def zeta(s: float, q: float) -> float:
    """The sum of `(q + k) ** -s` over all k from 0; infinite at poles, NaN where it is not defined (s < 1)."""
    if math.isnan(s) or math.isnan(q) or s < 1:
        return math.nan
    if s == 1:
        return math.inf
    if q <= 0:
        if q.is_integer() or q == -math.inf:
            return math.inf if s.is_integer() and math.fmod(s, 2) == 0 else math.nan
        if not s.is_integer():
            return math.nan
    if q == math.inf:
        return 0.0 if s > 1 else math.nan
    if q > 0:
        return _zeta_by_euler_maclaurin(s, q)
    # The terms before 0 are those of another zeta after 0, up to their sign. A loop over them may not end.
    after, sign = q - math.floor(q), 1 - 2 * math.fmod(s, 2)
    around_zero = _zeta_by_euler_maclaurin(s, after) + sign * _zeta_by_euler_maclaurin(s, 1 - after)
    return around_zero - sign * _zeta_by_euler_maclaurin(s, 1 - q)


def _zeta_by_euler_maclaurin(s: float, q: float) -> float:
    """`zeta` for s > 1 and q >= 0; infinite at 0, and where it overflows."""
    try:
        return _series_of_zeta(s, q)
    except (OverflowError, ZeroDivisionError):
        return math.inf


def _series_of_zeta(s: float, q: float) -> float:
    total = 0.0
    while q < ASYMPTOTIC_FROM + s:  # each term of the series is about (s / q) ** 2 of the one before
        term = q**-s
        total += term
        if term <= total * NEGLIGIBLE:
            return total
        q += 1
    total += q ** (1 - s) / (s - 1) + q**-s / 2
    factor = s * q ** (-s - 1)
    for k, number in enumerate(BERNOULLI, 1):
        total += number / math.factorial(2 * k) * factor
        factor *= (s + 2 * k - 1) / q * ((s + 2 * k) / q)
    return total


LARGEST_FACTORIAL = 170
"""That of a larger number is no f64."""


def polygamma(n: float, x: float) -> float:
    """The derivative of `digamma` of order `n`, a natural number; NaN for any other order."""
    if n < 0 or not n.is_integer():
        return math.nan
    if n == 0:
        return digamma(x)
    factorial = math.gamma(n + 1) if n <= LARGEST_FACTORIAL else math.inf
    return math.copysign(factorial, math.fmod(n, 2) - 0.5) * zeta(n + 1, x)


def bessel_i1e(x: float) -> float:
    """`exp(-|x|)` times the modified Bessel function of the first kind of order 1."""
    size = abs(x)
    if math.isnan(x) or math.isinf(x):
        return math.nan if math.isnan(x) else math.copysign(0.0, x)
    if size > 500:
        series, term = 1.0, 1.0
        for k in range(1, 12):
            term *= -(4 - (2 * k - 1) ** 2) / (8 * k * size)
            series += term
        return math.copysign(series / (math.sqrt(2 * math.pi) * math.sqrt(size)), x)  # 2 * pi * size may overflow
    # The trapezoidal rule on the integral over a period: its error falls faster than any power of the step.
    count = 16 + 8 * math.isqrt(math.ceil(16 * size) + 16)
    angles = (math.pi * (k + 0.5) / count for k in range(count))
    if size < 1e-3:
        return x / 2 * (1 + size * size / 8) * math.exp(-size)
    return math.copysign(math.fsum(math.exp(size * (math.cos(a) - 1)) * math.cos(a) for a in angles) / count, x)
