"""
Seeded random indices: mostly in bounds, some at the bounds and just outside of them, a few anywhere.

HLO defines all of them: gathers and dynamic slices clamp their indices, scatters skip the updates outside.
"""

from collections.abc import Sequence
from functools import reduce

import numpy as np

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.interpreters.index_range import IndexRange
from xshardy.interpreters.reducers import updates_commute
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import KINDS, SIGNED_INTEGERS, Array, Kind

BOUNDARY_SHARE = 1 / 8
"""The share of indices that are 0, the largest index in bounds, or one outside of these."""

ANY_SHARE = 1 / 16
"""The share of indices that are any numbers of their type."""

COMPARED_SHARE = 1 / 2
"""The share of numbers near those that they are compared with."""


def random_indices(
    rng: np.random.Generator, like: Array, ranges: Sequence[IndexRange], in_bounds: bool = False
) -> Array:
    """
    Indices in the shape of `like`, a random input. Each element is in one of `ranges`, or else that of `like`.

    With `in_bounds`, all are in a range, but those that a scatter arranges.

    Sizes of dynamic dimensions are in all of their ranges. What a scatter states about its indices is kept.
    If its updates do not commute, each element is updated once.
    """
    if KINDS[like.dtype] not in (Kind.INTEGER, Kind.FLOAT):
        return like
    if sizes := [wanted for wanted in ranges if wanted.is_size]:
        ranges, in_bounds = [reduce(IndexRange.within, sizes)], True
    indices = [wanted for wanted in ranges if not wanted.is_compared]
    for wanted in sorted(indices, key=lambda wanted: abs(int(wanted.lower.min()))):
        if wanted.scatter is not None and (needs_distinct(wanted.scatter) or is_sorted(wanted.scatter)):
            return arranged_indices(rng, like, wanted, wanted.scatter, len(indices) == 1)
    chosen = rng.integers(0, len(indices or ranges), like.shape)
    lower, upper = (
        np.choose(chosen, [np.broadcast_to(bound, like.shape) for bound in bounds])
        for bounds in zip(*((wanted.lower, wanted.upper) for wanted in indices or ranges), strict=True)
    )
    used = lower <= upper
    low, high = np.where(used, lower, 0), np.where(used, upper, 0)
    outside = 0 if in_bounds else 1
    boundary = np.choose(rng.integers(0, 4, like.shape), [low - outside, low, high, high + outside])
    at_boundary = rng.random(like.shape) < BOUNDARY_SHARE
    numbers = np.where(at_boundary, boundary, rng.integers(low, high, endpoint=True))
    share = COMPARED_SHARE if not indices else 1 if in_bounds else 1 - ANY_SHARE
    return np.where(used & (rng.random(like.shape) < share), convert(numbers, like.dtype), like)


def is_unique(op: stablehlo.ScatterOp) -> bool:
    return bool(op.unique_indices and op.unique_indices.value.data)


def is_sorted(op: stablehlo.ScatterOp) -> bool:
    return bool(op.indices_are_sorted and op.indices_are_sorted.value.data)


def needs_distinct(op: stablehlo.ScatterOp) -> bool:
    """Whether the result of a scatter is defined only if its index vectors are distinct."""
    return is_unique(op) or not updates_commute(op)


def arranged_indices(
    rng: np.random.Generator, like: Array, wanted: IndexRange, op: stablehlo.ScatterOp, is_only: bool
) -> Array:
    """
    Index vectors that are distinct or sorted, as `op` needs them; with `is_only`, also some just out of bounds.

    A `like` with another number of elements is only a part of the indices: its elements are drawn as index vectors of
    one component.
    """
    whole, axis = shape_of(op.scatter_indices), op.scatter_dimension_numbers.index_vector_dim.data
    sizes = [int((wanted.upper - wanted.lower).max(initial=0)) + 1]
    is_whole = like.size == np.prod(whole, dtype=np.int64) and axis < len(whole)
    if is_whole:
        spans = np.moveaxis((wanted.upper - wanted.lower).reshape(whole), axis, -1).reshape(-1, whole[axis])
        sizes = [max(int(span) + 1, 1) for span in spans.max(axis=0, initial=0)]
    count, places = like.size // max(len(sizes), 1), int(np.prod(sizes, dtype=np.int64))
    outside = int(is_only and like.dtype in SIGNED_INTEGERS.values())
    if needs_distinct(op):
        linear = rng.permutation(max(count, places) + 2 * outside)[:count] - outside
    else:
        margin = outside * (places // 8 + 1)
        linear = rng.integers(-margin, places + margin, count)
    if is_sorted(op):
        linear = np.sort(linear)
    rest, components = linear, list[Array]()
    for size in reversed(sizes[1:]):
        components.append(rest % size)
        rest = rest // size
    vectors = np.stack([rest, *reversed(components)], axis=-1) if sizes else np.zeros((count, 0), np.int64)
    if is_whole:
        batch = [size for d, size in enumerate(whole) if d != axis]
        vectors = np.moveaxis(vectors.reshape(*batch, len(sizes)), -1, axis)
    lower = np.where(wanted.lower <= wanted.upper, wanted.lower, 0)
    return convert(vectors.reshape(like.shape).astype(np.int64) + lower, like.dtype)
