"""
The shape of a reduction in memory: three dimensions are enough to say what is reduced and what is kept.

Source: XLA:GPU's rules for reductions; row XGPU-07.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from math import prod

from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.emitters.launch_dimensions import Device
from xshardy.indexing.operations import minor_to_major

MAX_THREADS_PER_ROW = 1024
MAX_ELEMENTS_PER_THREAD = 16
"""Of one row that a block reduces."""
MAX_BATCH = 8
"""Rows of the major reduced dimension that one thread goes through."""
MAX_COLUMN_TILE = 128
"""Elements of a column per thread, of 32 threads."""


@dataclass(frozen=True, slots=True)
class ReductionDimensions:
    """
    A row reduction of `[reduced, kept, reduced]`, or a column reduction of `[kept, reduced, kept]`, major first.

    Neighbouring dimensions are taken as one; one that is not there has size 1.
    """

    is_row: bool
    sizes: tuple[int, int, int]

    @property
    def output_shape(self) -> tuple[int, ...]:
        """The sizes that are kept."""
        major, middle, minor = self.sizes
        return (middle,) if self.is_row else (major, minor)


def reduction_dimensions(op: ReduceOp) -> ReductionDimensions | None:
    """What `op` reduces; None if neither the reduced dimensions nor the kept ones lie side by side in memory."""
    shape = shape_of(op.inputs[0])
    order = tuple(reversed(minor_to_major(op.inputs[0])))
    reduced = frozenset(op.dimensions.get_values())
    kept = frozenset(range(len(shape))) - reduced
    if not kept:
        return ReductionDimensions(True, (1, 1, prod(shape)))
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
    """The dimensions of the result of `op`, minor first, in the order that they have in its input."""
    reduced = op.dimensions.get_values()
    order = [d for d in minor_to_major(op.inputs[0]) if d not in reduced]
    return tuple(sorted(order).index(d) for d in order)


def _around(shape: Sequence[int], order: Sequence[int], dims: Collection[int]) -> tuple[int, int, int] | None:
    """The elements before, in and behind `dims` in `order`, the dimensions from major to minor; None if apart."""
    places = [place for place, d in enumerate(order) if d in dims]
    if places != list(range(places[0], places[-1] + 1) if places else ()):
        return None
    sizes = [shape[d] for d in order]
    first, end = (places[0], places[-1] + 1) if places else (len(order), len(order))
    return prod(sizes[:first]), prod(sizes[first:end]), prod(sizes[end:])


def pays_off(dimensions: ReductionDimensions, device: Device) -> bool:
    """Whether threads that work together are faster than each making its own element of the result in a loop."""
    warp = device.threads_per_warp
    _, reduced, minor = dimensions.sizes
    if dimensions.is_row:
        return minor >= warp or (minor > 0 and warp % minor == 0)
    slow_below = ((warp, None), (2 * warp, warp), (4 * warp, 8), (8 * warp, 3))
    return not any(reduced < height and (width is None or minor < width) for height, width in slow_below)


def is_race_free(dimensions: ReductionDimensions, device: Device) -> bool:
    """Whether one block makes each element of the result; larger reductions are split by XLA before fusion."""
    major, middle, minor = dimensions.sizes
    if dimensions.is_row:
        return minor <= MAX_THREADS_PER_ROW * MAX_ELEMENTS_PER_THREAD and major <= MAX_BATCH
    return middle <= device.threads_per_warp * MAX_COLUMN_TILE
