"""
Functions of CHLO of complex numbers as arithmetic on their parts: formulas that read the same whatever computes them.

Accurate to a few units in the last place of each part, near branch points too, with the branch cuts of C99. Infinite
parts, for which XLA leaves results open, may give NaN. Source: T. E. Hull, T. F. Fairgrieve, P. T. P. Tang,
"Implementing the complex arcsine and arccosine functions using exception handling".
"""

import math
from typing import TypeAlias, TypeVar

from xshardy.facts.decompositions import formulas
from xshardy.facts.decompositions.formulas import Arithmetic

V = TypeVar("V")
Complex: TypeAlias = tuple[V, V]
"""A real and an imaginary part."""

FAR = 2.0**60
"""From here on, `z^2 + 1` is `z^2`, also in f64; below, no square overflows."""


def _ordered(f: Arithmetic[V], x: V, y: V) -> tuple[V, V]:
    """The larger one and the smaller one."""
    is_less = f.is_less(x, y)
    return f.select(is_less, y, x), f.select(is_less, x, y)


def _is_far(f: Arithmetic[V], x: V, y: V) -> V:
    """Whether one of the parts, which are not negative, is above `FAR`."""
    return f.is_less(f.value(FAR), _ordered(f, x, y)[0])


def _hypot(f: Arithmetic[V], x: V, y: V) -> V:
    """`sqrt(x^2 + y^2)` of parts that are not negative, where no square underflows that matters."""
    large, small = _ordered(f, x, y)
    ratio = f.divide(small, f.select(f.is_equal(large, 0), 1, large))
    return f.multiply(large, f.sqrt(f.add(1, f.multiply(ratio, ratio))))


def _log_of_size(f: Arithmetic[V], x: V, y: V) -> V:
    """`log(sqrt(x^2 + y^2))` of parts that are not negative, of which one is large."""
    large, small = _ordered(f, x, y)
    ratio = f.divide(small, large)
    return f.add(f.log(large), f.multiply(0.5, f.log1p(f.multiply(ratio, ratio))))


def _near(f: Arithmetic[V], size: V) -> V:
    """`size`, but not above `FAR`, where what is computed from it is not chosen."""
    return f.select(f.is_less(size, FAR), size, FAR)


def _legs(f: Arithmetic[V], re: V, im: V) -> tuple[V, V, V]:
    """
    What `asin(z) = angle + i * height` is made of, for a `z` without negative parts: the legs of the angle, the height.

    `z` is on an ellipse around -1 and 1 with the axis `a`, so its height is `acosh(a)`, and on the hyperbola through
    `b = |re| / a`, so the angle is `asin(b)`. The legs are `|re|` and `sqrt(a^2 - |re|^2)`.
    """
    x, y = f.absolute(re), f.absolute(im)
    is_far = _is_far(f, x, y)
    far = f.add(_log_of_size(f, x, y), math.log(2))
    leg_far = y
    x, y = _near(f, x), _near(f, y)
    above, below = f.add(x, 1), f.subtract(x, 1)  # to the foci of ellipses and hyperbolas, -1 and 1
    r, s = _hypot(f, above, y), _hypot(f, f.absolute(below), y)
    a = f.multiply(0.5, f.add(r, s))
    is_inside = f.is_less(x, 1)
    # y^2 / (r + x + 1) and y^2 / (s +- (x - 1)) are differences that would cancel; y is left out once.
    outer = f.divide(y, f.add(r, above))
    gap = f.add(s, f.absolute(below))
    inner = f.divide(y, f.select(f.is_equal(gap, 0), 1, gap))
    # a - 1
    part = f.multiply(0.5, f.add(outer, f.select(is_inside, inner, 0)))
    more = f.select(is_inside, 0, f.multiply(0.5, gap))
    less_one = f.add(f.multiply(y, part), more)
    root_inside = f.multiply(f.sqrt(y), f.sqrt(f.multiply(part, f.add(a, 1))))
    root = f.select(is_inside, root_inside, f.sqrt(f.multiply(less_one, f.add(a, 1))))
    height = f.log1p(f.add(less_one, root))
    # a - x
    beside = f.sqrt(f.multiply(f.multiply(0.5, f.add(f.multiply(y, outer), gap)), f.add(a, x)))
    both = f.multiply(0.5, f.add(outer, inner))
    beyond = f.multiply(f.sqrt(y), f.sqrt(f.multiply(both, f.add(a, x))))
    leg = f.select(f.is_less(f.value(1), x), beyond, beside)
    return f.absolute(re), f.select(is_far, leg_far, leg), f.select(is_far, far, height)


