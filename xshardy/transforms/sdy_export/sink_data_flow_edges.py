"""Replace data flow edges by their inputs, and give their shardings to the owners. Source: SDY-OP-07."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.edges import PropagationEdgesAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.interfaces import ShardableDataFlowOpInterface
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, ManualComputationOp, NamedComputationOp
from xshardy.dialects.sdy.value_shardings import (
    BLOCK_ARG_PROPAGATION_EDGES,
    PROPAGATION_EDGES,
    RESULT_PROPAGATION_EDGES,
    SHARDING,
)
from xshardy.dialects.shapes import rank_of
from xshardy.ir import new_attribute
from xshardy.rewriting import PatternPass, Step, match_op_type
from xshardy.transforms.sdy.data_flow import STABLEHLO_DATA_FLOWS, argument_owners, edge_of_owner, result_owners
from xshardy.transforms.sdy.sharding_origins import (
    BLOCK_ARG_SHARDING_ORIGINS,
    RESULT_SHARDING_ORIGINS,
    SHARDING_ORIGINS,
)
from xshardy.transforms.sdy.shardings import priority_of

FLOW_OPS: tuple[type, ...] = (ShardableDataFlowOpInterface, *STABLEHLO_DATA_FLOWS)
"""The operations that own data flow edges."""


def shardings_on_edges(owners: Sequence[SSAValue]) -> Sequence[TensorShardingAttr]:
    """A sharding for each of `owners`, fully open if its edge has none; empty if no edge has a sharding."""
    edges = [edge_of_owner(owner) for owner in owners]
    known = [None if edge is None else edge.sharding for edge in edges]
    mesh = next((sharding.mesh_or_ref for sharding in known if sharding is not None), None)
    if mesh is None:
        return ()
    return [
        TensorShardingAttr.fully_open(mesh, rank_of(owner)) if sharding is None else sharding
        for owner, sharding in zip(owners, known, strict=True)
    ]


def with_manual_axes(
    inner: TensorShardingAttr, outer: TensorShardingAttr, computation: ManualComputationOp
) -> TensorShardingAttr:
    """
    The sharding of an operand: `inner`, that of the argument of the body, with the manual axes of `outer` in front.
    """
    manual = set(computation.manual_axes.names)
    dims = (
        DimensionShardingAttr(
            [*(axis for axis in around.axes if axis.axis.data in manual), *dim.axes],
            is_closed=bool(dim.is_closed),
            priority=priority_of(dim),
        )
        for dim, around in zip(inner.dim_shardings, outer.dim_shardings, strict=True)
    )
    return TensorShardingAttr(
        inner.mesh_or_ref, dims, outer.replicated_axes, outer.unreduced_axes, outer.reduction_op.data
    )


class SinkIntoManualComputation(RewritePattern):
    """
    `%0 = manual_computation(%x) (%y) { data_flow_edge %y S }; data_flow_edge %0 T`
    -> `%0 = manual_computation(%x) in=[S] out=[T] (%y) { data_flow_edge %y S }; data_flow_edge %0 T`

    The shardings of operands keep their manual axes.
    """

    @match_op_type
    def match_and_rewrite(self, op: ManualComputationOp, rewriter: PatternRewriter, /) -> None:
        if of_arguments := shardings_on_edges(argument_owners(op)):
            pairs = zip(of_arguments, op.in_shardings.shardings, strict=True)
            op.in_shardings = TensorShardingPerValueAttr(with_manual_axes(inner, outer, op) for inner, outer in pairs)
        if of_results := shardings_on_edges(result_owners(op)):
            op.out_shardings = TensorShardingPerValueAttr(of_results)
        if of_arguments or of_results:
            rewriter.notify_op_modified(op)


class SinkIntoNamedComputation(RewritePattern):
    """
    `%0 = named_computation(%x) (%y) { data_flow_edge %y S }; data_flow_edge %0 T`
    -> `%0 = named_computation(%x) in=[S] out=[T] (%y) { data_flow_edge %y S }; data_flow_edge %0 T`
    """

    @match_op_type
    def match_and_rewrite(self, op: NamedComputationOp, rewriter: PatternRewriter, /) -> None:
        if of_arguments := shardings_on_edges(argument_owners(op)):
            op.in_shardings = new_attribute(TensorShardingPerValueAttr, ArrayAttr(of_arguments))
        if of_results := shardings_on_edges(result_owners(op)):
            op.out_shardings = new_attribute(TensorShardingPerValueAttr, ArrayAttr(of_results))
        if of_arguments or of_results:
            rewriter.notify_op_modified(op)


class SinkIntoResults(RewritePattern):
    """`%0 = while(%x); data_flow_edge %0 S` -> `%0 = while(%x) {S}; data_flow_edge %0 S`"""

    op_types: ClassVar[tuple[type, ...]] = FLOW_OPS

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if of_results := shardings_on_edges(result_owners(op)):
            op.attributes[SHARDING] = TensorShardingPerValueAttr(of_results)
            rewriter.notify_op_modified(op)


class EraseEdge(RewritePattern):
    """`f(data_flow_edge x)` -> `f(x)`"""

    @match_op_type
    def match_and_rewrite(self, op: DataFlowEdgeOp, rewriter: PatternRewriter, /) -> None:
        rewriter.replace_all_uses_with(op.result, op.input)
        rewriter.erase(op)


# -- Debugging records ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SinkRecords(RewritePattern):
    """`%0 = while(%x); data_flow_edge %0 {RECORD}` -> `%0 = while(%x) {[RECORD]}; data_flow_edge %0 {RECORD}`"""

    record: str
    """The name of the record on edges."""
    of_arguments: str
    of_results: str
    """The names of the lists of records on operations."""

    op_types: ClassVar[tuple[type, ...]] = FLOW_OPS

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if isinstance(op, FLOW_OPS):
            op.attributes[self.of_arguments] = records_on_edges(argument_owners(op), self.record)
            op.attributes[self.of_results] = records_on_edges(result_owners(op), self.record)
            rewriter.notify_op_modified(op)


def records_on_edges(owners: Sequence[SSAValue], name: str) -> ArrayAttr[Attribute]:
    """The debugging records called `name` on the edges of `owners`; as upstream, missing records leave no gap."""
    found = (edge.attributes.get(name) for edge in edges_of(owners))
    return ArrayAttr(
        record
        for record in found
        if record is not None and not (isinstance(record, PropagationEdgesAttr) and not record.steps.data)
    )


def edges_of(owners: Sequence[SSAValue]) -> Iterator[DataFlowEdgeOp]:
    """The edges of `owners`, in their order."""
    return (edge for owner in owners if (edge := edge_of_owner(owner)) is not None)


@dataclass(frozen=True)
class SinkDataFlowEdgesPass(PatternPass):
    """
    Replace each `sdy.data_flow_edge` by its operand, and give its sharding to the owner. The options keep debugging
    records.
    """

    name = "sdy-sink-data-flow-edges"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-sink-data-flow-edges'
    sink_debug_sharding_origins: bool = False
    sink_debug_propagation_edge_sharding: bool = False

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        if self.sink_debug_sharding_origins:
            yield Step([SinkRecords(SHARDING_ORIGINS, BLOCK_ARG_SHARDING_ORIGINS, RESULT_SHARDING_ORIGINS)])
        if self.sink_debug_propagation_edge_sharding:
            yield Step([SinkRecords(PROPAGATION_EDGES, BLOCK_ARG_PROPAGATION_EDGES, RESULT_PROPAGATION_EDGES)])
        # An operation precedes its edges in the text, so the walk visits it before they are erased. Only the first
        # pattern that applies to it changes it: the last one leaves computations alone.
        yield Step([SinkIntoManualComputation(), SinkIntoNamedComputation(), SinkIntoResults(), EraseEdge()])
