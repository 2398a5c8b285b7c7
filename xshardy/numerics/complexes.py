"""Complex arithmetic as XLA defines it, on the pairs of f32 or f64 that numpy calls complex64 and complex128."""

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.numerics.floats import computed_wide


def create(real: Array, imaginary: Array) -> Array:
    """The complex number with exactly these parts: `real + 1j * imaginary` would lose infinities and signs of zeros."""
    shape = np.broadcast_shapes(real.shape, imaginary.shape)
    result = np.empty(shape, np.result_type(real.dtype, np.complex64))
    result.real, result.imag = real, imaginary
    return result


def scaled(x: Array, exponent: Array) -> Array:
    """`x` times powers of two, exactly unless it overflows or loses digits of subnormal numbers."""
    return create(np.ldexp(np.real(x), exponent), np.ldexp(np.imag(x), exponent))


def exponent_of(x: Array) -> Array:
    """The exponent of the larger part, as a number in [1/2, 1) times a power of two."""
    return np.frexp(np.maximum(np.abs(np.real(x)), np.abs(np.imag(x))))[1]


def multiply(x: Array, y: Array) -> Array:
    """
    The product by the textbook formula, each step rounded: parts that overflow may cancel to NaN.

    numpy's product is another one where it has fused multiply-add instructions.
    """
    a, b, c, d = np.real(x), np.imag(x), np.real(y), np.imag(y)
    return create(a * c - b * d, a * d + b * c)


def divide(x: Array, y: Array) -> Array:
    """
    The quotient. An infinite number by a finite one is infinite, and a finite number by an infinite one is 0, also
    where the formula gives NaN for both parts; 0 as a divisor has the sign of its real part. It overflows only where
    the result does. Source: ISO C99, Annex G.5.1, as in XLA.
    """
    by_zero = create(np.real(x) / np.real(y), np.imag(x) / np.real(y))
    of_x, of_y = exponent_of(x), exponent_of(y)
    quotient = scaled(np.divide(scaled(x, -of_x), scaled(y, -of_y)), of_x - of_y)
    quotient = np.where(y == 0, by_zero, quotient)
    grows, vanishes = np.isinf(x) & np.isfinite(y), np.isfinite(x) & np.isinf(y)
    special = np.isnan(np.real(quotient)) & np.isnan(np.imag(quotient)) & (grows | vanishes)
    if not special.any():
        return quotient
    over, under = np.where(grows, infinite_parts(x), x), np.where(vanishes, infinite_parts(y), y)
    a, b, c, d = np.real(over), np.imag(over), np.real(under), np.imag(under)
    scale = np.where(grows, np.inf, 0).astype(a.dtype)
    return np.where(special, create((a * c + b * d) * scale, (b * c - a * d) * scale), quotient)


def square(x: Array) -> Array:
    """
    The square, whose real part overflows only where the result does.

    That part is 0 where finite parts have one absolute value: the product there may be that of 0 and an infinity.
    """
    a, b = np.real(x), np.imag(x)
    real = np.where(np.isfinite(a) & (np.abs(a) == np.abs(b)), np.zeros_like(a), (a - b) * (a + b))
    return create(real, 2 * (a * b))


@computed_wide
def exp(x: Array) -> Array:
    """The exponential function, NaN for numbers of no finite angle, also for those that C takes for 0 or infinity."""
    return np.where(np.isfinite(np.imag(x)), np.exp(x), np.full_like(x, complex(np.nan, np.nan)))


def infinite_parts(x: Array) -> Array:
    """1 for an infinite part, and 0 for any other, with the sign of the part."""
    return create(*(np.copysign(np.isinf(part).astype(part.dtype), part) for part in (np.real(x), np.imag(x))))


@computed_wide
def logistic(x: Array) -> Array:
    return divide(np.ones_like(x), 1 + np.exp(-x))


@computed_wide
def rsqrt(x: Array) -> Array:
    """The inverse of the square root; 0 for infinite numbers."""
    return divide(np.ones_like(x), np.sqrt(x))


def sign(x: Array) -> Array:
    """The number of absolute value 1 in the direction of `x`; 0 for 0."""
    x = scaled(x, -exponent_of(x))
    magnitude = np.abs(x)
    return np.where(magnitude == 0, x.dtype.type(0), x / magnitude)


@computed_wide
def log1p(x: Array) -> Array:
    """
    `log(1 + x)`, from the logarithm of the absolute value and the angle. More accurate near 0 than numpy's.

    The sign of an imaginary part of 0 says on which side of the cut, below -1, the number is.
    """
    real, imaginary = np.real(x), np.imag(x)
    near_zero = create(np.log1p(real * (2 + real) + imaginary * imaginary) / 2, np.arctan2(imaginary, 1 + real))
    return np.where(np.abs(x) < 0.5, near_zero, np.log(create(1 + real, imaginary)))


@computed_wide
def cbrt(x: Array) -> Array:
    """The cube root in the direction of a third of the angle of `x`."""
    thirds = exponent_of(x) // 3
    root = np.cbrt(np.abs(scaled(x, -3 * thirds))) * np.exp(1j * np.angle(x) / 3)
    return scaled(root, thirds)


@computed_wide
def atan2(y: Array, x: Array) -> Array:
    """`-i log((x + i y) / sqrt(x**2 + y**2))`, which is the angle of `(x, y)` where both are real."""
    exponent = -np.maximum(exponent_of(x), exponent_of(y))
    x, y = scaled(x, exponent), scaled(y, exponent)
    return -1j * np.log((x + 1j * y) / np.sqrt(x * x + y * y))
