"""
Rules for batch normalization, computed in f64 and rounded once. Source: StableHLO specification, the ops' semantics.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule
from xshardy.numerics.element_types import Array, numpy_dtype

BatchNorm = stablehlo.BatchNormGradOp | stablehlo.BatchNormInferenceOp | stablehlo.BatchNormTrainingOp


def _features_last(op: BatchNorm, x: Array) -> Array:
    return np.moveaxis(x.astype(np.float64), op.feature_index.value.data, -1)


def _result(op: BatchNorm, x: Array) -> Array:
    """`x`, whose features are last, with the dimensions and the element type of the operand."""
    return np.moveaxis(x, -1, op.feature_index.value.data).astype(numpy_dtype(op.operand.type))


def _deviation(op: BatchNorm, variance: Array) -> Array:
    """The standard deviation, and a little more."""
    return np.sqrt(variance.astype(np.float64) + op.epsilon.value.data)


def inference(
    evaluator: Evaluator,
    op: stablehlo.BatchNormInferenceOp,
    x: Array,
    scale: Array,
    offset: Array,
    mean: Array,
    variance: Array,
) -> Array:
    return _result(op, (_features_last(op, x) - mean) / _deviation(op, variance) * scale + offset)


def training(
    evaluator: Evaluator, op: stablehlo.BatchNormTrainingOp, x: Array, scale: Array, offset: Array
) -> Sequence[Array]:
    wide = _features_last(op, x)
    summed = tuple(range(wide.ndim - 1))
    mean, variance = wide.mean(summed), wide.var(summed)
    normal = (wide - mean) / _deviation(op, variance) * scale + offset
    return [_result(op, normal), mean.astype(scale.dtype), variance.astype(scale.dtype)]


def gradients(
    evaluator: Evaluator,
    op: stablehlo.BatchNormGradOp,
    x: Array,
    scale: Array,
    mean: Array,
    variance: Array,
    grad_output: Array,
) -> Sequence[Array]:
    centered, of_output = _features_last(op, x) - mean, _features_last(op, grad_output)
    summed, deviation = tuple(range(centered.ndim - 1)), _deviation(op, variance)
    normal = centered / deviation
    grad_scale, grad_offset = (of_output * normal).sum(summed), of_output.sum(summed)
    count = np.float64(centered[..., 0].size)
    grad_operand = scale / deviation * (of_output - grad_offset / count - normal * grad_scale / count)
    return [_result(op, grad_operand), grad_scale.astype(scale.dtype), grad_offset.astype(scale.dtype)]


NORMALIZATION: Mapping[type[Operation], Rule] = {
    stablehlo.BatchNormGradOp: gradients,
    stablehlo.BatchNormInferenceOp: inference,
    stablehlo.BatchNormTrainingOp: training,
}
