"""The patterns of both constant splitters. Source: row SDY-PASS-03."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.construction import clone_operation, new_operation
from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.ops import ConstantOp, ShardingGroupOp
from xshardy.rewriting import DecisionPattern, match_op_type
from xshardy.transforms.sdy_import.constant_subcomputations import Splits, is_used_elsewhere, sub_computation


@dataclass(frozen=True)
class UseShardyConstant(RewritePattern):
    """`stablehlo.constant` -> `sdy.constant`, which common subexpression elimination does not merge."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.ConstantOp, rewriter: PatternRewriter, /) -> None:
        properties = {"value": op.properties["value"]}
        rewriter.replace(op, new_operation(ConstantOp, (), op.result_types, properties, op.attributes.copy()))


@dataclass(frozen=True)
class CopyConstantToUse(DecisionPattern[Operation, Sequence[int]]):
    """
    `f(c), g(c)` -> `f(copy of c), g(c)`, for a constant sub-computation `c` with another use.

    The decision is which operands of an operation are `c`. Each copy stands right before its original. It is a member
    of the sharding groups of the original.
    """

    with_scalars: bool

    def rewrite(self, op: Operation, decision: Sequence[int], rewriter: PatternRewriter, /) -> None:
        for index in decision:
            root = op.operands[index]
            parts = sub_computation(root, with_scalars=self.with_scalars)
            if not is_used_elsewhere(parts, op, index):
                continue
            copies: dict[SSAValue, SSAValue] = {}
            for part in parts:
                place = InsertPoint.before(part.op)
                rewriter.insert(clone_operation(part.op, copies), place)
                for group in [use.operation for use in part.uses if isinstance(use.operation, ShardingGroupOp)]:
                    rewriter.insert(clone_operation(group, copies), place)
            op.operands[index] = copies[root]
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class EraseUnusedOriginal(DecisionPattern[Operation, None]):
    """`constant`, `sharding_group constant` -> nothing, if sharding groups are the only uses."""

    @staticmethod
    def of(splits: Splits) -> "EraseUnusedOriginal":
        """The pattern for the originals of `splits`, users before what they use."""
        return EraseUnusedOriginal(dict.fromkeys(reversed(splits.originals)))

    def rewrite(self, op: Operation, decision: None, rewriter: PatternRewriter, /) -> None:
        groups: dict[Operation, None] = {}
        for result in op.results:
            use = result.first_use
            while use is not None:  # three times as fast as `result.uses`
                if type(use.operation) is not ShardingGroupOp:
                    return
                groups[use.operation] = None
                use = use._next_use  # pyright: ignore[reportPrivateUsage]
        for unused in (*groups, op):
            rewriter.erase(unused)
