"""Replace the data flow edges between functions by their inputs, and give their shardings to functions and calls."""

from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, OpResult
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.function_attributes import add_argument_attributes
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import FuncDataFlowEdgeOp
from xshardy.dialects.sdy.value_shardings import SHARDING, get_sharding
from xshardy.rewriting import DecisionPattern, PatternPass, match_op_type
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy.shardable_values import set_result_shardings

Shardings = Mapping[int, TensorShardingAttr]
"""New shardings of the arguments of a function, or of the results of a call, by index."""


def _sharding_for_input(edge: FuncDataFlowEdgeOp) -> TensorShardingAttr | None:
    """The sharding of `edge`; fully open if it has none but its input has one; None if neither has one."""
    if (sharding := get_sharding(edge.result)) is not None:
        return sharding
    known = get_sharding(edge.input)
    return None if known is None else TensorShardingAttr.fully_open(known.mesh_or_ref, known.rank)


def shardings_on_func_edges(module: ModuleOp) -> Mapping[Operation, Shardings]:
    """The new shardings of each function and call of `module` that has edges on its arguments or results."""
    found: dict[Operation, dict[int, TensorShardingAttr]] = {}
    for edge in operations_of(module, FuncDataFlowEdgeOp):
        owner, sharding = edge.input, _sharding_for_input(edge)
        holder = owner.block.parent_op() if isinstance(owner, BlockArgument) else owner.owner
        if sharding is not None and isinstance(owner, BlockArgument | OpResult) and isinstance(holder, Operation):
            found.setdefault(holder, {})[owner.index] = sharding
    return found


class SinkIntoOwner(DecisionPattern[Operation, Shardings]):
    """
    `%0 = call @f(); func_data_flow_edge %0 S` -> `%0 = call @f() {S}; func_data_flow_edge %0 S`

    The same for the arguments of a function.
    """

    def rewrite(self, op: Operation, decision: Shardings, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, FuncOp):
            add_argument_attributes(op, {index: {SHARDING: sharding} for index, sharding in decision.items()})
        else:
            set_result_shardings(op, decision)
        rewriter.notify_op_modified(op)


class EraseFuncEdge(RewritePattern):
    """`f(func_data_flow_edge x)` -> `f(x)`"""

    @match_op_type
    def match_and_rewrite(self, op: FuncDataFlowEdgeOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace(op, (), [op.input])


class SinkFuncDataFlowEdgesPass(PatternPass):
    """Replace each `sdy.func_data_flow_edge` by its operand, and give that its sharding."""

    name = "sdy-sink-func-data-flow-edges"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-sink-func-data-flow-edges'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return SinkIntoOwner(shardings_on_func_edges(module)), EraseFuncEdge()
