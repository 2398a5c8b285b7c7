"""
Row reductions: the threads of a block traverse a row together and reduce it by shuffles within and across warps.

Source: XLA:GPU's row reduction emitter; row XGPU-07.
"""

from xshardy.affine.expressions import add, constant, dim, floordiv, mod, mul, sym, total
from xshardy.affine.interval import Interval
from xshardy.emitters.grids import block_number, ceil_div, grid_map, round_up, split, thread_map, within
from xshardy.emitters.reduction.dimensions import MAX_ELEMENTS_PER_THREAD, MAX_THREADS_PER_ROW
from xshardy.emitters.reduction.tiling import Elements, Tiling, launch_of, shared_tile
from xshardy.gpus.devices import Device
from xshardy.indexing.reduction_dimensions import ReductionDimensions

THREADS_PER_BLOCK = 256
"""Shorter rows share a block until it has this many threads."""
WIDEST_ACCESS = 128
"""
The maximal load of a thread, in bits; twice XLA's: the launch stays the same and needs fewer loads.

And the maximum of what it writes of a side output: with two stores, each would move half of its sectors for nothing.
"""


def row_tiling(dimensions: ReductionDimensions, elements: Elements, device: Device) -> Tiling:
    """For `[major reduced, kept, minor reduced]`: one or more warps per row, whole rows per block."""
    major, kept, minor = dimensions.sizes
    warp = device.threads_per_warp
    along_row = min(MAX_THREADS_PER_ROW, round_up(ceil_div(minor, MAX_ELEMENTS_PER_THREAD), warp))
    rows = rows_per_block(kept, along_row)
    vector = _vector_size(minor, along_row, elements)
    pieces = minor // vector
    steps = min(MAX_ELEMENTS_PER_THREAD // vector, ceil_div(pieces, along_row))
    blocks = (ceil_div(kept, rows), ceil_div(pieces, steps * along_row))
    launch = launch_of((rows, along_row), blocks, device)

    row, place = split(dim(0), (rows, along_row))
    block_row, block_place = split(block_number(launch), blocks)
    input_shape = (major, kept, pieces, vector)
    kept_row = add(mul(block_row, constant(rows)), row)
    piece = total([mul(block_place, constant(steps * along_row)), mul(sym(1), constant(along_row)), place])
    input = within(grid_map(launch, [sym(0), kept_row, piece, sym(2)], (major, steps, vector)), input_shape)
    output = within(grid_map(launch, [kept_row]), dimensions.output_shape).constrained(place, Interval.point(0))

    warps = ceil_div(along_row, warp)
    tile = None
    if warps > 1:
        lane, of_warp = mod(place, constant(warp)), floordiv(place, constant(warp))
        write = thread_map(launch.threads, [row, of_warp]).constrained(lane, Interval.point(0))
        read = thread_map(launch.threads, [row, lane]).constrained(place, Interval.of_size(warps))
        first_warps = thread_map(launch.threads, []).constrained(place, Interval.of_size(warp))
        tile = shared_tile(write, read, warp // 2, device, combining=first_warps)
    return Tiling("row_reduction", launch, input_shape, input, dimensions.output_shape, output, 1, warp // 2, tile)


def rows_per_block(kept: int, threads_per_row: int) -> int:
    """The number of rows of `kept` per block: those of `THREADS_PER_BLOCK` threads, at least one, at most all."""
    return min(kept, max(1, THREADS_PER_BLOCK // threads_per_row))


def _vector_size(minor: int, threads: int, elements: Elements) -> int:
    """The vector of each of `threads` for a row of `minor` elements, small enough that every thread has work."""
    if elements.is_complex or elements.narrowest_input is None:
        return 1
    vector = min(MAX_ELEMENTS_PER_THREAD, WIDEST_ACCESS // max(elements.narrowest_input, elements.widest_side_output))
    while vector > 1 and (minor % vector or threads * vector > minor):
        vector //= 2
    return vector
