"""Where the path of an axis begins."""

from xdsl.ir import Block

from xshardy.dialects.sdy.attributes.axes import AxisRefAttr
from xshardy.dialects.sdy.axis_refs import overlaps
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.dialects.sdy.sharding_text import dimensions
from xshardy.transforms.sdy_propagation.numbering import FunctionResult
from xshardy.transforms.sdy_propagation.propagation_history import History


def origin(history: History, number: int, axis: AxisRefAttr) -> str:
    """How value `number` came to have `axis` without a step of propagation, as the predicate of a sentence."""
    written, home = history.written(number), history.home(number)
    if written is None or not any(overlaps(axis, known) for known in written.axis_refs()):
        return "got it with a sharding group, or with another result of its operation"
    if isinstance(home, FunctionResult) or isinstance(home.owner, Block):
        where = "written in the text"
    elif isinstance(home.owner, ShardingConstraintOp) or any(
        isinstance(use.operation, ShardingConstraintOp) for use in home.uses
    ):
        where = "of a sharding constraint"
    else:
        where = "written in the text or on an edge"
    return f"had it from the start: {dimensions(written)}, {where}"
