"""
Print `xshardy/transforms/xla_gpu/math_functions/coefficients.py`: polynomials and constants, computed by mpmath.

Each polynomial interpolates a function at the Chebyshev nodes of an interval (`mpmath.chebyfit`), in 60 digits; its
coefficients are rounded to the type. The maximal error of the fit is printed beside it. mpmath is needed here only:

    pip install mpmath
    python scripts/fit_math_functions.py > xshardy/transforms/xla_gpu/math_functions/coefficients.py
    ruff format xshardy/transforms/xla_gpu/math_functions/coefficients.py
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from mpmath import (
    atan,
    atanh,
    chebyfit,
    cos,
    erf,
    erfc,
    exp,
    floor,
    log,
    mp,
    mpf,
    nstr,
    pi,
    sin,
    sinh,
    sqrt,
    tanh,
    workdps,
)

mp.dps = 60

TYPES = {"f32": np.float32, "f64": np.float64}

Function = Callable[[mpf], mpf]


@dataclass(frozen=True)
class Fit:
    """A function on an interval, and the number of coefficients for each type."""

    name: str
    about: str
    function: Function
    at_zero: mpf | None
    """The limit at 0, where the formula divides by 0; None if it does not."""
    interval: tuple[float, float]
    terms: dict[str, int]


def of_root(function: Function) -> Function:
    """`function` of the square root of its argument."""
    return lambda z: function(sqrt(z))


def at_center(q: mpf, center: int) -> mpf:
    """The `t` for which `(t - center) / (t + center)` is `q`."""
    return center * (1 + q) / (1 - q)


CENTER = 3
"""The centre of the variable of `ERFC`."""


def scaled_erfc(q: mpf) -> mpf:
    t = at_center(q, CENTER)
    with workdps(mp.dps + int(t * t / 2) + 5):
        return exp(t * t) * erfc(t) * (1 + 2 * t)


def q_of(t: float) -> float:
    return (t - CENTER) / (t + CENTER)


LOG_SQUARE = 0.029438
"""The square of (sqrt 2 - 1) / (sqrt 2 + 1), the greatest argument of atanh in the logarithm, rounded up."""
QUARTER_PI_SQUARE = 0.61686

FITS = (
    Fit(
        "EXP",
        "`(exp(r) - 1 - r) / r^2` for |r| <= ln(2) / 2",
        lambda r: (exp(r) - 1 - r) / r**2,
        mpf(1) / 2,
        (-0.347, 0.347),
        {"f32": 5, "f64": 11},
    ),
    Fit(
        "LOG",
        "`(2 atanh(s) / s - 2) / z` as a function of z = s^2, for m = (1 + s) / (1 - s) between sqrt(1/2) and sqrt(2)",
        of_root(lambda s: (2 * atanh(s) / s - 2) / s**2),
        mpf(2) / 3,
        (0, LOG_SQUARE),
        {"f32": 4, "f64": 7},
    ),
    Fit(
        "LOG_TAIL",
        "The same less its first term: `((2 atanh(s) / s - 2) / z - 2/3) / z`",
        of_root(lambda s: ((2 * atanh(s) / s - 2) / s**2 - mpf(2) / 3) / s**2),
        mpf(2) / 5,
        (0, LOG_SQUARE),
        {"f32": 4, "f64": 8},
    ),
    Fit(
        "TANH",
        "`(tanh(x) / x - 1) / z` as a function of z = x^2, for |x| <= 0.6",
        of_root(lambda x: (tanh(x) / x - 1) / x**2),
        -mpf(1) / 3,
        (0, 0.36),
        {"f32": 5, "f64": 12},
    ),
    Fit(
        "SINH",
        "`(sinh(x) / x - 1) / z` as a function of z = x^2, for |x| <= 1",
        of_root(lambda x: (sinh(x) / x - 1) / x**2),
        mpf(1) / 6,
        (0, 1),
        {"f32": 4, "f64": 8},
    ),
    Fit(
        "ATAN",
        "`(atan(t) / t - 1) / z` as a function of z = t^2, for |t| <= tan(pi/8)",
        of_root(lambda t: (atan(t) / t - 1) / t**2),
        -mpf(1) / 3,
        (0, 0.17158),
        {"f32": 5, "f64": 11},
    ),
    Fit(
        "ERF",
        "`erf(x) / x - 1` as a function of x^2, for |x| <= 1",
        of_root(lambda x: erf(x) / x - 1),
        2 / sqrt(pi) - 1,
        (0, 1),
        {"f32": 7, "f64": 12},
    ),
    Fit(
        "ERFC",
        f"`exp(t^2) erfc(t) (1 + 2t)` as a function of (t - {CENTER}) / (t + {CENTER}), for t from 0.5 to 28 "
        "(f32: 10.5)",
        scaled_erfc,
        None,
        (q_of(0.5), q_of(28)),
        {"f32": 10, "f64": 22},
    ),
    Fit(
        "SIN",
        "`(sin(r) / r - 1) / z` as a function of z = r^2, for |r| <= pi / 4",
        of_root(lambda r: (sin(r) / r - 1) / r**2),
        -mpf(1) / 6,
        (0, QUARTER_PI_SQUARE),
        {"f32": 4, "f64": 6},
    ),
    Fit(
        "COS",
        "`(cos(r) - 1 + z/2) / z^2` as a function of z = r^2, for |r| <= pi / 4",
        of_root(lambda r: (cos(r) - 1 + r**2 / 2) / r**4),
        mpf(1) / 24,
        (0, QUARTER_PI_SQUARE),
        {"f32": 3, "f64": 6},
    ),
)
"""The polynomials. Their sources are the definitions of the functions."""

NARROWER = {("ERFC", "f32"): (q_of(0.5), q_of(10.5))}
"""Intervals for f32 that differ from those for f64."""


def rounded(value: mpf, type: str) -> float:
    return float(TYPES[type](float(value))) if type == "f64" else float(TYPES[type](np.longdouble(str(value))))


def fitted(fit: Fit, type: str) -> tuple[list[float], mpf]:
    """The coefficients of `fit` for `type`, in ascending order of powers, and the error of the fit before rounding."""

    def function(x: mpf) -> mpf:
        return fit.at_zero if fit.at_zero is not None and abs(x) < mpf(10) ** -25 else fit.function(x)

    interval = NARROWER.get((fit.name, type), fit.interval)
    coefficients, error = chebyfit(function, [mpf(end) for end in interval], fit.terms[type], error=True)
    return [rounded(coefficient, type) for coefficient in reversed(coefficients)], error


def parts(value: mpf, count: int, type: str) -> list[float]:
    """`value` as a sum of `count` numbers of `type`, each the rounded remainder."""
    found: list[float] = []
    for _ in range(count):
        found.append(rounded(value, type))
        value -= mpf(found[-1])
    return found


CONSTANTS = (
    ("LN2", "ln 2 as a sum", log(2), 2),
    ("LOG2_E", "1 / ln 2", 1 / log(2), 1),
    ("HALF_PI", "pi / 2 as a sum", pi / 2, 3),
    ("TWO_OVER_PI", "2 / pi", 2 / pi, 1),
    ("TWO_THIRDS", "2 / 3 as a sum", mpf(2) / 3, 2),
)

TABLE_DIGITS, ROW = 312, 80


def two_over_pi_digits() -> list[str]:
    """The binary digits of 2 / pi as rows of hexadecimal digits."""
    with workdps(500):
        digits = f"{int(floor(2 / pi * mpf(16) ** TABLE_DIGITS)):X}"
    return [digits[start : start + ROW] for start in range(0, TABLE_DIGITS, ROW)]


def main() -> None:
    print('"""Polynomials and constants of the expansions. Written by `scripts/fit_math_functions.py`."""\n')
    print("from collections.abc import Mapping, Sequence\n")
    print("from xdsl.dialects.builtin import f32, f64")
    print("from xdsl.ir import Attribute\n")
    print("Table = Mapping[Attribute, Sequence[float]]")
    print('"""Coefficients for each type, in ascending order of powers; or the parts of a constant."""\n')
    for fit in FITS:
        print(f"{fit.name}: Table = {{")
        for type in TYPES:
            coefficients, error = fitted(fit, type)
            print(f"    {type}: (  # maximal error 2^{nstr(log(error, 2), 3)}")
            for coefficient in coefficients:
                print(f"        {coefficient!r},")
            print("    ),")
        print(f'}}\n"""{fit.about}."""\n')
    for name, about, value, count in CONSTANTS:
        print(f"{name}: Table = {{")
        for type in TYPES:
            print(f"    {type}: ({', '.join(map(repr, parts(value, count, type)))},),")
        print(f'}}\n"""{about}."""\n')
    print("TWO_OVER_PI_DIGITS = (")
    for row in two_over_pi_digits():
        print(f'    "{row}"')
    print(')\n"""The binary digits of 2 / pi, four in each hexadecimal digit."""')


if __name__ == "__main__":
    main()
