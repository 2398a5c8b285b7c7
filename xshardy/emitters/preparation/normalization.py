"""
Batch normalization in elementary operations, computed as f64.

A mean, and the differences to it, cancel: f64 gives results of narrower types to the last bit or two. XLA expands these
operations before it fuses, in the type of the operand, so they are rare in fusions. Source: StableHLO's specification.
"""

from math import prod

from xdsl.dialects.builtin import TensorType, f64
from xdsl.ir import Attribute, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.dialects.stablehlo.building import Tensors, element_type, reducer
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.rewriting import match_op_type

BatchNorm = stablehlo.BatchNormInferenceOp | stablehlo.BatchNormTrainingOp | stablehlo.BatchNormGradOp


class Features:
    """Arithmetic on tensors of the shape of the operand of `op`, and on numbers per feature."""

    def __init__(self, op: BatchNorm, rewriter: PatternRewriter):
        self.op = op
        self.t = Tensors(rewriter)
        self.shape = shape_of(op.operand)
        self.index = op.feature_index.value.data
        self.count = prod(size for i, size in enumerate(self.shape) if i != self.index)
        """The elements of a feature."""

    def wide(self, x: SSAValue) -> SSAValue:
        return x if element_type(x) == f64 else self.t.convert(x, f64)

    def result(self, x: SSAValue, type: Attribute) -> SSAValue:
        """`x` in the element type of the result type `type`."""
        return x if x.type == type else self.t.convert(x, tensor_type(type).element_type)

    def everywhere(self, x: SSAValue) -> SSAValue:
        """A number per feature, for each element of that feature."""
        return self.t(stablehlo.BroadcastInDimOp(x, [self.index], TensorType(f64, self.shape)))

    def subtract(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.t(stablehlo.SubtractOp(x, y))

    def divide(self, x: SSAValue, y: SSAValue) -> SSAValue:
        return self.t(stablehlo.DivOp(x, y))

    def sum(self, x: SSAValue) -> SSAValue:
        """The sum of the elements of each feature."""
        summed = [i for i in range(len(self.shape)) if i != self.index]
        type = TensorType(f64, [self.shape[self.index]])
        zero = self.t.constant(0, f64)
        return self.t(stablehlo.ReduceOp([x], [zero], summed, reducer(stablehlo.AddOp, f64), [type]))

    def mean(self, x: SSAValue) -> SSAValue:
        """The mean of the elements of each feature; NaN without elements."""
        total = self.sum(x)
        return self.divide(total, self.t.like(self.count, total))

    def deviation(self, variance: SSAValue) -> SSAValue:
        """The standard deviation, with the epsilon of the operation."""
        epsilon = self.t.splat(self.t.constant(self.op.epsilon.value.data, f64), shape_of(variance))
        return self.t(stablehlo.SqrtOp(self.t.add(variance, epsilon)))

    def normalized(self, x: SSAValue, mean: SSAValue, variance: SSAValue) -> SSAValue:
        """`(x - mean) / deviation`"""
        centered = self.subtract(x, self.everywhere(mean))
        return self.divide(centered, self.everywhere(self.deviation(variance)))

    def scaled(self, x: SSAValue, scale: SSAValue, offset: SSAValue) -> SSAValue:
        """`x * scale + offset`"""
        return self.t.add(self.t.multiply(x, self.everywhere(self.wide(scale))), self.everywhere(self.wide(offset)))


class ExpandBatchNormInference(RewritePattern):
    """`batch_norm_inference(x, scale, offset, mean, var)` -> `(x - mean) / sqrt(var + epsilon) * scale + offset`"""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.BatchNormInferenceOp, rewriter: PatternRewriter, /):
        f = Features(op, rewriter)
        normal = f.normalized(f.wide(op.operand), f.wide(op.mean), f.wide(op.variance))
        rewriter.replace(op, [], [f.result(f.scaled(normal, op.scale, op.offset), op.result.type)])


class ExpandBatchNormTraining(RewritePattern):
    """`batch_norm_training(x, scale, offset)` -> the same with the mean and the variance of `x`, and these two."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.BatchNormTrainingOp, rewriter: PatternRewriter, /):
        f = Features(op, rewriter)
        x = f.wide(op.operand)
        mean = f.mean(x)
        centered = f.subtract(x, f.everywhere(mean))
        variance = f.mean(f.t.multiply(centered, centered))
        output = f.scaled(f.normalized(x, mean, variance), op.scale, op.offset)
        results = zip((output, mean, variance), op.result_types, strict=True)
        rewriter.replace(op, [], [f.result(value, type) for value, type in results])


class ExpandBatchNormGrad(RewritePattern):
    """
    `batch_norm_grad(x, scale, mean, var, g)` -> the gradients of `x`, `scale` and `offset`.

    With `n = (x - mean) / deviation`: `scale / deviation * (g - mean(g) - n * mean(g * n))`, `sum(g * n)`, `sum(g)`.
    """

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.BatchNormGradOp, rewriter: PatternRewriter, /):
        f = Features(op, rewriter)
        gradient, variance = f.wide(op.grad_output), f.wide(op.variance)
        normal = f.normalized(f.wide(op.operand), f.wide(op.mean), variance)
        grad_scale, grad_offset = f.sum(f.t.multiply(gradient, normal)), f.sum(gradient)
        count = f.t.like(f.count, grad_scale)
        centered = f.subtract(gradient, f.everywhere(f.divide(grad_offset, count)))
        along_normal = f.t.multiply(normal, f.everywhere(f.divide(grad_scale, count)))
        factor = f.divide(f.wide(op.scale), f.deviation(variance))
        grad_operand = f.t.multiply(f.everywhere(factor), f.subtract(centered, along_normal))
        results = zip((grad_operand, grad_scale, grad_offset), op.result_types, strict=True)
        rewriter.replace(op, [], [f.result(value, type) for value, type in results])
