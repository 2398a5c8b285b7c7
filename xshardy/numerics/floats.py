"""
Floating-point functions as XLA defines them, on every float type.

Types narrower than f32 are computed in f32 and rounded once. Functions of numpy that agree with XLA's (`np.add`,
comparisons, ...) are used directly: `ml_dtypes` rounds them likewise.
"""

import math
from collections.abc import Callable
from functools import cache, wraps

import numpy as np

from xshardy.numerics.element_types import Array, DType

WIDE = {np.dtype(np.float32), np.dtype(np.float64), np.dtype(np.longdouble), np.dtype(np.clongdouble)}
COMPLEX = {np.dtype(np.complex64), np.dtype(np.complex128)}


def computed_wide(function: Callable[..., Array]) -> Callable[..., Array]:
    """
    Make a function of f32, f64 and complex128 one of any float or complex type, rounded once to the type of its first
    argument.
    """

    @wraps(function)
    def on_any(x: Array, *more: Array) -> Array:
        if x.dtype in WIDE:
            return function(x, *more)
        working = np.dtype(np.complex128 if x.dtype in COMPLEX else np.float32)
        return function(*(operand.astype(working, copy=False) for operand in (x, *more))).astype(x.dtype, copy=False)

    return on_any


exp = computed_wide(np.exp)
exp2 = computed_wide(np.exp2)
expm1 = computed_wide(np.expm1)
log = computed_wide(np.log)
log1p = computed_wide(np.log1p)
log2 = computed_wide(np.log2)
log10 = computed_wide(np.log10)
sqrt = computed_wide(np.sqrt)
cbrt = computed_wide(np.cbrt)
sin = computed_wide(np.sin)
cos = computed_wide(np.cos)
tan = computed_wide(np.tan)
asin = computed_wide(np.arcsin)
acos = computed_wide(np.arccos)
atan = computed_wide(np.arctan)
atan2 = computed_wide(np.arctan2)
sinh = computed_wide(np.sinh)
cosh = computed_wide(np.cosh)
tanh = computed_wide(np.tanh)
asinh = computed_wide(np.arcsinh)
acosh = computed_wide(np.arccosh)
atanh = computed_wide(np.arctanh)
power = computed_wide(np.power)
remainder = computed_wide(np.fmod)
floor = computed_wide(np.floor)
ceil = computed_wide(np.ceil)
trunc = computed_wide(np.trunc)
round_half_even = computed_wide(np.rint)
copy_sign = computed_wide(np.copysign)


@computed_wide
def sign(x: Array) -> Array:
    """1 with the sign of `x`; zeros and NaN are returned unchanged."""
    return np.where((x == 0) | np.isnan(x), x, np.copysign(x.dtype.type(1), x))


@computed_wide
def rsqrt(x: Array) -> Array:
    return 1 / np.sqrt(x)


@computed_wide
def logistic(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


@computed_wide
def round_half_away_from_zero(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(x.dtype.type(1), x), whole)


def elementwise_in_f64(function: Callable[[float], float], x: Array) -> Array:
    """`function`, which numpy lacks, applied to each number in f64."""
    return np.fromiter(map(function, x.ravel().tolist()), np.float64, x.size).reshape(x.shape).astype(x.dtype)


@cache
def tabulated(function: Callable[[float], float], dtype: DType) -> Array:
    """The table of `function` over all numbers of a type of one or two bytes, indexed by their bits."""
    return elementwise_in_f64(function, np.arange(1 << 8 * dtype.itemsize, dtype=f"u{dtype.itemsize}").view(dtype))


def scalar_function(function: Callable[[float], float]) -> Callable[[Array], Array]:
    """
    Make a function of Python floats one of arrays of any float type.

    It is called once for each number of a narrow type, through a table, if there are as many elements.
    """

    def on_any(x: Array) -> Array:
        if x.itemsize <= 2 and x.size >= 1 << 8 * x.itemsize:
            return tabulated(function, x.dtype)[x.view(f"u{x.itemsize}")]
        return elementwise_in_f64(function, x)

    return on_any


erf = scalar_function(math.erf)
erfc = scalar_function(math.erfc)


@computed_wide
def erf_inv(x: Array) -> Array:
    """The inverse of the error function: infinite at 1 and -1, NaN beyond. An estimate, refined by Newton's method."""
    wide = np.clip(x.astype(np.float64), -1, 1)
    size = np.abs(wide)
    rest, is_large = 1 - size, size > 0.5  # the rest is exact where the size is large
    log_term = np.where(is_large, np.log(rest * (1 + size)), np.log1p(-wide * wide))
    shape = 2 / (np.pi * 0.147) + log_term / 2  # Winitzki's approximation, good to 0.002
    result = np.sqrt(np.sqrt(shape * shape - log_term / 0.147) - shape)
    for _ in range(4):
        slope = 2 / np.sqrt(np.pi) * np.exp(-result * result)
        error = np.where(is_large, rest - erfc(result), erf(result) - size)
        result = np.where(slope > 0, result - error / slope, result)
    result = np.copysign(np.where(size == 1, np.inf, result), wide)
    return np.where(np.abs(x) <= 1, result, np.nan).astype(x.dtype)


def next_after(x: Array, y: Array) -> Array:
    """The float next to `x` in the direction of `y`; `y` if they are equal, also if one is -0 (numpy gives `x`)."""
    return np.where(x == y, y, np.nextafter(x, y))


def imaginary(x: Array) -> Array:
    """The imaginary parts of real numbers: 0, or NaN in a type without 0."""
    return np.zeros(x.shape).astype(x.dtype)


def maximum(x: Array, y: Array) -> Array:
    """The larger number, NaN if either is NaN, +0 for zeros of different sign: IEEE 754-2019 `maximum`."""
    return with_ordered_zeros(np.maximum(x, y), x, y, positive=True)


def minimum(x: Array, y: Array) -> Array:
    """The smaller number, NaN if either is NaN, -0 for zeros of different sign: IEEE 754-2019 `minimum`."""
    return with_ordered_zeros(np.minimum(x, y), x, y, positive=False)


def maximum_number(x: Array, y: Array) -> Array:
    """The larger number; the other operand if one is NaN: IEEE 754-2019 `maximumNumber`."""
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, maximum(x, y)))


