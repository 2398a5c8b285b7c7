"""
Read the word that a loop around compare-and-exchange updates atomically.

A thread that updates a neighbour in the same word writes it meanwhile. A plain read beside it is a data race, although
the exchange rejects what it read. Source: PTX ISA, "Memory Consistency Model".
"""

from typing import ClassVar

from xdsl.dialects import scf
from xdsl.dialects.builtin import IntegerType
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.hints import isa

from xshardy.dialects.extensions.llvm_memory import AtomicCmpXchgOp, AtomicOrdering, LoadOp
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.xla_gpu.memory_types import BYTE


class ReadWordAtomically(RewritePattern):
    """`scf.while (llvm.load %p) { cmpxchg %p }` -> the same with `llvm.load %p atomic monotonic`."""

    @match_op_type
    def match_and_rewrite(self, op: LoadOp, rewriter: PatternRewriter, /):
        loops = [use.operation for use in op.dereferenced_value.uses if isinstance(use.operation, scf.WhileOp)]
        exchanged = (each for loop in loops for each in loop.before_region.block.ops)
        word = op.dereferenced_value.type
        if op.ordering is not None or not isa(word, IntegerType):
            return
        if any(isinstance(each, AtomicCmpXchgOp) and each.ptr is op.ptr for each in exchanged):
            size = word.width.data // BYTE
            rewriter.replace(op, LoadOp(op.ptr, word, alignment=size, ordering=AtomicOrdering.MONOTONIC))


class ReadWordsAtomicallyPass(PatternPass):
    """Read words that loops around compare-and-exchange update atomically: a plain read is a data race."""

    name = "xla-gpu-read-words-atomically"
    source: ClassVar[str] = "none upstream, which reads them plainly: PTX ISA; after xla-lower-tensors (XGPU-38)"
    fixed_patterns = (ReadWordAtomically(),)
