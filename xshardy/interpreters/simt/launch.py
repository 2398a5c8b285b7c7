"""The launch dimensions of a kernel, by its attributes."""

from xdsl.dialects import func, gpu

from xshardy.dialects.xla_gpu.discardable import get_range, launch_dimensions
from xshardy.gpus.launch import AXES, Launch, padded
from xshardy.interpreters.simt.errors import SimtError


def launch_of(kernel: func.FuncOp) -> Launch:
    """
    The launch dimensions stated by `kernel`; without them, the dimensions implied by the ranges of its ids.

    Raises `SimtError` for an id without either.
    """
    stated = launch_dimensions(kernel)
    if stated is not None:
        block, grid = stated
        return Launch(padded(block), padded(grid))
    sizes: dict[str, list[int]] = {"thread": [1, 1, 1], "block": [1, 1, 1]}
    for op in kernel.walk():
        if isinstance(op, gpu.ThreadIdOp | gpu.BlockIdOp):
            interval = get_range(op)
            if interval is None:
                raise SimtError(
                    f"{op}: the launch dimensions are not known: give the kernel gpu.known_block_size and "
                    "gpu.known_grid_size, or this op an xla.range"
                )
            along = sizes["thread" if isinstance(op, gpu.ThreadIdOp) else "block"]
            axis = AXES.index(op.dimension.data.value)
            along[axis] = max(along[axis], interval.upper + 1)
    return Launch(padded(sizes["thread"]), padded(sizes["block"]))
