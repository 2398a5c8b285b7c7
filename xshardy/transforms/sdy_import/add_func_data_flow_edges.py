"""Insert a `sdy.func_data_flow_edge` for what flows between functions. Source: Shardy's docs, "Import passes"."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import FuncDataFlowEdgeOp
from xshardy.dialects.sdy.value_shardings import SHARDING, get_sharding
from xshardy.dialects.shapes import has_static_shape
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.sdy.function_body import body_of
from xshardy.transforms.sdy.main_function import main_of
from xshardy.transforms.sdy.uses import replace_other_uses


def add_edges(values: Sequence[SSAValue], place: InsertPoint, rewriter: PatternRewriter) -> None:
    """`f(x)` -> `f(func_data_flow_edge(x))` for each of `values`, in order; the edge takes the sharding of `x`."""
    for value in values:
        if not has_static_shape(value):
            continue
        edge = FuncDataFlowEdgeOp(value)
        if (sharding := get_sharding(value)) is not None:
            edge.attributes[SHARDING] = TensorShardingPerValueAttr([sharding])
        rewriter.insert(edge, place)
        replace_other_uses(value, edge.result, edge, rewriter)


@dataclass(frozen=True)
class AddArgumentEdges(RewritePattern):
    """`func @f(x) { g(x) }` -> `func @f(x) { g(func_data_flow_edge(x)) }`, unless `@f` is the main function."""

    main: FuncOp | None

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /) -> None:
        if op is not self.main and op.body.blocks:
            body = body_of(op)
            add_edges(body.args, InsertPoint.at_start(body), rewriter)


class AddCallEdges(RewritePattern):
    """`g(call @f())` -> `g(func_data_flow_edge(call @f()))`"""

    @match_op_type
    def match_and_rewrite(self, op: CallOp, rewriter: PatternRewriter, /) -> None:
        add_edges(op.results, InsertPoint.after(op), rewriter)


class AddFuncDataFlowEdgesPass(PatternPass):
    """
    Insert a `sdy.func_data_flow_edge` on every result of a call, and on every argument of a function but the main one.

    The main function is the only one of its module, or the one called `main`.
    """

    name = "sdy-add-func-data-flow-edges"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-add-func-data-flow-edges'

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        functions = functions_of(module)
        return AddArgumentEdges(main_of(functions) if functions else None), AddCallEdges()
