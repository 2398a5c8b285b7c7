"""Insert a `sdy.data_flow_edge` for every data flow edge. Source: row SDY-PASS-01."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.rewriting.walk import operations_in
from xshardy.transforms.sdy.data_flow_edges import add_data_flow_edges, has_data_flow


@dataclass(frozen=True)
class AddDataFlowEdgesPass(ModulePass):
    """Insert a `sdy.data_flow_edge` on every value that owns a data flow edge; it takes the sharding of its owner."""

    name = "sdy-add-data-flow-edges"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in [inner for inner in operations_in(op) if has_data_flow(inner)]:
            add_data_flow_edges(inner)
