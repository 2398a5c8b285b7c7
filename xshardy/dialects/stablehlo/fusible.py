"""What fusion knows of operations: which ones compute their elements independently of each other, and at what cost."""

from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.shapes import shape_of

VIEWS = frozenset[type[Operation]]({stablehlo.ReshapeOp, stablehlo.TransposeOp})
"""Operations whose result is the operand in another layout; what contracts tensors reads any layout."""
CHEAP = frozenset[type[Operation]](
    {stablehlo.BroadcastInDimOp, stablehlo.ConstantOp, stablehlo.IotaOp, stablehlo.PartitionIdOp, stablehlo.ReplicaIdOp}
)
"""Operations that compute elements from few others, or from none."""
MOVING = frozenset[type[Operation]](
    {
        stablehlo.ConcatenateOp,
        stablehlo.DynamicSliceOp,
        stablehlo.GatherOp,
        stablehlo.PadOp,
        stablehlo.ReverseOp,
        stablehlo.SliceOp,
    }
)
"""Operations that read single elements of their operands."""
COSTLY = frozenset[type[Operation]](
    {
        stablehlo.Atan2Op,
        stablehlo.CbrtOp,
        stablehlo.ConcatenateOp,
        stablehlo.CosineOp,
        stablehlo.DivOp,
        stablehlo.DynamicSliceOp,
        stablehlo.ExpOp,
        stablehlo.Expm1Op,
        stablehlo.GatherOp,
        stablehlo.Log1pOp,
        stablehlo.LogisticOp,
        stablehlo.LogOp,
        stablehlo.PowOp,
        stablehlo.RemOp,
        stablehlo.RsqrtOp,
        stablehlo.SineOp,
        stablehlo.SqrtOp,
        stablehlo.TanOp,
        stablehlo.TanhOp,
    }
)
"""Operations that are not computed twice."""


def is_elementwise(op: Operation) -> bool:
    """Whether each element is computed from those at the same index."""
    return op.has_trait(Elementwise, value_if_unregistered=False) or is_elementwise_bitcast(op)


def is_elementwise_bitcast(op: Operation) -> bool:
    """Whether `op` is a bitcast between elements of the same width, which keeps the shape."""
    return isinstance(op, stablehlo.BitcastConvertOp) and shape_of(op.operand) == shape_of(op.result)
