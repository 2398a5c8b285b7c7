"""Elementwise operations, and operations that only annotate a tensor."""

from collections.abc import Mapping

from xdsl.ir import Operation

from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.dialects.stablehlo import STABLEHLO, UniformDequantizeOp, UniformQuantizeOp
from xshardy.dialects.stablehlo.normalization import BatchNormInferenceOp
from xshardy.dialects.stablehlo.shape import BitcastConvertOp
from xshardy.sharding.rules.builder import Dim, Factor, Factors, FactorType, Row, Shapes, pointwise

POINTWISE = Row(pointwise)
"""The row of `Elementwise` operations. Scalar operands, such as the condition of a select, have no factors."""

UNKNOWN_UPSTREAM: tuple[type[Operation], ...] = (UniformDequantizeOp, UniformQuantizeOp)
"""Elementwise operations of StableHLO that upstream's registry lacks."""


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
    **{op: POINTWISE for op in STABLEHLO.operations if op.has_trait(Elementwise) and op not in UNKNOWN_UPSTREAM},
    ShardingConstraintOp: POINTWISE,
    BatchNormInferenceOp: Row(batch_norm_inference, _feature),
    BitcastConvertOp: Row(bitcast_convert),
}
