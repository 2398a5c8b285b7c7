"""
Which operations treat each element by itself, and what op priorities make of an operation.

Source: Shardy's docs, "Sharding propagation", section "Operation priorities"; elementwise is what StableHLO and CHLO
declare so, and the operations of sdy that give their operand on.
"""

from xdsl.ir import Operation

from xshardy.dialects.chlo.broadcasting import BroadcastBinaryOp, BroadcastSelectOp
from xshardy.dialects.chlo.constants import ConstantLikeOp
from xshardy.dialects.chlo.elementwise import BinaryFunctionOp, FloatPredicateOp
from xshardy.dialects.sdy.ops import PropagationBarrierOp, ReshardOp, ShardingConstraintOp
from xshardy.dialects.stablehlo.calls import CustomCallOp
from xshardy.dialects.stablehlo.elementwise_binary import BinaryElementwiseOp, ComplexOp
from xshardy.dialects.stablehlo.elementwise_unary import IsFiniteOp, UnaryElementwiseOp
from xshardy.dialects.stablehlo.selection import ClampOp, CompareOp, SelectOp
from xshardy.dialects.stablehlo.shape import BitcastConvertOp, BroadcastInDimOp, ReshapeOp, TransposeOp
from xshardy.dialects.stablehlo.slicing import DynamicSliceOp, DynamicUpdateSliceOp
from xshardy.sharding.priorities import OpKind
from xshardy.transforms.sdy_import.data_flow_edges import shape_of

ELEMENTWISE = (
    *(UnaryElementwiseOp, BinaryElementwiseOp, IsFiniteOp, ComplexOp, CompareOp, SelectOp, ClampOp),
    *(FloatPredicateOp, BroadcastBinaryOp, BroadcastSelectOp, ConstantLikeOp),
    *(PropagationBarrierOp, ReshardOp, ShardingConstraintOp),
)
"""Element `i` of the result comes from element `i` of each operand, scalars aside."""

NOT_ELEMENTWISE = (BinaryFunctionOp,)
"""Operations that are so in our dialect, but that upstream does not declare so."""

OFFLOADS = ("MoveToDevice", "MoveToHost")
"""The targets of custom calls that move a tensor to another memory."""


def is_elementwise(op: Operation) -> bool:
    """Whether `op` treats each element by itself."""
    if isinstance(op, BitcastConvertOp):
        return shape_of(op.operand) == shape_of(op.result)
    return isinstance(op, ELEMENTWISE) and not isinstance(op, NOT_ELEMENTWISE)


def kind_of(op: Operation) -> OpKind:
    """What op priorities make of `op`."""
    if isinstance(op, ReshapeOp | TransposeOp) or is_elementwise(op):
        return OpKind.PASS_THROUGH
    if isinstance(op, CustomCallOp) and op.call_target_name.data in OFFLOADS:
        return OpKind.PASS_THROUGH
    if isinstance(op, DynamicSliceOp | DynamicUpdateSliceOp):
        return OpKind.DYNAMIC_SLICE
    return OpKind.BROADCAST if isinstance(op, BroadcastInDimOp) else OpKind.OTHER
