"""Numbers of each element type at which implementations differ: bounds, zeros, ties, infinities, NaN."""

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from xshardy.numerics.element_types import KINDS, Kind, float_info

DTYPES: dict[str, np.dtype[Any]] = {
    name: np.dtype(scalar)
    for name, scalar in {
        "f64": np.float64,
        "f32": np.float32,
        "f16": np.float16,
        "bf16": ml_dtypes.bfloat16,
        "f8E4M3FN": ml_dtypes.float8_e4m3fn,
        "f8E5M2": ml_dtypes.float8_e5m2,
        "i64": np.int64,
        "i32": np.int32,
        "i16": np.int16,
        "i8": np.int8,
        "i4": ml_dtypes.int4,
        "ui64": np.uint64,
        "ui32": np.uint32,
        "ui16": np.uint16,
        "ui8": np.uint8,
        "ui4": ml_dtypes.uint4,
        "i1": np.bool_,
        "complex<f32>": np.complex64,
        "complex<f64>": np.complex128,
    }.items()
}
"""The element types of StableHLO that XLA computes with on a CPU, by their names in MLIR."""


def special_values(dtype: np.dtype[Any]) -> NDArray[Any]:
    kind = KINDS[dtype]
    if kind is Kind.PRED:
        return np.array([False, True])
    if kind is Kind.INTEGER:
        info = ml_dtypes.iinfo(dtype)
        numbers = {0, 1, 2, 3, 5, 7, info.max, info.max - 1, info.max // 2}
        if info.min < 0:
            numbers |= {-1, -2, -3, -7, info.min, info.min + 1}
        return np.array([number % 2**64 for number in sorted(numbers)], np.uint64).astype(dtype)
    if kind is Kind.COMPLEX:
        parts = np.array([0.0, 1, -1, 0.5, 2.5, -3.25, 1e-3])
        return (parts[:, None] + 1j * parts).reshape(-1).astype(dtype)
    info = float_info(dtype)
    halves = [0.5, 1.5, 2.5, 3.3, 0.4999, 1e-3, np.pi, 100, 127.5, 255.9, 2**31, info.largest, info.smallest_normal]
    numbers = [0.0, 1.0, *halves, np.inf]
    with np.errstate(over="ignore"):
        return np.array([*numbers, *(-n for n in numbers), np.nan]).astype(dtype)


def pairs(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Every value with every other one."""
    left, right = np.meshgrid(values, values)
    return left.reshape(-1), right.reshape(-1)


def assert_same(actual: NDArray[Any], expected: NDArray[Any], what: str, steps: float = 4) -> None:
    """
    Equal as integers; as floats up to so many steps of the mantissa, NaN and signs of zeros included.

    XLA flushes subnormal numbers to zero on a CPU, so that these count as zero.
    """
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape), what
    if KINDS[expected.dtype] in (Kind.PRED, Kind.INTEGER):
        wrong = actual != expected
    else:
        wide = np.complex128 if KINDS[expected.dtype] is Kind.COMPLEX else np.float64
        x, y = actual.astype(wide), expected.astype(wide)
        component = np.finfo(expected.dtype) if wide is np.complex128 else float_info(expected.dtype)
        epsilon = float(component.eps if wide is np.complex128 else component.epsilon)
        smallest = float(component.smallest_normal)
        with np.errstate(all="ignore"):
            close = np.abs(x - y) <= steps * epsilon * np.abs(y)
            same_zero = (x == y) & (np.signbit(np.real(x)) == np.signbit(np.real(y)))
            wrong = ~(
                np.where(y == 0, same_zero, close | (x == y))
                | (np.isnan(x) & np.isnan(y))
                | ((np.abs(x) <= smallest) & (np.abs(y) <= smallest) & (np.abs(x - y) > 0))
            )
    places = np.flatnonzero(wrong)
    assert not len(places), (
        f"{what}: {actual.reshape(-1)[places[:5]]} != {expected.reshape(-1)[places[:5]]} at {places[:5]}"
    )
