"""
Flatten tensors and vectors of two or more dimensions to one, with elements in memory order (XGPU-34).

Indices are linearized first, while types still have their shapes; then all types are converted at once. Between the
steps, types are inconsistent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import ClassVar, TypeGuard

from xdsl.builder import Builder
from xdsl.dialects import arith, builtin, func, tensor, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    BytesAttr,
    ComplexType,
    DenseIntOrFPElementsAttr,
    FunctionType,
    IntegerType,
    ModuleOp,
    NoneAttr,
    TensorType,
    VectorType,
)
from xdsl.dialects.llvm import LLVMStructType
from xdsl.ir import Attribute, Operation, OpResult, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.affine.expressions import add, constant, dim, mul, total, used_variables
from xshardy.affine.indexing_map import IndexingMap, Variable
from xshardy.affine.interval import Interval
from xshardy.dialects import xla_gpu
from xshardy.dialects.dense_elements import dense, is_one_for_all
from xshardy.dialects.extensions.vector import FromElementsOp
from xshardy.dialects.xla_gpu.canonicalization import APPLY_INDEXING_PATTERNS
from xshardy.dialects.xla_gpu.discardable import constant_value
from xshardy.ir.value_types import give_types
from xshardy.rewriting import TO_FIXPOINT, OpTypePattern, PatternPass, Step, match_op_type
from xshardy.rewriting.walk import operations_from
from xshardy.transforms.unused_operations import EraseUnusedOperation
from xshardy.transforms.xla_gpu.index_values import apply_map

Shaped = TensorType[Attribute] | VectorType[Attribute]


@dataclass(frozen=True, slots=True)
class Access:
    """The operands of an operation that accesses one element: the accessed value, and the trailing indices."""

    shaped: int
    first_index: int


ACCESSES: Mapping[type[Operation], Access] = {
    tensor.ExtractOp: Access(shaped=0, first_index=1),
    tensor.InsertOp: Access(shaped=1, first_index=2),
    xla_gpu.AtomicRMWOp: Access(shaped=0, first_index=1),
    xla_gpu.PredicatedExtractOp: Access(shaped=2, first_index=3),
    xla_gpu.PredicatedInsertOp: Access(shaped=2, first_index=3),
}

SHAPE_AGNOSTIC_DIALECTS = frozenset({"arith", "func", "math", "scf"})
"""Dialects whose operations are independent of shapes: elementwise, or forwarding values."""

SHAPE_AGNOSTIC: frozenset[type[Operation]] = frozenset(
    {
        *ACCESSES,
        builtin.UnrealizedConversionCastOp,
        tensor.EmptyOp,
        tensor.SplatOp,
        vector.BroadcastOp,
        vector.ExtractOp,
        vector.FMAOp,
        vector.InsertOp,
        FromElementsOp,
        vector.TransferReadOp,
        vector.TransferWriteOp,
        xla_gpu.AllocateSharedOp,
        xla_gpu.GetDynamicDimSizeOp,
        xla_gpu.LoopOp,
        xla_gpu.PureCallOp,
        xla_gpu.SyncThreadsOp,
        xla_gpu.YieldOp,
    }
)
"""Other operations independent of shapes; those with indices are rewritten before the types are."""


# -- Types ------------------------------------------------------------------------------------------------------------


def is_multi_dimensional(type_: Attribute) -> TypeGuard[Shaped]:
    """Whether `type_` is a tensor or vector of two or more dimensions."""
    return isinstance(type_, TensorType | VectorType) and type_.get_num_dims() > 1


def flat_type(type_: Attribute) -> Attribute:
    """
    `tensor<2x3xf32>` -> `tensor<6xf32>`, without the layout. Types of less than two dimensions are unchanged.

    Raises `PassFailedException` for a dynamic shape.
    """
    if not is_multi_dimensional(type_):
        return type_
    if not type_.has_static_shape():
        raise PassFailedException(f"cannot flatten {type_}: only tensors with a static shape have a flat one")
    elements = prod(type_.get_shape())
    if isinstance(type_, TensorType):
        return TensorType(type_.element_type, (elements,))
    return VectorType(type_.element_type, (elements,))


def minor_to_major(type_: Shaped) -> tuple[int, ...]:
    """
    The dimensions, the one that varies fastest in memory first; without a layout, row-major.

    Raises `PassFailedException` for an encoding other than a list such as `dense<[0, 1]> : tensor<2xi64>`.
    """
    rank = type_.get_num_dims()
    if not isinstance(type_, TensorType) or isinstance(type_.encoding, NoneAttr):
        return tuple(reversed(range(rank)))
    if isa(type_.encoding, DenseIntOrFPElementsAttr[IntegerType]):
        dims = type_.encoding.get_values()
        if sorted(dims) == list(range(rank)):
            return dims
    raise PassFailedException(
        f"cannot flatten {type_}: its encoding is not a layout; write the dimensions from minor to major, "
        f"as in dense<[1, 0]> : tensor<2xi64>"
    )


def linear_index(type_: Shaped, indices: Sequence[SSAValue | int], user: Operation, builder: Builder) -> SSAValue:
    """
    The position in memory, in elements, of `indices`: a value for `user`, emitted at `builder`.

    Constant indices are folded into the map. The others are its dimensions, bounded by the sizes of the shape. Indices
    computed from the most variables come first, so that a composed map has the variables in their order.
    """
    shape = type_.get_shape()
    layout = minor_to_major(type_)
    strides = {d: prod(shape[minor] for minor in layout[:position]) for position, d in enumerate(layout)}
    known = {d: value for d, index in enumerate(indices) if (value := _known_index(index)) is not None}
    values = {d: index for d, index in enumerate(indices) if d not in known and isinstance(index, SSAValue)}
    dimensions = sorted(values, key=lambda d: -_variables_read(values[d]))
    terms = (mul(dim(dimensions.index(d)), constant(strides[d])) for d in reversed(layout) if d in values)
    offset = constant(sum(value * strides[d] for d, value in known.items()))
    # An empty dimension is never accessed, so any bounds are valid.
    variables = tuple(Variable("", Interval.of_size(max(shape[d], 1))) for d in dimensions)
    indexing_map = IndexingMap((add(total(tuple(terms)), offset),), variables)
    return apply_map(indexing_map, [values[d] for d in dimensions], (), user, builder)[0]


def _known_index(index: SSAValue | int) -> int | None:
    return index if isinstance(index, int) else constant_value(index)


def _variables_read(index: SSAValue) -> int:
    """The number of variables of the map that computes `index`; 1 for any other value."""
    if not isinstance(index, OpResult) or not isinstance(applied := index.op, xla_gpu.ApplyIndexingOp):
        return 1
    dims, symbols = used_variables(applied.map.results[index.index])
    return len(dims) + len(symbols)


# -- Indices ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class LinearizeAccess(OpTypePattern):
    """`tensor.extract %t[%i, %j]` -> `tensor.extract %t[apply_indexing #map(%i, %j)]`; all rows of `ACCESSES`."""

    access: Access

    def rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        type_ = op.operands[self.access.shaped].type
        if not is_multi_dimensional(type_):
            return
        index = linear_index(type_, op.operands[self.access.first_index :], op, rewriter)
        op.operands = (*op.operands[: self.access.first_index], index)
        rewriter.notify_op_modified(op)


class LinearizeVectorExtract(RewritePattern):
    """`vector.extract %v[%i, 2]` -> `vector.extract %v[apply_indexing #map(%i)]`"""

    @match_op_type
    def match_and_rewrite(self, op: vector.ExtractOp, rewriter: PatternRewriter, /):
        type_ = op.vector.type
        if not is_multi_dimensional(type_):
            return
        _require_element(op, op.result.type)
        index = linear_index(type_, op.get_mixed_position(), op, rewriter)
        rewriter.replace(op, vector.ExtractOp(op.vector, (index,), op.result.type))


class LinearizeVectorInsert(RewritePattern):
    """`vector.insert %x, %v[1, %i]` -> `vector.insert %x, %v[apply_indexing #map(%i)]`"""

    @match_op_type
    def match_and_rewrite(self, op: vector.InsertOp, rewriter: PatternRewriter, /):
        type_ = op.dest.type
        if not is_multi_dimensional(type_):
            return
        _require_element(op, op.source.type)
        index = linear_index(type_, op.get_mixed_position(), op, rewriter)
        rewriter.replace(op, vector.InsertOp(op.source, op.dest, (index,)))


class LinearizeTransfer(RewritePattern):
    """
    `vector.transfer_read %t[%i, %j], %pad` -> `vector.transfer_read %t[apply_indexing #map(%i, %j)], %pad`; or a write.

    The elements of the vector must be contiguous: along the minor dimension, and without a mask.
    """

    @match_op_type
    def match_and_rewrite(self, op: vector.TransferReadOp | vector.TransferWriteOp, rewriter: PatternRewriter, /):
        type_ = op.source.type
        if not is_multi_dimensional(type_):
            return
        minor = AffineMap(type_.get_num_dims(), 0, (dim(minor_to_major(type_)[0]),))
        if op.permutation_map.data != minor or op.mask is not None:
            raise PassFailedException(
                f"cannot flatten '{op.name}' along {op.permutation_map.data}{' with a mask' if op.mask else ''}: "
                f"access {type_} along its minor dimension, {minor}, without a mask"
            )
        index = linear_index(type_, op.indices, op, rewriter)
        along = AffineMapAttr(AffineMap.identity(1))
        if isinstance(op, vector.TransferReadOp):
            new = vector.TransferReadOp(op.source, (index,), op.padding, op.result.type, op.in_bounds, along)
        else:
            assert isinstance(type_, TensorType)
            new = vector.TransferWriteOp(op.vector, op.source, (index,), op.in_bounds, None, along, type_)
        rewriter.replace(op, new)


def _require_element(op: Operation, type_: Attribute) -> None:
    if isinstance(type_, VectorType):
        raise PassFailedException(f"cannot flatten '{op.name}' of a {type_}: give a position in every dimension")


# -- Values -----------------------------------------------------------------------------------------------------------


class FlattenConstant(RewritePattern):
    """`arith.constant dense<[[1, 2], [3, 4]]>` -> `arith.constant dense<[1, 2, 3, 4]>`, ordered by the layout."""

    @match_op_type
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter, /):
        if isa(op.value, DenseIntOrFPElementsAttr) and is_multi_dimensional(op.value.type):
            op.value = flat_constant(op.value)
            flatten_values(op, rewriter)


class FlattenSignature(RewritePattern):
    """`func @f(%t: tensor<2x3xf32>)` -> `func @f(%t: tensor<6xf32>)`, including results."""

    @match_op_type
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter, /):
        inputs, outputs = op.function_type.inputs, op.function_type.outputs
        if any(map(is_multi_dimensional, (*inputs, *outputs))):
            op.function_type = FunctionType.from_lists(
                [flat_type(type_) for type_ in inputs], [flat_type(type_) for type_ in outputs]
            )
            rewriter.notify_op_modified(op)
        flatten_values(op, rewriter)


class FlattenValues(RewritePattern):
    """`%r = op(%t) : tensor<2x3xf32>` -> `%r = op(%t) : tensor<6xf32>`, including arguments of its regions."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /):
        flatten_values(op, rewriter)


