"""
Column reductions: each warp of a block reduces adjacent columns, and writes its results to a row of shared memory. A
thread per column combines them.

Source: XLA:GPU's column reduction emitter, row XGPU-07, but for the last step: there, each warp reads the results of a
column through a transposed tile and combines them by shuffles. That takes ten instructions or more for each of the
block's warps and columns of a thread; here, one warp in 32 executes two for each result.
"""

from xshardy.affine.expressions import add, constant, dim, mul, sym
from xshardy.affine.interval import Interval
from xshardy.emitters.grids import block_number, ceil_div, grid_map, split, thread_map, within
from xshardy.emitters.reduction.tiling import Elements, Tiling, launch_of, shared_tile, vector_size
from xshardy.gpus.devices import Device
from xshardy.indexing.reduction_dimensions import ReductionDimensions

MAX_THREADS = 1024
"""Of a block."""


def column_tiling(dimensions: ReductionDimensions, elements: Elements, device: Device) -> Tiling:
    """
    For `[kept, reduced, kept]`: each thread of a warp gets a vector of columns.

    A block has 32 warps, or 16 in waves of 64, and each reads every 32nd or 16th row.
    """
    major, reduced, minor = dimensions.sizes
    warp = device.threads_per_warp
    vector = vector_size(minor, warp, elements)
    warps = min(warp, MAX_THREADS // warp)
    steps = ceil_div(reduced, warps)
    blocks = (major, ceil_div(minor, warp * vector))
    launch = launch_of((warps, warp), blocks, device)

    first, second = split(dim(0), (warps, warp))
    block_major, block_minor = split(block_number(launch), blocks)

    place = mul(block_minor, constant(warp))
    read_column = add(mul(add(place, second), constant(vector)), sym(1))
    row = add(first, mul(sym(0), constant(warps)))
    input = within(grid_map(launch, [block_major, row, read_column], (steps, vector)), dimensions.sizes)
    columns = warp * vector
    written_column = add(mul(block_minor, constant(columns)), dim(0))
    output = within(grid_map(launch, [block_major, written_column]), dimensions.output_shape)
    output = output.constrained(dim(0), Interval.of_size(columns))

    write = thread_map(launch.threads, [first, add(mul(second, constant(vector)), sym(0))], (vector,))
    combining = thread_map(launch.threads, []).constrained(dim(0), Interval.of_size(columns))
    read = thread_map(launch.threads, [sym(0), dim(0)], (warps,)).constrained(dim(0), Interval.of_size(columns))
    tile = shared_tile(write, read, None, device, padding=0, combining=combining)
    return Tiling(
        "column_reduction",
        launch,
        dimensions.sizes,
        input,
        dimensions.output_shape,
        output,
        vector,
        distance=None,
        tile=tile,
    )
