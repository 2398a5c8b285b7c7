"""Operations that move elements: each dimension of the result is a dimension of the operands, or a new one."""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import I64, DenseArrayBase
from xdsl.ir import Operation, SSAValue

from xshardy.dialects.stablehlo.shape import (
    BroadcastInDimOp,
    ConcatenateOp,
    PadOp,
    ReverseOp,
    TransposeOp,
)
from xshardy.dialects.stablehlo.slicing import SliceOp
from xshardy.sharding.rules.builder import (
    Factor,
    Factors,
    FactorType,
    Row,
    Shapes,
    pointwise_but_for_mismatch,
)


def transpose(shapes: Shapes, permutation: tuple[int, ...]) -> Factors:
    """`([j, k, i])->([i, j, k])` for permutation [2, 0, 1]: result dim `d` walks operand dim `permutation[d]`."""
    (shape,) = shapes.operands
    return (Factor((source,), (target,), shape[source]) for target, source in enumerate(permutation))


def broadcast_in_dim(shapes: Shapes, dimensions: tuple[int, ...]) -> Factors:
    """`([j])->([i, j])`: a dimension that is expanded from size 1 has a factor of its own, of that size."""
    (source,), (target,) = shapes.operands, shapes.results
    source_of = {target_dim: source_dim for source_dim, target_dim in enumerate(dimensions)}
    for dim, size in enumerate(target):
        source_dim = source_of.get(dim)
        if source_dim is not None and source[source_dim] == 1 and size != 1:
            yield Factor((source_dim,), (None,), 1)
            source_dim = None
        yield Factor((source_dim,), (dim,), size)


def reverse(shapes: Shapes, dimensions: tuple[int, ...]) -> Factors:
    """Pointwise; a reversed dimension needs the shards of other devices: `permutation`."""
    for dim, size in enumerate(shapes.results[0]):
        yield shapes.factor(dim, size, FactorType.PERMUTATION if dim in dimensions else FactorType.PASS_THROUGH)


@dataclass(frozen=True, slots=True)
class Concatenation:
    """Along which dimension, and what sharding it would take."""

    dimension: int
    type: FactorType


def concatenate(shapes: Shapes, concatenation: Concatenation) -> Factors:
    """
    Pointwise; along the concatenated dimension, shards of operands are not those of the result.

    A conservative rule has no factor for it: the sizes of the operands are not that of the result.
    """
    for dim, size in enumerate(shapes.results[0]):
        if dim != concatenation.dimension:
            yield shapes.factor(dim, size)
        elif not shapes.conservative:
            yield shapes.factor(dim, size, concatenation.type)


def static_slice(shapes: Shapes, parameters: object = ()) -> Factors:
    """Pointwise; a dimension that changes its size is moved by a fixed amount, so that shards go to neighbours."""
    return pointwise_but_for_mismatch(
        shapes, shapes.operands[0], shapes.results[0], FactorType.PERMUTATION, blocked=shapes.conservative
    )


def pad(shapes: Shapes, is_padded: tuple[bool, ...]) -> Factors:
    """Pointwise; a dimension that is padded is moved, even if it keeps its size, so that shards go to neighbours."""
    for dim, (size, new_size) in enumerate(zip(shapes.operands[0], shapes.results[0], strict=True)):
        type = FactorType.PERMUTATION if is_padded[dim] else FactorType.PASS_THROUGH
        yield shapes.factor(dim, size, type, blocked=shapes.conservative and size != new_size)


def _values(dims: DenseArrayBase[I64]) -> tuple[int, ...]:
    return dims.get_values()


def _permutation(op: TransposeOp) -> tuple[int, ...]:
    return _values(op.permutation)


def _broadcast_dimensions(op: BroadcastInDimOp) -> tuple[int, ...]:
    return _values(op.broadcast_dimensions)


def _reversed_dimensions(op: ReverseOp) -> tuple[int, ...]:
    return _values(op.dimensions)


def _concatenation(op: ConcatenateOp) -> Concatenation:
    """
    Concatenating slices, or a value and slices of it (a halo, a rotation), only moves elements between neighbours.

    Anything else takes the whole of each operand.
    """
    slices = [isinstance(value.owner, SliceOp) for value in op.inputs]
    is_movement = all(slices) or (any(slices) and len({_before_slice(value) for value in op.inputs}) == 1)
    return Concatenation(
        op.dimension.value.data, FactorType.PERMUTATION if is_movement else FactorType.NEED_REPLICATION
    )


def _is_padded(op: PadOp) -> tuple[bool, ...]:
    """Whether each dimension gets padding in front, behind or between its elements, or loses elements."""
    paddings = op.edge_padding_low, op.edge_padding_high, op.interior_padding
    return tuple(map(any, zip(*map(_values, paddings), strict=True)))


def _before_slice(value: SSAValue) -> SSAValue:
    return value.owner.operand if isinstance(value.owner, SliceOp) else value


RULES: Mapping[type[Operation], Row] = {
    BroadcastInDimOp: Row(broadcast_in_dim, _broadcast_dimensions),
    ConcatenateOp: Row(concatenate, _concatenation),
    PadOp: Row(pad, _is_padded),
    ReverseOp: Row(reverse, _reversed_dimensions),
    SliceOp: Row(static_slice),
    TransposeOp: Row(transpose, _permutation),
}
