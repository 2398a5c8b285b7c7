"""
Vectorize accesses of loops to contiguous elements (XGPU-35).

A loop over `[0, n)` that reads `%t[base + %i]` reads `n` contiguous elements: one `vector.transfer_read` before it
replaces the reads. Inserted elements are collected in a vector that the loop carries, and one `vector.transfer_write`
follows the loop.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from xdsl.dialects import arith, scf, tensor, vector
from xdsl.dialects.builtin import (
    AffineMapAttr,
    AnyFloat,
    ArrayAttr,
    BoolAttr,
    BytesAttr,
    DenseIntOrFPElementsAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    ModuleOp,
    NoneAttr,
    TensorType,
    VectorType,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.hints import isa

from xshardy.affine.contiguity import alignment_without, stride
from xshardy.affine.expressions import dim, sym
from xshardy.dialects.shapes import is_tensor
from xshardy.dialects.xla_gpu import ApplyIndexingOp, AtomicRMWOp, YieldOp
from xshardy.gpus.atomics import Atomics
from xshardy.gpus.targets import atomics_in
from xshardy.rewriting import PatternPass, Walk, because, match_op_type
from xshardy.transforms.unused_operations import EraseUnusedOperation
from xshardy.transforms.xla_gpu.atomic_updates import has_vector_addition
from xshardy.transforms.xla_gpu.counted_loops import add_carried_value, trip_count
from xshardy.transforms.xla_gpu.index_values import index_constant, shared_constant

Element: TypeAlias = IntegerType | AnyFloat
"""The element types of vectors: no indices, which have no width yet, and no complex numbers."""

LENGTHS = frozenset({2, 4, 8, 16, 32})
"""The supported vector lengths."""

MAX_BITS = 256
"""The widest vector, in bits: two of the widest accesses of a thread; PTX splits it."""

IN_BOUNDS = ArrayAttr([BoolAttr.from_bool(True)])
ALONG_THE_TENSOR = AffineMapAttr(AffineMap.identity(1))


# -- Vectorizable accesses --------------------------------------------------------------------------------------------


def vector_type(tensor_type: Attribute, loop: scf.ForOp) -> VectorType[Element] | None:
    """
    The vector of the elements of a flat tensor that `loop` accesses, if it can be loaded at once.

    Its length must also divide the tensor's, so that aligned vectors never cross the end.
    """
    if not isa(tensor_type, TensorType) or tensor_type.get_num_dims() != 1:
        return None
    length, element = trip_count(loop), tensor_type.element_type
    if length not in LENGTHS or tensor_type.get_shape()[0] % length or not isinstance(tensor_type.encoding, NoneAttr):
        return None
    if not (isa(element, IntegerType) or isinstance(element, AnyFloat)) or element.bitwidth * length > MAX_BITS:
        return None
    return VectorType(element, (length,))


def base_index(index: SSAValue, loop: scf.ForOp, length: int, rewriter: PatternRewriter) -> SSAValue | None:
    """
    `index` at the first iteration, emitted before `loop`, if it grows by 1 per iteration from a multiple of `length`.

    This is detected for the induction variable itself, and for an `apply_indexing` of it with other operands defined
    outside of the loop.
    """
    induction_var = loop.body.block.args[0]
    if index is induction_var:
        return index_constant(0, loop, rewriter)
    applied = index.owner
    if not isinstance(applied, ApplyIndexingOp) or len(applied.results) != 1:
        return None
    uses = [i for i, operand in enumerate(applied.operands) if operand is induction_var]
    outside = (_is_outside(operand, loop) for operand in applied.operands if operand is not induction_var)
    if len(uses) != 1 or not all(outside):
        return None
    position = uses[0]
    dims = len(applied.map.dimensions)
    variable = dim(position) if position < dims else sym(position - dims)
    expr = applied.map.results[0]
    if stride(expr, variable) != 1 or alignment_without(expr, variable) % length:
        return None
    operands = list(applied.operands)
    operands[position] = index_constant(0, loop, rewriter)
    return rewriter.insert(ApplyIndexingOp(operands, applied.map), InsertPoint.before(loop)).results[0]


def written_result(op: Operation, written: SSAValue) -> int | None:
    """
    The number of the loop result that `op` computes by writes to `written`, if all writes can move after the loop.

    They can if the yield is the only use of the result, `op` is the only use of the carried tensor, and both have one
    position.
    """
    if len(op.results) != 1 or not op.results[0].has_one_use():
        return None
    use = next(iter(op.results[0].uses))
    if not isinstance(use.operation, scf.YieldOp) or not isinstance(written, BlockArgument):
        return None
    if written.block is not op.parent_block() or written.index != use.index + 1 or not written.has_one_use():
        return None
    return use.index


# -- Reasons ----------------------------------------------------------------------------------------------------------

NOT_IN_LOOP = "not vectorized: it is not directly in a loop"
NO_VECTOR = "not vectorized: %s iterations over a %s make no vector that one access moves"
NOT_CONTIGUOUS = "not vectorized: its index does not grow by 1 for each iteration from a multiple of %s"
OTHER_ACCESSES = "not vectorized: the loop reads the tensor, or writes it at another place too"


# -- Patterns ---------------------------------------------------------------------------------------------------------


class VectorizeLoad(RewritePattern):
    """
    `scf.for %i = 0 to 4 { tensor.extract %t[base + %i] }`
    ->
    `%v = vector.transfer_read %t[base]; scf.for %i = 0 to 4 { vector.extract %v[%i] }`

    The tensor must be defined outside of the loop, because the loop may write a carried tensor.
    """

    @match_op_type
    def match_and_rewrite(self, op: tensor.ExtractOp, rewriter: PatternRewriter, /):
        loop = op.parent_op()
        if not isinstance(loop, scf.ForOp):
            return because(rewriter, NOT_IN_LOOP)
        if not _is_outside(op.tensor, loop):
            return because(rewriter, "not vectorized: the tensor is made or carried by the loop, which may write it")
        type_ = vector_type(op.tensor.type, loop)
        if type_ is None:
            return because(rewriter, NO_VECTOR, trip_count(loop) or "an unknown number of", op.tensor.type)
        base = base_index(op.indices[0], loop, type_.get_shape()[0], rewriter)
        if base is None:
            return because(rewriter, NOT_CONTIGUOUS, type_.get_shape()[0])
        padding = shared_constant(_zero(type_.element_type), loop, rewriter)
        read = vector.TransferReadOp(op.tensor, (base,), padding, type_, IN_BOUNDS, ALONG_THE_TENSOR)
        rewriter.insert(read, InsertPoint.before(loop))
        rewriter.replace(op, vector.ExtractOp(read.result, (loop.body.block.args[0],), op.result.type))


class VectorizeStore(RewritePattern):
    """
    `%r = scf.for %i = 0 to 4 iter_args(%u = %t) { yield (tensor.insert %x into %u[base + %i]) }`
    ->
    `%v = scf.for %i = 0 to 4 iter_args(%w = 0) { yield (vector.insert %x, %w[%i]) }`
    `%r = vector.transfer_write %v, %t[base]`

    The tensor stays a carried value that no iteration changes; canonicalization removes it.
    """

    @match_op_type
    def match_and_rewrite(self, op: tensor.InsertOp, rewriter: PatternRewriter, /):
        loop = op.parent_op()
        result = written_result(op, op.dest)
        if not isinstance(loop, scf.ForOp):
            return because(rewriter, NOT_IN_LOOP)
        if result is None:
            return because(rewriter, OTHER_ACCESSES)
        type_ = vector_type(op.dest.type, loop)
        if type_ is None:
            return because(rewriter, NO_VECTOR, trip_count(loop) or "an unknown number of", op.dest.type)
        base = base_index(op.indices[0], loop, type_.get_shape()[0], rewriter)
        if base is None:
            return because(rewriter, NOT_CONTIGUOUS, type_.get_shape()[0])
        loop = _collect(op.scalar, loop, type_, rewriter)
        rewriter.replace(op, (), (op.dest,))
        into = loop.iter_args[result]
        assert is_tensor(into.type)
        write = vector.TransferWriteOp(loop.results[-1], into, (base,), IN_BOUNDS, None, ALONG_THE_TENSOR, into.type)
        rewriter.insert(write, InsertPoint.after(loop))
        rewriter.replace_all_uses_with(loop.results[result], write.results[0])


@dataclass(frozen=True)
class VectorizeAtomicAdd(RewritePattern):
    """
    `%r = scf.for %i = 0 to 4 iter_args(%u = %t) { yield (atomic_rmw %u[base + %i] { (%c: f32): yield %c + %x }) }`
    ->
    `%v = scf.for %i = 0 to 4 iter_args(%w = 0) { yield (vector.insert %x, %w[%i]) }`
    `%r = atomic_rmw %t[base] { (%c: vector<4xf32>): yield %c + %v }`

    For the widest vectors that the GPU adds atomically: f32 and bf16 since Hopper, pairs of f16 since Volta.
    """

    atomics: Atomics | None

    @match_op_type
    def match_and_rewrite(self, op: AtomicRMWOp, rewriter: PatternRewriter, /):
        if self.atomics is None:
            return because(rewriter, "not vectorized: no GPU is named, and vector atomics depend on it")
        loop = op.parent_op()
        result = written_result(op, op.input)
        addend = _atomic_addend(op)
        if not isinstance(loop, scf.ForOp):
            return because(rewriter, NOT_IN_LOOP)
        if addend is None:
            return because(rewriter, "not vectorized: it does more than add a value to the element")
        if result is None:
            return because(rewriter, OTHER_ACCESSES)
        type_ = vector_type(op.input.type, loop)
        if type_ is None:
            return because(rewriter, NO_VECTOR, trip_count(loop) or "an unknown number of", op.input.type)
        if not has_vector_addition(type_, self.atomics):
            return because(rewriter, "not vectorized: the GPU does not add %s atomically", type_)
        base = base_index(op.indices[0], loop, type_.get_shape()[0], rewriter)
        if base is None:
            return because(rewriter, NOT_CONTIGUOUS, type_.get_shape()[0])
        loop = _collect(addend, loop, type_, rewriter)
        rewriter.replace(op, (), (op.input,))
        body = Block(arg_types=(type_,))
        total = arith.AddfOp(body.args[0], loop.results[-1])
        body.add_ops((total, YieldOp(total.result)))
        atomic = AtomicRMWOp(loop.iter_args[result], (base,), Region(body))
        rewriter.insert(atomic, InsertPoint.after(loop))
        rewriter.replace_all_uses_with(loop.results[result], atomic.result)


class FoldVectorCopy(RewritePattern):
    """
    `%r = scf.for %i = 0 to 4 iter_args(%w = 0) { yield (vector.insert (vector.extract %v[%i]), %w[%i]) }` -> `%r = %v`

    Not if `%v` is a whole tensor: the copy would look like an alias of the tensor and be lost.
    """

    @match_op_type
    def match_and_rewrite(self, op: vector.InsertOp, rewriter: PatternRewriter, /):
        loop, extract = op.parent_op(), op.source.owner
        result = written_result(op, op.dest)
        if not isinstance(loop, scf.ForOp) or not isinstance(extract, vector.ExtractOp) or result is None:
            return
        type_, induction_var = op.dest.type, loop.body.block.args[0]
        if not isa(type_, VectorType[Attribute]) or (trip_count(loop),) != type_.get_shape():
            return
        same_place = op.get_mixed_position() == extract.get_mixed_position() == [induction_var]
        if extract.vector.type != type_ or not same_place or not _is_outside(extract.vector, loop):
            return
        if _is_whole_tensor(extract.vector):
            return
        terminator = loop.body.block.last_op
        assert isinstance(terminator, scf.YieldOp)
        terminator.operands[result] = op.dest
        rewriter.notify_op_modified(terminator)
        rewriter.replace_all_uses_with(loop.results[result], extract.vector)


def _is_outside(value: SSAValue, loop: scf.ForOp) -> bool:
    """Whether `value`, visible in the body of `loop`, is defined outside of it."""
    owner = value.owner
    block = owner if isinstance(owner, Block) else owner.parent_block()
    return block is not loop.body.block


def _is_whole_tensor(value: SSAValue) -> bool:
    """Whether the vector was read from a tensor without further elements."""
    read = value.owner
    if not isinstance(read, vector.TransferReadOp) or not is_tensor(read.source.type):
        return False
    assert isa(value.type, VectorType[Attribute])
    return read.source.type.get_shape() == value.type.get_shape()


def _collect(element: SSAValue, loop: scf.ForOp, type_: VectorType[Element], rewriter: PatternRewriter) -> scf.ForOp:
    """`loop` replaced by one that also carries a vector, with `element` inserted at the induction variable."""
    body = loop.body.block
    init = shared_constant(zero_vector(type_), loop, rewriter)
    collected = rewriter.insert_block_argument(body, len(body.args), type_)
    terminator = body.last_op
    assert terminator is not None
    insert = rewriter.insert(vector.InsertOp(element, collected, (body.args[0],)), InsertPoint.before(terminator))
    return add_carried_value(loop, init, insert.result, rewriter)


def _zero(type_: Element) -> IntegerAttr | FloatAttr:
    return IntegerAttr(0, type_) if isinstance(type_, IntegerType) else FloatAttr(0.0, type_)


def zero_vector(type_: VectorType[Element]) -> DenseIntOrFPElementsAttr[Element]:
    """A vector of zeros."""
    # Zero is all bits 0 in every integer and floating-point format.
    return DenseIntOrFPElementsAttr(
        type_, BytesAttr(bytes(type_.get_shape()[0] * type_.element_type.compile_time_size))
    )


def _atomic_addend(op: AtomicRMWOp) -> SSAValue | None:
    """`%x` if the body only adds `%x`, defined outside, to the current value; None otherwise."""
    body = op.computation.block
    add, current = body.first_op, op.current_value
    if not isinstance(add, arith.AddfOp) or add.next_op is not body.last_op or add.next_op is None:
        return None
    if add.next_op.operands[0] is not add.result or not current.has_one_use():
        return None
    return add.rhs if add.lhs is current else add.lhs


@dataclass(frozen=True)
class VectorizeLoadsStoresPass(PatternPass):
    """
    Vectorize loops over a few contiguous elements of flat tensors: vector reads and writes around the loop.

    `gpu_device_info` names the GPU, as in `cuda_compute_capability {major: 9}`; it determines the vector atomics.
    """

    name = "xla-gpu-vectorize-loads-stores"
    source: ClassVar[str] = 'XLA:GPU emitters, "Vectorization" (XGPU-35, XGPU-56)'
    walk: ClassVar[Walk] = Walk(walk_reverse=True, apply_recursively=True)
    gpu_device_info: str = ""

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        atomics = atomics_in(self.gpu_device_info)
        return (
            EraseUnusedOperation(),
            VectorizeLoad(),
            VectorizeStore(),
            VectorizeAtomicAdd(atomics),
            FoldVectorCopy(),
        )
