"""
Tensors become memory: reads are loads, updates are stores, and functions write their results through pointers.

The lowerings of `memref` are of no use: the program is not bufferized, and its interface to the outside is XLA's.
Tensors must be flat, with at most one dimension. Source: rows XGPU-38 and XGPU-58.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xdsl.context import Context
from xdsl.dialects import arith, func, gpu, llvm, tensor, vector
from xdsl.dialects.builtin import (
    BytesAttr,
    ComplexType,
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
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.utils.exceptions import PassFailedException
from xdsl.utils.hints import isa

from xshardy.affine.contiguity import alignment_without
from xshardy.dialects.data_layout import index_integer
from xshardy.dialects.dense_elements import all_bytes
from xshardy.dialects.extensions.llvm_memory import AddrSpaceCastOp, LoadOp, StoreOp
from xshardy.dialects.nvvm import SHARED_MEMORY
from xshardy.dialects.xla_gpu import AllocateSharedOp, ApplyIndexingOp, AtomicRMWOp, GetDynamicDimSizeOp, SyncThreadsOp
from xshardy.dialects.xla_gpu.discardable import constant_value, is_invariant
from xshardy.transforms.call_graph import functions_of
from xshardy.transforms.xla_gpu.atomic_updates import lower_atomic_rmw
from xshardy.transforms.xla_gpu.atomic_words import compare_and_swap
from xshardy.transforms.xla_gpu.buffers import drop_carried_tensors, forward_buffers
from xshardy.transforms.xla_gpu.device import parse_device_info
from xshardy.transforms.xla_gpu.function_constants import FunctionConstants
from xshardy.transforms.xla_gpu.memory_types import (
    BYTE,
    ElementLayout,
    array_type,
    element_count,
    llvm_type,
)
from xshardy.transforms.xla_gpu.tensor_access import POINTER, Globals, Index, TensorAccess, tensor_type

DIMENSION_SIZE = 4
"""Bytes: the size of a dynamic dimension is an i32 behind the elements."""


# -- Elements ----------------------------------------------------------------------------------------------------------


def _load(access: TensorAccess, tensor: SSAValue, index: Index, type: Attribute, alignment: int | None) -> SSAValue:
    """Load a `type` at element `index`; `invariant` if nobody writes to the tensor."""
    address = access.address(tensor, index)
    return access.value(LoadOp(address, type, alignment=alignment, invariant=is_invariant(access.pointer(tensor))))


def lower_extract(op: tensor.ExtractOp, access: TensorAccess) -> list[SSAValue]:
    """`tensor.extract %t[%i]` -> `llvm.load`; of a packed element, the byte is loaded and shifted."""
    layout = ElementLayout(op.result.type)
    index = access.index(op.indices)
    bit_offset = access.bit_offset(index, layout)
    loaded = _load(access, op.tensor, index, layout.stored, None)
    if layout.is_packed:
        if bit_offset != 0:
            amount = access.constants.arith(bit_offset, i8) if isinstance(bit_offset, int) else bit_offset
            loaded = access.value(arith.ShRUIOp(loaded, amount))
        loaded = access.value(arith.TruncIOp(loaded, IntegerType(layout.bits)))
    return [access.from_memory(loaded, op.result.type)]


def lower_insert(op: tensor.InsertOp, access: TensorAccess) -> list[SSAValue]:
    """`tensor.insert %x into %t[%i]` -> `llvm.store`; a packed element shares its byte, see `_insert_packed`."""
    if ElementLayout(op.scalar.type).is_packed:
        _insert_packed(op, access)
    else:
        address = access.address(op.dest, access.index(op.indices))
        access.insert(StoreOp(access.to_memory(op.scalar), address))
    return [op.dest]


def _insert_packed(op: tensor.InsertOp, access: TensorAccess) -> None:
    """
    `insert %x : i4 into %t[%i]` -> `byte = byte & ~mask | %x << offset`, atomically: other threads write other bits.

    The tensor is viewed as one of bytes; that it then seems to have as many bytes as elements does no harm.
    """
    layout = ElementLayout(op.scalar.type)
    index = access.index(op.indices)
    offset = access.bit_offset(index, layout)
    shift = access.constants.arith(offset, i8) if isinstance(offset, int) else offset
    byte = access.byte_index(index, layout)
    view = access.cast(op.dest, TensorType(i8, tensor_type(op.dest).get_shape()))

    bits_type = llvm_type(op.scalar.type)
    bits = op.scalar if op.scalar.type == bits_type else access.value(arith.BitcastOp(op.scalar, bits_type))
    element = access.value(arith.ExtUIOp(bits, i8))
    mask = access.value(arith.ShLIOp(access.constants.arith(2**layout.bits - 1, i8), shift))
    others = access.value(arith.XOrIOp(mask, access.constants.arith(-1, i8)))
    placed = access.value(arith.ShLIOp(element, shift))

    def replace_bits(inner: TensorAccess, current: SSAValue) -> SSAValue:
        return inner.value(arith.OrIOp(inner.value(arith.AndIOp(current, others)), placed))

    compare_and_swap(access, view, byte, replace_bits)


# -- Vectors -----------------------------------------------------------------------------------------------------------


def _check_transfer(op: vector.TransferReadOp | vector.TransferWriteOp, type: VectorType, index: Index) -> None:
    """Only whole vectors of neighbours, inside of the tensor, are one load or store."""
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


def _transfer_alignment(access: TensorAccess, tensor: SSAValue, index: SSAValue) -> int:
    """
    The known alignment in bytes of what a transfer at `index` touches, at least that of an element.

    It is the one of the first element, as far as the index keeps it, as `%i * 4` does. What a constant other than 0
    keeps of it LLVM sees by itself.
    """
    layout = ElementLayout(tensor_type(tensor).element_type)
    if isinstance(index.owner, ApplyIndexingOp):
        divisor = alignment_without(index.owner.map.results[0], None)
    else:
        divisor = 0 if constant_value(index) == 0 else 1
    return max(access.alignment(tensor, layout.size(divisor)), layout.alignment)


def _stored_vector(type: VectorType) -> Attribute:
    """What is loaded and stored for a vector: bytes for an i1, the packed bits for a small element."""
    return VectorType(i8, type.shape) if type.element_type == i1 else llvm_type(type)


def lower_transfer_read(op: vector.TransferReadOp, access: TensorAccess) -> list[SSAValue]:
    """`vector.transfer_read %t[%i]` -> `llvm.load` of a vector."""
    assert isa(op.result.type, VectorType)
    index = access.index(op.indices)
    _check_transfer(op, op.result.type, index)
    alignment = _transfer_alignment(access, op.source, op.indices[0])
    loaded = _load(access, op.source, index, _stored_vector(op.result.type), alignment)
    return [access.from_memory(loaded, op.result.type)]


def lower_transfer_write(op: vector.TransferWriteOp, access: TensorAccess) -> list[SSAValue]:
    """`vector.transfer_write %v, %t[%i]` -> `llvm.store` of a vector."""
    assert isa(op.vector.type, VectorType)
    index = access.index(op.indices)
    _check_transfer(op, op.vector.type, index)
    alignment = _transfer_alignment(access, op.source, op.indices[0])
    address = access.address(op.source, index)
    access.insert(StoreOp(access.to_memory(op.vector), address, alignment=alignment))
    return [op.source]


# -- Memory ------------------------------------------------------------------------------------------------------------


def lower_allocate_shared(op: AllocateSharedOp, access: TensorAccess) -> list[SSAValue]:
    """`xla_gpu.allocate_shared` -> the address of an `llvm.mlir.global` in shared memory."""
    name = access.globals.shared(array_type(op.result.type), SHARED_MEMORY)
    shared = access.value(llvm.AddressOfOp(name, llvm.LLVMPointerType(IntAttr(SHARED_MEMORY))))
    return [access.cast(access.value(AddrSpaceCastOp(shared, POINTER)), op.result.type)]


def lower_empty(op: tensor.EmptyOp, access: TensorAccess) -> list[SSAValue]:
    """`tensor.empty` -> memory of the thread, an `llvm.alloca`."""
    one = access.constants.llvm(1, i32)
    properties = {"elem_type": array_type(tensor_type(op.tensor))}
    slot = access.at_start(llvm.AllocaOp.create(operands=[one], properties=properties, result_types=[POINTER]))
    return [access.cast(slot, op.tensor.type)]


def lower_constant(op: arith.ConstantOp, access: TensorAccess) -> list[SSAValue]:
    """`arith.constant dense<...> : tensor` -> the address of an `llvm.mlir.global constant`."""
    assert isa(op.value, DenseIntOrFPElementsAttr)
    type = tensor_type(op.result)
    name = access.globals.constant(memory_image(op.value), array_type(type))
    return [access.cast(access.value(llvm.AddressOfOp(name, POINTER)), type)]


def memory_image(value: DenseIntOrFPElementsAttr) -> DenseIntOrFPElementsAttr:
    """
    The elements of a constant as they lie in memory, as an attribute of one dimension.

    `dense<[1, 2, 3]> : tensor<3xi4>` -> `dense<[33, 3]> : tensor<2xi8>`.
    """
    layout = ElementLayout(value.get_element_type())
    raw = all_bytes(value)
    count = len(raw) // value.get_element_type().compile_time_size
    if layout.bits < BYTE:
        starts = range(0, count, layout.per_byte)
        raw = bytes(_pack(raw[start : start + layout.per_byte], layout.bits) for start in starts)
    element = layout.element if isa(layout.element, ComplexType) else layout.stored
    type = TensorType(element, [layout.stored_count(count)])
    return DenseIntOrFPElementsAttr(type, BytesAttr(raw))  # pyright: ignore[reportArgumentType]


def _pack(elements: bytes, bits: int) -> int:
    """The byte that holds these elements, the first one in its lowest bits."""
    return sum((element & 2**bits - 1) << (place * bits) for place, element in enumerate(elements))


def lower_sync_threads(op: SyncThreadsOp, access: TensorAccess) -> Sequence[SSAValue]:
    """`%s = xla_gpu.sync_threads %t` -> `gpu.barrier`."""
    access.insert(gpu.BarrierOp())
    return op.operands


def lower_get_dynamic_dim_size(op: GetDynamicDimSizeOp, access: TensorAccess) -> list[SSAValue]:
    """`xla_gpu.get_dynamic_dim_size %t 1` -> `llvm.load` of the i32 that XLA keeps behind the elements."""
    type = tensor_type(op.tensor)
    size = ElementLayout(type.element_type).size(element_count(type))
    if size % DIMENSION_SIZE:
        raise PassFailedException(f"'{op.name}' op dynamic size offset is not {DIMENSION_SIZE}-byte aligned")
    offset = access.constants.llvm(size + DIMENSION_SIZE * op.dim.value.data, i64)
    address = llvm.GEPOp.from_mixed_indices(access.pointer(op.tensor), [offset], i8, inbounds=True)
    return [access.value(LoadOp(access.value(address), i32))]


# -- Functions ---------------------------------------------------------------------------------------------------------


def lower_call(op: func.CallOp, access: TensorAccess) -> list[SSAValue | None]:
    """`%s, %r = call @f(%t, %i)` -> `%r = call @f(%p, %i)` for tensors `%s` and `%t`, which is what `%s` became."""
    if any(isinstance(result.type, TensorType) and result.first_use for result in op.results):
        raise PassFailedException(
            f"a tensor that @{op.callee.string_value()} returns is used: use the one given to it, which it updates"
        )
    operands = [access.pointer(value) if isinstance(value.type, TensorType) else value for value in op.operands]
    call = func.CallOp(op.callee, operands, _without_tensors(op.result_types))
    call.attributes.update(op.attributes)
    kept = iter(access.insert(call).results)
    return [None if isinstance(result.type, TensorType) else next(kept) for result in op.results]


def _without_tensors(types: Sequence[Attribute]) -> list[Attribute]:
    return [type for type in types if not isinstance(type, TensorType)]


def lower_signature(function: func.FuncOp) -> None:
    """`@f(%t: tensor<8xf32>) -> tensor<8xf32>` -> `@f(%p: !llvm.ptr)`, with a cast of `%p` to a tensor for the body."""
    inputs, outputs = function.function_type.inputs.data, function.function_type.outputs.data
    results = _without_tensors(outputs)
    if results and len(results) < len(outputs):
        raise PassFailedException(
            f"@{function.sym_name.data}: function has a mix of tensor and non-tensor results: return all in tensors"
        )
    pointers = [POINTER if isinstance(type, TensorType) else type for type in inputs]
    function.function_type = FunctionType.from_lists(pointers, results)
    if function.is_declaration:
        return
    end = function.get_return_op()
    if end is not None and len(results) < len(outputs):
        Rewriter.replace_op(end, func.ReturnOp())
    casts: list[Operation] = []
    for argument, type in zip(function.args, inputs, strict=True):
        if isa(type, TensorType):
            pointer = Rewriter.replace_value_with_new_type(argument, POINTER)
            cast = UnrealizedConversionCastOp.get([pointer], [type])
            pointer.replace_uses_with_if(cast.results[0], lambda use, cast=cast: use.operation is not cast)
            casts.append(cast)
    Rewriter.insert_op(casts, InsertPoint.at_start(function.body.block))


# -- The pass ----------------------------------------------------------------------------------------------------------

Rule = Callable[[Any, TensorAccess], Sequence[SSAValue | None]]
"""Inserts what an operation becomes, and gives the values for its results; None for a result that nothing uses."""

RULES: Mapping[type[Operation], Rule] = {
    AllocateSharedOp: lower_allocate_shared,
    AtomicRMWOp: lower_atomic_rmw,
    GetDynamicDimSizeOp: lower_get_dynamic_dim_size,
    SyncThreadsOp: lower_sync_threads,
    arith.ConstantOp: lower_constant,
    func.CallOp: lower_call,
    tensor.EmptyOp: lower_empty,
    tensor.ExtractOp: lower_extract,
    tensor.InsertOp: lower_insert,
    vector.TransferReadOp: lower_transfer_read,
    vector.TransferWriteOp: lower_transfer_write,
}


LOWERED_BEFORE: Mapping[str, str] = {
    "tensor": "xla-gpu-flatten-tensors",
    "xla_gpu": "xla-gpu-lower-xla-gpu-to-scf, xla-gpu-lower-xla-gpu-loops-to-scf and xla-gpu-convert-pure-call-ops",
}
"""The passes that leave no operation of a dialect on tensors but those of `RULES`."""


def lower_function(function: func.FuncOp, access: TensorAccess) -> None:
    """
    Lower the body of `function`, whose tensors are buffers already, with one rule per operation.

    Operations of other dialects may keep tensors. Raises `PassFailedException` for one that had to be lowered before.
    """
    for op in list(function.body.walk()):
        if not _has_tensors(op):
            continue
        if (rule := RULES.get(type(op))) is not None:
            access.point = InsertPoint.before(op)
            Rewriter.replace_op(op, (), rule(op, access))
        elif (passes := LOWERED_BEFORE.get(op.dialect_name())) is not None:
            raise PassFailedException(f"'{op.name}' on tensors does not become memory: run {passes} first")


def _has_tensors(op: Operation) -> bool:
    return any(isinstance(value.type, TensorType) for value in (*op.operands, *op.results))


def erase_unused_casts(function: func.FuncOp) -> None:
    """Erase the casts between pointers and tensors that the rules have not left a use of."""
    for op in list(function.body.walk(reverse=True)):
        if isinstance(op, UnrealizedConversionCastOp) and not any(result.first_use for result in op.results):
            Rewriter.erase_op(op)


@dataclass(frozen=True)
class LowerTensorsPass(ModulePass):
    """
    Turn tensors into memory of the llvm dialect: pointers, loads, stores, atomics, globals.

    `gpu_device_info` names the GPU, as in `cuda_compute_capability {major: 9}`; without it, only what every GPU has is
    used for atomic updates.
    """

    name = "xla-gpu-lower-tensors"
    gpu_device_info: str = ""
    target_type: str = "gpu"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.target_type != "gpu":
            raise PassFailedException(f"{self.name}: no target '{self.target_type}': use target_type=gpu")
        capability = parse_device_info(self.gpu_device_info)
        globals = Globals(op)
        for function in functions_of(op).values():
            if not function.is_declaration:
                forward_buffers(function)
                drop_carried_tensors(function)
            lower_signature(function)
            if not function.is_declaration:
                constants = FunctionConstants(function)
                start = InsertPoint.at_start(function.body.block)
                access = TensorAccess(function, globals, index_integer(function), capability, constants, start)
                lower_function(function, access)
                erase_unused_casts(function)
                constants.erase_unused()
