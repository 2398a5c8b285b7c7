"""Rules for the ops of `math`: narrow floats are computed in f32 and rounded once."""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.interpreters.simt.machine import Rule, elementwise
from xshardy.numerics import floats, integers
from xshardy.numerics.element_types import Array, float_info
from xshardy.numerics.fused import fused_multiply_add
from xshardy.numerics.integers import as_signed, signed


def power_of_integer(x: Array, exponent: Array) -> Array:
    """A float to the power of an integer."""
    return floats.power(x, signed(exponent).astype(x.dtype))


def is_normal(x: Array) -> Array:
    """Whether `x` is neither zero, subnormal, infinite nor NaN."""
    return np.isfinite(x) & (np.abs(x) >= float_info(x.dtype).smallest_normal)


FUNCTIONS: Mapping[str, Callable[..., Array]] = {
    "absf": np.abs,
    "absi": as_signed(np.abs),
    "acos": floats.acos,
    "acosh": floats.acosh,
    "asin": floats.asin,
    "asinh": floats.asinh,
    "atan": floats.atan,
    "atan2": floats.atan2,
    "atanh": floats.atanh,
    "cbrt": floats.cbrt,
    "ceil": floats.ceil,
    "copysign": floats.copy_sign,
    "cos": floats.cos,
    "cosh": floats.cosh,
    "ctlz": integers.count_leading_zeros,
    "ctpop": integers.population_count,
    "cttz": integers.count_trailing_zeros,
    "erf": floats.erf,
    "erfc": floats.erfc,
    "exp": floats.exp,
    "exp2": floats.exp2,
    "expm1": floats.expm1,
    "floor": floats.floor,
    "fma": fused_multiply_add,
    "fpowi": power_of_integer,
    "ipowi": as_signed(integers.integer_power),
    "isfinite": np.isfinite,
    "isinf": np.isinf,
    "isnan": np.isnan,
    "isnormal": is_normal,
    "log": floats.log,
    "log10": floats.log10,
    "log1p": floats.log1p,
    "log2": floats.log2,
    "powf": floats.power,
    "round": floats.round_half_away_from_zero,
    "roundeven": floats.round_half_even,
    "rsqrt": floats.rsqrt,
    "sin": floats.sin,
    "sinh": floats.sinh,
    "sqrt": floats.sqrt,
    "tan": floats.tan,
    "tanh": floats.tanh,
    "trunc": floats.trunc,
}

MATH: Mapping[str, Rule] = {f"math.{name}": elementwise(function) for name, function in FUNCTIONS.items()}
