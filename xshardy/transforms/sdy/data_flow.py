"""
Data flow edges: which values of a loop, a branch or a body are sharded alike.

An edge has sources (values that flow in), targets (values that come out, or enter a region), and one target that owns
it. Operations of sdy implement `ShardableDataFlowOpInterface`. Operations of StableHLO have a row in
`STABLEHLO_DATA_FLOWS`: their results own the edges. Every function is linear in the values of one operation.
Source: rows SDY-IF-01, SDY-PASS-01 and SDY-OP-07.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from xdsl.ir import BlockArgument, Operation, OpResult, Region, SSAValue

from xshardy.dialects.sdy.interfaces import ShardableDataFlowOpInterface
from xshardy.dialects.sdy.ops import DataFlowEdgeOp
from xshardy.dialects.stablehlo.control_flow import CaseOp, OptimizationBarrierOp, WhileOp


@dataclass(frozen=True, slots=True)
class ResultDataFlow:
    """
    The data flow of an operation whose results own its edges.

    The sources of the edge of result `i` are operand `i` of the terminator of each of `feeding`, and operand `i` of
    `op` if `reads_operands`. Argument `i` of each region is a target of the edge as well.
    """

    op: Operation
    feeding: Sequence[Region] = ()
    reads_operands: bool = False

    def owner_of(self, target: SSAValue) -> SSAValue:
        """The owner of the edge that `target`, a result or an argument of a region, belongs to."""
        return self.op.results[target.index] if isinstance(target, BlockArgument) else target

    def sources(self, owner: SSAValue) -> Sequence[SSAValue]:
        """The sources of the edge that `owner` owns; none if it is an argument of a region, which owns no edge."""
        if not isinstance(owner, OpResult):
            return ()
        index = owner.index
        terminators = (region.block.last_op for region in self.feeding)
        returned = tuple(end.operands[index] for end in terminators if end is not None)
        return (self.op.operands[index], *returned) if self.reads_operands else returned


def _while_flow(op: Operation) -> ResultDataFlow:
    return ResultDataFlow(op, op.regions[1:], reads_operands=True)


def _case_flow(op: Operation) -> ResultDataFlow:
    return ResultDataFlow(op, op.regions)


def _barrier_flow(op: Operation) -> ResultDataFlow:
    return ResultDataFlow(op, reads_operands=True)


STABLEHLO_DATA_FLOWS: Mapping[type, Callable[[Any], ResultDataFlow]] = {
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
    """The sources of the edge that `owner` owns: operands of its operation, and values that its regions return."""
    op = operation_around(owner)
    if isinstance(op, ShardableDataFlowOpInterface):
        return op.edge_sources(owner)
    flow = STABLEHLO_DATA_FLOWS.get(type(op))
    return () if flow is None else flow(op).sources(owner)


def has_data_flow(op: Operation | None) -> bool:
    """Whether values flow through `op` along data flow edges."""
    return op is not None and _flows_through(type(op))


@cache
def _flows_through(op_type: type[Operation]) -> bool:
    return issubclass(op_type, ShardableDataFlowOpInterface) or op_type in STABLEHLO_DATA_FLOWS


def operation_around(value: SSAValue) -> Operation | None:
    """The operation that produces `value`, or the one whose region `value` is an argument of."""
    return value.block.parent_op() if isinstance(value, BlockArgument) else value.owner  # pyright: ignore[reportReturnType]


def owner_of(target: SSAValue) -> SSAValue | None:
    """The owner of the data flow edge that `target` belongs to; None if it belongs to none."""
    op = operation_around(target)
    if not has_data_flow(op):  # most operations: this is one look-up
        return None
    if isinstance(op, ShardableDataFlowOpInterface):
        return op.edge_owner_from_target(target)
    return STABLEHLO_DATA_FLOWS[type(op)](op).owner_of(target)


def edge_of(target: SSAValue) -> DataFlowEdgeOp | None:
    """The operation that stands for the data flow edge that `target` belongs to; None if there is none yet."""
    owner = owner_of(target)
    return None if owner is None else edge_of_owner(owner)


def edge_of_owner(owner: SSAValue) -> DataFlowEdgeOp | None:
    """The operation that stands for the edge that `owner` owns; None if there is none yet."""
    user = owner.get_user_of_unique_use()
    return user if isinstance(user, DataFlowEdgeOp) else None