def flatten_values(op: Operation, rewriter: PatternRewriter) -> None:
    """Flatten the types of the results of `op` and of the arguments of its regions."""
    arguments = (argument for region in op.regions for block in region.blocks for argument in block.args)
    values = (*op.results, *arguments)
    give_types(op, [(value, flat_type(value.type)) for value in values if is_multi_dimensional(value.type)], rewriter)


def flat_constant(value: DenseIntOrFPElementsAttr) -> DenseIntOrFPElementsAttr:
    """`dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>` -> `dense<[1, 2, 3, 4]> : tensor<4xi32>`, ordered by the layout."""
    type_ = value.type
    assert is_multi_dimensional(type_)
    if is_one_for_all(value):
        return dense(flat_type(type_), value.data.data)
    major_to_minor = tuple(reversed(minor_to_major(type_)))
    data, size, shape = value.data.data, value.get_element_type().compile_time_size, type_.get_shape()
    steps = [prod(shape[dim + 1 :]) * size for dim in major_to_minor]
    starts = [range(0, shape[dim] * step, step) for dim, step in zip(major_to_minor, steps, strict=True)]
    in_memory = b"".join(data[start : start + size] for start in map(sum, product(*starts)))
    return DenseIntOrFPElementsAttr.new((flat_type(type_), BytesAttr(in_memory)))


