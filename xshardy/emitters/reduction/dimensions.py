"""Reductions normalized to three dimensions, in memory order. Source: XLA:GPU's rules for reductions; row XGPU-07."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.emitters.launch_dimensions import Device
from xshardy.indexing.operations import minor_to_major

MAX_THREADS_PER_ROW = 1024
MAX_ELEMENTS_PER_THREAD = 16
"""The maximal number of elements of one row per thread of the block."""
MAX_BATCH = 8
"""The maximal number of rows of the major reduced dimension per thread."""
MAX_COLUMN_TILE = 128
"""The maximal number of elements of a column per thread, with 32 threads."""


@dataclass(frozen=True, slots=True)
class ReductionDimensions:
    """
    A row reduction of `[reduced, kept, reduced]`, or a column reduction of `[kept, reduced, kept]`, major first.

    Adjacent dimensions are merged; missing dimensions have size 1.
    """

    is_row: bool
    sizes: tuple[int, int, int]

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The sizes of the kept dimensions."""
        major, middle, minor = self.sizes
        return (middle,) if self.is_row else (major, minor)


def reduction_dimensions(op: ReduceOp) -> ReductionDimensions | None:
    """The dimensions of `op`; None if neither the reduced nor the kept dimensions are contiguous in memory."""
    shape = shape_of(op.inputs[0])
    order = tuple(reversed(minor_to_major(op.inputs[0])))
    reduced = frozenset(op.dimensions.get_values())
    kept = frozenset(range(len(shape))) - reduced
    if (parts := _around(shape, order, kept)) is not None:
        major, middle, minor = parts
        if middle == 1:
            return ReductionDimensions(True, (1, 1, major * minor))
        if minor == 1:
            return ReductionDimensions(False, (1, major, middle))
        return ReductionDimensions(True, parts)
    if (parts := _around(shape, order, reduced)) is not None:
        major, middle, minor = parts
        return ReductionDimensions(True, (1, major, middle)) if minor == 1 else ReductionDimensions(False, parts)
    return None


def kept_order(op: ReduceOp) -> tuple[int, ...]:
    """The dimensions of the result of `op` in the order of the input's layout, minor first."""
    reduced = op.dimensions.get_values()
    order = [d for d in minor_to_major(op.inputs[0]) if d not in reduced]
    return tuple(sorted(order).index(d) for d in order)


def _around(shape: Sequence[int], order: Sequence[int], dims: Collection[int]) -> tuple[int, int, int] | None:
    """
    The elements before, in and after `dims` in `order`; None if `dims` are not adjacent.

    Dimensions from major to minor.
    """
    places = [place for place, d in enumerate(order) if d in dims]
    if places != list(range(places[0], places[-1] + 1) if places else ()):
        return None
    sizes = [shape[d] for d in order]
    first, end = (places[0], places[-1] + 1) if places else (len(order), len(order))
    return prod(sizes[:first]), prod(sizes[first:end]), prod(sizes[end:])


def pays_off(dimensions: ReductionDimensions, device: Device) -> bool:
    """Whether a parallel reduction is faster than one thread per element of the result."""
    warp = device.threads_per_warp
    _, reduced, minor = dimensions.sizes
    if dimensions.is_row:
        return minor >= warp or (minor > 0 and warp % minor == 0)
    slow_below = ((warp, None), (2 * warp, warp), (4 * warp, 8), (8 * warp, 3))
    return not any(reduced < height and (width is None or minor < width) for height, width in slow_below)


def is_race_free(dimensions: ReductionDimensions, device: Device) -> bool:
    """Whether one block computes each element of the result. XLA splits larger reductions before fusion."""
    major, middle, minor = dimensions.sizes
    if dimensions.is_row:
        return minor <= MAX_THREADS_PER_ROW * MAX_ELEMENTS_PER_THREAD and major <= MAX_BATCH
    return middle <= device.threads_per_warp * MAX_COLUMN_TILE
