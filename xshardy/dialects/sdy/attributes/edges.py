"""
How propagation went: along which axes, from which operands and results to which, in which step.

Source: rows SDY-ATTR-05, SDY-ATTR-08, SDY-ATTR-14 and SDY-ATTR-15.
"""

from __future__ import annotations

from xdsl.dialects.builtin import ArrayAttr, IntAttr
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.enums import EdgeNodeType, EdgeNodeTypeAttr
from xshardy.dialects.sdy.attributes.text import (
    BareBodyAttribute,
    BodyAttribute,
    array,
    expect,
    expect_keyword,
    parse_int64,
    parse_list,
)


@irdl_attr_definition
class EdgeValueRefAttr(BareBodyAttribute, SpacedOpaqueSyntaxAttribute):
    """`operand-0`, `result-2`: a value of the operation that carries the attribute."""

    name = "sdy.edge_value_ref"
    type: EdgeNodeTypeAttr = param_def()
    index: IntAttr = param_def(converter=IntAttr.get)

    def __init__(self, type: EdgeNodeType, index: int):
        super().__init__(EdgeNodeTypeAttr(type), IntAttr(index))

    @classmethod
    def parse_body(cls, parser: AttrParser) -> EdgeValueRefAttr:
        kind = parser.parse_str_enum(EdgeNodeType)
        expect(parser, "-")
        return cls(kind, parse_int64(parser))

    def print_body(self, printer: Printer) -> None:
        printer.print_string(f"{self.type.data.value}-{self.index.data}")


@irdl_attr_definition
class AxisToPropagationDetailsAttr(BareBodyAttribute):
    """`{"y" = operand-1 -> [operand-0, result-0]}`: an axis went from one value to others."""

    name = "sdy.axis_to_propagation_details"
    axis_name: AxisRefAttr = param_def()
    source: EdgeValueRefAttr = param_def()
    targets: ArrayAttr[EdgeValueRefAttr] = param_def(converter=array)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> AxisToPropagationDetailsAttr:
        expect(parser, "{")
        axis = AxisRefAttr.parse_body(parser)
        expect(parser, "=")
        source = EdgeValueRefAttr.parse_body(parser)
        expect(parser, "->")
        targets = parse_list(parser, lambda: EdgeValueRefAttr.parse_body(parser), "[", "]")
        expect(parser, "}")
        return cls(axis, source, targets)

    def print_body(self, printer: Printer) -> None:
        with printer.in_braces():
            self.axis_name.print_body(printer)
            printer.print_string(" = ")
            self.source.print_body(printer)
            printer.print_string(" -> ")
            with printer.in_square_brackets():
                printer.print_list(self.targets, lambda target: target.print_body(printer))


@irdl_attr_definition
class PropagationOneStepAttr(BareBodyAttribute):
    """`{step-2 = [{"y" = operand-1 -> [result-0]}]}`: what went through the operation in one step, axis by axis."""

    name = "sdy.propagation_one_step"
    step_index: IntAttr = param_def(converter=IntAttr.get)
    axis_entries: ArrayAttr[AxisToPropagationDetailsAttr] = param_def(converter=array)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> PropagationOneStepAttr:
        expect(parser, "{")
        expect_keyword(parser, "step")
        expect(parser, "-")
        step = parse_int64(parser)
        expect(parser, "=")
        entries = parse_list(parser, lambda: AxisToPropagationDetailsAttr.parse_body(parser), "[", "]")
        expect(parser, "}")
        return cls(step, entries)

    def print_body(self, printer: Printer) -> None:
        with printer.in_braces():
            printer.print_string(f"step-{self.step_index.data} = ")
            with printer.in_square_brackets():
                printer.print_list(self.axis_entries, lambda entry: entry.print_body(printer))


@irdl_attr_definition
class PropagationEdgesAttr(BodyAttribute):
    """`<[{step-2 = [...]}, {step-5 = [...]}]>`: all steps in which something went through the operation."""

    name = "sdy.propagation_edges"
    steps: ArrayAttr[PropagationOneStepAttr] = param_def(converter=array)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> PropagationEdgesAttr:
        expect(parser, "<")
        steps = parse_list(parser, lambda: PropagationOneStepAttr.parse_body(parser), "[", "]")
        expect(parser, ">")
        return cls(steps)

    def print_body(self, printer: Printer) -> None:
        with printer.in_angle_brackets(), printer.in_square_brackets():
            printer.print_list(self.steps, lambda step: step.print_body(printer))

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
