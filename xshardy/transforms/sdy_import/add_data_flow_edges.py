"""Insert a `sdy.data_flow_edge` for every data flow edge. Source: row SDY-PASS-01."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.interfaces import ShardableDataFlowOpInterface
from xshardy.dialects.sdy.ops import DataFlowEdgeOp
from xshardy.dialects.shapes import has_static_shape
from xshardy.ir import add_operands, new_operation
from xshardy.rewriting import PatternPass
from xshardy.transforms.sdy.data_flow import STABLEHLO_DATA_FLOWS, argument_owners, result_owners
from xshardy.transforms.sdy.shardable_values import owner_sharding
from xshardy.transforms.sdy.uses import insert_point_after


def needs_edge(owner: SSAValue) -> bool:
    """Whether `owner` can be sharded and has no edge yet."""
    return has_static_shape(owner) and not isinstance(owner.get_user_of_unique_use(), DataFlowEdgeOp)


@dataclass(frozen=True)
class AddDataFlowEdges(RewritePattern):
    """
    `f(while(x))` -> `f(data_flow_edge(while(x)) sharding=s)`, for each owner of an edge: a result or a block argument.

    `s` is the sharding of the owner, without manual axes inside of a manual computation. Owners without a static shape
    get no edge; an owner that has one keeps it, so that edges can be added again when new operations have edges.
    """

    op_types: tuple[type, ...] = (ShardableDataFlowOpInterface, *STABLEHLO_DATA_FLOWS)
    """The operations whose edges are added."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        for owners in (argument_owners(op), result_owners(op)):
            # The edge of the last owner comes first: each is inserted right after the owner, or the start of the block.
            for owner in reversed([owner for owner in owners if needs_edge(owner)]):
                sharding = owner_sharding(owner)
                properties: dict[str, Attribute] = {} if sharding is None else {"sharding": sharding}
                edge = new_operation(DataFlowEdgeOp, (), (owner.type,), properties)
                rewriter.replace_all_uses_with(owner, edge.results[0])
                add_operands(edge, (owner,))
                rewriter.insert(edge, insert_point_after(owner))


class AddDataFlowEdgesPass(PatternPass):
    """Insert a `sdy.data_flow_edge` on every value that owns a data flow edge, with the sharding of the owner."""

    name = "sdy-add-data-flow-edges"
    source: ClassVar[str] = 'Shardy, "Import passes", sdy-add-data-flow-edges (SDY-PASS-01)'
    fixed_patterns = (AddDataFlowEdges(),)
