"""Close all shardings after propagation, so that no later pass adds an axis."""

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import RewritePattern

from xshardy.dialects.sdy.attributes.sharding import DimensionShardingAttr, TensorShardingAttr
from xshardy.rewriting import AttributePattern, PatternPass
from xshardy.transforms.sdy.shardings import HOLD_NO_SHARDINGS, priority_of


@lru_cache(maxsize=4096)
def closed(sharding: TensorShardingAttr) -> TensorShardingAttr:
    """`sharding` with all dimensions closed, and without replicated axes: a closed sharding implies them."""
    if not sharding.replicated_axes.data and all(dim.is_closed for dim in sharding.dim_shardings):
        return sharding
    return TensorShardingAttr(
        sharding.mesh_or_ref,
        [DimensionShardingAttr(dim.axes, is_closed=True, priority=priority_of(dim)) for dim in sharding.dim_shardings],
        unreduced_axes=sharding.unreduced_axes,
        reduction_op=sharding.reduction_op.data,
    )


@dataclass(frozen=True)
class CloseSharding(AttributePattern):
    """`<@mesh, [{"x", ?}, {?}], replicated={"y"}>` -> `<@mesh, [{"x"}, {}]>`"""

    attribute_types: ClassVar[tuple[type[Attribute], ...]] = (TensorShardingAttr,)
    not_inside: ClassVar[tuple[type[Attribute], ...]] = HOLD_NO_SHARDINGS

    def convert(self, attribute: Attribute, /) -> Attribute:
        assert isinstance(attribute, TensorShardingAttr)
        return closed(attribute)


@dataclass(frozen=True)
class CloseShardingsPass(PatternPass):
    """Close the dimensions of every sharding, and drop its replicated axes."""

    name = "sdy-close-shardings"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-close-shardings'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (CloseSharding(),)
