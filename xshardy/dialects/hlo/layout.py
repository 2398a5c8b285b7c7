"""
The memory layout of a value: the order of its dimensions, and further layout annotations of HLO text.

A layout other than the default (row-major) is the discardable attribute `hlo.layout`: the dimensions from minor to
major, `array<i64: 0, 1>` for the column-major matrix `f32[2,3]{0,1}`. An operation with several results has an array
with one entry for each, `unit` for the default.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DenseArrayBase, UnitAttr
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

from xshardy.dialects.function_attributes import attributes_of_argument
from xshardy.dialects.stablehlo.control_flow import WhileOp

__all__ = ["LAYOUT", "MEMORY", "layout_of", "with_results", "with_values"]

LAYOUT = "hlo.layout"
MEMORY = "hlo.memory"
"""The other layout annotations: tiles, the size of an element in bits, the memory space, as in `T(8,128)S(1)`."""


def layout_of(value: SSAValue) -> tuple[int, ...] | None:
    """The dimensions of `value` from minor to major; None for the default order, row-major."""
    attribute = _attribute_of(value, LAYOUT)
    return tuple(attribute.get_values()) if isinstance(attribute, DenseArrayBase) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def _attribute_of(value: SSAValue, name: str) -> Attribute | None:
    """What the attribute `name`, of layouts, says of `value`."""
    match value:
        case OpResult(op=op, index=index):
            attribute = op.attributes.get(name)
            is_listed = isinstance(attribute, ArrayAttr)
            return cast(ArrayAttr[Attribute], attribute).data[index] if is_listed else attribute
        case BlockArgument(block=block, index=index):
            function = block.parent_op()
            return attributes_of_argument(function, index).get(name) if isinstance(function, func.FuncOp) else None
        case _:
            return None


def with_results(attributes: Mapping[str, Attribute], kept: Sequence[int]) -> dict[str, Attribute]:
    """The attributes of an operation of which only the results `kept` are left: layouts of these."""
    found = dict(attributes)
    for name in (LAYOUT, MEMORY):
        if isinstance(listed := attributes.get(name), ArrayAttr):
            layouts = cast(ArrayAttr[Attribute], listed).data
            found[name] = ArrayAttr([layouts[index] for index in kept])
    return found


def with_values(attributes: Mapping[str, Attribute], results: int, added: Sequence[SSAValue]) -> dict[str, Attribute]:
    """The attributes of an operation with so many `results`, and then those that are laid out as the values `added`."""
    found = {name: _listed(attributes.get(name), results) for name in (LAYOUT, MEMORY)}
    for value in map(_before_loops, added):
        for name, layouts in found.items():
            layouts.append(_attribute_of(value, name) or UnitAttr())
    return {
        **attributes,
        **{name: ArrayAttr(layouts) for name, layouts in found.items() if any(x != UnitAttr() for x in layouts)},
    }


def _before_loops(value: SSAValue) -> SSAValue:
    """What a loop starts with, for what it carries: both have one layout."""
    while isinstance(value, BlockArgument) and isinstance(loop := value.block.parent_op(), WhileOp):
        value = loop.operands[value.index]
    return value


def _listed(attribute: Attribute | None, results: int) -> list[Attribute]:
    """One entry for each result."""
    if isinstance(attribute, ArrayAttr):
        return [*cast(ArrayAttr[Attribute], attribute).data]
    return [attribute or UnitAttr()] * results
