"""No sub-axes where a program meets its callers. Source: Shardy's docs, "Export passes"."""

from dataclasses import dataclass
from itertools import takewhile

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.transforms.sdy.function_shardings import update_function_shardings
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy.shardings import priority_of, with_dimensions


def before_sub_axes(dim: DimensionShardingAttr) -> DimensionShardingAttr:
    """`{"x", "y":(1)2, "z", ?}` -> `{"x", ?}`. A closed dimension is as its author wants it, and stays."""
    if dim.is_closed:
        return dim
    return DimensionShardingAttr(
        takewhile(lambda axis: axis.is_full, dim.axes), is_closed=False, priority=priority_of(dim)
    )


def without_sub_axes(sharding: TensorShardingAttr, type: Attribute) -> TensorShardingAttr:
    """`sharding`, of whatever type, with its open dimensions cut off before the first sub-axis."""
    if all(axis.is_full for dim in sharding.dim_shardings for axis in dim.axes):
        return sharding
    return with_dimensions(sharding, map(before_sub_axes, sharding.dim_shardings))


@dataclass(frozen=True)
class RemoveSubAxesInInputOutputShardingsPass(ModulePass):
    """Cut off the open dimensions of arguments and results of the main function before their first sub-axis."""

    name = "sdy-remove-sub-axes-in-input-output-shardings"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        update_function_shardings(main_function(op), without_sub_axes)
