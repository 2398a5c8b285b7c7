"""Comparison of a kernel's results with the reference: the distance, and whether it is within the tolerance."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from xdsl.ir import Attribute

from xshardy.interpreters.random_elements import PIECE_SIZE
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import KINDS, Array, DType, Kind, float_info, numpy_dtype
from xshardy.numerics.floats import bits, total_order

# -- Tolerances -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tolerance:
    """The maximal distance from the expected number: `absolute`, and `relative` times the expected number."""

    relative: float
    absolute: float | Array
    """For all elements, or one number for each."""


EXACT = Tolerance(0.0, 0.0)

UNITS: Mapping[DType, int] = {
    np.dtype(np.float32): 4,
    np.dtype(np.float64): 4,
    np.dtype(np.complex64): 4,
    np.dtype(np.complex128): 4,
}
"""The tolerance in units in the last place; 1 for the other floats, which kernels round to from f32."""


def tolerance_of(dtype: DType) -> Tolerance:
    """The tolerance for results of this element type of a well-conditioned computation; integers are exact."""
    if KINDS[dtype] not in (Kind.FLOAT, Kind.COMPLEX):
        return EXACT
    info, units = float_info(part_type(dtype)), UNITS.get(dtype, 1)
    return Tolerance(units * info.epsilon, units * info.smallest_subnormal)


def part_type(dtype: DType) -> DType:
    """The type of the parts of complex numbers of `dtype`; a float type itself."""
    return np.dtype(f"f{dtype.itemsize // 2}") if KINDS[dtype] is Kind.COMPLEX else dtype


# -- Comparison -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    The differences of two arrays.

    NaN equals NaN and an infinity equals itself; neither counts in the errors. The relative error ignores numbers whose
    expected value is within the absolute tolerance of 0. For complex numbers see `same_numbers`.

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
    undetermined: int = 0
    """The number of elements within a tolerance as large as they are: no digit of these is compared."""
    only_nan: bool = False
    """Whether all elements are NaN in both arrays, which says little of what computed them."""

    @property
    def agrees(self) -> bool:
        return self.wrong == 0

    def __bool__(self) -> bool:
        return self.agrees

    def __str__(self) -> str:
        errors = f"max abs {self.max_absolute:.3g}, max rel {self.max_relative:.3g}, max ulp {self.max_ulp}"
        if self.agrees:
            undetermined = f", {self.undetermined} of them without a digit to compare" if self.undetermined else ""
            nan = ", all of them NaN" if self.only_nan else ""
            return f"{self.elements} elements agree{undetermined}{nan} ({errors})"
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
        found = Comparison(expected.size, 0, 0.0, 0.0, 0, tolerance)
    elif KINDS[expected.dtype] in (Kind.PRED, Kind.INTEGER):
        found = exact_comparison(actual, expected, tolerance)
    else:
        found = float_comparison(actual, expected, tolerance)
    return replace(found, only_nan=found.agrees and _is_only_nan(expected))


def _is_only_nan(array: Array) -> bool:
    """Whether there are elements, and all are NaN."""
    if KINDS[array.dtype] not in (Kind.FLOAT, Kind.COMPLEX) or not array.size:
        return False
    wide = widest(array.dtype)
    return bool(np.isnan(array[(0,) * array.ndim].astype(wide)) and np.isnan(array.astype(wide)).all())


def exact_comparison(actual: Array, expected: Array, tolerance: Tolerance) -> Comparison:
    """Comparison of integers and predicates: errors are computed in f64, equality is exact."""
    differ = actual != expected
    absolute = np.where(differ, np.maximum(distance(actual, expected), 1), 0).astype(np.float64)
    size = np.maximum(np.abs(expected.astype(np.float64)), 1)
    steps = int(absolute.max(initial=0))
    close = ~differ | (absolute <= tolerance.absolute)
    undetermined = differ & close
    return comparison(actual, expected, ~close, absolute, absolute / size, steps, tolerance, undetermined)


def float_comparison(actual: Array, expected: Array, tolerance: Tolerance) -> Comparison:
    """Floats and complex numbers, compared as f64 and complex128."""
    wide = widest(expected.dtype)
    x, y = actual.astype(wide), expected.astype(wide)
    finite = np.isfinite(x) & np.isfinite(y)
    with np.errstate(all="ignore"):
        apart, size = distance(actual, expected), np.abs(y)
        absolute = np.where(finite, apart, 0.0).astype(np.float64)
        far_from_zero = size > np.where(np.isfinite(tolerance.absolute), tolerance.absolute, 0)
        relative = np.where((absolute > 0) & far_from_zero, absolute / size, 0.0)
        allowed = tolerance.absolute + np.where(np.isfinite(y), tolerance.relative * size, 0)
        close = apart <= allowed
        undetermined = close & ~(apart <= np.maximum(np.abs(x), size) / 2) & (apart > 0)
    steps = 0
    if wide == np.float64 and finite.any():
        steps = int(np.abs(rank(actual[finite]) - rank(expected[finite])).max(initial=0))
    return comparison(actual, expected, ~close, absolute, relative, steps, tolerance, undetermined)


def same_numbers(x: Array, y: Array) -> Array:
    """
    Whether the floats or complex numbers are equal, both NaN, or both infinite.

    As in C (C17, G.3), a complex number with an infinite part is infinite whatever its other part, and it is NaN if it
    has a NaN part and no infinite one. Two infinite ones are the same unless the infinities of a part differ in sign.
    """
    if KINDS[x.dtype] is not Kind.COMPLEX:
        return (x == y) | (np.isnan(x) & np.isnan(y))
    infinite = np.isinf(x) & np.isinf(y)
    opposite = np.zeros(x.shape, np.bool_)
    for a, b in ((np.real(x), np.real(y)), (np.imag(x), np.imag(y))):
        opposite |= np.isinf(a) & np.isinf(b) & (a != b)
    nan = np.isnan(x) & np.isnan(y) & ~np.isinf(x) & ~np.isinf(y)
    return (x == y) | nan | (infinite & ~opposite)


def distance(x: Array, y: Array) -> Array:
    """
    The absolute value of the difference: 0 for the same numbers, infinite for other infinities and NaN.

    As f64, or a wider float for types of 64 bits.
    """
    if KINDS[x.dtype] is Kind.PRED:
        return (x != y).astype(np.float64)
    wide = np.clongdouble if KINDS[x.dtype] is Kind.COMPLEX else np.longdouble if x.dtype.itemsize >= 8 else np.float64
    a, b = x.astype(wide), y.astype(wide)
    with np.errstate(all="ignore"):
        apart = np.where(np.isfinite(a) & np.isfinite(b), np.abs(a - b), np.inf)
    return np.where(same_numbers(a, b), 0.0, apart)


def rank(x: Array) -> Array:
    """
    The rank of each float of `x` among all numbers of its type; both zeros have one rank.

    As f64, exact for up to 32 bits.
    """
    order = total_order(x).astype(np.float64)
    return np.where(order < 0, order + 1, order)


def comparison(
    actual: Array,
    expected: Array,
    wrong: Array,
    absolute: Array,
    relative: Array,
    steps: int,
    tolerance: Tolerance,
    undetermined: Array,
) -> Comparison:
    """
    The summary.

    The worst element is the one out of tolerance with the largest absolute error; infinite or NaN errors first.
    """
    numbers = int(wrong.size), int(wrong.sum()), float(absolute.max(initial=0)), float(relative.max(initial=0)), steps
    without_digits = int(undetermined.sum())
    if not wrong.any():
        return Comparison(*numbers, tolerance, undetermined=without_digits)
    error = np.where(absolute > 0, absolute, np.inf)
    where = np.unravel_index(int(np.argmax(np.where(wrong, error, -1.0))), wrong.shape)
    index = tuple(int(i) for i in where)
    return Comparison(*numbers, tolerance, index, str(actual[index]), str(expected[index]), without_digits)


def unlike(expected: Array) -> Array:
    """
    An array that differs from `expected` in every element: each is 0 or 1, whichever is far from the expected number.

    In an initial output buffer it reveals the elements that a kernel does not write.
    """
    zero, one = convert(np.arange(2), expected.dtype)
    flat, result = expected.reshape(-1), np.full(expected.size, zero)
    for start in range(0, flat.size, PIECE_SIZE):
        part = flat[start : start + PIECE_SIZE]
        with np.errstate(invalid="ignore"):
            near_zero = np.abs(convert(part, widest(part.dtype))) < 0.5
        result[start : start + PIECE_SIZE][near_zero] = one
    return result.reshape(expected.shape)


def widest(dtype: DType) -> DType:
    """The type in which numbers of `dtype` are compared."""
    return np.dtype(np.complex128 if KINDS[dtype] is Kind.COMPLEX else np.float64)
