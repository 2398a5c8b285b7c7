"""When a parallel reduction of normalized dimensions pays off. Source: XLA:GPU's rules for reductions; row XGPU-07."""

from xshardy.gpus.devices import Device
from xshardy.indexing.reduction_dimensions import ReductionDimensions

MAX_THREADS_PER_ROW = 1024
MAX_ELEMENTS_PER_THREAD = 16
"""The maximal number of elements of one row per thread of the block."""
MAX_BATCH = 8
"""The maximal number of rows of the major reduced dimension per thread."""
MAX_COLUMN_TILE = 128
"""The maximal number of elements of a column per thread, with 32 threads."""


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