def check_operations(module: ModuleOp) -> None:
    """Raise `PassFailedException` for an operation on multi-dimensional types that may depend on shapes."""
    for op in operations_from(module):
        if op.dialect_name() in SHAPE_AGNOSTIC_DIALECTS or type(op) in SHAPE_AGNOSTIC:
            continue
        types = (*op.result_types, *(operand.type for operand in op.operands))
        if (type_ := next(filter(is_multi_dimensional, types), None)) is not None:
            raise PassFailedException(f"cannot flatten {type_} in '{op.name}': lower this operation first")


class DropIdentityCast(RewritePattern):
    """`builtin.unrealized_conversion_cast %x : T to T` -> `%x`, after a cast between shapes became an identity."""

    @match_op_type
    def match_and_rewrite(self, op: builtin.UnrealizedConversionCastOp, rewriter: PatternRewriter, /):
        if op.operand_types == op.result_types:
            rewriter.replace(op, (), op.operands)


def check_casts(module: ModuleOp) -> None:
    """
    Only casts that preserve bits may remain: between integers of one width and different signedness, and between a
    complex number and the LLVM struct of its parts, which the lowering to LLVM resolves.
    """
    for op in operations_from(module):
        if not isinstance(op, builtin.UnrealizedConversionCastOp):
            continue
        for before, after in zip(op.operand_types, op.result_types, strict=False):
            if _is_complex_struct(before, after) or _is_complex_struct(after, before):
                continue
            if isinstance(before, IntegerType) and isinstance(after, IntegerType) and before.bitwidth == after.bitwidth:
                continue
            raise PassFailedException(
                f"FlattenTensorsPass failed to converge: a cast from {before} to {after} is left; replace it by an "
                "operation that computes one from the other"
            )


