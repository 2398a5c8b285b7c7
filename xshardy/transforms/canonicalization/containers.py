"""Folds and patterns of tensor, vector and complex: what is taken out of a value that was just put together."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import cast

from xdsl.dialects import arith, complex, tensor, vector
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    ArrayAttr,
    DenseArrayBase,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    TensorType,
    VectorType,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.extensions.arith_elementwise import element_type_of
from xshardy.dialects.extensions.vector import FromElementsOp, ShapeCastOp
from xshardy.rewriting import match_op_type
from xshardy.transforms.canonicalization.constants import (
    dense_attr,
    integer_of,
    materialize,
    scalar_attr,
    scalar_values,
)
from xshardy.transforms.canonicalization.folds import Fold


def linear_index(indices: Sequence[int], shape: Sequence[int]) -> int | None:
    """The position of an element in row-major order; None if it is out of bounds."""
    position = 0
    for index, size in zip(indices, shape, strict=True):
        if not 0 <= index < size:
            return None
        position = position * size + index
    return position


def element_of(attr: Attribute | None, position: int) -> Attribute | None:
    """
    The element at `position`, in row-major order, of a constant tensor or vector.

    Precondition: `position` is 0 if all elements are equal.
    """
    values = scalar_values(attr)
    if values is None or not isinstance(attr, DenseIntOrFPElementsAttr):
        return None
    return scalar_attr(values[position], element_type_of(attr.get_type()))


# -- tensor -----------------------------------------------------------------------------------------------------------


def fold_tensor_extract(op: tensor.ExtractOp, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`extract (insert x into t[i])[i]` -> `x`, `extract (splat x)` -> `x`, and elements at constant indices."""
    source = op.tensor.owner
    if isinstance(source, tensor.InsertOp) and tuple(source.indices) == tuple(op.indices):
        return source.scalar
    if isinstance(source, tensor.SplatOp):
        return source.input
    values = scalar_values(constants[0])
    if values is not None and len(values) == 1:
        return element_of(constants[0], 0)
    indices = [integer_of(index) for index in op.indices]
    type = cast(TensorType, op.tensor.type)
    if any(index is None for index in indices) or not type.has_static_shape():
        return None
    position = linear_index([index for index in indices if index is not None], type.get_shape())
    if position is None:
        return None
    if isinstance(source, tensor.FromElementsOp):
        return source.elements[position]
    return element_of(constants[0], position)


def fold_tensor_cast(op: tensor.CastOp, constants: Sequence[Attribute | None]) -> SSAValue | None:
    """A cast to its own type -> its operand."""
    return op.source if op.source.type == op.dest.type else None


def fold_tensor_dim(op: tensor.DimOp, constants: Sequence[Attribute | None]) -> Attribute | None:
    """The size of a static dimension."""
    index = integer_of(op.index)
    type = op.source.type
    if index is None or not isinstance(type, TensorType) or not 0 <= index < type.get_num_dims():
        return None
    size = type.get_shape()[index]
    return None if size == DYNAMIC_INDEX else scalar_attr(size, op.result.type)


# -- vector -----------------------------------------------------------------------------------------------------------


def _static_position(op: vector.ExtractOp | vector.InsertOp) -> Sequence[int] | None:
    return None if op.dynamic_position else op.static_position.get_values()


