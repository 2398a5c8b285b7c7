"""Reshards to meshes with other axes, or to a single device, by way of whole tensors."""

from typing import ClassVar

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.ops import ReshardOp
from xshardy.rewriting import PatternPass, match_op_type
from xshardy.transforms.failures import warn
from xshardy.transforms.sdy.shardable_values import sharding_of
from xshardy.transforms.sdy_export.insert_func_call_reshards import replicated_like
from xshardy.transforms.sdy_export.reshard_to_collectives import same_axes
from xshardy.transforms.sdy_export.single_device import is_on_single_device


class GatherBeforeReshard(RewritePattern):
    """
    `reshard(x)` -> `reshard(reshard(x))`, the inner one to a replicated tensor, if `x` is over other axes, or goes to a
    single device.
    """

    @match_op_type
    def match_and_rewrite(self, op: ReshardOp, rewriter: PatternRewriter, /) -> None:
        before = sharding_of(op.input)
        if before is None or before.is_fully_replicated:
            return
        if not is_on_single_device(op.sharding, op):
            if op.sharding.is_fully_replicated or same_axes(before, op.sharding, op):
                return
            warn(op, "the tensor goes to a mesh with other axes: each device gets all of it in between")
        rewriter.insert(whole := ReshardOp(op.input, replicated_like(before)), InsertPoint.before(op))
        op.operands[0] = whole.result
        rewriter.notify_op_modified(op)


class GatherBetweenMeshesPass(PatternPass):
    """
    Replicate each tensor that is resharded to a single device, or, with a warning, to a mesh with other axes.

    `sdy-reshard-to-collectives` leaves such reshards, and `sdy-convert-global-to-local` takes parts of whole tensors.
    """

    name = "sdy-gather-between-meshes"
    source: ClassVar[str] = "ours: upstream leaves these reshards"
    fixed_patterns = (GatherBeforeReshard(),)
