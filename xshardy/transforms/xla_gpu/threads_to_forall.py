"""
Write a kernel whose threads work alone as `scf.forall` over the threads of a block, as XLA's emitters for loops do.

The inverse of `xla-gpu-lower-xla-shared`, with which the pipeline begins to lower such kernels.
"""

from typing import ClassVar

from xdsl.dialects import gpu
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.extensions.scf import ForallOp, InParallelOp
from xshardy.dialects.extensions.tensor import ParallelInsertSliceOp
from xshardy.dialects.shapes import is_tensor
from xshardy.dialects.xla_gpu import AllocateSharedOp, DimensionAttr, ShuffleReduceOp, SyncThreadsOp, WorkgroupIdOp
from xshardy.dialects.xla_gpu.discardable import is_entry, launch_dimensions
from xshardy.rewriting import TO_FIXPOINT, PatternPass, Walk, match_op_type
from xshardy.rewriting.walk import operations_of

EXCHANGES = (AllocateSharedOp, ShuffleReduceOp, SyncThreadsOp)
"""What threads of a block exchange values by."""


class BlockIdToWorkgroupId(RewritePattern):
    """`gpu.block_id x` -> `xla_gpu.workgroup_id x`, with its attributes."""

    @match_op_type
    def match_and_rewrite(self, op: gpu.BlockIdOp, rewriter: PatternRewriter, /):
        group = WorkgroupIdOp(DimensionAttr(op.dimension.data))
        group.attributes.update(op.attributes)
        rewriter.replace(op, group)


class ThreadsToForall(RewritePattern):
    """
    `@main(%in, %out) { %t = gpu.thread_id x; a; return %r }`
    ->
    `@main(%in, %out) { %f = scf.forall (%t) in (128) shared_outs(%u = %out) { a; insert %r into %u }; return %f }`

    Requires the size of the blocks, of one dimension. Refuses kernels whose threads exchange values.
    """

    @match_op_type
    def match_and_rewrite(self, op: FuncOp, rewriter: PatternRewriter, /):
        launch = launch_dimensions(op)
        if launch is None or not is_entry(op) or operations_of(op, ForallOp, *EXCHANGES):
            return
        block, returned = op.body.block, op.body.block.last_op
        threads = operations_of(op, gpu.ThreadIdOp)
        if launch[0][1:] != (1, 1) or len(threads) != 1 or not isinstance(returned, ReturnOp):
            return
        outputs = op.args[len(op.args) - len(returned.operands) :]
        body = Block(arg_types=[threads[0].result.type, *(output.type for output in outputs)])
        outside = (returned, *threads, *operations_of(op, gpu.BlockIdOp, WorkgroupIdOp))
        for each in [each for each in block.ops if each not in outside]:
            each.detach()
            body.add_op(each)
        inserts = Block()
        for value, shared in zip(returned.operands, body.args[1:], strict=True):
            assert is_tensor(shared.type)
            shape = shared.type.get_shape()
            inserts.add_op(ParallelInsertSliceOp(value, shared, [0] * len(shape), shape, [1] * len(shape)))
        body.add_op(InParallelOp(Region(inserts)))
        forall = ForallOp(([], [0]), ([], [launch[0][0]]), ([], [1]), outputs, Region(body))
        rewriter.insert(forall, InsertPoint.before(returned))
        for output, shared in zip(outputs, body.args[1:], strict=True):
            rewriter.replace_uses_with_if(output, shared, lambda use: use.operation is not forall)
        rewriter.replace_all_uses_with(threads[0].result, body.args[0])
        rewriter.erase(threads[0])
        returned.operands = forall.results
        rewriter.notify_op_modified(op)


class ThreadsToForallPass(PatternPass):
    """Write kernels whose threads work alone as loops over the threads of a block, and block ids as work groups."""

    name = "xla-gpu-threads-to-forall"
    source: ClassVar[str] = "XLA's emitters since November 2025, `KernelApiBuilder`"
    walk: ClassVar[Walk] = TO_FIXPOINT
    fixed_patterns = (BlockIdToWorkgroupId(), ThreadsToForall())
