"""
The parameters of a computation that are used as indices, and the values for which these are in bounds.

An analysis backwards along the data flow: the start indices of gathers, scatters and dynamic slices have ranges, and so
have integers that are compared with constants. Each operation maps the range of its result to ranges of its operands.
Operations without a rule end the flow. The row of an operation is in `BACKWARD`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from xdsl.dialects import func
from xdsl.ir import BlockArgument, Operation, OpResult, SSAValue

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.shapes import shape_of
from xshardy.indexing.tensor_maps import values_of
from xshardy.interpreters.calls import called_function, calls_by_function
from xshardy.interpreters.element_types import KINDS, Array, Kind, numpy_dtype
from xshardy.interpreters.stablehlo.constants import constant_value
from xshardy.interpreters.stablehlo.shapes import major_to_minor

NONE = (2**62, -(2**62))
"""The bounds of an element that is not used as an index. The hull of it and a range is that range."""


@dataclass(frozen=True, slots=True)
class IndexRange:
    """The values of each element of a tensor for which an index that depends on it is in bounds: i64, both included."""

    lower: Array
    upper: Array
    is_compared: bool = False
    """Whether the bounds are those of a comparison: other values are as interesting."""
    scatter: stablehlo.ScatterOp | None = None
    """The scatter whose indices these are."""

    def map(self, move: Callable[[Array], Array]) -> IndexRange:
        """Both bounds moved by a function that does not compute."""
        return replace(self, lower=move(self.lower), upper=move(self.upper))

    def hull(self, shape: Sequence[int]) -> IndexRange:
        """For a tensor of which any element may be the index: the smallest range that holds all."""
        lower, upper = self.lower.min(initial=NONE[0]), self.upper.max(initial=NONE[1])
        return replace(self, lower=np.broadcast_to(lower, shape), upper=np.broadcast_to(upper, shape))

    def is_empty(self) -> bool:
        return not (self.lower <= self.upper).any()

    def equals(self, other: IndexRange) -> bool:
        alike = self.is_compared == other.is_compared and self.scatter is other.scatter
        return alike and bool((self.lower == other.lower).all() and (self.upper == other.upper).all())


def bounded(shape: Sequence[int], lower: int, upper: int, scatter: stablehlo.ScatterOp | None = None) -> IndexRange:
    low, high = (np.broadcast_to(np.int64(bound), shape) for bound in (lower, upper))
    return IndexRange(low, high, scatter=scatter)


Ranges = Iterator[tuple[SSAValue, IndexRange]]

# -- Indices ----------------------------------------------------------------------------------------------------------


def dynamic_slice_starts(op: stablehlo.DynamicSliceOp) -> Ranges:
    for start, size, part in zip(op.start_indices, shape_of(op.operand), shape_of(op.result), strict=True):
        yield start, bounded((), 0, size - part)


def dynamic_update_slice_starts(op: stablehlo.DynamicUpdateSliceOp) -> Ranges:
    for start, size, part in zip(op.start_indices, shape_of(op.operand), shape_of(op.update), strict=True):
        yield start, bounded((), 0, size - part)


def index_vectors(indices: SSAValue, axis: int, limits: Sequence[int], scatter: stablehlo.ScatterOp | None) -> Ranges:
    """Index vectors along `axis`, whose components are from 0 to these limits."""
    shape = shape_of(indices)
    along = [-1 if d == axis else 1 for d in range(len(shape))]
    upper = np.array(limits, np.int64).reshape(along if axis < len(shape) else ())
    yield indices, IndexRange(np.broadcast_to(np.int64(0), shape), np.broadcast_to(upper, shape), scatter=scatter)


def gather_starts(op: stablehlo.GatherOp) -> Ranges:
    numbers, parts = op.dimension_numbers, values_of(op.slice_sizes)
    limits = [shape_of(op.operand)[d] - parts[d] for d in values_of(numbers.start_index_map)]
    yield from index_vectors(op.start_indices, numbers.index_vector_dim.data, limits, None)


def scatter_starts(op: stablehlo.ScatterOp) -> Ranges:
    numbers = op.scatter_dimension_numbers
    sizes, update = shape_of(op.inputs[0]), shape_of(op.updates[0])
    dropped = (*values_of(numbers.inserted_window_dims), *values_of(numbers.input_batching_dims))
    windows = iter(values_of(numbers.update_window_dims))
    parts = [1 if d in dropped else update[next(windows)] for d in range(len(sizes))]
    limits = [sizes[d] - parts[d] for d in values_of(numbers.scatter_dims_to_operand_dims)]
    yield from index_vectors(op.scatter_indices, numbers.index_vector_dim.data, limits, op)


def compared(op: stablehlo.CompareOp) -> Ranges:
    """Integers compared with a constant or an iota: the values of that."""
    if KINDS[numpy_dtype(op.lhs.type)] is not Kind.INTEGER:
        return
    for value, other in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
        if (constant := constant_value(other)) is not None:
            bound = constant.astype(np.int64)
            yield value, IndexRange(bound, bound, is_compared=True)


INDICES: Mapping[type[Operation], Callable[..., Ranges]] = {
    stablehlo.CompareOp: compared,
    stablehlo.DynamicSliceOp: dynamic_slice_starts,
    stablehlo.DynamicUpdateSliceOp: dynamic_update_slice_starts,
    stablehlo.GatherOp: gather_starts,
    stablehlo.ScatterOp: scatter_starts,
}
"""The operands of operations that have bounds."""

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
    padding = zip(
        shape_of(op.operand),
        values_of(op.edge_padding_low),
        values_of(op.interior_padding),
        wanted.lower.shape,
        strict=True,
    )
    places = [low + np.arange(size) * (interior + 1) for size, low, interior, _ in padding]
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

# -- The analysis -----------------------------------------------------------------------------------------------------

MOST_RANGES = 8
"""The number of ranges of one value that are followed: each may come by several ways."""


def index_ranges(computation: func.FuncOp) -> Mapping[int, Sequence[IndexRange]]:
    """The parameters of `computation` that are used as indices, by number, with the different ranges of their uses."""
    calls = calls_by_function(computation)
    callers = {function.body.block: called_by for function, called_by in calls.items()}
    operations = [op for function in calls for op in function.body.walk() if type(op) in INDICES]
    pending: list[tuple[SSAValue, IndexRange]] = [found for op in operations for found in INDICES[type(op)](op)]
    followed: dict[SSAValue, list[IndexRange]] = {}
    while pending:
        value, wanted = pending.pop()
        known = followed.setdefault(value, [])
        if len(known) >= MOST_RANGES or wanted.is_empty() or any(map(wanted.equals, known)):
            continue
        known.append(wanted)
        op = value.owner
        if isinstance(value, BlockArgument):
            pending += [(call.operands[value.index], wanted) for call in callers.get(value.block, ())]
        elif isinstance(op, Operation):
            rule = BACKWARD.get(type(op))
            pending += returned(value, wanted) if rule is None else rule(op, wanted)
    arguments = enumerate(computation.body.block.args)
    return {number: followed[argument] for number, argument in arguments if followed.get(argument)}


def returned(value: SSAValue, wanted: IndexRange) -> Ranges:
    """What the function of a call returns has the range of the result. Nothing for the result of another operation."""
    assert isinstance(value, OpResult)
    callee = called_function(value.op)
    last = callee.body.block.last_op if callee is not None else None
    if last is not None and len(last.operands) == len(value.op.results):
        yield last.operands[value.index], wanted
