"""Take out the data flow edges between functions, and give their shardings to what flows into them."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, OpResult
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.function_attributes import add_argument_attributes
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import FuncDataFlowEdgeOp
from xshardy.dialects.sdy.value_shardings import SHARDING, get_sharding
from xshardy.rewriting.walk import operations_of
from xshardy.transforms.sdy.shardable_values import set_result_shardings

Shardings = Mapping[int, TensorShardingAttr]
"""New shardings of the arguments of a function, or of the results of a call, by index."""


def _sharding_for_input(edge: FuncDataFlowEdgeOp) -> TensorShardingAttr | None:
    """The sharding of `edge`; fully open if it has none but its input has; None if its input is to have none either."""
    if (sharding := get_sharding(edge.result)) is not None:
        return sharding
    known = get_sharding(edge.input)
    return None if known is None else TensorShardingAttr.fully_open(known.mesh_or_ref, known.rank)


def shardings_on_func_edges(module: ModuleOp) -> Mapping[Operation, Shardings]:
    """What each function and call of `module` gets from the edges on its arguments or results."""
    found: dict[Operation, dict[int, TensorShardingAttr]] = {}
    for edge in operations_of(module, FuncDataFlowEdgeOp):
        owner, sharding = edge.input, _sharding_for_input(edge)
        holder = owner.block.parent_op() if isinstance(owner, BlockArgument) else owner.owner
        if sharding is not None and isinstance(owner, BlockArgument | OpResult) and isinstance(holder, Operation):
            found.setdefault(holder, {})[owner.index] = sharding
    return found


@dataclass(frozen=True)
class SinkFuncDataFlowEdgesPass(ModulePass):
    """Replace each `sdy.func_data_flow_edge` by its operand, which gets its sharding."""

    name = "sdy-sink-func-data-flow-edges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for holder, shardings in shardings_on_func_edges(op).items():
            if isinstance(holder, FuncOp):
                add_argument_attributes(holder, {index: {SHARDING: each} for index, each in shardings.items()})
            else:
                set_result_shardings(holder, shardings)
        for edge in list(operations_of(op, FuncDataFlowEdgeOp)):
            Rewriter.replace_op(edge, (), [edge.input])
