"""The patterns of both constant splitters. Source: row SDY-PASS-03."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.rewriter import InsertPoint

from xshardy.dialects import stablehlo
from xshardy.dialects.sdy.ops import ConstantOp, ShardingGroupOp
from xshardy.ir import clone_operation, new_operation
from xshardy.ir.fields import users_of
from xshardy.rewriting import DecisionPattern, match_op_type, replace_by_twin
from xshardy.transforms.sdy_import.constant_subcomputations import Splits, is_used_elsewhere, sub_computation


class UseShardyConstant(RewritePattern):
    """`stablehlo.constant` -> `sdy.constant`, which common subexpression elimination does not merge."""

    @match_op_type
    def match_and_rewrite(self, op: stablehlo.ConstantOp, rewriter: PatternRewriter, /) -> None:
        properties = {"value": op.properties["value"]}
        replace_by_twin(op, new_operation(ConstantOp, (), (), properties, op.attributes.copy()), rewriter)


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


def unused_originals(splits: Splits) -> Mapping[Operation, Sequence[Operation]]:
    """The originals with no use but by sharding groups and other unused originals, users first, and their groups."""
    unused: dict[Operation, Sequence[Operation]] = {}
    for op in reversed(splits.originals):
        if not is_read(op, unused):
            uses = [use.operation for result in op.results for use in result.uses]
            unused[op] = [user for user in uses if type(user) is ShardingGroupOp]
    return unused


def is_read(op: Operation, unused: Container[Operation]) -> bool:
    """Whether a result of `op` has a user that is no sharding group and not one of `unused`."""
    for result in op.results:
        for user in users_of(result):
            if type(user) is not ShardingGroupOp and user not in unused:
                return True
    return False


class EraseUnusedOriginal(DecisionPattern[Operation, Sequence[Operation]]):
    """`constant`, `sharding_group constant` -> nothing, if sharding groups are the only uses."""

    def rewrite(self, op: Operation, decision: Sequence[Operation], rewriter: PatternRewriter, /) -> None:
        for unused in (*decision, op):
            rewriter.erase(unused)
