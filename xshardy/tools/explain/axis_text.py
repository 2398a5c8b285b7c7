"""Axes in messages."""

from collections.abc import Iterable

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, SubAxisInfoAttr
from xshardy.dialects.sdy.axis_refs import pre_size


def axis_text(axis: AxisRefAttr) -> str:
    """`"x"`, or `"x":(1)2` for a sub-axis."""
    return f'"{axis.axis.data}"{sub_axis_text(axis)}'


def sub_axis_text(axis: AxisRefAttr) -> str:
    """`:(1)2`, the part of the axis that `axis` is; empty for a whole axis."""
    return f":({pre_size(axis)}){axis.sub_axis.size.data}" if isinstance(axis.sub_axis, SubAxisInfoAttr) else ""


def axes_text(axes: Iterable[AxisRefAttr]) -> str:
    """`"x", "y"`; `nothing` without axes."""
    return ", ".join(map(axis_text, axes)) or "nothing"
