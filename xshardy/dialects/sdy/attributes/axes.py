"""
References to axes and to parts of axes, and lists of them.

What can be computed with them is in `dialects/sdy/axis_refs.py`.
Source: rows SDY-ATTR-01 to SDY-ATTR-04, SDY-ATTR-09 and SDY-ATTR-16.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, IntAttr, NoneAttr, StringAttr
from xdsl.irdl import irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xshardy.dialects.sdy.attributes.text import BareBodyAttribute, array, expect, parse_int64, parse_list, parse_string


@irdl_attr_definition
class SubAxisInfoAttr(BareBodyAttribute):
    """
    `(pre_size)size`: one factor of a split axis, in devices, after the product of the factors to its left.

    What it may be depends on the axis, so it is verified where it is bound to a mesh.
    """

    name = "sdy.sub_axis_info"
    pre_size: IntAttr = param_def(converter=IntAttr.get)
    size: IntAttr = param_def(converter=IntAttr.get)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> SubAxisInfoAttr:
        expect(parser, "(")
        pre_size = parse_int64(parser, " for the pre-size of a sub-axis, as in `(1)2`")
        expect(parser, ")")
        size = parse_int64(parser, " for the size of a sub-axis, as in `(1)2`")
        return cls(pre_size, size)

    def print_body(self, printer: Printer) -> None:
        printer.print_string(f"({self.pre_size.data}){self.size.data}")


@irdl_attr_definition
class AxisRefAttr(BareBodyAttribute):
    """`"axis"`, a whole axis of a mesh, or `"axis":(pre_size)size`, a part of one."""

    name = "sdy.axis_ref"
    axis: StringAttr = param_def()
    sub_axis: SubAxisInfoAttr | NoneAttr = param_def()

    def __init__(self, axis: str, sub_axis: SubAxisInfoAttr | NoneAttr | None = None):
        super().__init__(StringAttr(axis), sub_axis or NoneAttr())

    @classmethod
    def part(cls, axis: str, pre_size: int, size: int) -> AxisRefAttr:
        """The sub-axis `"axis":(pre_size)size`."""
        return cls(axis, SubAxisInfoAttr(pre_size, size))

    @property
    def is_full(self) -> bool:
        return isinstance(self.sub_axis, NoneAttr)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> AxisRefAttr:
        axis = parse_string(parser)
        if parser.parse_optional_punctuation(":") is None:
            return cls(axis)
        return cls(axis, SubAxisInfoAttr.parse_body(parser))

    def print_body(self, printer: Printer) -> None:
        printer.print_string_literal(self.axis.data)
        if not isinstance(self.sub_axis, NoneAttr):
            printer.print_string(":")
            self.sub_axis.print_body(printer)

    @property
    def text(self) -> str:
        """As it stands in a sharding, for diagnostics."""
        if isinstance(self.sub_axis, NoneAttr):
            return f'"{self.axis.data}"'
        return f'"{self.axis.data}":({self.sub_axis.pre_size.data}){self.sub_axis.size.data}'


AxisRefs = Sequence[AxisRefAttr]
"""References to axes, from major to minor."""


def parse_axis_refs(parser: AttrParser) -> list[AxisRefAttr]:
    """`{"a", "b":(1)2}`"""
    return parse_list(parser, lambda: AxisRefAttr.parse_body(parser), "{", "}")


def print_axis_refs(printer: Printer, axes: ArrayAttr[AxisRefAttr]) -> None:
    with printer.in_braces():
        printer.print_list(axes, lambda axis: axis.print_body(printer))


@irdl_attr_definition
class AxisRefListAttr(BareBodyAttribute):
    """`{"a", "b":(1)2}`: axes from major to minor."""

    name = "sdy.axis_ref_list"
    axes: ArrayAttr[AxisRefAttr] = param_def(converter=array)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> AxisRefListAttr:
        return cls(parse_axis_refs(parser))

    def print_body(self, printer: Printer) -> None:
        print_axis_refs(printer, self.axes)


@irdl_attr_definition
class ListOfAxisRefListsAttr(BareBodyAttribute):
    """`[{"b", "c"}, {}, {"d"}]`: one list of axes for each dimension of a tensor."""

    name = "sdy.list_of_axis_ref_lists"
    lists: ArrayAttr[AxisRefListAttr] = param_def(converter=array)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> ListOfAxisRefListsAttr:
        return cls(parse_list(parser, lambda: AxisRefListAttr.parse_body(parser), "[", "]"))

    def print_body(self, printer: Printer) -> None:
        with printer.in_square_brackets():
            printer.print_list(self.lists, lambda axes: axes.print_body(printer))


@irdl_attr_definition
class AllToAllParamAttr(BareBodyAttribute):
    """`{"b"}: 0->2`: the axes that an all-to-all moves, and the dimensions from which and to which."""

    name = "sdy.all_to_all_param"
    axes: ArrayAttr[AxisRefAttr] = param_def(converter=array)
    src_dim: IntAttr = param_def(converter=IntAttr.get)
    tgt_dim: IntAttr = param_def(converter=IntAttr.get)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> AllToAllParamAttr:
        axes = parse_axis_refs(parser)
        expect(parser, ":")
        src_dim = parse_int64(parser)
        expect(parser, "->")
        return cls(axes, src_dim, parse_int64(parser))

    def print_body(self, printer: Printer) -> None:
        print_axis_refs(printer, self.axes)
        printer.print_string(f": {self.src_dim.data}->{self.tgt_dim.data}")


@irdl_attr_definition
class AllToAllParamListAttr(BareBodyAttribute):
    """`[{"b"}: 0->2, {"c"}: 1->3]`"""

    name = "sdy.all_to_all_param_list"
    params: ArrayAttr[AllToAllParamAttr] = param_def(converter=array)

    @classmethod
    def parse_body(cls, parser: AttrParser) -> AllToAllParamListAttr:
        return cls(parse_list(parser, lambda: AllToAllParamAttr.parse_body(parser), "[", "]"))

    def print_body(self, printer: Printer) -> None:
        with printer.in_square_brackets():
            printer.print_list(self.params, lambda param: param.print_body(printer))
