"""
Add single f16 and bf16 elements to memory as pairs, which GPUs add by one instruction on a word.

PTX also has an addition of a single element, but ptxas expands it to a loop around compare-and-exchange, and AMD's GPUs
have none. The other half is added -0, which changes no number. Source: PTX ISA, `red`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, VectorType, bf16, f16, i8, i16, i32, i64
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.extensions.llvm_memory import AtomicBinOp, AtomicRMWOp
from xshardy.gpus.atomics import UNKNOWN_GPU
from xshardy.gpus.targets import atomics_in
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.xla_gpu.atomic_updates import pair_addition

HIGH_MINUS_ZERO = 0x8000_0000
"""The bits of a pair with the second element -0 and the first one 0."""
BYTES_OF_WORD = 4
SECOND_ELEMENT_BIT = 2
"""The bit of an element's byte address that is set for the second element of a word."""


@dataclass(frozen=True)
class PackAtomicAdd(RewritePattern):
    """
    `llvm.atomicrmw fadd %p, %x : f16` -> `red.global.add.noftz.f16x2 [%p & ~2], {%x, -0}`, or `{-0, %x}`

    Where LLVM does not split it, `llvm.atomicrmw fadd` of the pair takes the place of PTX.
    Only if the old element is unused. The word is in the buffer, because buffers are aligned to 4 bytes, unless the
    buffer has an odd number of elements: those are added one by one.
    """

    splits_vectors: bool

    @match_op_type
    def match_and_rewrite(self, op: AtomicRMWOp, rewriter: PatternRewriter, /):
        if op.bin_op.data is not AtomicBinOp.FADD or op.val.type not in (f16, bf16) or op.res.first_use:
            return
        if (size := _bytes_of_buffer(op.ptr)) is not None and size % BYTES_OF_WORD:
            return
        ops: list[Operation] = []

        def add(new: Operation) -> SSAValue:
            ops.append(new)
            return new.results[0]

        def constant(value: int, type: IntegerType = i32) -> SSAValue:
            return add(llvm.ConstantOp(IntegerAttr(value, type, truncate_bits=True), type))

        second = add(llvm.AndOp(add(llvm.PtrToIntOp(op.ptr, i64)), constant(SECOND_ELEMENT_BIT, i64)))
        back = add(llvm.SubOp(constant(0, i64), second))
        word = add(llvm.GEPOp.from_mixed_indices(op.ptr, [back], i8, inbounds=True))
        shift = add(llvm.ShlOp(add(llvm.TruncOp(second, i32)), constant(3)))  # from bytes to bits
        bits = add(llvm.ZExtOp(add(arith.BitcastOp(op.val, i16)), i32))
        neutral = add(llvm.LShrOp(constant(HIGH_MINUS_ZERO), shift))
        pair = add(llvm.OrOp(add(llvm.ShlOp(bits, shift)), neutral))
        if self.splits_vectors:
            addition = pair_addition(word, [pair], op.val.type)
        else:
            elements = add(llvm.BitcastOp(pair, VectorType(op.val.type, [2])))
            addition = AtomicRMWOp(AtomicBinOp.FADD, word, elements, op.ordering.data)
        rewriter.insert([*ops, addition])
        rewriter.erase(op)


def _bytes_of_buffer(address: SSAValue) -> int | None:
    """The bytes of the buffer that `address` is in: an argument, or an element of one; None if unknown."""
    while isinstance(address.owner, llvm.GEPOp):
        address = address.owner.ptr
    function = address.owner.parent_op() if isinstance(address.owner, Block) else None
    if not isinstance(address, BlockArgument) or not isinstance(function, FuncOp) or function.arg_attrs is None:
        return None
    size = function.arg_attrs.data[address.index].data.get("llvm.dereferenceable")
    return size.value.data if isinstance(size, IntegerAttr) else None


@dataclass(frozen=True)
class PackAtomicAddsPass(PatternPass):
    """
    Add single f16 and bf16 elements to memory as pairs, one of which is -0.

    `gpu_device_info` names the GPU, as in `cuda_compute_capability {major: 9}`; pairs are added by PTX by default.
    """

    name = "xla-gpu-pack-atomic-adds"
    source: ClassVar[str] = "none upstream: PTX ISA, `red`; after xla-lower-tensors (XGPU-38)"
    gpu_device_info: str = ""

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return (PackAtomicAdd((atomics_in(self.gpu_device_info) or UNKNOWN_GPU).splits_vectors),)
