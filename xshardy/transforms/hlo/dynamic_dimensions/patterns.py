"""The patterns that pad operations, and why an operation is refused."""

from collections.abc import Mapping
from typing import Any

from xdsl.dialects import func
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation, SSAValue

from xshardy.dialects import sdy, stablehlo
from xshardy.dialects.dense_elements import first_values
from xshardy.dialects.elementwise import Elementwise
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
from xshardy.transforms.hlo.dynamic_dimensions.padded_value import dynamic_dims, largest_shape

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
    if isinstance(op, stablehlo.SetDimensionSizeOp) and dynamic_dims(op.result.type):
        size, available = known_size(op.size), size_in_use(op.operand, op.dimension.value.data)
        if size is not None and not 0 <= size <= available:
            raise refused(op, f"the size {size} is not between 0 and {available}, the size of the operand")
    if isinstance(op, HANDLED_ELSEWHERE):
        return
    if (pattern := PATTERN_OF.get(type(op))) is None:
        raise refused(op, "there is no rule for it")
    if (reason := pattern.refusal(op)) is not None:
        raise refused(op, reason)


def known_size(value: SSAValue) -> int | None:
    """The size that `value`, a scalar, is a constant of."""
    op = value.owner
    size = first_values(op.value)[0] if isinstance(op, stablehlo.ConstantOp | sdy.ConstantOp) else None
    return size if isinstance(size, int) else None


def size_in_use(value: SSAValue, dim: int) -> int:
    """How many elements of `value` are in use along `dim`; its bound if they are not known."""
    source = value.owner
    while isinstance(source, Operation) and source.has_trait(Elementwise):
        source = source.operands[0].owner
    while isinstance(source, stablehlo.SetDimensionSizeOp) and source.dimension.value.data != dim:
        source = source.operand.owner
    size = known_size(source.size) if isinstance(source, stablehlo.SetDimensionSizeOp) else None
    return largest_shape(value.type)[dim] if size is None else size


def refused(op: Operation, reason: str) -> OperationFailedException:
    """An error at `op`."""
    return OperationFailedException(op, f"{op.name} on tensors with dynamic dimensions cannot be padded: {reason}")
