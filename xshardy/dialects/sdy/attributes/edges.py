"""
Records of propagation: along which axes shardings went, from which values to which, in which step.

Source: rows SDY-ATTR-05, SDY-ATTR-08, SDY-ATTR-14 and SDY-ATTR-15.
"""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.attribute_text import (
    INT64,
    BareBodyAttribute,
    Body,
    BodyAttribute,
    EnumMember,
    array,
    body,
    field,
    listed,
)
from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.enums import EdgeNodeType, EdgeNodeTypeAttr


@irdl_attr_definition
class EdgeValueRefAttr(BareBodyAttribute, SpacedOpaqueSyntaxAttribute):
    """`operand-0`, `result-2`: a value of the operation that carries the attribute."""

    name = "sdy.edge_value_ref"
    type: EdgeNodeTypeAttr = param_def()
    index: IntAttr = param_def(converter=IntAttr.get)
    BODY: ClassVar[Body] = body(field("type", EnumMember(EdgeNodeTypeAttr)), "-", field("index", INT64))

    def __init__(self, type: EdgeNodeType, index: int):
        super().__init__(EdgeNodeTypeAttr(type), IntAttr(index))


@irdl_attr_definition
class AxisToPropagationDetailsAttr(BareBodyAttribute):
    """`{"y" = operand-1 -> [operand-0, result-0]}`: an axis was propagated from one value to others."""

    name = "sdy.axis_to_propagation_details"
    axis_name: AxisRefAttr = param_def()
    source: EdgeValueRefAttr = param_def()
    targets: ArrayAttr[EdgeValueRefAttr] = param_def(converter=array)
    BODY: ClassVar[Body] = body(
        "{",
        field("axis_name", AxisRefAttr),
        " = ",
        field("source", EdgeValueRefAttr),
        " -> ",
        field("targets", listed(EdgeValueRefAttr)),
        "}",
    )


@irdl_attr_definition
class PropagationOneStepAttr(BareBodyAttribute):
    """`{step-2 = [{"y" = operand-1 -> [result-0]}]}`: the axes propagated through the operation in one step."""

    name = "sdy.propagation_one_step"
    step_index: IntAttr = param_def(converter=IntAttr.get)
    axis_entries: ArrayAttr[AxisToPropagationDetailsAttr] = param_def(converter=array)
    BODY: ClassVar[Body] = body(
        "{step-",
        field("step_index", INT64),
        " = ",
        field("axis_entries", listed(AxisToPropagationDetailsAttr)),
        "}",
    )


@irdl_attr_definition
class PropagationEdgesAttr(BodyAttribute):
    """`<[{step-2 = [...]}, {step-5 = [...]}]>`: all steps in which something was propagated through the operation."""

    name = "sdy.propagation_edges"
    steps: ArrayAttr[PropagationOneStepAttr] = param_def(converter=array)
    BODY: ClassVar[Body] = body("<", field("steps", listed(PropagationOneStepAttr)), ">")

    def verify(self) -> None:
        seen: set[int] = set()
        for step in self.steps:
            index = step.step_index.data
            if index < 0:
                raise VerifyException(f"propagation edges have negative step index: {index}")
            if index in seen:
                raise VerifyException(f"propagation edges have duplicate step index: {index}")
            seen.add(index)
            for entry in step.axis_entries:
                if entry.source in entry.targets.data:
                    raise VerifyException("propagation edges have a source that is the same as a target")
                if len(set(entry.targets)) < len(entry.targets):
                    raise VerifyException(
                        f"propagation edges have duplicate targets for step index: {index} "
                        f"and axis: {entry.axis_name.axis.data}"
                    )
