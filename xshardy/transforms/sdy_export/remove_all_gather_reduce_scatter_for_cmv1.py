"""Drop the collectives that a partitioner inserts itself, to overlap them with matrix products."""

from typing import ClassVar

from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.collectives import AllGatherOp, ReduceScatterOp
from xshardy.dialects.sdy.value_shardings import SHARDING, local_sharding
from xshardy.dialects.stablehlo import DotGeneralOp, DotOp
from xshardy.rewriting import PatternPass, match_op_type


class DropGathersOfOperands(RewritePattern):
    """`dot(all_gather(x), y)` -> `dot(x, y)`, when nothing else reads the gather."""

    @match_op_type
    def match_and_rewrite(self, op: DotOp | DotGeneralOp, rewriter: PatternRewriter, /) -> None:
        producers = [operand.owner for operand in op.operands]
        for gather in producers:
            if isinstance(gather, AllGatherOp) and gather.result.has_one_use():
                rewriter.replace(gather, [], [gather.tensor])


class DropScatterOfResult(RewritePattern):
    """
    `reduce_scatter(dot(x, y))` -> `dot(x, y)`, when nothing else reads the product, and it has no unreduced axes.

    The product gets the sharding of the scatter.
    """

    @match_op_type
    def match_and_rewrite(self, op: DotOp | DotGeneralOp, rewriter: PatternRewriter, /) -> None:
        scatter = op.results[0].get_user_of_unique_use()
        sharding = local_sharding(op.results[0])
        if not isinstance(scatter, ReduceScatterOp) or (sharding is not None and sharding.unreduced_axes.data):
            return
        op.attributes[SHARDING] = TensorShardingPerValueAttr([scatter.out_sharding])
        rewriter.notify_op_modified(op)
        rewriter.replace(scatter, [], [scatter.tensor])


class RemoveAllGatherReduceScatterForCMV1Pass(PatternPass):
    """
    Drop the gathers of the operands of each matrix product; if it has none, drop the scatter of its result.

    The first version of "collective matmul" looks for one product whose operands and result are sharded.
    """

    name = "sdy-remove-all-gather-reduce-scatter-for-cmv1"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-remove-all-gather-reduce-scatter-for-cmv1'
    fixed_patterns = (DropGathersOfOperands(), DropScatterOfResult())