def asin(f: Arithmetic[V], re: V, im: V) -> Complex[V]:
    b, leg, height = _legs(f, re, im)
    return f.copy_sign(f.atan2(b, leg), re), f.copy_sign(height, im)


def acos(f: Arithmetic[V], re: V, im: V) -> Complex[V]:
    _, leg, height = _legs(f, re, im)
    return f.atan2(leg, re), f.negate(f.copy_sign(height, im))


def asinh(f: Arithmetic[V], re: V, im: V) -> Complex[V]:
    """`-i * asin(i * z)`"""
    u, v = asin(f, f.negate(im), re)
    return v, f.negate(u)


def acosh(f: Arithmetic[V], re: V, im: V) -> Complex[V]:
    """`i * acos(z)` or `-i * acos(z)`, that without a negative real part."""
    _, leg, height = _legs(f, re, im)
    return height, f.copy_sign(f.atan2(leg, re), im)


def atanh(f: Arithmetic[V], re: V, im: V) -> Complex[V]:
    """`log((1 + z) / (1 - z)) / 2`"""
    x, y = f.absolute(re), f.absolute(im)
    is_far = _is_far(f, x, y)
    # For a large z, 1 / z, whose real part is x / |z|^2.
    size = _hypot(f, x, y)
    real_far = f.divide(f.divide(x, size), size)
    x, y = _near(f, x), _near(f, y)
    above, below = f.add(x, 1), f.absolute(f.subtract(x, 1))
    r, s = _hypot(f, above, y), _hypot(f, below, y)
    ratio = f.divide(f.divide(f.multiply(4, x), s), s)  # |1 + z|^2 / |1 - z|^2 - 1
    real = f.select(f.is_less(ratio, 1), f.multiply(0.25, f.log1p(ratio)), f.multiply(0.5, f.log(f.divide(r, s))))
    angle = f.atan2(f.multiply(2, y), f.subtract(f.multiply(f.subtract(1, x), above), f.multiply(y, y)))
    imag = f.multiply(0.5, angle)
    return (
        f.copy_sign(f.select(is_far, real_far, real), re),
        f.copy_sign(f.select(is_far, math.pi / 2, imag), im),
    )


def atan(f: Arithmetic[V], re: V, im: V) -> Complex[V]:
    """`-i * atanh(i * z)`"""
    u, v = atanh(f, f.negate(im), re)
    return v, f.negate(u)


def _times(f: Arithmetic[V], size: V, turn: V) -> V:
    """`size * turn`, 0 for no turn of an infinite size."""
    return f.multiply(f.select(f.is_equal(turn, 0), f.copy_sign(1, size), size), turn)


def sinh(f: Arithmetic[V], re: V, im: V) -> Complex[V]:
    """`sinh(re) * cos(im) + i * cosh(re) * sin(im)`"""
    return (
        f.multiply(formulas.sinh(f, re), f.cos(im)),
        _times(f, formulas.cosh(f, re), f.sin(im)),
    )


def cosh(f: Arithmetic[V], re: V, im: V) -> Complex[V]:
    """`cosh(re) * cos(im) + i * sinh(re) * sin(im)`"""
    return (
        f.multiply(formulas.cosh(f, re), f.cos(im)),
        _times(f, formulas.sinh(f, re), f.sin(im)),
    )
