"""Floating-point numbers with upstream's digits: enough to read the value back, and never more than a double needs."""

import math
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import cache

from xdsl.dialects.builtin import AnyFloat

SHORT_DIGITS = 6
"""Significant digits of the first attempt, `1.500000e+00`, whose last digit is padding."""

MAX_PADDING = 3
"""How many zeros a number may have beside its digits before it is written with an exponent."""

MANTISSA_BITS = {"bf16": 8, "f16": 11, "tf32": 11, "f32": 24, "f64": 53, "f80": 64, "f128": 113}
"""The precision of the IEEE-like types, the hidden bit included. Narrower types always fit the first attempt."""


def float_text(value: float, type: AnyFloat) -> str:
    """`value`, which `type` can hold, as MLIR prints it: `1.000000e+00`, `0.333333343`, or `0x7FC00000`."""
    return _float_text(value, math.copysign(1.0, value), type)


@cache
def _float_text(value: float, sign: float, type: AnyFloat) -> str:
    # The sign is a part of the key: 0.0 == -0.0.
    if not math.isfinite(value):
        return hex_text(value, type)
    mantissa, _, exponent = f"{value:.{SHORT_DIGITS - 1}e}".partition("e")
    short = f"{mantissa}0e{exponent}"
    if _rounded(float(short), type) == value:
        return short
    natural = natural_text(value, 2 + MANTISSA_BITS.get(type.name, 4) * 59 // 196)
    return natural if "." in natural else hex_text(value, type)


def hex_text(value: float, type: AnyFloat) -> str:
    """The bits of `value`, most significant first: `0x7FC00000`."""
    return "0x" + type.pack((value,))[::-1].hex().upper()


def natural_text(value: float, digits: int) -> str:
    """`value` with at most `digits` significant digits and no trailing zeros, as in LLVM: `0.1`, `1.5E-10`, `16`."""
    number = Context(prec=digits, rounding=ROUND_HALF_UP).create_decimal(Decimal(value)).normalize()
    sign, significand, exponent = number.as_tuple()
    assert isinstance(exponent, int)  # only infinities and NaNs have another one
    text = "".join(map(str, significand))
    prefix = "-" if sign else ""
    point = len(text) + exponent
    """Where the decimal point is, counted from the first digit."""
    if exponent > MAX_PADDING or (exponent >= 0 and point > digits) or 1 - point > MAX_PADDING:
        power = point - 1
        return f"{prefix}{text[0]}.{text[1:] or '0'}E{'-' if power < 0 else '+'}{abs(power)}"
    if exponent >= 0:
        return prefix + text + "0" * exponent
    if point > 0:
        return f"{prefix}{text[:point]}.{text[point:]}"
    return f"{prefix}0.{'0' * -point}{text}"


def _rounded(value: float, type: AnyFloat) -> float | None:
    try:
        return type.unpack(type.pack((value,)), 1)[0]
    except OverflowError:
        return None
