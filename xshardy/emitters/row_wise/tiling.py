"""The tiling of a row-wise kernel: the threads of a row, and the elements of each."""

from xshardy.affine.expressions import add, constant, dim, floordiv, mod, mul, sym
from xshardy.affine.interval import Interval
from xshardy.emitters.grids import block_number, ceil_div, grid_map, split, thread_map, within
from xshardy.emitters.reduction.tiling import Tiling, launch_of, shared_tile
from xshardy.gpus.devices import Device

MIN_ELEMENTS, VECTORS = 8, 2
"""
Of a row per thread, if there are rows enough for all threads of the device: two vectors, but at least eight elements.
So few stay in registers from one step to the next, because loops of two iterations are unrolled.
"""
MIN_THREADS_PER_ROW, MAX_THREADS_PER_ROW = 8, 1024
"""The threads of a row: with 16 bytes each, the fewest access whole cache lines; the most are those of a block."""
THREADS_PER_BLOCK = 128
"""Shorter rows share a block until it has this many threads."""
WIDEST_ACCESS = 128
"""The maximal load or store of a thread, in bits."""


def row_wise_tiling(rows: int, minor: int, narrowest_input: int | None, widest_output: int, device: Device) -> Tiling:
    """
    A tiling for `rows` rows of `minor` elements: one block or a part of one per row, whole rows per block.

    The threads of a row are a power of two: all of them get what they reduce. `narrowest_input` and `widest_output` are
    widths of elements in bits; None and 0 if there are none.
    """
    vector = _vector_size(minor, max(narrowest_input or 0, widest_output, 8))
    pieces = minor // vector
    along_row = _threads_per_row(rows, pieces, vector, device)
    rows_per_block = min(rows, max(1, THREADS_PER_BLOCK // along_row))
    steps = ceil_div(pieces, along_row)
    launch = launch_of((rows_per_block, along_row), (ceil_div(rows, rows_per_block),), device)

    row, place = split(dim(0), (rows_per_block, along_row))
    kept = add(mul(block_number(launch), constant(rows_per_block)), row)
    piece = add(mul(sym(0), constant(along_row)), place)
    input_shape = (rows, pieces, vector)
    input = within(grid_map(launch, [kept, piece, sym(1)], (steps, vector)), input_shape)
    output = within(grid_map(launch, [kept]), (rows,)).constrained(place, Interval.point(0))

    warp, tile = device.threads_per_warp, None
    warps = ceil_div(along_row, warp)
    if warps > 1:
        write = thread_map(launch.threads, [row, floordiv(place, constant(warp))])
        write = write.constrained(mod(place, constant(warp)), Interval.point(0))
        read = thread_map(launch.threads, [row, mod(place, constant(warps))])
        tile = shared_tile(write, read, warps // 2, device)
    distance = min(along_row, warp) // 2
    return Tiling("row_wise", launch, input_shape, input, (rows,), output, 1, distance, tile)


def _vector_size(minor: int, width: int) -> int:
    """The elements of `width` bits, at most those of one access, that divide a row of `minor` elements."""
    vector = WIDEST_ACCESS // width
    while minor % vector:
        vector //= 2
    return vector


def _threads_per_row(rows: int, pieces: int, vector: int, device: Device) -> int:
    """A power of two: enough to limit the elements of each, more if there are few rows, at most one per piece."""
    threads, elements = 1, max(MIN_ELEMENTS, VECTORS * vector)
    while 2 * threads <= min(pieces, MAX_THREADS_PER_ROW) and (
        threads < MIN_THREADS_PER_ROW
        or threads * elements < pieces * vector
        or threads * rows < device.cores * device.threads_per_core
    ):
        threads *= 2
    return threads
