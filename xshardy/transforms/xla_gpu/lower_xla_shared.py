"""Lower the operations shared by the emitters of all backends to GPU operations: threads and blocks."""

from typing import ClassVar

from xdsl.dialects import gpu
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint
from xdsl.utils.exceptions import PassFailedException

from xshardy.affine.interval import Interval
from xshardy.dialects.extensions.scf import ForallOp, InParallelOp
from xshardy.dialects.extensions.tensor import ParallelInsertSliceOp
from xshardy.dialects.shapes import is_tensor
from xshardy.dialects.xla_gpu import WorkgroupIdOp
from xshardy.dialects.xla_gpu.discardable import set_range
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.unused_operations import EraseUnusedOperation

DIMENSIONS = tuple(gpu.DimensionAttr(dimension) for dimension in gpu.DimensionEnum)
"""The dimensions of a block, in the order of the dimensions of an `scf.forall`."""


class ForallToThreads(RewritePattern):
    """
    `scf.forall (%i, %j) in (128, 2) shared_outs(%u = %t) { body; in_parallel { parallel_insert_slice %r into %u } }`
    ->
    `%i = gpu.thread_id x {xla.range = [0, 127]}; %j = gpu.thread_id y {xla.range = [0, 1]}; body` with `%t` for `%u`

    Every thread executes one iteration. The result is replaced by the value that the thread inserts: `%r`.
    """

    @match_op_type
    def match_and_rewrite(self, op: ForallOp, rewriter: PatternRewriter, /):
        threads: list[SSAValue] = []
        for dimension, size in zip(DIMENSIONS, _sizes(op), strict=False):
            thread_id = rewriter.insert(gpu.ThreadIdOp(dimension))
            set_range(thread_id, Interval.of_size(size))
            threads.append(thread_id.result)
        body = op.region.block
        terminator = body.last_op
        assert isinstance(terminator, InParallelOp)
        inserts = _inserts(op, terminator)
        rewriter.inline_block(body, InsertPoint.before(op), (*threads, *op.outputs))
        results = tuple(
            output if insert is None else insert.source for insert, output in zip(inserts, op.outputs, strict=True)
        )
        rewriter.erase(terminator)
        rewriter.replace(op, (), results)


def _sizes(op: ForallOp) -> tuple[int, ...]:
    """The sizes of the box. Raises `PassFailedException` unless it is the box of the threads of a block."""
    lower, upper, step = (
        bound.get_values() for bound in (op.static_lower_bound, op.static_upper_bound, op.static_step)
    )
    dynamic = (*op.dynamic_lower_bound, *op.dynamic_upper_bound, *op.dynamic_step)
    if dynamic or any(lower) or any(value != 1 for value in step) or len(upper) > len(DIMENSIONS) or 0 in upper:
        raise PassFailedException(
            f"cannot run '{op.name}' on the threads of a block: it must go from 0 to constants in steps of 1, "
            "in at most 3 dimensions"
        )
    return upper


def _inserts(op: ForallOp, terminator: InParallelOp) -> tuple[ParallelInsertSliceOp | None, ...]:
    """For each shared tensor the value inserted into it, which must cover it; None without an insertion."""
    inserts: dict[SSAValue, ParallelInsertSliceOp] = {}
    for insert in terminator.region.block.ops:
        assert isinstance(insert, ParallelInsertSliceOp)
        assert is_tensor(insert.dest.type)
        shape = insert.dest.type.get_shape()
        offsets, sizes, strides = (
            values.get_values() for values in (insert.static_offsets, insert.static_sizes, insert.static_strides)
        )
        if any(offsets) or sizes != shape or any(stride != 1 for stride in strides):
            raise PassFailedException(
                f"'{insert.name}' must insert a whole {insert.dest.type}, as one thread sees it, and not a part of one"
            )
        inserts[insert.dest] = insert
    return tuple(inserts.get(argument) for argument in op.region.block.args[op.rank :])


class WorkgroupIdToBlockId(RewritePattern):
    """`xla_gpu.workgroup_id x` -> `gpu.block_id x`, with its attributes"""

    @match_op_type
    def match_and_rewrite(self, op: WorkgroupIdOp, rewriter: PatternRewriter, /):
        block_id = gpu.BlockIdOp(gpu.DimensionAttr(gpu.DimensionEnum(op.dimension.data)))
        block_id.attributes.update(op.attributes)
        rewriter.replace(op, block_id)


class LowerXlaSharedPass(PatternPass):
    """Map `scf.forall` to the threads of a block, and work groups to blocks."""

    name = "xla-gpu-lower-xla-shared"
    source: ClassVar[str] = 'XLA:GPU emitters, "Building blocks", xla-lower-xla-shared (XGPU-10)'
    fixed_patterns = (EraseUnusedOperation(), ForallToThreads(), WorkgroupIdToBlockId())
