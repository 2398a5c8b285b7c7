"""Write the sharding rule of each operation on it, for inspection: propagation computes rules itself."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.rule_verification import verify_sharding_rule
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.rewriting import DecisionPattern, PatternPass
from xshardy.rewriting.walk import operations_from, operations_of
from xshardy.sharding.rules import InvalidRule, ShardingRules
from xshardy.transforms.failures import OperationFailedException, warn


def rules_in(module: ModuleOp, rules: ShardingRules) -> Iterator[tuple[Operation, OpShardingRuleAttr]]:
    """
    The operations in the functions of `module` that have a rule, with their rules.

    Raises `OperationFailedException` if a rule does not fit its operation, or if that has dynamic tensors.
    """
    for function in operations_of(module, FuncOp):
        for op in operations_from(function):
            try:
                if (rule := rules.of(op)) is None:
                    continue
                verify_sharding_rule(rule, op)
            except InvalidRule as error:
                raise OperationFailedException(op, str(error)) from error
            except VerifyException as error:
                raise OperationFailedException(op, f"'{op.name}' op {error}") from None
            yield op, rule


class WriteRule(DecisionPattern[Operation, OpShardingRuleAttr]):
    """`op` -> `op {sdy.sharding_rule = #sdy.op_sharding_rule<...>}`, if the operation has a rule."""

    def rewrite(self, op: Operation, decision: OpShardingRuleAttr, rewriter: PatternRewriter, /) -> None:
        op.attributes[SHARDING_RULE] = decision
        rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class PopulateOpShardingRulesPass(PatternPass):
    """Write its sharding rule on each operation that has one, if none is written."""

    name = "sdy-populate-op-sharding-rules"
    source: ClassVar[str] = 'Shardy, "Propagation passes", sdy-populate-op-sharding-rules'
    conservative_propagation: bool = False
    rules_beyond_upstream: bool = False

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        rules = ShardingRules(conservative=self.conservative_propagation, beyond_upstream=self.rules_beyond_upstream)
        found = dict(rules_in(module, rules))
        for message, unknown in rules.unknown.items():
            warn(unknown, message)
        return (WriteRule(found),)
