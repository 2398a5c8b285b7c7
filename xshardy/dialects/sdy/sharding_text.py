"""Shardings and axes in messages."""

from collections.abc import Iterable

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, SubAxisInfoAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr


def dimensions(sharding: TensorShardingAttr | None) -> str:
    """`[{"data"}, {?}]`: a sharding without its mesh."""
    return "" if sharding is None else "[" + str(sharding).partition(", [")[2].removesuffix(">")


def axis_text(axis: AxisRefAttr) -> str:
    """`"x"`, or `"x":(1)2` for a sub-axis."""
    part = axis.sub_axis
    of_axis = f":({part.pre_size.data}){part.size.data}" if isinstance(part, SubAxisInfoAttr) else ""
    return f'"{axis.axis.data}"{of_axis}'


def axes_text(axes: Iterable[AxisRefAttr]) -> str:
    """`"x", "y":(1)2`"""
    return ", ".join(map(axis_text, axes))
