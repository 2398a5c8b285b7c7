"""
The layout of a value: which of its dimensions is minor, and what else HLO text says about how it lies in memory.

A layout that is not the default (row-major) rides along as the discardable attribute `hlo.layout`: the dimensions from
minor to major, `array<i64: 0, 1>` for the column-major matrix `f32[2,3]{0,1}`. An operation with several results has an
array with one entry for each, `unit` for the default.
"""

from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue

LAYOUT = "hlo.layout"
MEMORY = "hlo.memory"
"""What else a layout says: tiles, the size of an element in bits, the memory space, as in `T(8,128)S(1)`."""


def layout_of(value: SSAValue) -> tuple[int, ...] | None:
    """The dimensions of `value` from minor to major, or None when they have the default order, row-major."""
    match value:
        case OpResult(op=op, index=index):
            attribute = op.attributes.get(LAYOUT)
            if isinstance(attribute, ArrayAttr):
                attribute = cast(ArrayAttr[Attribute], attribute).data[index]
        case BlockArgument(block=block, index=index):
            attribute = _argument_attributes(block.parent_op(), index).get(LAYOUT)
        case _:
            return None
    return tuple(attribute.get_values()) if isinstance(attribute, DenseArrayBase) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def _argument_attributes(op: Operation | None, index: int) -> dict[str, Attribute]:
    """The attributes of argument `index` of a function; none for the arguments of other operations."""
    if not isinstance(op, func.FuncOp) or op.arg_attrs is None:
        return {}
    return dict(op.arg_attrs.data[index].data)
