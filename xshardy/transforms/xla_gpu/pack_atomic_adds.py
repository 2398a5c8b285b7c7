"""
Add single f16 and bf16 elements to memory as pairs, which GPUs add by one instruction on a word.

PTX also has an addition of a single element, but ptxas expands it to a loop around compare-and-exchange. The other half
is added -0, which changes no number. Source: PTX ISA, `red`.
"""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects import arith, llvm
from xdsl.dialects.builtin import IntegerAttr, IntegerType, ModuleOp, bf16, f16, i8, i16, i32, i64
from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.extensions.llvm_memory import AtomicBinOp, AtomicRMWOp
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.xla_gpu.atomic_updates import pair_addition

HIGH_MINUS_ZERO = 0x8000_0000
"""The bits of a pair with the second element -0 and the first one 0."""
BIT_OF_SECOND = 2
"""The bit of an element's byte address that is set for the second element of a word."""


class PackAtomicAdd(RewritePattern):
    """
    `llvm.atomicrmw fadd %p, %x : f16` -> `red.global.add.noftz.f16x2 [%p & ~2], {%x, -0}`, or `{-0, %x}`

    Only if the old element is unused. The word is in the buffer, because buffers are aligned to 4 bytes.
    """

    @match_op_type
    def match_and_rewrite(self, op: AtomicRMWOp, rewriter: PatternRewriter, /):
        if op.bin_op.data is not AtomicBinOp.FADD or op.val.type not in (f16, bf16) or op.res.first_use:
            return
        ops: list[Operation] = []

        def add(new: Operation) -> SSAValue:
            ops.append(new)
            return new.results[0]

        def constant(value: int, type: IntegerType = i32) -> SSAValue:
            return add(llvm.ConstantOp(IntegerAttr(value, type, truncate_bits=True), type))

        second = add(llvm.AndOp(add(llvm.PtrToIntOp(op.ptr, i64)), constant(BIT_OF_SECOND, i64)))
        back = add(llvm.SubOp(constant(0, i64), second))
        word = add(llvm.GEPOp.from_mixed_indices(op.ptr, [back], i8, inbounds=True))
        shift = add(llvm.ShlOp(add(llvm.TruncOp(second, i32)), constant(3)))  # from bytes to bits
        bits = add(llvm.ZExtOp(add(arith.BitcastOp(op.val, i16)), i32))
        neutral = add(llvm.LShrOp(constant(HIGH_MINUS_ZERO), shift))
        pair = add(llvm.OrOp(add(llvm.ShlOp(bits, shift)), neutral))
        rewriter.insert([*ops, pair_addition(word, [pair], op.val.type)])
        rewriter.erase(op)


class PackAtomicAddsPass(PatternPass):
    """Add single f16 and bf16 elements to memory as pairs, one of which is -0."""

    name = "xla-gpu-pack-atomic-adds"
    source: ClassVar[str] = "none upstream: PTX ISA, `red`; after xla-lower-tensors (XGPU-38)"

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        return (PackAtomicAdd(),)
