"""
The properties of operations that propagation depends on: elementwise or not, with a rule or not, and the op priority.

Source: Shardy's docs, "Sharding propagation", section "Operation priorities". Elementwise are the operations that
StableHLO and CHLO declare so, and those of sdy whose result is their operand.
"""

from functools import cache
from typing import NamedTuple

from xdsl.dialects.func import CallOp
from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from xshardy.dialects.chlo.broadcasting import BroadcastBinaryOp, BroadcastSelectOp
from xshardy.dialects.chlo.constants import ConstantLikeOp
from xshardy.dialects.chlo.elementwise import BinaryFunctionOp
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.sdy import ops as sdy
from xshardy.dialects.sdy.interfaces import CollectiveOpInterface, ShardableDataFlowOpInterface
from xshardy.dialects.sdy.ops import (
    DataFlowEdgeOp,
    FuncDataFlowEdgeOp,
    PropagationBarrierOp,
    ReshardOp,
    ShardingConstraintOp,
)
from xshardy.dialects.shapes import rank_of, shape_of
from xshardy.dialects.stablehlo import nullary as stablehlo
from xshardy.dialects.stablehlo.async_ops import AsyncStartOp
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.dialects.stablehlo.shape import BitcastConvertOp, BroadcastInDimOp, ConcatenateOp, ReshapeOp, TransposeOp
from xshardy.dialects.stablehlo.slicing import DynamicSliceOp, DynamicUpdateSliceOp
from xshardy.ir.fields import operands_of
from xshardy.sharding.priorities import OpKind
from xshardy.transforms.sdy.data_flow import STABLEHLO_DATA_FLOWS

ALSO_ELEMENTWISE = (
    *(BroadcastBinaryOp, BroadcastSelectOp, ConstantLikeOp),
    *(PropagationBarrierOp, ReshardOp, ShardingConstraintOp),
)
"""Operations that upstream treats as elementwise, though they broadcast their operands or compute nothing."""

NOT_ELEMENTWISE = (BinaryFunctionOp,)
"""`Elementwise` operations that upstream does not declare elementwise."""

HAS_OWN_SHARDING = (ShardingConstraintOp, ReshardOp, CollectiveOpInterface)
"""Operations that keep the sharding of their result as a property."""

EDGES = (DataFlowEdgeOp, FuncDataFlowEdgeOp)
"""Operations that represent an edge, whose sources are not their operands."""

CONSTANTS = (sdy.ConstantOp, stablehlo.ConstantOp, stablehlo.IotaOp)
"""Operations without operands."""

RULE_READS_DEFINITIONS = (ConcatenateOp, DynamicUpdateSliceOp)
"""Operations whose rule depends on whether their operands are slices of one tensor, or constants."""

KINDS = {
    OpKind.PASS_THROUGH: (ReshapeOp, TransposeOp),
    OpKind.DYNAMIC_SLICE: (DynamicSliceOp, DynamicUpdateSliceOp),
    OpKind.BROADCAST: (BroadcastInDimOp,),
}
"""The kinds of operations that are not elementwise."""

OFFLOADS = ("MoveToDevice", "MoveToHost")
"""The targets of custom calls that move a tensor to another memory."""


class OpTraits(NamedTuple):
    """Properties of a class of operations that propagation reads often."""

    is_plain: bool
    """Whether none of the special cases below applies, and its rule follows from types and properties."""
    has_flow: bool
    """Whether values flow through it along data flow edges."""
    has_own_sharding: bool
    """Whether the sharding of its result is a property."""
    is_edge: bool
    """Whether it represents an edge, whose sources are not its operands."""
    forwards_operands: bool
    """Whether its operands become other values: of a region, of a called function, or of the operation it ends."""
    is_call: bool
    """Whether it is a call of a function."""
    is_async_start: bool
    """Whether it starts an asynchronous operation: the arguments of its region are its operands."""
    has_no_rule: bool
    """Whether it never has a rule."""
    rule_reads_definitions: bool
    """Whether its rule depends on the definitions of its operands, not only on types and properties."""
    is_elementwise: bool
    """Whether it is elementwise; a bitcast is so only if it keeps the shape."""
    kind: OpKind
    """Its kind for op priorities, unless it is elementwise or an offloading custom call."""


@cache
def traits_of(op: type[Operation]) -> OpTraits:
    """The traits of the operations of a class."""
    has_flow = issubclass(op, ShardableDataFlowOpInterface) or op in STABLEHLO_DATA_FLOWS
    forwards_operands = has_flow or issubclass(op, CallOp) or op.has_trait(IsTerminator, value_if_unregistered=False)
    has_own_sharding, is_edge = issubclass(op, HAS_OWN_SHARDING), issubclass(op, EDGES)
    rule_reads_definitions = issubclass(op, RULE_READS_DEFINITIONS)
    return OpTraits(
        is_plain=not (forwards_operands or has_own_sharding or is_edge or rule_reads_definitions),
        has_flow=has_flow,
        has_own_sharding=has_own_sharding,
        is_edge=is_edge,
        forwards_operands=forwards_operands,
        is_call=issubclass(op, CallOp),
        is_async_start=issubclass(op, AsyncStartOp),
        has_no_rule=issubclass(op, (*EDGES, *CONSTANTS)),
        rule_reads_definitions=rule_reads_definitions,
        is_elementwise=_is_elementwise(op),
        kind=next((kind for kind, classes in KINDS.items() if issubclass(op, classes)), OpKind.OTHER),
    )


def _is_elementwise(op: type[Operation]) -> bool:
    is_declared = op.has_trait(Elementwise, value_if_unregistered=False) and not issubclass(op, NOT_ELEMENTWISE)
    return is_declared or issubclass(op, ALSO_ELEMENTWISE)


def is_elementwise(op: Operation) -> bool:
    """Whether `op` computes each element by itself."""
    if type(op) is BitcastConvertOp:
        return shape_of(op.operand) == shape_of(op.result)
    return traits_of(type(op)).is_elementwise


def kind_of(op: Operation) -> OpKind:
    """The op priority of `op`."""
    if is_elementwise(op) or (isinstance(op, CustomCallOp) and op.call_target_name.data in OFFLOADS):
        return OpKind.PASS_THROUGH
    return traits_of(type(op)).kind


def is_scalar_expansion(op: Operation) -> bool:
    """Whether `op` broadcasts a scalar, constant or not."""
    return type(op) is BroadcastInDimOp and not any(map(rank_of, operands_of(op)))
