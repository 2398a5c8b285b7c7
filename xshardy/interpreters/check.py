"""Comparison of a kernel's results with the reference: the distance, and whether it is within the tolerance."""

from collections.abc import Mapping
from dataclasses import dataclass

import ml_dtypes
import numpy as np
from xdsl.ir import Attribute

from xshardy.interpreters.element_types import (
    KINDS,
    Array,
    DType,
    Kind,
    float_info,
    numpy_dtype,
)
from xshardy.interpreters.inputs import PIECE
from xshardy.interpreters.numerics.conversions import convert
from xshardy.interpreters.numerics.floats import bits, total_order

# -- Tolerances -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The maximal distance from the expected number: `absolute`, or `relative` times the expected number."""

    relative: float
    absolute: float


EXACT = Tolerance(0.0, 0.0)

STEPS = 16
"""The tolerance in units of the spacing of the element type: each op of a fusion rounds, and errors add up."""

TOLERANCES: Mapping[DType, Tolerance] = {
    np.dtype(np.float64): Tolerance(1e-11, 1e-13),
    np.dtype(np.float32): Tolerance(1e-5, 1e-6),
    np.dtype(np.float16): Tolerance(STEPS * 2.0**-11, 1e-4),
    np.dtype(ml_dtypes.bfloat16): Tolerance(STEPS * 2.0**-9, 1e-4),
    np.dtype(np.complex64): Tolerance(1e-5, 1e-6),
    np.dtype(np.complex128): Tolerance(1e-11, 1e-13),
}
"""The tolerance of each element type. The narrower floats get one unit of their mantissa; integers are exact."""


def tolerance_of(dtype: DType, combined: int = 1) -> Tolerance:
    """
    The tolerance for results of this element type.

    Each result combines up to `combined` elements around 1 in any order. Every step may round, also to 0.
    """
    if KINDS[dtype] is Kind.FLOAT and dtype not in TOLERANCES:
        info = float_info(dtype)
        usual = Tolerance(info.epsilon, info.smallest_subnormal)
    else:
        usual = TOLERANCES.get(dtype, EXACT)
    if combined == 1 or usual == EXACT:
        return usual
    part = np.dtype(f"f{dtype.itemsize // 2}") if KINDS[dtype] is Kind.COMPLEX else dtype
    return Tolerance(usual.relative, usual.absolute + combined * float_info(part).epsilon)


