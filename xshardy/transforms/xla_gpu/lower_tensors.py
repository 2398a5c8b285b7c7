"""
Lower tensors to memory: reads become loads, updates become stores, and functions write their results through pointers.

The lowerings of `memref` do not apply: the program is not bufferized, and its external interface is XLA's.
Precondition: tensors have at most one dimension. Source: rows XGPU-38 and XGPU-58.

Three steps: replace every use of a buffer by its first value (`buffers`) and move constants to the start of their
function; lower operations on tensors to operations on pointers, with casts between both; erase unused casts.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from math import gcd
from typing import ClassVar

from xdsl.dialects import arith, func, gpu, llvm, tensor, vector
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    FunctionType,
    IntAttr,
    IntegerType,
    ModuleOp,
    TensorType,
    UnrealizedConversionCastOp,
    VectorType,
    i1,
    i8,
    i32,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.affine.contiguity import alignment_without
from xshardy.affine.expressions import constant, dim, substitute, sym
from xshardy.dialects.attribute_names import SHARDING
from xshardy.dialects.extensions.llvm_memory import AddrSpaceCastOp, LoadOp, StoreOp
from xshardy.dialects.nvvm import SHARED_MEMORY
from xshardy.dialects.xla_gpu import AllocateSharedOp, ApplyIndexingOp, AtomicRMWOp, GetDynamicDimSizeOp, SyncThreadsOp
from xshardy.dialects.xla_gpu.discardable import constant_value, is_invariant
from xshardy.gpus.targets import atomics_in
from xshardy.rewriting import BACKWARD, FORWARD, PatternPass, Step, match_op_type
from xshardy.rewriting.walk import operations_in
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.failures import OperationFailedException
from xshardy.transforms.xla_gpu.atomic_updates import atomic_update_patterns
from xshardy.transforms.xla_gpu.atomic_words import compare_and_swap
from xshardy.transforms.xla_gpu.buffers import buffer_patterns, buffers_of, is_tensor
from xshardy.transforms.xla_gpu.function_constants import (
    EraseUnusedConstant,
    HoistConstant,
    after_constants,
    constant_places,
)
from xshardy.transforms.xla_gpu.memory_types import ElementLayout, array_type, element_count, llvm_type
from xshardy.transforms.xla_gpu.tensor_access import (
    POINTER,
    WIDEST_ACCESS,
    Index,
    MemoryPattern,
    ModuleMemory,
    TensorAccess,
    plan_globals,
    tensor_type,
)

DIMENSION_SIZE = 4
"""The size of the i32 after the elements that holds a dynamic dimension, in bytes."""

# -- Preconditions -----------------------------------------------------------------------------------------------------

LOWERED: frozenset[type[Operation]] = frozenset(
    {
        AllocateSharedOp,
        AtomicRMWOp,
        GetDynamicDimSizeOp,
        SyncThreadsOp,
        tensor.EmptyOp,
        tensor.ExtractOp,
        tensor.InsertOp,
    }
)
"""The operations in dialects of `LOWERED_BEFORE` for which there are patterns."""

LOWERED_BEFORE: Mapping[str, str] = {
    "tensor": "xla-gpu-flatten-tensors",
    "xla_gpu": "xla-gpu-lower-xla-gpu-to-scf, xla-gpu-lower-xla-gpu-loops-to-scf and xla-gpu-convert-pure-call-ops",
}
"""The passes that lower all other operations of a dialect on tensors."""


def check_operations(operations: Iterable[Operation]) -> None:
    """Raise `PassFailedException` for an operation on tensors that an earlier pass should have lowered."""
    for op in operations:
        if (passes := earlier_passes(type(op))) is not None and any(map(is_tensor, (*op.operands, *op.results))):
            raise PassFailedException(f"'{op.name}' on tensors does not become memory: run {passes} first")


def check_single_block(function: func.FuncOp) -> None:
    """Raise `OperationFailedException` if `function` has several blocks: buffers are known through scf only."""
    if (count := len(function.body.blocks)) > 1:
        raise OperationFailedException(
            function,
            f"@{function.sym_name.data} has {count} blocks, and tensors become memory in functions of one block: write "
            "branches and loops as `scf.if`, `scf.for` and `scf.while`",
        )


def has_tensors(function: func.FuncOp) -> bool:
    """Whether `function` has a tensor. One that is lowered to branches already has none."""
    blocks = function.body.blocks
    if len(blocks) == 1:
        return True  # not worth a walk: the pass leaves it as it is
    arguments = (argument for block in blocks for argument in block.args)
    return any(map(is_tensor, chain(arguments, *(op.operands for op in operations_in(function)))))


@cache
def earlier_passes(op_type: type[Operation]) -> str | None:
    """
    The passes that lower operations of a class on tensors; None if this pass does, or if they are no tensor operations.
    """
    return None if op_type in LOWERED else LOWERED_BEFORE.get(op_type.name.split(".")[0])


# -- Functions ---------------------------------------------------------------------------------------------------------


class LowerSignature(RewritePattern):
    """`@f(%t: tensor<8xf32>) -> tensor<8xf32>` -> `@f(%p: !llvm.ptr)`, with a cast of `%p` to a tensor for the body."""

    @match_op_type
    def match_and_rewrite(self, op: func.FuncOp, rewriter: PatternRewriter, /):
        inputs, outputs = op.function_type.inputs.data, op.function_type.outputs.data
        results = _without_tensors(outputs)
        if results and len(results) < len(outputs):
            raise PassFailedException(
                f"@{op.sym_name.data}: function has a mix of tensor and non-tensor results: return all in tensors"
            )
        if any(SHARDING in attributes.data for attributes in chain(op.arg_attrs or (), op.res_attrs or ())):
            raise PassFailedException(
                f"@{op.sym_name.data}: a pointer has no sharding: partition the program first, or run "
                "sdy-drop-sharding-and-mesh"
            )
        pointers = [POINTER if isinstance(type, TensorType) else type for type in inputs]
        if (lowered := FunctionType.from_lists(pointers, results)) == op.function_type:
            return
        op.function_type = lowered
        if len(results) < len(outputs):
            op.res_attrs = None
        rewriter.notify_op_modified(op)
        if op.is_declaration:
            return
        end = op.get_return_op()
        if end is not None and len(results) < len(outputs):
            rewriter.replace(end, func.ReturnOp())
        casts: list[Operation] = []
        for argument, type in zip(op.args, inputs, strict=True):
            if isa(type, TensorType):
                pointer = rewriter.replace_value_with_new_type(argument, POINTER)
                cast = UnrealizedConversionCastOp.get([pointer], [type])
                rewriter.replace_uses_with_if(
                    pointer, cast.results[0], lambda use, cast=cast: use.operation is not cast
                )
                casts.append(cast)
        rewriter.insert(casts, after_constants(op.body.block))


class LowerCall(MemoryPattern):
    """`%s, %r = call @f(%t, %i)` -> `%r = call @f(%p, %i)` for tensors `%s` and `%t`; `%s` is an update of `%t`."""

    @match_op_type
    def match_and_rewrite(self, op: func.CallOp, rewriter: PatternRewriter, /):
        if not any(map(is_tensor, (*op.operands, *op.results))):
            return
        if any(is_tensor(result) and result.first_use for result in op.results):
            raise PassFailedException(
                f"a tensor that @{op.callee.string_value()} returns is used: use the one given to it, which it updates"
            )
        access = self.memory.access(op, rewriter)
        operands = [access.pointer(value) if is_tensor(value) else value for value in op.operands]
        call = func.CallOp(op.callee, operands, _without_tensors(op.result_types))
        call.attributes.update(op.attributes)
        kept = iter(call.results)
        rewriter.replace(op, call, [None if is_tensor(result) else next(kept) for result in op.results])


def _without_tensors(types: Sequence[Attribute]) -> list[Attribute]:
    return [type for type in types if not isinstance(type, TensorType)]


# -- Elements ----------------------------------------------------------------------------------------------------------


class LowerExtract(MemoryPattern):
    """`tensor.extract %t[%i]` -> `llvm.load` of the element, `invariant` if no thread writes the tensor."""

    @match_op_type
    def match_and_rewrite(self, op: tensor.ExtractOp, rewriter: PatternRewriter, /):
        layout = ElementLayout(op.result.type)
        if layout.is_packed:
            return
        access = self.memory.access(op, rewriter)
        loaded = _load(access, op.tensor, access.index(op.indices), layout.stored, None)
        rewriter.replace(op, (), (access.from_memory(loaded, op.result.type),))


class LowerPackedExtract(MemoryPattern):
    """`tensor.extract %t[%i] : tensor<8xi4>` -> `llvm.load` of the byte, shifted and truncated."""

    @match_op_type
    def match_and_rewrite(self, op: tensor.ExtractOp, rewriter: PatternRewriter, /):
        layout = ElementLayout(op.result.type)
        if not layout.is_packed:
            return
        access = self.memory.access(op, rewriter)
        index = access.index(op.indices)
        bit_offset = access.bit_offset(index, layout)
        loaded = _load(access, op.tensor, index, layout.stored, None)
        if bit_offset != 0:
            amount = access.arith_constant(bit_offset, i8) if isinstance(bit_offset, int) else bit_offset
            loaded = access.value(arith.ShRUIOp(loaded, amount))
        loaded = access.value(arith.TruncIOp(loaded, IntegerType(layout.bits)))
        rewriter.replace(op, (), (access.from_memory(loaded, op.result.type),))


class LowerInsert(MemoryPattern):
    """`tensor.insert %x into %t[%i]` -> `llvm.store %x`."""

    @match_op_type
    def match_and_rewrite(self, op: tensor.InsertOp, rewriter: PatternRewriter, /):
        if ElementLayout(op.scalar.type).is_packed:
            return
        access = self.memory.access(op, rewriter)
        address = access.address(op.dest, access.index(op.indices))
        access.insert(StoreOp(access.to_memory(op.scalar), address))
        rewriter.replace(op, (), (op.dest,))


class LowerPackedInsert(MemoryPattern):
    """
    `insert %x : i4 into %t[%i]` -> `byte = byte & ~mask | %x << offset`, atomically: other threads write other bits.

    The tensor is accessed as bytes. The pointer type then has as many bytes as elements, which is harmless.
    """

    @match_op_type
    def match_and_rewrite(self, op: tensor.InsertOp, rewriter: PatternRewriter, /):
        layout = ElementLayout(op.scalar.type)
        if not layout.is_packed:
            return
        access = self.memory.access(op, rewriter)
        index = access.index(op.indices)
        offset = access.bit_offset(index, layout)
        shift = access.arith_constant(offset, i8) if isinstance(offset, int) else offset
        byte = access.byte_index(index, layout)
        view = access.cast(op.dest, TensorType(i8, tensor_type(op.dest).get_shape()))

        bits_type = llvm_type(op.scalar.type)
        bits = op.scalar if op.scalar.type == bits_type else access.value(arith.BitcastOp(op.scalar, bits_type))
        element = access.value(arith.ExtUIOp(bits, i8))
        mask = access.value(arith.ShLIOp(access.arith_constant(2**layout.bits - 1, i8), shift))
        others = access.value(arith.XOrIOp(mask, access.arith_constant(-1, i8)))
        placed = access.value(arith.ShLIOp(element, shift))

        def replace_bits(inner: TensorAccess, current: SSAValue) -> SSAValue:
            return inner.value(arith.OrIOp(inner.value(arith.AndIOp(current, others)), placed))

        compare_and_swap(access, view, byte, replace_bits)
        rewriter.replace(op, (), (op.dest,))


def _load(access: TensorAccess, tensor: SSAValue, index: Index, type: Attribute, alignment: int | None) -> SSAValue:
    """Load a `type` at element `index`; `invariant` if the tensor is never written."""
    address = access.address(tensor, index)
    return access.value(LoadOp(address, type, alignment=alignment, invariant=is_invariant(access.pointer(tensor))))


# -- Vectors -----------------------------------------------------------------------------------------------------------


def _check_transfer(op: vector.TransferReadOp | vector.TransferWriteOp, type: VectorType, index: Index) -> None:
    """Raise `PassFailedException` unless the transfer is of a whole contiguous vector inside of the tensor."""
    source = tensor_type(op.source)
    layout = ElementLayout(source.element_type)
    count = element_count(source)
    if not all(in_bounds.value.data for in_bounds in op.in_bounds) and not (
        isinstance(index, int) and index + type.get_shape()[0] <= count
    ):
        raise PassFailedException(f"'{op.name}' may leave its tensor of {count} elements: mark it in_bounds = [true]")
    if op.mask is not None or type.get_num_dims() != 1 or not op.permutation_map.data.is_minor_identity():
        raise PassFailedException(f"'{op.name}' of {type}: expected a vector of one dimension, unmasked and in order")
    if type.get_shape()[0] % layout.per_byte or (isinstance(index, int) and index % layout.per_byte):
        raise PassFailedException(f"'{op.name}' of {type}: expected elements that fill whole bytes, from their start")


def _natural_alignment(type: VectorType) -> int:
    """The default alignment of a vector in bytes: its size, at most that of the widest access."""
    size = ElementLayout(type.element_type).size(type.get_shape()[0])
    return min(1 << max(size - 1, 0).bit_length(), WIDEST_ACCESS)


def _with_constant_operands(index: ApplyIndexingOp) -> AffineExpr:
    """The first result of the map of `index`, with constant operands substituted for their variables."""
    known = [constant_value(operand) for operand in index.operands]
    dims = len(index.dims)
    return substitute(
        index.map.results[0],
        [dim(i) if value is None else constant(value) for i, value in enumerate(known[:dims])],
        [sym(i) if value is None else constant(value) for i, value in enumerate(known[dims:])],
    )


def _transfer_alignment(access: TensorAccess, tensor: SSAValue, index: SSAValue, type: VectorType) -> int:
    """
    The known alignment in bytes of a transfer of a `type` at `index`, at least that of an element.

    It is the alignment of the first element, as far as the index preserves it, as `%i * 4` does. LLVM adds what follows
    from constants other than 0.
    """
    layout = ElementLayout(tensor_type(tensor).element_type)
    step = layout.size(_divisor(index))
    return max(access.alignment(tensor, step, _natural_alignment(type)), layout.alignment)


def _divisor(index: SSAValue) -> int:
    """A divisor of `index`: 0 if it is 0, and 1 if nothing is known."""
    op = index.owner
    if isinstance(op, ApplyIndexingOp):
        return alignment_without(_with_constant_operands(op), None)
    if isinstance(op, arith.AddiOp) and (offset := constant_value(op.rhs)) is not None:
        return gcd(_divisor(op.lhs), offset)
    return 0 if constant_value(index) == 0 else 1


def _stored_vector(type: VectorType) -> Attribute:
    """The stored form of a vector: bytes for an i1, the packed bits for a small element."""
    return VectorType(i8, type.shape) if type.element_type == i1 else llvm_type(type)


class LowerTransferRead(MemoryPattern):
    """`vector.transfer_read %t[%i]` -> `llvm.load` of a vector."""

    @match_op_type
    def match_and_rewrite(self, op: vector.TransferReadOp, rewriter: PatternRewriter, /):
        if not is_tensor(op.source):
            return
        assert isa(op.result.type, VectorType)
        access = self.memory.access(op, rewriter)
        index = access.index(op.indices)
        _check_transfer(op, op.result.type, index)
        alignment = _transfer_alignment(access, op.source, op.indices[0], op.result.type)
        loaded = _load(access, op.source, index, _stored_vector(op.result.type), alignment)
        rewriter.replace(op, (), (access.from_memory(loaded, op.result.type),))


class LowerTransferWrite(MemoryPattern):
    """`vector.transfer_write %v, %t[%i]` -> `llvm.store` of a vector."""

    @match_op_type
    def match_and_rewrite(self, op: vector.TransferWriteOp, rewriter: PatternRewriter, /):
        if not is_tensor(op.source):
            return
        assert isa(op.vector.type, VectorType)
        access = self.memory.access(op, rewriter)
        index = access.index(op.indices)
        _check_transfer(op, op.vector.type, index)
        alignment = _transfer_alignment(access, op.source, op.indices[0], op.vector.type)
        address = access.address(op.source, index)
        access.insert(StoreOp(access.to_memory(op.vector), address, alignment=alignment))
        rewriter.replace(op, (), (op.source,))


# -- Memory ------------------------------------------------------------------------------------------------------------


class LowerAllocateShared(MemoryPattern):
    """`xla_gpu.allocate_shared` -> the address of an `llvm.mlir.global` in shared memory."""

    @match_op_type
    def match_and_rewrite(self, op: AllocateSharedOp, rewriter: PatternRewriter, /):
        access = self.memory.access(op, rewriter)
        name = self.memory.globals.use(op, rewriter)
        shared = access.value(llvm.AddressOfOp(name, llvm.LLVMPointerType(IntAttr(SHARED_MEMORY))))
        rewriter.replace(op, (), (access.cast(access.value(AddrSpaceCastOp(shared, POINTER)), op.result.type),))


class LowerEmpty(MemoryPattern):
    """`tensor.empty` -> memory of the thread, an `llvm.alloca` at the start of the function."""

    @match_op_type
    def match_and_rewrite(self, op: tensor.EmptyOp, rewriter: PatternRewriter, /):
        access = self.memory.access(op, rewriter)
        one = access.llvm_constant(1, i32)
        properties = {"elem_type": array_type(tensor_type(op.tensor))}
        slot = access.at_start(llvm.AllocaOp.create(operands=[one], properties=properties, result_types=[POINTER]))
        rewriter.replace(op, (), (access.cast(slot, op.tensor.type),))


class LowerConstantTensor(MemoryPattern):
    """`arith.constant dense<...> : tensor` -> the address of an `llvm.mlir.global constant`."""

    @match_op_type
    def match_and_rewrite(self, op: arith.ConstantOp, rewriter: PatternRewriter, /):
        if not is_tensor(op.result):
            return
        assert isa(op.value, DenseIntOrFPElementsAttr)
        access = self.memory.access(op, rewriter)
        address = access.value(llvm.AddressOfOp(self.memory.globals.use(op, rewriter), POINTER))
        rewriter.replace(op, (), (access.cast(address, op.result.type),))


class LowerSyncThreads(MemoryPattern):
    """`%s = xla_gpu.sync_threads %t` -> `gpu.barrier`, with `%s` replaced by `%t`."""

    @match_op_type
    def match_and_rewrite(self, op: SyncThreadsOp, rewriter: PatternRewriter, /):
        if op.results:
            rewriter.replace(op, gpu.BarrierOp(), op.operands)


class LowerGetDynamicDimSize(MemoryPattern):
    """`xla_gpu.get_dynamic_dim_size %t 1` -> `llvm.load` of the i32 that XLA stores after the elements."""

    @match_op_type
    def match_and_rewrite(self, op: GetDynamicDimSizeOp, rewriter: PatternRewriter, /):
        access = self.memory.access(op, rewriter)
        type = tensor_type(op.tensor)
        size = ElementLayout(type.element_type).size(element_count(type))
        if size % DIMENSION_SIZE:
            raise PassFailedException(f"'{op.name}' op dynamic size offset is not {DIMENSION_SIZE}-byte aligned")
        offset = access.llvm_constant(size + DIMENSION_SIZE * op.dim.value.data, i64)
        address = llvm.GEPOp.from_mixed_indices(access.pointer(op.tensor), [offset], i8, inbounds=True)
        rewriter.replace(op, LoadOp(access.value(address), i32))


class EraseUnusedCast(RewritePattern):
    """`builtin.unrealized_conversion_cast %p : !llvm.ptr to tensor` -> nothing, if the result is unused."""

    @match_op_type
    def match_and_rewrite(self, op: UnrealizedConversionCastOp, rewriter: PatternRewriter, /):
        if not any(result.first_use for result in op.results):
            rewriter.erase(op)


# -- The pass ----------------------------------------------------------------------------------------------------------

ELEMENT_PATTERNS: Sequence[type[MemoryPattern]] = (
    LowerCall,
    LowerExtract,
    LowerPackedExtract,
    LowerInsert,
    LowerPackedInsert,
    LowerTransferRead,
    LowerTransferWrite,
    LowerAllocateShared,
    LowerEmpty,
    LowerConstantTensor,
    LowerSyncThreads,
    LowerGetDynamicDimSize,
)


@dataclass(frozen=True)
class LowerTensorsPass(PatternPass):
    """
    Lower tensors to memory of the llvm dialect: pointers, loads, stores, atomics, globals.

    `gpu_device_info` names the GPU, as in `cuda_compute_capability {major: 9}`; by default, only atomic updates of
    every GPU are used.
    """

    name = "xla-gpu-lower-tensors"
    source: ClassVar[str] = 'XLA:GPU emitters, "Conversion to LLVM", lower_tensors (XGPU-38, XGPU-58)'
    gpu_device_info: str = ""
    target_type: str = "gpu"

    def __post_init__(self) -> None:
        if self.target_type != "gpu":
            raise ValueError(f"no target '{self.target_type}': use target_type=gpu")

    def steps(self, module: ModuleOp) -> Iterable[Step]:
        atomics = atomics_in(self.gpu_device_info)
        defined = (function for function in functions_of(module).values() if not function.is_declaration)
        functions = [function for function in defined if has_tensors(function)]
        for function in functions:
            check_single_block(function)
        bodies = {function: operations_in(function) for function in functions}
        operations = tuple(chain.from_iterable(bodies.values()))
        check_operations(operations)
        globals = plan_globals(module, operations)
        yield Step((*buffer_patterns(buffers_of(operations)), HoistConstant(constant_places(bodies))), FORWARD)
        memory = ModuleMemory.of(functions, globals, atomics)
        on_elements = (pattern(memory) for pattern in ELEMENT_PATTERNS)
        yield Step((LowerSignature(), *on_elements, *atomic_update_patterns(memory)), FORWARD)
        yield Step((EraseUnusedCast(), EraseUnusedConstant()), BACKWARD)
