"""What CHLO's operations with implicit broadcasts compute, once their operands have the shape of the result."""

from collections.abc import Mapping

from xdsl.ir import Operation

from xshardy.dialects import chlo, stablehlo

ELEMENTWISE_OF: Mapping[type[Operation], type[Operation]] = {
    chlo.BroadcastAddOp: stablehlo.AddOp,
    chlo.BroadcastAndOp: stablehlo.AndOp,
    chlo.BroadcastAtan2Op: stablehlo.Atan2Op,
    chlo.BroadcastComplexOp: stablehlo.ComplexOp,
    chlo.BroadcastDivOp: stablehlo.DivOp,
    chlo.BroadcastMaxOp: stablehlo.MaxOp,
    chlo.BroadcastMinOp: stablehlo.MinOp,
    chlo.BroadcastMulOp: stablehlo.MulOp,
    chlo.BroadcastNextAfterOp: chlo.NextAfterOp,
    chlo.BroadcastOrOp: stablehlo.OrOp,
    chlo.BroadcastPolygammaOp: chlo.PolygammaOp,
    chlo.BroadcastPowOp: stablehlo.PowOp,
    chlo.BroadcastRemOp: stablehlo.RemOp,
    chlo.BroadcastShiftLeftOp: stablehlo.ShiftLeftOp,
    chlo.BroadcastShiftRightArithmeticOp: stablehlo.ShiftRightArithmeticOp,
    chlo.BroadcastShiftRightLogicalOp: stablehlo.ShiftRightLogicalOp,
    chlo.BroadcastSubOp: stablehlo.SubtractOp,
    chlo.BroadcastXorOp: stablehlo.XorOp,
    chlo.BroadcastZetaOp: chlo.ZetaOp,
}
"""The operation on operands of one shape. There is no row for comparisons, which have attributes, and selections."""
