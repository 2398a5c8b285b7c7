"""
Floating-point numbers with upstream's digits: the fewest that read back as the same value, or else the bits.

The digits equal LLVM's. LLVM truncates a number before it rounds it: see `decimal_digits`.
"""

import math
from functools import cache

from xdsl.dialects.builtin import AnyFloat

SHORT_DIGITS = 6
"""Significant digits of the first attempt, `1.500000e+00`, which is padded to seven."""

MAX_PADDING = 3
"""The most zeros that pad the digits of a number; with more, it has an exponent."""

MANTISSA_BITS = {"bf16": 8, "f16": 11, "tf32": 11, "f32": 24, "f64": 53, "f80": 64, "f128": 113}
"""The precision of the IEEE-like types, the hidden bit included. Narrower types always fit the first attempt."""


def float_text(value: float, type: AnyFloat) -> str:
    """MLIR's text of `value`, which `type` represents exactly: `1.000000e+00`, `0.333333343`, or `0x7FC00000`."""
    return _float_text(value, math.copysign(1.0, value), type)


@cache
def _float_text(value: float, sign: float, type: AnyFloat) -> str:
    # The key includes the sign, because 0.0 == -0.0.
    if not math.isfinite(value):
        return hex_text(value, type)
    prefix = "-" if sign < 0 else ""
    short = prefix + short_text(abs(value))
    if _rounded(float(short), type) == value:
        return short
    natural = prefix + natural_text(abs(value), 2 + MANTISSA_BITS.get(type.name, 4) * 59 // 196)
    return natural if "." in natural else hex_text(value, type)


def hex_text(value: float, type: AnyFloat) -> str:
    """The bits of `value`, most significant first: `0x7FC00000`."""
    return "0x" + type.pack((value,))[::-1].hex().upper()


def short_text(value: float) -> str:
    """`value`, not negative, with an exponent: `1.500000e+00`."""
    digits, exponent = decimal_digits(value, SHORT_DIGITS)
    power = exponent + len(digits) - 1 if value else 0
    return f"{digits[0]}.{digits[1:].ljust(SHORT_DIGITS, '0')}e{'-' if power < 0 else '+'}{abs(power):02}"


def natural_text(value: float, precision: int) -> str:
    """`value`, not negative, with an exponent only if that is shorter than the zeros: `0.1`, `1.5E-10`, `16`."""
    digits, exponent = decimal_digits(value, precision)
    point = len(digits) + exponent
    """The position of the decimal point, counted from the first digit."""
    if exponent > MAX_PADDING or (exponent >= 0 and point > precision) or 1 - point > MAX_PADDING:
        power = point - 1
        return f"{digits[0]}.{digits[1:] or '0'}E{'-' if power < 0 else '+'}{abs(power)}"
    if exponent >= 0:
        return digits + "0" * exponent
    if point > 0:
        return f"{digits[:point]}.{digits[point:]}"
    return f"0.{'0' * -point}{digits}"


def decimal_digits(value: float, precision: int) -> tuple[str, int]:
    """
    At most `precision` digits that approximate `value`, not negative, and the power of ten of the last digit.

    As in LLVM, digits beyond those that `precision` needs by its number of bits are truncated first; the rest is
    rounded half up.
    """
    numerator, denominator = value.as_integer_ratio()
    exponent = 1 - denominator.bit_length()
    significand = numerator * 5**-exponent
    surplus_bits = significand.bit_length() - (precision * 196 + 58) // 59
    if surplus_bits > 0:
        surplus_digits = surplus_bits * 59 // 196
        significand //= 10**surplus_digits
        exponent += surplus_digits
    surplus = len(str(significand)) - precision
    if surplus > 0:
        significand = (significand + 5 * 10 ** (surplus - 1)) // 10**surplus
        exponent += surplus
    digits = str(significand)
    kept = digits.rstrip("0") or "0"
    return kept, exponent + len(digits) - len(kept)


def _rounded(value: float, type: AnyFloat) -> float | None:
    try:
        return type.unpack(type.pack((value,)), 1)[0]
    except (OverflowError, ValueError):
        return None
