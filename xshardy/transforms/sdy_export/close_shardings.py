"""Close all shardings: propagation is over, and nothing may add an axis. Source: Shardy's docs, "Export passes"."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.transforms.sdy.shardings import priority_of, transform_shardings


def closed(sharding: TensorShardingAttr) -> TensorShardingAttr:
    """`sharding` with all dimensions closed. Axes need not be said to be replicated where none can be added."""
    if not sharding.replicated_axes.data and all(dim.is_closed for dim in sharding.dim_shardings):
        return sharding
    return TensorShardingAttr(
        sharding.mesh_or_ref,
        [DimensionShardingAttr(dim.axes, is_closed=True, priority=priority_of(dim)) for dim in sharding.dim_shardings],
        unreduced_axes=sharding.unreduced_axes,
        reduction_op=sharding.reduction_op.data,
    )


@dataclass(frozen=True)
class CloseShardingsPass(ModulePass):
    """Close the dimensions of every sharding, and drop the axes that it says are replicated."""

    name = "sdy-close-shardings"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        transform_shardings(op, closed)
