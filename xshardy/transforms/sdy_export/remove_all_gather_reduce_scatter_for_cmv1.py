"""
Leave to the partitioner what it overlaps with products of matrices.

Source: Shardy's docs, "Export passes", `sdy-remove-all-gather-reduce-scatter-for-cmv1`.
"""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.collectives import AllGatherOp, ReduceScatterOp
from xshardy.dialects.sdy.value_shardings import SHARDING, local_sharding
from xshardy.dialects.stablehlo import DotGeneralOp, DotOp
from xshardy.rewriting.walk import operations_of

Dot = DotOp | DotGeneralOp


def gathers_of(dot: Dot) -> list[AllGatherOp]:
    """The gathers that make operands of `dot`, and nothing else."""
    producers = (operand.owner for operand in dot.operands)
    return [op for op in producers if isinstance(op, AllGatherOp) and op.result.has_one_use()]


def scatter_of(dot: Dot) -> ReduceScatterOp | None:
    """The reduction that alone reads `dot`, unless the product is said to be unreduced; None if there is none."""
    user = dot.results[0].get_user_of_unique_use()
    sharding = local_sharding(dot.results[0])
    if not isinstance(user, ReduceScatterOp) or (sharding is not None and sharding.unreduced_axes.data):
        return None
    return user


@dataclass(frozen=True)
class RemoveAllGatherReduceScatterForCMV1Pass(ModulePass):
    """
    `dot(all_gather(x), y)` -> `dot(x, y)`, and `reduce_scatter(dot(x, y))` -> `dot(x, y)` where nothing is gathered.

    So that the first version of "collective matmul" finds what it looks for: one product with operands as they are
    divided, and a result as it is to be divided.
    """

    name = "sdy-remove-all-gather-reduce-scatter-for-cmv1"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in operations_of(op, FuncOp):
            for dot in list(operations_of(function, DotOp, DotGeneralOp)):
                if gathers := gathers_of(dot):
                    for gather in gathers:
                        Rewriter.replace_op(gather, [], [gather.tensor])
                elif (scatter := scatter_of(dot)) is not None:
                    dot.attributes[SHARDING] = TensorShardingPerValueAttr([scatter.out_sharding])
                    Rewriter.replace_op(scatter, [], [scatter.tensor])
