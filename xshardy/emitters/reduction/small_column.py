"""
Reductions of few columns: the threads of a block traverse all columns as one row.

Source: XLA:GPU's small column reduction emitter; row XGPU-07.
"""

from xshardy.affine.expressions import add, constant, dim, floordiv, mod, mul, sym, total
from xshardy.affine.interval import Interval
from xshardy.emitters.grids import block_number, ceil_div, grid_map, split, thread_map, within
from xshardy.emitters.reduction.tiling import Elements, Tiling, launch_of, shared_tile, vector_size, without_unit_ranges
from xshardy.gpus.devices import Device
from xshardy.indexing.reduction_dimensions import ReductionDimensions

THREADS = 128


def small_column_tiling(dimensions: ReductionDimensions, elements: Elements, device: Device) -> Tiling:
    """
    For `[kept, reduced, kept]`: all columns per block, several rows at a time.

    The number of columns divides the warp size, and at most a warp's worth of rows is processed at a time.
    """
    major, reduced, minor = dimensions.sizes
    warp = device.threads_per_warp
    vector = vector_size(reduced * minor, warp, elements)
    threads = THREADS
    while vector * threads // minor > warp and vector > 1:
        vector //= 2
    threads = min(threads, warp * minor // vector)
    rows = vector * threads // minor
    steps = ceil_div(reduced * minor, vector * threads)
    launch = launch_of((threads,), (major,), device)

    block, thread = block_number(launch), dim(0)
    place = total([mul(sym(0), constant(vector * threads)), mul(thread, constant(vector)), sym(1)])
    # No wrap-around at the last row: there are no elements after it.
    row, column = floordiv(place, constant(minor)), mod(place, constant(minor))
    input = within(grid_map(launch, [block, row, column], (steps, vector)), dimensions.sizes)

    held = add(thread, mul(sym(0), constant(threads)))
    output = grid_map(launch, [block, floordiv(held, constant(rows))], (vector,))
    output = within(output, dimensions.output_shape).constrained(mod(thread, constant(rows)), Interval.point(0))
    output = without_unit_ranges(output)

    written = add(mul(thread, constant(vector)), sym(0))
    write = thread_map(threads, split(written, (rows, minor)), (vector,))
    read = thread_map(threads, list(reversed(split(held, (minor, rows)))), (vector,))
    padding = ceil_div(minor, threads * vector)
    return Tiling(
        "small_column_reduction",
        launch,
        dimensions.sizes,
        input,
        dimensions.output_shape,
        output,
        vector,
        distance=None,
        tile=shared_tile(write, read, rows // 2, device, padding),
    )
