"""Sliding windows: in a sharded dimension, no window may cross a boundary of parts."""

from collections.abc import Sequence

from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.attributes.axes import AxisRefs
from xshardy.dialects.stablehlo.windows import WindowDimension
from xshardy.transforms.sdy_partition.local.whole_tensors import WholeTensor, WholeTensors, refuse


def stay_in_parts(window: WindowDimension, extent: int, parts: int) -> bool:
    """
    Whether the windows over each of `parts` parts of `extent` elements are the windows over all of them.

    They are if none reaches beyond a part, and if the first window of each part begins where the part does. If windows
    overlap, some reach beyond a part, and there are fewer over the parts than over all of them.
    """
    is_aligned = extent * window.base_dilation % window.stride == 0
    is_divided = window.positions(extent) * parts == window.positions(extent * parts)
    return not window.low and not window.high and is_aligned and is_divided


def require_parts(op: Operation, dim: int, window: WindowDimension, source: WholeTensor) -> None:
    """Raises `OperationFailedException` if windows along the dimension `dim` of `source` do not stay in its parts."""
    if not stay_in_parts(window, source.local.get_shape()[dim], source.parts(dim)):
        raise refuse(
            op,
            f"dimension {dim} is sharded but is not a pass-through dimension. Its windows reach over several parts, or "
            "do not begin where parts do: reshard the operands so that the dimension is not sharded.",
        )


def check_windows(op: stablehlo.ReduceWindowOp | stablehlo.SelectAndScatterOp, before: WholeTensors) -> None:
    """
    Check that the same windows over each part give the parts of the result.

    Raises `OperationFailedException` if a window in a sharded dimension could reach beyond a part, if windows do not
    begin where parts do, or if the tensors are not sharded alike.
    """
    if before.is_replicated:
        return
    source = before.operands[0]
    count = len(op.inputs) if isinstance(op, stablehlo.ReduceWindowOp) else 2
    tensors = (*before.operands[:count], *before.results)
    for dim, window in enumerate(op.window()):
        _require_alike(op, dim, [tensor.axes(dim) for tensor in tensors])
        if source.parts(dim) > 1:
            require_parts(op, dim, window, source)


def _require_alike(op: Operation, dim: int, axes: Sequence[AxisRefs]) -> None:
    """Raises `OperationFailedException` unless all tensors have the same axes in the dimension `dim`."""
    if any(tuple(other) != tuple(axes[0]) for other in axes):
        raise refuse(
            op,
            f"dimension {dim} is sharded differently in the operands and the result. This requires a reshard which "
            "should have been handled by previous passes.",
        )
