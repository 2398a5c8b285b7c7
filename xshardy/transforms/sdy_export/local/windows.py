"""Sliding windows: in a sharded dimension, no window may cross a boundary of parts."""

from xshardy.dialects import stablehlo
from xshardy.dialects.stablehlo.windows import dilated
from xshardy.transforms.sdy_export.local.whole_tensors import WholeTensors, refuse


def check_windows(op: stablehlo.ReduceWindowOp | stablehlo.SelectAndScatterOp, before: WholeTensors) -> None:
    """
    Check that the same windows over each part give the parts of the result.

    Raises `OperationFailedException` if a window in a sharded dimension may cross a boundary of parts, or if windows do
    not start where parts do.
    """
    source = before.operands[0]
    if source.is_replicated:
        return
    for dim, window in enumerate(op.window()):
        parts = source.parts(dim)
        if parts == 1:
            continue
        extent = source.local.get_shape()[dim]
        is_apart = window.stride >= dilated(window.size, window.window_dilation)
        is_aligned = extent * window.base_dilation % window.stride == 0
        is_divided = window.positions(extent) * parts == window.positions(extent * parts)
        if window.low or window.high or not (is_apart and is_aligned and is_divided):
            raise refuse(op, f"dimension {dim} is sharded but is not a pass-through dimension.")
