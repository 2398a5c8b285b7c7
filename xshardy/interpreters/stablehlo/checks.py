"""
Rules for operations and custom calls with which a program compares its results: NaN is equal to any NaN.

Source: StableHLO, `stablehlo/tests/CheckOps.cpp`; the custom calls, which have no limits of their own, and theirs:
`stablehlo/tools/StablehloTranslateMain.cpp`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import Operation

from xshardy.dialects import checks, stablehlo
from xshardy.interpreters.constants import constant_array
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, unsupported
from xshardy.numerics.element_types import KINDS, Array, Kind
from xshardy.numerics.floats import bits, total_order

INCOMPARABLE = np.uint64(2**64 - 1)
"""The distance in units between an infinity, or a NaN, and another number."""


def real_parts(x: Array) -> tuple[Array, ...]:
    """The real and imaginary parts of complex numbers; floats themselves."""
    return (np.real(x), np.imag(x)) if KINDS[x.dtype] is Kind.COMPLEX else (x,)


def is_same(x: Array, y: Array) -> Array:
    """Whether the floats have the same bits, or are both NaN."""
    return (bits(np.ascontiguousarray(x)) == bits(np.ascontiguousarray(y))) | (np.isnan(x) & np.isnan(y))


def differs(x: Array, y: Array) -> Array:
    """Which elements differ in a bit: also 0 and -0."""
    if KINDS[x.dtype] in (Kind.PRED, Kind.INTEGER):
        return x != y
    return ~np.logical_and.reduce([*map(is_same, real_parts(x), real_parts(y))])


def is_far(x: Array, y: Array, tolerance: float) -> Array:
    """Which numbers have a part further apart than `tolerance`, or an infinity or NaN that only one has."""

    def is_near(x: Array, y: Array) -> Array:
        a, b = x.astype(np.float64), y.astype(np.float64)
        return (a == b) | (np.isnan(a) & np.isnan(b)) | (np.abs(a - b) <= tolerance)

    return ~np.logical_and.reduce([*map(is_near, real_parts(x), real_parts(y))])


def units_between(x: Array, y: Array) -> Array:
    """How many numbers of the element type are between those of `x` and `y`, as u64; the larger one of two parts."""

    def of_floats(x: Array, y: Array) -> Array:
        orders = [total_order(np.ascontiguousarray(values)).astype(np.int64) for values in (x, y)]
        ranks = [np.where(order < 0, order + 1, order) for order in orders]  # both zeros have one rank
        high, low = (np.asarray(rank).astype(np.uint64) for rank in (np.maximum(*ranks), np.minimum(*ranks)))
        units = np.where(np.isfinite(x) & np.isfinite(y), high - low, INCOMPARABLE)
        return np.where(is_same(x, y), np.uint64(0), units)

    return np.maximum.reduce([*map(of_floats, real_parts(x), real_parts(y))])


def is_outside(x: Array, y: Array, at_least: int, at_most: int) -> Array:
    """Which numbers are fewer than `at_least` units apart, or more than `at_most`."""
    units = units_between(x, y)
    return (units < np.uint64(at_least)) | (units > np.uint64(at_most))


def required(op: Operation, actual: Array, expected: Array, wrong: Array) -> Sequence[Array]:
    """Raises `InterpretationError` with the first of the elements that are `wrong`; else gives true for each result."""
    if not wrong.any():
        return [np.asarray(True) for _ in op.results]
    name = f"{op.call_target_name.data}: " if isinstance(op, stablehlo.CustomCallOp) else ""
    place = tuple(map(int, np.argwhere(wrong.reshape(actual.shape))[0]))
    first = f"at {list(place)} it is {actual[place]}, expected {expected[place]}"
    raise unsupported(op, f"{name}{int(wrong.sum())} of {wrong.size} elements differ; the first: {first}")


def expected_in(op: Operation, given: Sequence[Array]) -> Array:
    """What an operation compares its first operand with: the second one, or its constant."""
    return given[0] if given else constant_array(op.properties["value"])


def expect_eq(evaluator: Evaluator, op: Operation, actual: Array, *given: Array) -> Sequence[Array]:
    expected = expected_in(op, given)
    return required(op, actual, expected, differs(actual, expected))


def expect_almost_eq(
    evaluator: Evaluator, op: checks.ExpectAlmostEqOp | checks.ExpectAlmostEqConstOp, actual: Array, *given: Array
) -> Sequence[Array]:
    expected = expected_in(op, given)
    return required(op, actual, expected, is_far(actual, expected, op.tolerance.value.data))


def expect_close(evaluator: Evaluator, op: checks.ExpectCloseOp, actual: Array, expected: Array) -> Sequence[Array]:
    limits = op.min_ulp_difference.value.data, op.max_ulp_difference.value.data
    return required(op, actual, expected, is_outside(actual, expected, *limits))


def call_eq(evaluator: Evaluator, op: stablehlo.CustomCallOp, actual: Array, expected: Array) -> Sequence[Array]:
    is_exact = KINDS[expected.dtype] in (Kind.PRED, Kind.INTEGER)
    return required(op, actual, expected, differs(actual, expected) if is_exact else is_far(actual, expected, 1e-4))


def call_almost_eq(evaluator: Evaluator, op: stablehlo.CustomCallOp, actual: Array, expected: Array) -> Sequence[Array]:
    return required(op, actual, expected, is_far(actual, expected, 1e-3))


def call_close(evaluator: Evaluator, op: stablehlo.CustomCallOp, actual: Array, expected: Array) -> Sequence[Array]:
    return required(op, actual, expected, is_outside(actual, expected, 0, 3))


CHECKS: Mapping[type[Operation], Rule] = {
    checks.ExpectAlmostEqConstOp: expect_almost_eq,
    checks.ExpectAlmostEqOp: expect_almost_eq,
    checks.ExpectCloseOp: expect_close,
    checks.ExpectEqConstOp: expect_eq,
    checks.ExpectEqOp: expect_eq,
}

CHECK_CALLS: Mapping[str, Rule] = {
    "check.eq": call_eq,
    "check.expect_almost_eq": call_almost_eq,
    "check.expect_close": call_close,
    "check.expect_eq": expect_eq,
}
"""The rule of each custom call."""
