"""
The memory layout of a value: the order of its dimensions, and further layout annotations of HLO text.

A layout other than the default (row-major) is the discardable attribute `hlo.layout`: the dimensions from minor to
major, `array<i64: 0, 1>` for the column-major matrix `f32[2,3]{0,1}`. An operation with several results has an array
with one entry for each, `unit` for the default.
"""

from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

from xshardy.dialects.function_attributes import attributes_of_argument

__all__ = ["LAYOUT", "MEMORY", "layout_of"]

LAYOUT = "hlo.layout"
MEMORY = "hlo.memory"
"""The other layout annotations: tiles, the size of an element in bits, the memory space, as in `T(8,128)S(1)`."""


def layout_of(value: SSAValue) -> tuple[int, ...] | None:
    """The dimensions of `value` from minor to major; None for the default order, row-major."""
    match value:
        case OpResult(op=op, index=index):
            attribute = op.attributes.get(LAYOUT)
            if isinstance(attribute, ArrayAttr):
                attribute = cast(ArrayAttr[Attribute], attribute).data[index]
        case BlockArgument(block=block, index=index):
            function = block.parent_op()
            attribute = (
                attributes_of_argument(function, index).get(LAYOUT) if isinstance(function, func.FuncOp) else None
            )
        case _:
            return None
    return tuple(attribute.get_values()) if isinstance(attribute, DenseArrayBase) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]
