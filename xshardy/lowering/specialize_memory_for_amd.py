"""What LLVM wants to know of memory on AMD's GPUs: where that of a thread is, and who accesses what is updated."""

from collections.abc import Mapping
from typing import ClassVar

from xdsl.dialects import llvm
from xdsl.dialects.builtin import AnyFloat, IntAttr, IntegerAttr, StringAttr, UnitAttr, VectorType
from xdsl.ir import Attribute, Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.hints import isa

from xshardy.dialects import rocdl
from xshardy.dialects.extensions.llvm_memory import AddrSpaceCastOp, AtomicCmpXchgOp, AtomicRMWOp, LoadOp, StoreOp
from xshardy.rewriting import PatternPass, match_op_type

SCOPE = "agent-one-as"
"""Other threads of the same GPU, and one address space. Source: XLA:GPU for ROCm."""


GENERIC = llvm.LLVMPointerType()


def _located(op: Operation, space: int, rewriter: PatternRewriter) -> None:
    """Make the pointer of `op` one to the address space `space`, and cast it to what its users expect."""
    located = type(op).create(
        operands=op.operands, properties=op.properties, result_types=[llvm.LLVMPointerType(IntAttr(space))]
    )
    rewriter.replace(op, AddrSpaceCastOp(rewriter.insert(located).results[0], GENERIC))


class AllocatePrivately(RewritePattern):
    """`%p = llvm.alloca : !llvm.ptr` -> `%q = llvm.alloca : !llvm.ptr<5>`, `%p = llvm.addrspacecast %q`."""

    @match_op_type
    def match_and_rewrite(self, op: llvm.AllocaOp, rewriter: PatternRewriter, /):
        if op.res.type == GENERIC:
            _located(op, rocdl.PRIVATE_MEMORY, rewriter)


class PlaceGlobal(RewritePattern):
    """`llvm.mlir.global constant @g` -> the same with `addr_space = 1`: memory of the GPU."""

    @match_op_type
    def match_and_rewrite(self, op: llvm.GlobalOp, rewriter: PatternRewriter, /):
        if op.addr_space.value.data == 0:
            op.addr_space = IntegerAttr(rocdl.GLOBAL_MEMORY, op.addr_space.type)
            rewriter.notify_op_modified(op)


class AddressPlacedGlobal(RewritePattern):
    """`%p = llvm.mlir.addressof @g : !llvm.ptr` -> `... : !llvm.ptr<1>`, `%p = llvm.addrspacecast`."""

    @match_op_type
    def match_and_rewrite(self, op: llvm.AddressOfOp, rewriter: PatternRewriter, /):
        if op.result.type == GENERIC:
            _located(op, rocdl.GLOBAL_MEMORY, rewriter)


FACTS: Mapping[str, Attribute] = dict.fromkeys(
    (rocdl.NO_FINE_GRAINED_MEMORY, rocdl.NO_REMOTE_MEMORY, rocdl.IGNORE_DENORMAL_MODE), UnitAttr()
)


class DescribeAtomicAccess(RewritePattern):
    """
    `llvm.atomicrmw fadd %p, %x monotonic` -> `... syncscope("agent-one-as") monotonic {rocdl.no_fine_grained_memory}`

    Buffers are memory of the GPU. Without these attributes, LLVM would make a loop around compare-and-exchange of an
    addition of floats, because memory of the host has none. Other atomic accesses get the scope alone.
    """

    @match_op_type
    def match_and_rewrite(self, op: AtomicRMWOp | AtomicCmpXchgOp | LoadOp | StoreOp, rewriter: PatternRewriter, /):
        is_atomic = not isinstance(op, LoadOp | StoreOp) or op.ordering is not None
        if not is_atomic or op.syncscope is not None:
            return
        op.syncscope = StringAttr(SCOPE)
        if isinstance(op, AtomicRMWOp) and _is_float(op.val.type):
            op.attributes.update(FACTS)
        rewriter.notify_op_modified(op)


def _is_float(type: Attribute) -> bool:
    return isinstance(type.element_type if isa(type, VectorType) else type, AnyFloat)


class SpecializeMemoryForAmdPass(PatternPass):
    """Give memory of threads and constants their address spaces; state that buffers are memory of the GPU."""

    name = "xla-gpu-specialize-memory-for-amd"
    source: ClassVar[str] = "LLVM's user guide for AMDGPU: address spaces, memory scopes, metadata of atomicrmw"
    fixed_patterns = (AllocatePrivately(), PlaceGlobal(), AddressPlacedGlobal(), DescribeAtomicAccess())
