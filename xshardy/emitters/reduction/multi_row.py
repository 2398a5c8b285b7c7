"""
Reductions of short rows: a warp reduces several rows by one shuffle.

Source: XLA:GPU's multi-row reduction emitter; row XGPU-07.
"""

from xshardy.affine.expressions import add, constant, dim, mul, sym
from xshardy.affine.interval import Interval
from xshardy.emitters.grids import block_number, ceil_div, grid_map, split, within
from xshardy.emitters.reduction.row import rows_per_block
from xshardy.emitters.reduction.tiling import Elements, Tiling, launch_of
from xshardy.gpus.devices import Device
from xshardy.indexing.reduction_dimensions import ReductionDimensions


def multi_row_tiling(dimensions: ReductionDimensions, elements: Elements, device: Device) -> Tiling | None:
    """
    For `[major reduced, kept, minor reduced]`: several rows per warp.

    None if a row does not fit a warp or its size is no power of two.
    """
    major, kept, minor = dimensions.sizes
    widest = _widest_vector(minor, elements)
    if minor & (minor - 1) or not 0 < minor <= device.threads_per_warp * widest:
        return None
    vector = _vector_size(kept, minor, widest, device)
    if minor > device.threads_per_warp * vector:
        return None
    along_row = minor // vector
    rows = rows_per_block(kept, along_row)
    blocks = ceil_div(kept, rows)
    launch = launch_of((rows, along_row), (blocks,), device)

    row, place = split(dim(0), (rows, along_row))
    kept_row = add(mul(block_number(launch), constant(rows)), row)
    element = add(mul(place, constant(vector)), sym(1))
    input = within(grid_map(launch, [sym(0), kept_row, element], (major, vector)), dimensions.sizes)
    output = within(grid_map(launch, [kept_row]), dimensions.output_shape).constrained(place, Interval.point(0))
    return Tiling(
        "multirow_reduction",
        launch,
        dimensions.sizes,
        input,
        dimensions.output_shape,
        output,
        1,
        distance=along_row // 2,
        tile=None,
    )


def _widest_vector(minor: int, elements: Elements) -> int:
    """The maximal vector of a thread: 8 bytes, or 16 for wide elements, within a row."""
    widths = (elements.narrowest_output, elements.narrowest_input or elements.narrowest_output)
    size = min(minor, max(1, 64 // min(widths)))
    return min(128 // max(widths), size) if max(widths) >= 32 else size


def _vector_size(kept: int, minor: int, widest: int, device: Device) -> int:
    """`widest`, reduced until there is a block for every core."""
    size = widest
    while size > 1 and ceil_div(kept, rows_per_block(kept, minor // size)) < device.cores:
        size //= 2
    return size
