"""
Normalize gathers: one row of indices per slice, and whole slices in the result.

Collapsed and batching dimensions and dimension orders become reshapes, transposes and additional indices. Source: rows
XGPU-18, XGPU-51; XLA's gather simplifier.
"""

from math import prod
from typing import ClassVar, cast

from xdsl.dialects.builtin import IntAttr, IntegerType, TensorType
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import zeros
from xshardy.dialects.shapes import is_static, shape_of
from xshardy.dialects.stablehlo.attributes import integers
from xshardy.dialects.stablehlo.building import Tensors, element_type
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.indexing.tensor_maps import values_of
from xshardy.rewriting import PatternPass, match_op_type


def is_simple(op: stablehlo.GatherOp) -> bool:
    """Whether the indices are rows, and the result is `[rows, slice]` with all slice dimensions, in order."""
    dims, rank = op.dimension_numbers.dims, len(shape_of(op.operand))
    return (
        len(shape_of(op.start_indices)) in (1, 2)
        and dims.index_vector == 1
        and dims.offset == tuple(range(1, rank + 1))  # none is collapsed, or of a batch
    )


class SimplifyGather(RewritePattern):
    """
    `gather(x, i)` of any form -> `transpose(reshape(gather(x, rows of i)))`, without no-op reshapes and transposes.

    If there are no elements to gather -> zeros.
    """

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.GatherOp, rewriter: PatternRewriter, /):
        if is_simple(op) or not all(is_static(tensor_type(value)) for value in (*op.operands, op.result)):
            return
        t = Tensors(rewriter)
        if 0 in shape_of(op.operand):
            zero = t(stablehlo.ConstantOp(zeros(TensorType(element_type(op.operand), []))))
            rewriter.replace(op, [], [t.splat(zero, shape_of(op.result))])
            return
        dims, sizes = op.dimension_numbers.dims, values_of(op.slice_sizes)
        vectors = _vectors_last(t, op)
        batch_shape = shape_of(vectors)[:-1]
        components = [*dims.started, *dims.batching]
        rows = t.reshape(vectors, [prod(batch_shape), len(components)])
        simple = stablehlo.GatherDimensionNumbersAttr(
            integers(range(1, len(sizes) + 1)),
            integers([]),
            integers([]),
            integers([]),
            integers(components),
            IntAttr(1),
        )
        result_type = TensorType(element_type(op.operand), [prod(batch_shape), *sizes])
        slices = t(stablehlo.GatherOp(op.operand, rows, simple, sizes, result_type, _are_sorted(op)))
        kept = [sizes[d] for d in dims.offset_of(len(sizes))]
        placed = t.transpose(t.reshape(slices, [*batch_shape, *kept]), dims.places(len(shape_of(op.result))))
        last = placed.owner
        assert isinstance(last, Operation)
        last.attributes.update(op.attributes)
        rewriter.replace(op, [], [placed])


def _are_sorted(op: stablehlo.GatherOp) -> bool:
    """Whether the rows are still sorted: not if indices for batching dimensions were added."""
    is_sorted = op.indices_are_sorted is not None and bool(op.indices_are_sorted.value.data)
    return is_sorted and not op.dimension_numbers.dims.batching


def _vectors_last(t: Tensors, op: stablehlo.GatherOp) -> SSAValue:
    """The indices with the vectors along the last dimension, extended by the indices of batching dimensions."""
    dims, indices = op.dimension_numbers.dims, op.start_indices
    vector_dim, shape = dims.index_vector, shape_of(indices)
    if vector_dim == len(shape):
        vectors = t.reshape(indices, [*shape, 1])
    else:
        batch_dims = [d for d in range(len(shape)) if d != vector_dim]
        vectors = t.transpose(indices, [*batch_dims, vector_dim])
    if not dims.batching:
        return vectors
    *batch_shape, components = shape_of(vectors)
    type = cast(IntegerType, element_type(vectors))
    if max(batch_shape) > 1 << (type.width.data - 1):  # the index type has too few bits to number the batches
        type = IntegerType(64)
        vectors = t.convert(vectors, type)
    numbered = [t.iota(d, type, [*batch_shape, 1]) for d in dims.batch_of.values()]
    whole = TensorType(type, [*batch_shape, components + len(dims.batching)])
    return t(stablehlo.ConcatenateOp([vectors, *numbered], len(batch_shape), whole))


class GatherSimplifierPass(PatternPass):
    """Rewrite every gather to use rows of indices and slices with all dimensions."""

    name = "hlo-gather-simplifier"
    source: ClassVar[str] = "XLA, GatherSimplifier (XGPU-18, XGPU-51)"
    fixed_patterns = (SimplifyGather(),)
