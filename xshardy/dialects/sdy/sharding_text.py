"""Shardings and axes in messages."""

from collections.abc import Iterable

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr, SubAxisInfoAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr


def dimensions(sharding: TensorShardingAttr | None) -> str:
    """`[{"data"}, {?}]`: a sharding without its mesh."""
    return "" if sharding is None else "[" + str(sharding).partition(", [")[2].removesuffix(">")


def spec_text(sharding: TensorShardingAttr) -> str | None:
    """`P("x", None, ("y", "z"))`: the `PartitionSpec` in Python; None if parts of axes or unreduced ones are in it."""
    is_whole = all(axis.is_full for dim in sharding.dim_shardings for axis in dim.axes)
    if not is_whole or sharding.unreduced_axes.data:
        return None
    entries = [[f'"{axis.axis.data}"' for axis in dim.axes] for dim in sharding.dim_shardings]
    while entries and not entries[-1]:
        entries.pop()
    texts = ("None" if not names else names[0] if len(names) == 1 else f"({', '.join(names)})" for names in entries)
    return f"P({', '.join(texts)})"


def dimensions_and_spec(sharding: TensorShardingAttr, *, is_jax: bool) -> str:
    """`dimensions`, and for a program of JAX also the `PartitionSpec`, if there is one: `[{"x"}, {}], P("x")`."""
    spec = spec_text(sharding) if is_jax else None
    return dimensions(sharding) + (f", {spec}" if spec is not None else "")


def axis_text(axis: AxisRefAttr) -> str:
    """`"x"`, or `"x":(1)2` for a sub-axis."""
    part = axis.sub_axis
    of_axis = f":({part.pre_size.data}){part.size.data}" if isinstance(part, SubAxisInfoAttr) else ""
    return f'"{axis.axis.data}"{of_axis}'


def axes_text(axes: Iterable[AxisRefAttr]) -> str:
    """`"x", "y":(1)2`"""
    return ", ".join(map(axis_text, axes))
