"""The patterns that pad operations, and why an operation is refused."""

from collections.abc import Mapping
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.hlo.dynamic_dimensions import (
    contractions,
    control_flow,
    custom_calls,
    elementwise,
    indexing,
    movement,
    reductions,
    reshapes,
    sizes,
    sorting,
)
from xshardy.transforms.hlo.dynamic_dimensions.pad_pattern import PadPattern
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import largest_shape

PATTERNS: tuple[type[PadPattern[Any]], ...] = (
    contractions.PadDot,
    control_flow.CarryParts,
    control_flow.ReturnParts,
    custom_calls.DynamicBorder,
    elementwise.PadElementwise,
    indexing.PadGather,
    indexing.PadScatter,
    movement.PadBroadcast,
    movement.PadConcatenate,
    movement.PadDynamicSlice,
    movement.PadDynamicUpdateSlice,
    movement.PadIota,
    movement.PadPad,
    movement.PadReverse,
    movement.PadSlice,
    movement.PadTranspose,
    reductions.PadReduce,
    reductions.PadReduceWindow,
    reshapes.PadReshape,
    sizes.ReadSize,
    sorting.PadSort,
)

PATTERN_OF: Mapping[type[Operation], type[PadPattern[Any]]] = {
    op_type: pattern for pattern in PATTERNS for op_type in pattern.op_types
}

HANDLED_ELSEWHERE = (func.FuncOp, func.ReturnOp, stablehlo.ReturnOp, stablehlo.SetDimensionSizeOp)
"""Operations with dynamic tensors that the patterns of other modules rewrite."""


def check(op: Operation) -> None:
    """Raise `OperationFailedException` for an `op` with a dynamic tensor that cannot be padded."""
    types = [value.type for value in (*op.operands, *op.results)]
    if isinstance(op, func.FuncOp):
        types = [*op.function_type.inputs, *op.function_type.outputs]
    if any(DYNAMIC_INDEX in largest_shape(type) for type in types):
        raise refused(op, "a dynamic dimension has no bound: its type needs `#stablehlo.bounds`, as `f32[<=8]` of HLO")
    if isinstance(op, HANDLED_ELSEWHERE):
        return
    if (pattern := PATTERN_OF.get(type(op))) is None:
        raise refused(op, "there is no rule for it")
    if (reason := pattern.refusal(op)) is not None:
        raise refused(op, reason)


def refused(op: Operation, reason: str) -> OperationFailedException:
    """An error at `op`."""
    return OperationFailedException(op, f"{op.name} on tensors with dynamic dimensions cannot be padded: {reason}")
