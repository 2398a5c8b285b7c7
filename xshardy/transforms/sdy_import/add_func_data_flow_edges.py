"""Insert a `sdy.func_data_flow_edge` for what flows between functions. Source: Shardy's docs, "Import passes"."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import FuncDataFlowEdgeOp
from xshardy.dialects.sdy.value_shardings import SHARDING, get_sharding
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.function_copies import calls_in
from xshardy.transforms.sdy.main_function import main_function
from xshardy.transforms.sdy.shapes import has_static_shape
from xshardy.transforms.sdy.uses import replace_other_uses


def add_edges(values: Sequence[SSAValue], place: InsertPoint) -> None:
    """`f(x)` -> `f(func_data_flow_edge(x))` for each of `values`, in order; the edge takes the sharding of `x`."""
    for value in values:
        if not has_static_shape(value):
            continue
        edge = FuncDataFlowEdgeOp(value)
        if (sharding := get_sharding(value)) is not None:
            edge.attributes[SHARDING] = TensorShardingPerValueAttr([sharding])
        Rewriter.insert_op(edge, place)
        replace_other_uses(value, edge.result, edge)


@dataclass(frozen=True)
class AddFuncDataFlowEdgesPass(ModulePass):
    """
    Insert a `sdy.func_data_flow_edge` on every result of a call, and on every argument of a function but the main one.

    The main function is the only one of its module, or the one called `main`.
    """

    name = "sdy-add-func-data-flow-edges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        main = main_function(op)
        calls = tuple(calls_in(op))
        for function in functions_of(op).values():
            if function is not main and function.body.blocks:
                add_edges(function.body.block.args, InsertPoint.at_start(function.body.block))
        for call in calls:
            add_edges(call.results, InsertPoint.after(call))
