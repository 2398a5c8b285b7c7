"""Elementwise operations, and operations that only annotate a tensor."""

from collections.abc import Mapping

from xdsl.ir import Operation

from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.dialects.stablehlo.elementwise_binary import (
    AddOp,
    AndOp,
    Atan2Op,
    ComplexOp,
    DivOp,
    MaxOp,
    MinOp,
    MulOp,
    OrOp,
    PowOp,
    RemOp,
    ShiftLeftOp,
    ShiftRightArithmeticOp,
    ShiftRightLogicalOp,
    SubtractOp,
    XorOp,
)
from xshardy.dialects.stablehlo.elementwise_unary import (
    AbsOp,
    CbrtOp,
    CeilOp,
    ClzOp,
    ConvertOp,
    CosineOp,
    Expm1Op,
    ExpOp,
    FloorOp,
    ImagOp,
    IsFiniteOp,
    Log1pOp,
    LogisticOp,
    LogOp,
    NegOp,
    NotOp,
    PopulationCountOp,
    RealOp,
    ReducePrecisionOp,
    RoundNearestEvenOp,
    RoundOp,
    RsqrtOp,
    SignOp,
    SineOp,
    SqrtOp,
    TanhOp,
    TanOp,
)
from xshardy.dialects.stablehlo.normalization import BatchNormInferenceOp
from xshardy.dialects.stablehlo.selection import ClampOp, CompareOp, SelectOp
from xshardy.dialects.stablehlo.shape import BitcastConvertOp
from xshardy.sharding.rules.builder import Dim, Factor, Factors, FactorType, Row, Shapes, pointwise

POINTWISE: tuple[type[Operation], ...] = (
    *(AbsOp, CbrtOp, CeilOp, ClzOp, ConvertOp, CosineOp, Expm1Op, ExpOp, FloorOp, ImagOp, IsFiniteOp, Log1pOp),
    *(LogisticOp, LogOp, NegOp, NotOp, PopulationCountOp, RealOp, ReducePrecisionOp, RoundNearestEvenOp, RoundOp),
    *(RsqrtOp, SignOp, SineOp, SqrtOp, TanhOp, TanOp),
    *(AddOp, AndOp, Atan2Op, ComplexOp, DivOp, MaxOp, MinOp, MulOp, OrOp, PowOp, RemOp, ShiftLeftOp),
    *(ShiftRightArithmeticOp, ShiftRightLogicalOp, SubtractOp, XorOp),
    # The bounds of a clamp and the condition of a select may be scalars, which have no factors.
    *(CompareOp, ClampOp, SelectOp),
    ShardingConstraintOp,
)


def bitcast_convert(shapes: Shapes, parameters: object = ()) -> Factors:
    """`([i])->([i, j]) need_replication={j}`: the innermost dimension of narrower elements makes up one."""
    (source,), (target,) = shapes.operands, shapes.results
    wider = min(source, target, key=len)
    for dim, size in enumerate(wider):
        yield shapes.factor(dim, size)
    if len(source) < len(target):
        yield shapes.result_factor(len(wider), target[-1], FactorType.NEED_REPLICATION)
    elif len(source) > len(target):
        yield shapes.operand_factor(len(wider), source[-1], FactorType.NEED_REPLICATION)


def batch_norm_inference(shapes: Shapes, feature: int) -> Factors:
    """`([i, j], [j], [j], [j], [j])->([i, j])`: scale, offset, mean and variance have the dimension of the features."""
    for dim, size in enumerate(shapes.operands[0]):
        of_features: Dim = 0 if dim == feature else None
        yield Factor([dim, *[of_features] * (len(shapes.operands) - 1)], [dim], size)


def _feature(op: BatchNormInferenceOp) -> int:
    return op.feature_index.value.data


RULES: Mapping[type[Operation], Row] = {
    **dict.fromkeys(POINTWISE, Row(pointwise)),
    BatchNormInferenceOp: Row(batch_norm_inference, _feature),
    BitcastConvertOp: Row(bitcast_convert),
}
