"""
The ranges of the operands of an operation for which its result is in a range.

The row of an operation is in `BACKWARD`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.indexing.tensor_maps import values_of
from xshardy.interpreters.index_range import NONE, IndexRange, Ranges
from xshardy.interpreters.stablehlo.constants import constant_value
from xshardy.interpreters.stablehlo.shapes import major_to_minor
from xshardy.numerics.element_types import Array, numpy_dtype

# -- Moving elements --------------------------------------------------------------------------------------------------


def same(op: Operation, wanted: IndexRange) -> Ranges:
    """The operands of the shape of the result have its range."""
    for operand in op.operands:
        if shape_of(operand) == wanted.lower.shape:
            yield operand, wanted


def branches(op: stablehlo.SelectOp, wanted: IndexRange) -> Ranges:
    yield op.on_true, wanted
    yield op.on_false, wanted


def clamped(op: stablehlo.ClampOp, wanted: IndexRange) -> Ranges:
    yield op.operand, wanted


def reshaped(op: Operation, wanted: IndexRange) -> Ranges:
    (operand,) = op.operands
    yield operand, wanted.map(lambda x: x.reshape(shape_of(operand)))


def transposed(op: stablehlo.TransposeOp, wanted: IndexRange) -> Ranges:
    yield op.operand, wanted.map(lambda x: x.transpose(np.argsort(values_of(op.permutation))))


def bitcast(op: hlo.BitcastOp, wanted: IndexRange) -> Ranges:
    """Elements of the same type, in the order of memory."""
    if numpy_dtype(op.operand.type) != numpy_dtype(op.result.type):
        return
    order, shape = major_to_minor(op.operand), shape_of(op.operand)

    def moved(x: Array) -> Array:
        in_memory = x.transpose(major_to_minor(op.result)).reshape([shape[d] for d in order])
        return in_memory.transpose(np.argsort(order)) if order else in_memory

    yield op.operand, wanted.map(moved)


def broadcast(op: stablehlo.BroadcastInDimOp, wanted: IndexRange) -> Ranges:
    """The hull over the elements that are copies of one."""
    dimensions, shape = values_of(op.broadcast_dimensions), shape_of(op.operand)
    kept = {d for d, size in zip(dimensions, shape, strict=True) if size == shape_of(op.result)[d]}
    copied = tuple(d for d in range(wanted.lower.ndim) if d not in kept)
    lower = wanted.lower.min(axis=copied, keepdims=True, initial=NONE[0])
    upper = wanted.upper.max(axis=copied, keepdims=True, initial=NONE[1])
    added = tuple(d for d in copied if d not in dimensions)
    order = np.argsort(np.argsort(dimensions))
    bounds = [np.squeeze(x, added).transpose(order).reshape(shape) for x in (lower, upper)]
    yield op.operand, replace(wanted, lower=bounds[0], upper=bounds[1])


def placed(shape: Sequence[int], where: tuple[slice | Array, ...], wanted: IndexRange) -> IndexRange:
    """Bounds for a part of a tensor of `shape`; the other elements are not used."""
    bounds = [np.full(shape, none, np.int64) for none in NONE]
    for bound, part in zip(bounds, (wanted.lower, wanted.upper), strict=True):
        bound[where] = part
    return replace(wanted, lower=bounds[0], upper=bounds[1])


def sliced(op: stablehlo.SliceOp, wanted: IndexRange) -> Ranges:
    bounds = (values_of(op.start_indices), values_of(op.limit_indices), values_of(op.strides))
    yield op.operand, placed(shape_of(op.operand), tuple(slice(*b) for b in zip(*bounds, strict=True)), wanted)


def concatenated(op: stablehlo.ConcatenateOp, wanted: IndexRange) -> Ranges:
    axis, start = op.dimension.value.data, 0
    for operand in op.inputs:
        stop = start + shape_of(operand)[axis]
        where = tuple(slice(start, stop) if d == axis else slice(None) for d in range(wanted.lower.ndim))
        yield operand, wanted.map(lambda x, where=where: x[where])
        start = stop


def padded(op: stablehlo.PadOp, wanted: IndexRange) -> Ranges:
    """The elements that are not padding, without those that negative padding drops."""
    padding = zip(shape_of(op.operand), values_of(op.edge_padding_low), values_of(op.interior_padding), strict=True)
    places = [low + np.arange(size) * (interior + 1) for size, low, interior in padding]
    kept = [np.flatnonzero((p >= 0) & (p < size)) for p, size in zip(places, wanted.lower.shape, strict=True)]
    read = np.ix_(*(p[k] for p, k in zip(places, kept, strict=True)))
    yield op.operand, placed(shape_of(op.operand), np.ix_(*kept), wanted.map(lambda x: x[read]))


def reversed_(op: stablehlo.ReverseOp, wanted: IndexRange) -> Ranges:
    yield op.operand, wanted.map(lambda x: np.flip(x, values_of(op.dimensions)))


def looked_up(op: stablehlo.GatherOp | stablehlo.DynamicSliceOp, wanted: IndexRange) -> Ranges:
    """Any element of a table may be the index."""
    yield op.operand, wanted.hull(shape_of(op.operand))


def updated(op: stablehlo.DynamicUpdateSliceOp, wanted: IndexRange) -> Ranges:
    yield op.operand, wanted
    yield op.update, wanted.hull(shape_of(op.update))


# -- Arithmetic -------------------------------------------------------------------------------------------------------

Inverse = Callable[[IndexRange, Array], IndexRange]


def computed(wanted: IndexRange, inverse: Callable[[Array], Array]) -> IndexRange:
    """The bounds moved by `inverse`, where the element is used."""
    used = wanted.lower <= wanted.upper
    bounds = [np.where(used, inverse(bound), bound) for bound in (wanted.lower, wanted.upper)]
    low, high = np.minimum(*bounds), np.maximum(*bounds)
    return replace(wanted, lower=np.where(used, low, wanted.lower), upper=np.where(used, high, wanted.upper))


def with_constant(left: Inverse | None, right: Inverse | None) -> Callable[[Operation, IndexRange], Ranges]:
    """
    A function of two numbers: `left` is the range of the first operand if the second one is a constant, `right` that of
    the second one if the first is. Two numbers that vary have the range of the result each.
    """

    def ranges(op: Operation, wanted: IndexRange) -> Ranges:
        lhs, rhs = op.operands
        constants = constant_value(lhs), constant_value(rhs)
        if constants[0] is None and constants[1] is None:
            yield lhs, wanted
            yield rhs, wanted
        for operand, constant, inverse in ((lhs, constants[1], left), (rhs, constants[0], right)):
            if constant is not None and inverse is not None:
                yield operand, inverse(wanted, constant.astype(np.int64))

    return ranges


def added(wanted: IndexRange, constant: Array) -> IndexRange:
    return computed(wanted, lambda x: x - constant)


def subtracted(wanted: IndexRange, constant: Array) -> IndexRange:
    return computed(wanted, lambda x: x + constant)


def subtracted_from(wanted: IndexRange, constant: Array) -> IndexRange:
    return computed(wanted, lambda x: constant - x)


def multiplied(wanted: IndexRange, constant: Array) -> IndexRange:
    return computed(wanted, lambda x: x // np.where(constant == 0, 1, constant))


def divided(wanted: IndexRange, constant: Array) -> IndexRange:
    return computed(wanted, lambda x: x * constant)


def unchanged(wanted: IndexRange, constant: Array) -> IndexRange:
    return wanted


def negated(op: stablehlo.NegOp, wanted: IndexRange) -> Ranges:
    yield op.operand, computed(wanted, lambda x: -x)


BACKWARD: Mapping[type[Operation], Callable[..., Ranges]] = {
    hlo.BitcastOp: bitcast,
    hlo.CopyOp: same,
    stablehlo.AbsOp: same,
    stablehlo.AddOp: with_constant(added, added),
    stablehlo.AndOp: with_constant(unchanged, unchanged),
    stablehlo.BroadcastInDimOp: broadcast,
    stablehlo.ClampOp: clamped,
    stablehlo.ConcatenateOp: concatenated,
    stablehlo.ConvertOp: same,
    stablehlo.DivOp: with_constant(divided, None),
    stablehlo.DynamicSliceOp: looked_up,
    stablehlo.DynamicUpdateSliceOp: updated,
    stablehlo.GatherOp: looked_up,
    stablehlo.MaxOp: with_constant(unchanged, unchanged),
    stablehlo.MinOp: with_constant(unchanged, unchanged),
    stablehlo.MulOp: with_constant(multiplied, multiplied),
    stablehlo.NegOp: negated,
    stablehlo.OptimizationBarrierOp: same,
    stablehlo.PadOp: padded,
    stablehlo.RemOp: with_constant(unchanged, None),
    stablehlo.ReshapeOp: reshaped,
    stablehlo.ReverseOp: reversed_,
    stablehlo.SelectOp: branches,
    stablehlo.SliceOp: sliced,
    stablehlo.SubtractOp: with_constant(subtracted, subtracted_from),
    stablehlo.TransposeOp: transposed,
}
"""For each operation: the ranges of its operands for which the result is in a range."""