def minimum_number(x: Array, y: Array) -> Array:
    """The smaller number; the other operand if one is NaN: IEEE 754-2019 `minimumNumber`."""
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, minimum(x, y)))


def with_ordered_zeros(extreme: Array, x: Array, y: Array, positive: bool) -> Array:
    """`extreme` of `x` and `y`, with a defined result for two zeros of different sign, which numpy leaves open."""
    zeros = (extreme == 0) & (np.signbit(x) != np.signbit(y)) & (x == y)
    if not zeros.any():
        return extreme
    return np.where(zeros, x.dtype.type(0.0 if positive else -0.0), extreme)


def bits(x: Array) -> Array:
    """The bits of each element, for exact comparison: NaN equals itself, and -0 differs from 0."""
    return x.view(f"V{x.itemsize}") if x.itemsize > 8 else x.view(f"u{x.itemsize}")


def total_order(x: Array) -> Array:
    """
    Signed integers that order the floats `x` as IEEE 754 `totalOrder`: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
    """
    bits = x.view(f"int{8 * x.itemsize}")
    return np.where(bits < 0, bits ^ np.iinfo(bits.dtype).max, bits)


def two_sum(x: Array, y: Array) -> tuple[Array, Array]:
    """The rounded sum, and the exact error of rounding it."""
    total = x + y
    of_y = total - x
    return total, (x - (total - of_y)) + (y - of_y)


def two_product(x: Array, y: Array) -> tuple[Array, Array]:
    """The rounded product of f64 numbers, and the exact error of rounding it, unless it over- or underflows."""
    (x_high, x_low), (y_high, y_low) = split(x), split(y)
    product = x * y
    return product, ((x_high * y_high - product) + x_high * y_low + x_low * y_high) + x_low * y_low


def split(x: Array) -> tuple[Array, Array]:
    """f64 numbers as sums of two numbers with at most 26 significant bits each."""
    scaled = x * (2.0**27 + 1)
    high = scaled - (scaled - x)
    return high, x - high


def rounded_to_odd(x: Array, error: Array) -> Array:
    """
    `x + error` rounded to odd: of the two adjacent f64 numbers, the one whose last bit is set, if `error` is not 0.

    Precondition: `error` is below the last bit of `x`. A further rounding to a type with at least two bits less gives
    the same as rounding `x + error` at once.
    """
    bits = x.view(np.int64)
    towards_error = np.where((error > 0) == (x > 0), 1, -1)
    inexact = (error != 0) & np.isfinite(x) & np.isfinite(error) & ((bits & 1) == 0)
    return np.where(inexact, bits + towards_error, bits).view(np.float64)


def narrowed(x: Array, dtype: DType) -> Array:
    """
    Floats rounded to `dtype` once: an f64 is first rounded to odd as f32, if `dtype` is of `ml_dtypes`.

    Types of a byte are read as f32, which holds their numbers: `ml_dtypes` does not convert all of them to each other.
    """
    if x.dtype.itemsize == 1:
        x = x.astype(np.float32)
    if x.dtype != np.float64 or dtype in WIDE or dtype == np.float16:
        return x.astype(dtype)
    single = x.astype(np.float32)
    bits = single.view(np.int32)
    error = x - single
    towards_error = np.where((error > 0) == (x > 0), 1, -1).astype(np.int32)
    inexact = (error != 0) & np.isfinite(error) & ((bits & 1) == 0)
    return np.where(inexact, bits + towards_error, bits).view(np.float32).astype(dtype)


def reduce_precision(x: Array, exponent_bits: int, mantissa_bits: int) -> Array:
    """
    `x` rounded to a float with these numbers of bits, in the type of `x`: to nearest, ties to even.

    Overflow gives infinity, a result below the smallest normal number gives zero. NaN stays NaN.
    """
    dtype = x.dtype
    if dtype not in WIDE:
        return reduce_precision(x.astype(np.float32), exponent_bits, mantissa_bits).astype(dtype)
    info = np.finfo(dtype)
    bits = x.view(f"uint{8 * dtype.itemsize}")
    one = bits.dtype.type(1)
    dropped = max(info.nmant - mantissa_bits, 0)
    if dropped:
        half_but_one = (one << bits.dtype.type(dropped - 1)) - one
        last_kept = (bits >> bits.dtype.type(dropped)) & one
        unit = one << bits.dtype.type(dropped)
        bits = (bits + half_but_one + last_kept) & ~(unit - one)
    rounded = bits.view(dtype)
    if exponent_bits < info.iexp:
        bias = 2 ** (exponent_bits - 1) - 1
        magnitude = np.abs(rounded)
        rounded = np.where(magnitude >= dtype.type(2.0) ** (bias + 1), np.copysign(dtype.type(np.inf), x), rounded)
        rounded = np.where(magnitude < dtype.type(2.0) ** (1 - bias), np.copysign(dtype.type(0), x), rounded)
    return np.where(np.isnan(x), x, rounded)
