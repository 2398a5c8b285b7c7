"""
Data flow edges: which values of a loop, a branch or a body are sharded alike, and where their sharding is kept.

Operations of sdy implement `ShardableDataFlowOpInterface` themselves. Those of StableHLO have a row in
`STABLEHLO_DATA_FLOWS`: their results own the edges. Everything here is linear in the values of one operation.
Source: rows SDY-IF-01, SDY-PASS-01 and SDY-OP-07.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ShapedType
from xdsl.dialects.func import FuncOp
from xdsl.ir import BlockArgument, Operation, OpResult, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from xshardy.dialects.function_attributes import add_argument_attributes
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.interfaces import CollectiveOpInterface, ShardableDataFlowOpInterface
from xshardy.dialects.sdy.ops import DataFlowEdgeOp
from xshardy.dialects.sdy.value_shardings import SHARDING, local_sharding
from xshardy.dialects.stablehlo.control_flow import CaseOp, OptimizationBarrierOp, WhileOp


@dataclass(frozen=True, slots=True)
class ResultDataFlow:
    """
    The data flow of an operation whose results own its edges.

    Result `i` is fed by operand `i` if `reads_operands`, and by operand `i` of what ends each of `feeding` regions. If
    `enters_regions`, argument `i` of each region is a target of the edge as well.
    """

    op: Operation
    feeding: Sequence[Region] = ()
    reads_operands: bool = False
    enters_regions: bool = False

    @property
    def argument_owners(self) -> Sequence[BlockArgument]:
        return ()

    def owner_of(self, target: SSAValue) -> SSAValue | None:
        """The owner of the edge that `target`, a result or an argument of a region, belongs to."""
        if isinstance(target, BlockArgument):
            return self.op.results[target.index] if self.enters_regions else None
        return target

    def sources(self, owner: SSAValue) -> Sequence[SSAValue]:
        """What flows into the edge that `owner` owns."""
        assert isinstance(owner, OpResult)
        index = owner.index
        terminators = (region.block.last_op for region in self.feeding)
        returned = tuple(end.operands[index] for end in terminators if end is not None)
        return (self.op.operands[index], *returned) if self.reads_operands else returned


def _while_flow(op: Operation) -> ResultDataFlow:
    return ResultDataFlow(op, op.regions[1:], reads_operands=True, enters_regions=True)


def _case_flow(op: Operation) -> ResultDataFlow:
    return ResultDataFlow(op, op.regions)


def _barrier_flow(op: Operation) -> ResultDataFlow:
    return ResultDataFlow(op, reads_operands=True)


STABLEHLO_DATA_FLOWS: Mapping[type[Operation], Callable[[Operation], ResultDataFlow]] = {
    CaseOp: _case_flow,
    OptimizationBarrierOp: _barrier_flow,
    WhileOp: _while_flow,
}


def argument_owners(op: Operation) -> Sequence[SSAValue]:
    """The arguments of the regions of `op` that own a data flow edge."""
    return op.block_argument_edge_owners() if isinstance(op, ShardableDataFlowOpInterface) else ()


def result_owners(op: Operation) -> Sequence[SSAValue]:
    """The results of `op` that own a data flow edge."""
    if isinstance(op, ShardableDataFlowOpInterface):
        return op.op_result_edge_owners()
    return op.results if type(op) in STABLEHLO_DATA_FLOWS else ()


def sources_of(owner: SSAValue) -> Sequence[SSAValue]:
    """What flows into the edge that `owner` owns: operands of its operation, and values that its regions return."""
    op = _operation_around(owner)
    if isinstance(op, ShardableDataFlowOpInterface):
        return op.edge_sources(owner)
    flow = STABLEHLO_DATA_FLOWS.get(type(op)) if op is not None else None
    return flow(op).sources(owner) if flow is not None and op is not None else ()


def has_data_flow(op: Operation | None) -> bool:
    """Whether values flow through `op` along data flow edges."""
    return isinstance(op, ShardableDataFlowOpInterface) or type(op) in STABLEHLO_DATA_FLOWS


def _operation_around(value: SSAValue) -> Operation | None:
    """What produces `value`, or the operation whose region it is an argument of."""
    return value.block.parent_op() if isinstance(value, BlockArgument) else value.owner  # pyright: ignore[reportReturnType]


def owner_of(target: SSAValue) -> SSAValue | None:
    """The owner of the data flow edge that `target` belongs to; None if it belongs to none."""
    op = _operation_around(target)
    if isinstance(op, ShardableDataFlowOpInterface):
        return op.edge_owner_from_target(target)
    flow = STABLEHLO_DATA_FLOWS.get(type(op)) if op is not None else None
    return flow(op).owner_of(target) if flow is not None and op is not None else None


def edge_of(target: SSAValue) -> DataFlowEdgeOp | None:
    """The operation that stands for the data flow edge that `target` belongs to; None if there is none yet."""
    owner = owner_of(target)
    user = owner.get_user_of_unique_use() if owner is not None else None
    return user if isinstance(user, DataFlowEdgeOp) else None


def owner_sharding(owner: SSAValue) -> TensorShardingAttr | None:
    """The sharding that the owner of an edge has itself, without manual axes inside of a manual computation."""
    return local_sharding(owner)


def shardable_value(value: SSAValue) -> SSAValue | None:
    """
    The value that carries the sharding of `value`: the edge it belongs to, or itself.

    None for an argument of a region that no edge enters, such as the body of a reduction.
    """
    if (edge := edge_of(value)) is not None:
        return edge.result
    if isinstance(value, OpResult) or isinstance(_operation_around(value), FuncOp):
        return value
    return owner_of(value)


def sharding_of(value: SSAValue) -> TensorShardingAttr | None:
    """The sharding of `value`, which the data flow edge holds that it belongs to."""
    carrier = shardable_value(value)
    return None if carrier is None else owner_sharding(carrier)


def set_sharding(value: SSAValue, sharding: TensorShardingAttr) -> None:
    """Give `value` a sharding, where `sharding_of` finds it. Nothing happens where nothing can carry one."""
    carrier = shardable_value(value)
    if carrier is None:
        return
    if isinstance(carrier, BlockArgument):
        around = carrier.block.parent_op()
        if isinstance(around, FuncOp):
            add_argument_attributes(around, {carrier.index: {SHARDING: sharding}})
        elif isinstance(around, ShardableDataFlowOpInterface):
            around.set_edge_owner_sharding(carrier, sharding)
        return
    op = carrier.owner
    assert isinstance(op, Operation) and isinstance(carrier, OpResult)
    if isinstance(op, CollectiveOpInterface):
        op.properties["out_sharding"] = sharding
    elif "sharding" in op.properties or isinstance(op, DataFlowEdgeOp):
        op.properties["sharding"] = sharding
    elif isinstance(op, ShardableDataFlowOpInterface):
        op.set_edge_owner_sharding(carrier, sharding)
    else:
        set_result_shardings(op, {carrier.index: sharding})


def set_result_shardings(op: Operation, by_index: Mapping[int, TensorShardingAttr]) -> None:
    """Write these into `sdy.sharding` of `op`, all in one go; other results without one become fully open."""
    known = op.attributes.get(SHARDING)
    if isinstance(known, TensorShardingPerValueAttr):
        others = known.shardings.data
    else:
        mesh = next(iter(by_index.values())).mesh_or_ref
        others = [TensorShardingAttr.fully_open(mesh, rank_of(result)) for result in op.results]
    op.attributes[SHARDING] = TensorShardingPerValueAttr(by_index.get(i, other) for i, other in enumerate(others))


def shape_of(value: SSAValue) -> Sequence[int]:
    """The shape of `value`, in elements; `()` for what is not a tensor."""
    return value.type.get_shape() if isinstance(value.type, ShapedType) else ()


def rank_of(value: SSAValue) -> int:
    """The number of dimensions of `value`; 0 for what is not a tensor."""
    return len(shape_of(value))


def has_static_shape(value: SSAValue) -> bool:
    """Whether `value` is a tensor all of whose dimensions are known: tokens and dynamic tensors are not sharded."""
    return isinstance(value.type, ShapedType) and value.type.has_static_shape()


def insert_point_after(value: SSAValue) -> InsertPoint:
    """Right after what produces `value`, or the start of the block that it is an argument of."""
    if isinstance(value, BlockArgument):
        return InsertPoint.at_start(value.block)
    assert isinstance(value.owner, Operation)
    return InsertPoint.after(value.owner)


def replace_other_uses(value: SSAValue, by: SSAValue, user: Operation) -> None:
    """Let everything but `user` read `by` instead of `value`."""
    value.replace_uses_with_if(by, lambda use: use.operation is not user)


def add_data_flow_edges(op: Operation) -> None:
    """Insert the edges that values of `op` own, each with the sharding that its owner has."""
    for owners in (argument_owners(op), result_owners(op)):
        for owner in reversed([owner for owner in owners if has_static_shape(owner)]):
            edge = DataFlowEdgeOp(owner, owner_sharding(owner))
            Rewriter.insert_op(edge, insert_point_after(owner))
            replace_other_uses(owner, edge.result, edge)
