"""Comparing a kernel with its reference: seeded inputs, and how far two results are apart."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import ml_dtypes
import numpy as np
from xdsl.ir import Attribute

from xshardy.interpreters.element_types import (
    BITS,
    KINDS,
    SIGNED_INTEGERS,
    Array,
    DType,
    Kind,
    as_tensor_type,
    float_info,
    numpy_dtype,
)
from xshardy.interpreters.numerics.conversions import convert
from xshardy.interpreters.numerics.floats import bits, total_order
from xshardy.interpreters.numerics.integers import wrapped

__all__ = ["Comparison", "Tolerance", "compare", "numpy_dtype", "random_inputs", "tolerance_of", "unlike"]


# -- Tolerances -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a number may be from the expected one: by `absolute`, or by `relative` times the expected number."""

    relative: float
    absolute: float


EXACT = Tolerance(0.0, 0.0)

STEPS = 16
"""
How many times the spacing of an element type a result may be off: the ops of a fusion each round, and errors add up.
"""

TOLERANCES: Mapping[DType, Tolerance] = {
    np.dtype(np.float64): Tolerance(1e-11, 1e-13),
    np.dtype(np.float32): Tolerance(1e-5, 1e-6),
    np.dtype(np.float16): Tolerance(STEPS * 2.0**-11, 1e-4),
    np.dtype(ml_dtypes.bfloat16): Tolerance(STEPS * 2.0**-9, 1e-4),
    np.dtype(np.complex64): Tolerance(1e-5, 1e-6),
    np.dtype(np.complex128): Tolerance(1e-11, 1e-13),
}
"""The tolerance of each element type. The narrower floats get one step of their mantissa; integers are exact."""


def tolerance_of(dtype: DType) -> Tolerance:
    """The tolerance for results of this element type."""
    if KINDS[dtype] is Kind.FLOAT and dtype not in TOLERANCES:
        info = float_info(dtype)
        return Tolerance(info.epsilon, info.smallest_subnormal)
    return TOLERANCES.get(dtype, EXACT)


# -- Comparison -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Comparison:
    """
    How two arrays differ. NaN agrees with NaN and an infinity with itself; neither counts in the errors. The relative
    error leaves out what is expected to be within the absolute tolerance of 0.

    `max_ulp` counts the numbers of the element type between the two, and is 0 for complex numbers.
    """

    elements: int
    wrong: int
    """How many elements are further apart than the tolerance allows."""
    max_absolute: float
    max_relative: float
    max_ulp: int
    tolerance: Tolerance
    worst: tuple[int, ...] | None = None
    """The index of a wrong element with the largest error, with the two values there."""
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
    Compare results of one shape. The tolerance is that of the element type, which is `expected`'s unless given.

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
    """Integers and preds: errors are computed in f64, but whether two are equal is exact."""
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
    Where the floats `x` are among all numbers of their type, both zeros being one. As f64, so exact for up to 32 bits.
    """
    order = total_order(x).astype(np.float64)
    return np.where(order < 0, order + 1, order)


def comparison(
    actual: Array, expected: Array, wrong: Array, absolute: Array, relative: Array, steps: int, tolerance: Tolerance
) -> Comparison:
    """The summary. The worst element is the wrong one with the largest absolute error, an infinite or NaN one first."""
    numbers = int(wrong.size), int(wrong.sum()), float(absolute.max(initial=0)), float(relative.max(initial=0)), steps
    if not wrong.any():
        return Comparison(*numbers, tolerance)
    error = np.where(absolute > 0, absolute, np.inf)
    where = np.unravel_index(int(np.argmax(np.where(wrong, error, -1.0))), wrong.shape)
    index = tuple(int(i) for i in where)
    return Comparison(*numbers, tolerance, index, str(actual[index]), str(expected[index]))


def unlike(expected: Array) -> Array:
    """
    An array that agrees with `expected` in no element, as nothing is both near 0 and near 1.

    An output buffer that starts like this shows which elements a kernel leaves out.
    """
    with np.errstate(invalid="ignore"):
        return convert(np.abs(convert(expected, widest(expected.dtype))) < 0.5, expected.dtype)


def widest(dtype: DType) -> DType:
    """The type to look at numbers of `dtype` in."""
    return np.dtype(np.complex128 if KINDS[dtype] is Kind.COMPLEX else np.float64)


# -- Inputs -----------------------------------------------------------------------------------------------------------

Generator: TypeAlias = np.random.Generator
SPECIAL_SHARE = 1 / 32
"""
The share of the elements of an input that are special: zeros, infinities, NaN, the bounds of the type, and the like.
"""


def random_floats(rng: Generator, size: int, dtype: DType) -> Array:
    """Mostly numbers around 0 and 1."""
    info = float_info(dtype)
    bounds = info.largest, -info.largest, info.smallest_subnormal
    specials = np.array([0.0, -0.0, 1.0, -1.0, 0.5, *bounds, np.inf, -np.inf, np.nan])
    is_special = rng.random(size) < SPECIAL_SHARE
    return np.where(is_special, rng.choice(specials, size), rng.normal(0, 2, size)).astype(dtype)


def random_complex(rng: Generator, size: int, dtype: DType) -> Array:
    """Mostly numbers around 0; the special ones are finite, as XLA does not say what becomes of infinite ones."""
    numbers = rng.normal(0, 2, size) + 1j * rng.normal(0, 2, size)
    specials = np.array([0, 1, -1, 1j, -1j, 0.5 + 0.5j])
    return np.where(rng.random(size) < SPECIAL_SHARE, rng.choice(specials, size), numbers).astype(dtype)


def random_integers(rng: Generator, size: int, dtype: DType) -> Array:
    """One half are all values of the type alike, the other half small numbers."""
    bits = rng.integers(0, 2**64, size, dtype=np.uint64)
    lowest = -8 if dtype in SIGNED_INTEGERS.values() else 0
    small = rng.integers(lowest, 8, size).astype(np.uint64)
    bounds = np.array([0, 1, 2**64 - 1, 2 ** (BITS[dtype] - 1), 2 ** (BITS[dtype] - 1) - 1], np.uint64)
    mixed = np.where(rng.random(size) < 0.5, bits, small)
    return wrapped(np.where(rng.random(size) < SPECIAL_SHARE, rng.choice(bounds, size), mixed), dtype)


def random_preds(rng: Generator, size: int, dtype: DType) -> Array:
    return convert(rng.integers(0, 2, size), dtype)


GENERATORS: Mapping[Kind, Callable[[Generator, int, DType], Array]] = {
    Kind.PRED: random_preds,
    Kind.INTEGER: random_integers,
    Kind.FLOAT: random_floats,
    Kind.COMPLEX: random_complex,
}


def random_inputs(types: Sequence[Attribute], seed: int) -> list[Array]:
    """
    An array for each type, a scalar or a tensor of static shape. The same types and seed give the same arrays
    everywhere.
    """
    rng = np.random.default_rng(seed)
    result: list[Array] = []
    for kind in types:
        tensor = as_tensor_type(kind)
        shape = () if tensor is None else tensor.get_shape()
        dtype = numpy_dtype(kind)
        size = int(np.prod(shape, dtype=np.int64))
        result.append(GENERATORS[KINDS[dtype]](rng, size, dtype).reshape(shape))
    return result
