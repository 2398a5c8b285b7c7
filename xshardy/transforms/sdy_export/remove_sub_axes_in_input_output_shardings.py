"""Remove sub-axes from the shardings of a program's inputs and outputs."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import takewhile
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.sdy.function_shardings import update_function_shardings
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy.shardings import priority_of, with_dimensions


def before_sub_axes(dim: DimensionShardingAttr) -> DimensionShardingAttr:
    """`{"x", "y":(1)2, "z", ?}` -> `{"x", ?}`. A closed dimension does not change: it is the user's."""
    if dim.is_closed:
        return dim
    whole: Iterator[AxisRefAttr] = takewhile(lambda axis: axis.is_full, dim.axes)
    return DimensionShardingAttr(whole, is_closed=False, priority=priority_of(dim))


def without_sub_axes(sharding: TensorShardingAttr, type: Attribute) -> TensorShardingAttr:
    """`sharding`, of any type, with its open dimensions truncated before the first sub-axis."""
    if all(axis.is_full for dim in sharding.dim_shardings for axis in dim.axes):
        return sharding
    return with_dimensions(sharding, map(before_sub_axes, sharding.dim_shardings))


@dataclass(frozen=True)
class CutSignatureAtSubAxes(RewritePattern):
    """`func @main(%x: T {sdy.sharding = [{"x", "y":(1)2, ?}]})` -> `func @main(%x: T {sdy.sharding = [{"x", ?}]})`"""

    main: FuncOp | None
    """The function that the program starts with."""

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:
        if op is self.main and update_function_shardings(op, without_sub_axes):
            rewriter.notify_op_modified(op)


class RemoveSubAxesInInputOutputShardingsPass(PatternPass):
    """Truncate the open dimensions of arguments and results of the main function before their first sub-axis."""

    name = "sdy-remove-sub-axes-in-input-output-shardings"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-remove-sub-axes-in-input-output-shardings'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (CutSignatureAtSubAxes(main_function(module) if module.body.block.first_op else None),)
