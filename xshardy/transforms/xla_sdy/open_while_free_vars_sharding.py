"""Let a loop see the sharded values that it captures with open shardings, so that it may shard them further."""

from collections.abc import Mapping
from typing import ClassVar

from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr
from xshardy.dialects.sdy.ops import ShardingConstraintOp
from xshardy.dialects.sdy.value_shardings import get_sharding
from xshardy.dialects.stablehlo.control_flow import WhileOp
from xshardy.rewriting import INNER_FIRST, PatternPass, Walk, match_op_type
from xshardy.rewriting.captured import captured


def opened_captures(loop: WhileOp) -> Mapping[SSAValue, TensorShardingAttr]:
    """The values that the regions of `loop` capture and that have a sharding that is not open; the open one of each."""
    opened: dict[SSAValue, TensorShardingAttr] = {}
    for value in captured([loop.cond, loop.body]):
        sharding = get_sharding(value)
        if sharding is None or not sharding.rank:
            continue
        fully_open = TensorShardingAttr.fully_open(sharding.mesh_or_ref, sharding.rank)
        if fully_open != sharding:
            opened[value] = fully_open
    return opened


class OpenCaptures(RewritePattern):
    """`while { f(x) }` -> `y = sharding_constraint x [{?}]`, `while { f(y) }`, if the sharding of `x` is not open."""

    @match_op_type
    def match_and_rewrite(self, op: WhileOp, rewriter: PatternRewriter, /) -> None:
        for value, sharding in opened_captures(op).items():
            constraint = ShardingConstraintOp(value, sharding)
            rewriter.insert(constraint, InsertPoint.before(op))
            rewriter.replace_uses_with_if(
                value, constraint.result, lambda use: op is not use.operation and op.is_ancestor(use.operation)
            )


class OpenWhileFreeVarsShardingPass(PatternPass):
    """
    Put a constraint with open dimensions between each sharded value and a loop that captures it.

    Inside of the loop the value can then be sharded further than outside.
    """

    name = "xla-sdy-open-while-free-vars-sharding"
    source: ClassVar[str] = "XLA, xla/service/spmd/shardy, xla-sdy-open-while-free-vars-sharding"

    walk: ClassVar[Walk] = INNER_FIRST
    fixed_patterns = (OpenCaptures(),)
