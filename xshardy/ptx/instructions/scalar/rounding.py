"""
Rounding modes, flushed subnormals and saturation of floating-point instructions.

Source: PTX ISA, "Rounding Modifiers" and "Floating Point Instructions".
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array, DType, float_info
from xshardy.numerics.floats import narrowed, two_sum
from xshardy.numerics.fused import fused_multiply_add, product_and_sum
from xshardy.ptx.instructions.form import Form

MODES = ("rn", "rz", "rm", "rp")


@dataclass(frozen=True, slots=True)
class Rounding:
    """The modifiers that say how operands are read and the result is rounded."""

    mode: str = "rn"
    flushes: bool = False
    """Subnormal operands and results become zeros of their sign."""
    saturates: bool = False
    """The result is clamped to [0, 1], and NaN becomes 0."""

    def applied(self, function: Callable[..., Array]) -> Callable[..., Array]:
        """`function`, which rounds already, on flushed operands, its result flushed and saturated."""
        if not self.flushes and not self.saturates:
            return function

        def on_flushed(*operands: Array) -> Array:
            result = function(*map(flushed, operands)) if self.flushes else function(*operands)
            if self.flushes:
                result = flushed(result)
            return saturated(result) if self.saturates else result

        return on_flushed


def take_rounding(form: Form, *, is_required: bool) -> Rounding:
    """Remove the modifiers of rounding from a form. Raises `PtxError` if the mode is required and not there."""
    mode = form.required(*MODES) if is_required else form.take(*MODES) or "rn"
    return Rounding(mode, form.has("ftz"), form.has("sat"))


def flushed(x: Array) -> Array:
    """`x` with zeros of their sign for subnormal numbers."""
    small = np.abs(x) < x.dtype.type(float_info(x.dtype).smallest_normal)
    return np.where(small, np.copysign(x.dtype.type(0), x), x) if small.any() else x


def saturated(x: Array) -> Array:
    return np.where(x > 0, np.minimum(x, x.dtype.type(1)), x.dtype.type(0))


def add(x: Array, y: Array, mode: str) -> Array:
    """The sum, rounded once."""
    if mode == "rn":
        return x + y
    parts = product_and_sum(x, np.ones(1), y) if x.dtype == np.float64 else two_sum(*_wide(x, y))
    return directed_sum(*parts, np.signbit(x) != np.signbit(y), x.dtype, mode)


def multiply(x: Array, y: Array, mode: str) -> Array:
    """The product, rounded once."""
    if mode == "rn":
        return x * y
    if x.dtype == np.float64:
        return directed(*product_and_sum(x, y, np.full(1, -0.0)), x.dtype, mode)
    a, b = _wide(x, y)
    return directed(a * b, np.zeros(1), x.dtype, mode)


def multiply_add(x: Array, y: Array, z: Array, mode: str) -> Array:
    """`x * y + z`, rounded once."""
    if mode == "rn":
        return fused_multiply_add(x, y, z)
    a, b, c = _wide(x, y, z)
    parts = product_and_sum(a, b, c) if x.dtype == np.float64 else two_sum(a * b, c)
    return directed_sum(*parts, np.signbit(a * b) != np.signbit(c), x.dtype, mode)


def divide(x: Array, y: Array, mode: str) -> Array:
    """The quotient, rounded once."""
    if mode == "rn":
        return x / y
    a, b = _wide(x, y)
    quotient = a / b
    error = np.where(np.isfinite(b), _rest(a, quotient, b) * np.sign(b), 0.0)
    overflows = np.isinf(quotient) & np.isfinite(a) & (b != 0)
    return directed(quotient, np.where(overflows, -np.sign(quotient), error), x.dtype, mode)


def square_root(x: Array, mode: str) -> Array:
    """The square root, rounded once."""
    if mode == "rn":
        return np.sqrt(x)
    (a,) = _wide(x)
    root = np.sqrt(a)
    return directed(root, _rest(a, root, root), x.dtype, mode)


def _rest(whole: Array, x: Array, y: Array) -> Array:
    """A number with the sign of `whole - x * y`, of f64; 0 where a factor is not finite."""
    value, error = product_and_sum(-x, y, whole)
    return np.where(np.isfinite(x), np.where(value != 0, value, error), 0.0)


def _wide(*operands: Array) -> tuple[Array, ...]:
    return tuple(operand.astype(np.float64, copy=False) for operand in operands)


def directed(value: Array, error: Array, dtype: DType, mode: str) -> Array:
    """
    A number that rounds to the f64 `value` to nearest, rounded to `dtype` in direction `mode`.

    `error` has the sign of the number less `value`.
    """
    nearest = narrowed(value, dtype)
    back = nearest.astype(np.float64)
    error = np.where(np.isfinite(error), error, 0.0)
    too_large = (back > value) | ((back == value) & (error < 0))
    too_small = (back < value) | ((back == value) & (error > 0))
    down = too_large if mode == "rm" else too_large & (value > 0) if mode == "rz" else np.zeros_like(too_large)
    up = too_small if mode == "rp" else too_small & (value < 0) if mode == "rz" else np.zeros_like(too_small)
    result = np.where(down, next_towards(nearest, -np.inf), nearest)
    return np.where(up, next_towards(nearest, np.inf), result).astype(dtype)


def directed_sum(value: Array, error: Array, opposite: Array, dtype: DType, mode: str) -> Array:
    """As `directed`; numbers of `opposite` signs whose sum is 0 make -0 if it is rounded down: IEEE 754-2019, 6.3."""
    result = directed(value, error, dtype, mode)
    if mode != "rm" or not (cancels := opposite & (value == 0) & (error == 0)).any():
        return result
    return np.where(cancels, np.copysign(result, -1), result)


def next_towards(x: Array, limit: float) -> Array:
    """The next number of the type of `x` in the direction of an infinity."""
    return np.nextafter(x, x.dtype.type(limit))
