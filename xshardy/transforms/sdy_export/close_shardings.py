"""Close all shardings after propagation, so that no later pass adds an axis."""

from typing import ClassVar

from xdsl.dialects.builtin import ArrayAttr, ModuleOp
from xdsl.ir import Attribute
from xdsl.pattern_rewriter import RewritePattern

from xshardy.dialects.attribute_text import NONE_LISTED
from xshardy.dialects.sdy.attributes.sharding import CLOSED, DimensionShardingAttr, TensorShardingAttr
from xshardy.ir import new_attribute
from xshardy.rewriting import AttributePattern, PatternPass
from xshardy.transforms.sdy.shardings import HOLD_NO_SHARDINGS


def closed(sharding: TensorShardingAttr) -> TensorShardingAttr:
    """`sharding` with all dimensions closed, and without replicated axes: a closed sharding implies them."""
    if not sharding.replicated_axes.data and all(dim.is_closed for dim in sharding.dim_shardings):
        return sharding
    dims = [new_attribute(DimensionShardingAttr, dim.axes, CLOSED, dim.priority) for dim in sharding.dim_shardings]
    return new_attribute(
        TensorShardingAttr,
        sharding.mesh_or_ref,
        ArrayAttr(dims),
        NONE_LISTED,
        sharding.unreduced_axes,
        sharding.reduction_op,
    )


class CloseSharding(AttributePattern):
    """`<@mesh, [{"x", ?}, {?}], replicated={"y"}>` -> `<@mesh, [{"x"}, {}]>`"""

    attribute_types: ClassVar[tuple[type[Attribute], ...]] = (TensorShardingAttr,)
    not_inside: ClassVar[tuple[type[Attribute], ...]] = HOLD_NO_SHARDINGS

    def convert(self, attribute: Attribute, /) -> Attribute:
        assert isinstance(attribute, TensorShardingAttr)
        return closed(attribute)


class CloseShardingsPass(PatternPass):
    """Close the dimensions of every sharding, and drop its replicated axes."""

    name = "sdy-close-shardings"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-close-shardings'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (CloseSharding(),)
