"""Take out the data flow edges, and give their shardings to what they stand for. Source: row SDY-OP-07."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.attributes.edges import PropagationEdgesAttr
from xshardy.dialects.sdy.attributes.sharding import (
    DimensionShardingAttr,
    TensorShardingAttr,
    TensorShardingPerValueAttr,
)
from xshardy.dialects.sdy.ops import DataFlowEdgeOp, ManualComputationOp, NamedComputationOp
from xshardy.dialects.sdy.value_shardings import (
    BLOCK_ARG_PROPAGATION_EDGES,
    PROPAGATION_EDGES,
    RESULT_PROPAGATION_EDGES,
    SHARDING,
)
from xshardy.rewriting.walk import operations_in, operations_of
from xshardy.transforms.sdy.data_flow import argument_owners, edge_of, has_data_flow, result_owners
from xshardy.transforms.sdy.shapes import rank_of
from xshardy.transforms.sdy.sharding_origins import (
    BLOCK_ARG_SHARDING_ORIGINS,
    RESULT_SHARDING_ORIGINS,
    SHARDING_ORIGINS,
)
from xshardy.transforms.sdy.shardings import priority_of


def edges_of(owners: Sequence[SSAValue]) -> Iterator[DataFlowEdgeOp]:
    """The edges that `owners` have, in their order."""
    return (edge for owner in owners if (edge := edge_of(owner)) is not None)


def shardings_on_edges(owners: Sequence[SSAValue]) -> Sequence[TensorShardingAttr]:
    """A sharding for each of `owners`, fully open where its edge has none; nothing if no edge has one."""
    edges = [edge_of(owner) for owner in owners]
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
    """`inner`, of an argument of the body, as the operand has it: with the manual axes of `outer` in front."""
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


def sink_into(op: Operation) -> None:
    """Give the arguments and results of `op` the shardings that stand on their edges."""
    if of_arguments := shardings_on_edges(argument_owners(op)):
        if isinstance(op, ManualComputationOp):
            pairs = zip(of_arguments, op.in_shardings.shardings, strict=True)
            op.in_shardings = TensorShardingPerValueAttr(with_manual_axes(inner, outer, op) for inner, outer in pairs)
        elif isinstance(op, NamedComputationOp):
            op.in_shardings = TensorShardingPerValueAttr(of_arguments)
    if of_results := shardings_on_edges(result_owners(op)):
        attribute = TensorShardingPerValueAttr(of_results)
        if isinstance(op, ManualComputationOp | NamedComputationOp):
            op.out_shardings = attribute
        else:
            op.attributes[SHARDING] = attribute


def _listed(owners: Sequence[SSAValue], name: str) -> ArrayAttr[Attribute]:
    """The debugging records called `name` on the edges of `owners`; as upstream, those that there are."""
    found = (edge.attributes.get(name) for edge in edges_of(owners))
    return ArrayAttr(
        record
        for record in found
        if record is not None and not (isinstance(record, PropagationEdgesAttr) and not record.steps.data)
    )


@dataclass(frozen=True)
class SinkDataFlowEdgesPass(ModulePass):
    """Replace each `sdy.data_flow_edge` by its operand, which gets its sharding. The options keep debugging records."""

    name = "sdy-sink-data-flow-edges"
    sink_debug_sharding_origins: bool = False
    sink_debug_propagation_edge_sharding: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in operations_in(op):
            if has_data_flow(inner):
                sink_into(inner)
                self._sink_records(inner)
        for edge in list(operations_of(op, DataFlowEdgeOp)):
            edge.result.replace_all_uses_with(edge.input)
            Rewriter.erase_op(edge)

    def _sink_records(self, op: Operation) -> None:
        arguments, results = argument_owners(op), result_owners(op)
        if self.sink_debug_sharding_origins:
            op.attributes[BLOCK_ARG_SHARDING_ORIGINS] = _listed(arguments, SHARDING_ORIGINS)
            op.attributes[RESULT_SHARDING_ORIGINS] = _listed(results, SHARDING_ORIGINS)
        if self.sink_debug_propagation_edge_sharding:
            op.attributes[BLOCK_ARG_PROPAGATION_EDGES] = _listed(arguments, PROPAGATION_EDGES)
            op.attributes[RESULT_PROPAGATION_EDGES] = _listed(results, PROPAGATION_EDGES)