def fold_vector_extract(op: vector.ExtractOp, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
    """`extract (broadcast x)` -> `x`, and what an insert, `from_elements` or a constant holds at the position."""
    producer = op.vector.owner
    if isinstance(producer, vector.BroadcastOp) and producer.source.type == op.result.type:
        return producer.source
    if isinstance(producer, vector.InsertOp) and producer.get_mixed_position() == op.get_mixed_position():
        return producer.source if producer.source.type == op.result.type else None
    values = scalar_values(constants[0])
    if values is not None and len(values) == 1 and not isinstance(op.result.type, VectorType):
        return element_of(constants[0], 0)
    position = _static_position(op)
    type = cast(VectorType, op.vector.type)
    if position is None or len(position) != type.get_num_dims():
        return None
    at = linear_index(position, type.get_shape())
    if at is None:
        return None
    if isinstance(producer, FromElementsOp):
        return producer.elements[at]
    if constants[0] is not None:
        return element_of(constants[0], at)
    return _inserted_at(op.vector, position)


def _inserted_at(value: SSAValue, position: Sequence[int]) -> SSAValue | None:
    """The element that a chain of inserts at static positions put at `position`."""
    while isinstance(insert := value.owner, vector.InsertOp) and (at := _static_position(insert)) is not None:
        if tuple(at) == tuple(position):
            return insert.source
        if len(at) != len(position):
            return None
        value = insert.dest
    producer = value.owner
    if isinstance(producer, FromElementsOp):
        at = linear_index(position, producer.dest.type.get_shape())
        return None if at is None else producer.elements[at]
    return None


def fold_same_type(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | None:
    """A change of the type to what it is -> the operand."""
    return op.operands[0] if op.operands[0].type == op.results[0].type else None


@lru_cache(maxsize=1024)
def static_positions(positions: tuple[int, ...]) -> DenseArrayBase:
    """The position of an access to a vector, as its attribute."""
    return DenseArrayBase.from_list(i64, positions)


class StaticPosition(RewritePattern):
    """`vector.extract v[%c]` with a constant `%c` -> `vector.extract v[c]`, and so for insert."""

    @match_op_type
    def match_and_rewrite(self, op: vector.ExtractOp | vector.InsertOp, rewriter: PatternRewriter, /):
        if not op.dynamic_position:
            return
        positions = [integer_of(at) if isinstance(at, SSAValue) else at for at in op.get_mixed_position()]
        if any(position is None or position < 0 for position in positions):
            return
        kept = [value for value in op.operands if value not in tuple(op.dynamic_position)]
        if len(kept) != len(op.operands) - len(op.dynamic_position):
            return
        op.operands = kept
        op.properties["static_position"] = static_positions(tuple(at for at in positions if at is not None))
        rewriter.notify_op_modified(op)


class ConstantElements(RewritePattern):
    """`vector.from_elements` of constants -> a constant vector; of one value -> `vector.broadcast`."""

    @match_op_type
    def match_and_rewrite(self, op: FromElementsOp, rewriter: PatternRewriter, /):
        type = op.dest.type
        if len(set(op.elements)) == 1 and prod(type.get_shape()) > 1:
            rewriter.replace(op, vector.BroadcastOp(op.elements[0], type))
            return
        values: list[int | float] = []
        for element in op.elements:
            attr = element.owner.value if isinstance(element.owner, arith.ConstantOp) else None
            if not isinstance(attr, IntegerAttr | FloatAttr):
                return
            values.append(attr.value.data)
        rewriter.replace(op, materialize(dense_attr(values, type), type))


# -- complex ----------------------------------------------------------------------------------------------------------


def _fold_part(index: int) -> Fold:
    """The real (0) or imaginary (1) part of what was created from parts, or of a constant."""

    def fold(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | Attribute | None:
        source = op.operands[0].owner
        if isinstance(source, complex.CreateOp):
            return source.operands[index]
        constant = constants[0]
        return cast(ArrayAttr[Attribute], constant).data[index] if isinstance(constant, ArrayAttr) else None

    return fold


def fold_create(op: complex.CreateOp, constants: Sequence[Attribute | None]) -> SSAValue | None:
    """`create (re x), (im x)` -> `x`"""
    real, imaginary = op.real.owner, op.imaginary.owner
    if not isinstance(real, complex.ReOp) or not isinstance(imaginary, complex.ImOp):
        return None
    return real.operands[0] if real.operands[0] is imaginary.operands[0] else None


def fold_involution(op: Operation, constants: Sequence[Attribute | None]) -> SSAValue | None:
    """`op (op x)` -> `x`"""
    inner = op.operands[0].owner
    return inner.operands[0] if isinstance(inner, type(op)) else None


FOLDS: Mapping[type[Operation], Fold] = {
    ShapeCastOp: fold_same_type,
    complex.ConjOp: fold_involution,
    complex.CreateOp: fold_create,
    complex.ImOp: _fold_part(1),
    complex.NegOp: fold_involution,
    complex.ReOp: _fold_part(0),
    tensor.CastOp: fold_tensor_cast,
    tensor.DimOp: fold_tensor_dim,
    tensor.ExtractOp: fold_tensor_extract,
    vector.BitcastOp: fold_same_type,
    vector.BroadcastOp: fold_same_type,
    vector.ExtractOp: fold_vector_extract,
}

PATTERNS: Sequence[RewritePattern] = (StaticPosition(), ConstantElements())
