"""
What it costs to compute one element of an operation, in two columns that differ on purpose.

Unrolling replicates the code of an element: it counts instructions. Fusion computes an element again where it is read:
it asks for the work, beside which a read and a write of memory is cheap or not.
"""

from collections.abc import Mapping
from enum import IntEnum
from typing import NamedTuple

from xdsl.ir import Operation

from xshardy.dialects import stablehlo


class Amount(IntEnum):
    """How much of a cost."""

    NONE = 0
    """Nothing but indices."""
    LITTLE = 1
    """One or two instructions, or work that reading memory hides."""
    SOME = 2
    MUCH = 3


class Cost(NamedTuple):
    """The cost of an element."""

    instructions: Amount
    """In the PTX of `sm_90`, as measured for f32 and s32: 1 to 8 for a division, 9 for `exponential`, 17 for `tanh`."""
    work: Amount
    """Beside reading the operands: of `MUCH`, an element is kept rather than computed again. After XLA's fusion."""


OTHER = Cost(Amount.MUCH, Amount.LITTLE)
"""The cost of operations without a row."""

COSTS: Mapping[type[Operation], Cost] = {
    **dict.fromkeys(
        (stablehlo.BroadcastInDimOp, stablehlo.ConstantOp, stablehlo.IotaOp, stablehlo.ReshapeOp),
        Cost(Amount.NONE, Amount.NONE),
    ),
    stablehlo.SliceOp: Cost(Amount.NONE, Amount.LITTLE),
    stablehlo.DynamicSliceOp: Cost(Amount.NONE, Amount.MUCH),
    **dict.fromkeys(
        (
            stablehlo.AbsOp,
            stablehlo.AddOp,
            stablehlo.AndOp,
            stablehlo.ClampOp,
            stablehlo.CompareOp,
            stablehlo.ConvertOp,
            stablehlo.MaxOp,
            stablehlo.MinOp,
            stablehlo.MulOp,
            stablehlo.NegOp,
            stablehlo.NotOp,
            stablehlo.OrOp,
            stablehlo.SelectOp,
            stablehlo.ShiftLeftOp,
            stablehlo.ShiftRightArithmeticOp,
            stablehlo.ShiftRightLogicalOp,
            stablehlo.SubtractOp,
            stablehlo.XorOp,
        ),
        Cost(Amount.LITTLE, Amount.LITTLE),
    ),
    **dict.fromkeys((stablehlo.DivOp, stablehlo.RsqrtOp, stablehlo.SqrtOp), Cost(Amount.SOME, Amount.MUCH)),
    **dict.fromkeys((stablehlo.PartitionIdOp, stablehlo.ReplicaIdOp), Cost(Amount.MUCH, Amount.NONE)),
    **dict.fromkeys(
        (
            stablehlo.Atan2Op,
            stablehlo.CbrtOp,
            stablehlo.ConcatenateOp,
            stablehlo.CosineOp,
            stablehlo.ExpOp,
            stablehlo.Expm1Op,
            stablehlo.GatherOp,
            stablehlo.Log1pOp,
            stablehlo.LogisticOp,
            stablehlo.LogOp,
            stablehlo.PowOp,
            stablehlo.RemOp,
            stablehlo.SineOp,
            stablehlo.TanOp,
            stablehlo.TanhOp,
        ),
        Cost(Amount.MUCH, Amount.MUCH),
    ),
}


def cost_of(op: Operation) -> Cost:
    """The cost of an element of `op`."""
    return COSTS.get(type(op), OTHER)