# -- Comparison -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    The differences of two arrays.

    NaN equals NaN and an infinity equals itself; neither counts in the errors. The relative error ignores numbers whose
    expected value is within the absolute tolerance of 0.

    `max_ulp` counts the numbers of the element type between the two; it is 0 for complex numbers.
    """

    elements: int
    wrong: int
    """The number of elements out of tolerance."""
    max_absolute: float
    max_relative: float
    max_ulp: int
    tolerance: Tolerance
    worst: tuple[int, ...] | None = None
    """The index of an out-of-tolerance element with the largest error, with its two values."""
    actual: str = ""
    expected: str = ""

    @property
    def agrees(self) -> bool:
        return self.wrong == 0

    def __bool__(self) -> bool:
        return self.agrees

    def __str__(self) -> str:
        errors = f"max abs {self.max_absolute:.3g}, max rel {self.max_relative:.3g}, max ulp {self.max_ulp}"
        if self.agrees:
            return f"{self.elements} elements agree ({errors})"
        return (
            f"{self.wrong} of {self.elements} elements differ ({errors}); at {list(self.worst or ())} it is "
            f"{self.actual}, expected {self.expected}"
        )


def compare(
    actual: Array, expected: Array, element_type: Attribute | None = None, tolerance: Tolerance | None = None
) -> Comparison:
    """
    Compare results of one shape. The default tolerance is that of `element_type`, by default the type of `expected`.

    Raises `ValueError` for arrays of different shapes or types.
    """
    dtype = expected.dtype if element_type is None else numpy_dtype(element_type)
    if actual.shape != expected.shape or actual.dtype != expected.dtype:
        raise ValueError(
            f"cannot compare {actual.dtype}{list(actual.shape)} with {expected.dtype}{list(expected.shape)}: expected "
            "the same shape and element type"
        )
    tolerance = tolerance or tolerance_of(dtype)
    if np.array_equal(bits(actual), bits(expected)):
        return Comparison(expected.size, 0, 0.0, 0.0, 0, tolerance)
    if KINDS[expected.dtype] in (Kind.PRED, Kind.INTEGER):
        return exact_comparison(actual, expected, tolerance)
    return float_comparison(actual, expected, tolerance)


def exact_comparison(actual: Array, expected: Array, tolerance: Tolerance) -> Comparison:
    """Comparison of integers and predicates: errors are computed in f64, equality is exact."""
    differ = actual != expected
    with np.errstate(all="ignore"):
        absolute = np.where(differ, np.abs(actual.astype(np.float64) - expected.astype(np.float64)), 0.0)
        relative = absolute / np.maximum(np.abs(expected.astype(np.float64)), 1)
    steps = int(absolute.max(initial=0))
    return comparison(actual, expected, differ, absolute, relative, steps, tolerance)


def float_comparison(actual: Array, expected: Array, tolerance: Tolerance) -> Comparison:
    """Floats and complex numbers, compared as f64 and complex128."""
    wide = widest(expected.dtype)
    x, y = actual.astype(wide), expected.astype(wide)
    same = (x == y) | (np.isnan(x) & np.isnan(y))
    finite = np.isfinite(x) & np.isfinite(y)
    with np.errstate(all="ignore"):
        distance = np.abs(x - y)
        absolute = np.where(same | ~finite, 0.0, distance)
        relative = np.where((absolute > 0) & (np.abs(y) > tolerance.absolute), absolute / np.abs(y), 0.0)
        close = finite & (distance <= tolerance.absolute + tolerance.relative * np.abs(y))
    steps = 0
    if wide == np.float64 and finite.any():
        steps = int(np.abs(rank(actual[finite]) - rank(expected[finite])).max(initial=0))
    return comparison(actual, expected, ~(same | close), absolute, relative, steps, tolerance)


def rank(x: Array) -> Array:
    """
    The rank of each float of `x` among all numbers of its type; both zeros have one rank.

    As f64, exact for up to 32 bits.
    """
    order = total_order(x).astype(np.float64)
    return np.where(order < 0, order + 1, order)


def comparison(
    actual: Array, expected: Array, wrong: Array, absolute: Array, relative: Array, steps: int, tolerance: Tolerance
) -> Comparison:
    """
    The summary.

    The worst element is the one out of tolerance with the largest absolute error; infinite or NaN errors first.
    """
    numbers = int(wrong.size), int(wrong.sum()), float(absolute.max(initial=0)), float(relative.max(initial=0)), steps
    if not wrong.any():
        return Comparison(*numbers, tolerance)
    error = np.where(absolute > 0, absolute, np.inf)
    where = np.unravel_index(int(np.argmax(np.where(wrong, error, -1.0))), wrong.shape)
    index = tuple(int(i) for i in where)
    return Comparison(*numbers, tolerance, index, str(actual[index]), str(expected[index]))


def unlike(expected: Array) -> Array:
    """
    An array that differs from `expected` in every element: each is 0 or 1, whichever is far from the expected number.

    In an initial output buffer it reveals the elements that a kernel does not write.
    """
    zero, one = convert(np.arange(2), expected.dtype)
    flat, result = expected.reshape(-1), np.full(expected.size, zero)
    for start in range(0, flat.size, PIECE):
        part = flat[start : start + PIECE]
        with np.errstate(invalid="ignore"):
            near_zero = np.abs(convert(part, widest(part.dtype))) < 0.5
        result[start : start + PIECE][near_zero] = one
    return result.reshape(expected.shape)


def widest(dtype: DType) -> DType:
    """The type in which numbers of `dtype` are compared."""
    return np.dtype(np.complex128 if KINDS[dtype] is Kind.COMPLEX else np.float64)