class FlattenTensorsPass(PatternPass):
    """Flatten tensors and vectors of two or more dimensions to one dimension, honouring layouts."""

    name = "xla-gpu-flatten-tensors"
    source: ClassVar[str] = 'XLA:GPU emitters, "Flatten tensors" (XGPU-34, XGPU-55)'

    def steps(self, module: ModuleOp) -> Iterator[Step]:
        check_operations(module)
        accesses = (LinearizeAccess(op_type, access) for op_type, access in ACCESSES.items())
        yield Step((*accesses, LinearizeVectorExtract(), LinearizeVectorInsert(), LinearizeTransfer()))
        yield Step((FlattenConstant(), FlattenSignature(), FlattenValues()))
        # Most linear indices depend on indices computed from few values: compute them from those.
        yield Step((EraseUnusedOperation(), DropIdentityCast(), *APPLY_INDEXING_PATTERNS), TO_FIXPOINT)
        check_casts(module)


def _is_complex_struct(complex: Attribute, struct: Attribute) -> bool:
    """Whether `struct` is `!llvm.struct<(T, T)>`, and `complex` the `complex<T>` of it."""
    if not isa(complex, ComplexType) or not isa(struct, LLVMStructType):
        return False
    return list(struct.types) == [complex.element_type] * 2
