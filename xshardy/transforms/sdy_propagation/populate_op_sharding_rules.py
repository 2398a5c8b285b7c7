"""Write down the sharding rule of each operation. Propagation does without; this is for looking at them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.rule_verification import verify_sharding_rule
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.sharding.rules import ShardingRules
from xshardy.transforms.failures import OperationFailedException, warn


@dataclass
class WriteShardingRule(RewritePattern):
    """`op` -> `op {sdy.sharding_rule = #sdy.op_sharding_rule<...>}`, if `rules` has one for it."""

    rules: Mapping[Operation, OpShardingRuleAttr]

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        if (rule := self.rules.get(op)) is None:
            return
        op.attributes[SHARDING_RULE] = rule
        rewriter.notify_op_modified(op)


def rules_in(module: ModuleOp, rules: ShardingRules) -> Iterator[tuple[Operation, OpShardingRuleAttr]]:
    """
    The operations in the functions of `module` that have a rule, with their rules.

    Raises `OperationFailedException` if a rule does not fit its operation, which has values without a static shape.
    """
    for function in module.walk():
        if not isinstance(function, FuncOp):
            continue
        for op in function.walk():
            if (rule := rules.of(op)) is None:
                continue
            try:
                verify_sharding_rule(rule, op)
            except VerifyException as error:
                raise OperationFailedException(op, f"'{op.name}' op {error}") from None
            yield op, rule


@dataclass(frozen=True)
class PopulateOpShardingRulesPass(ModulePass):
    """Write its sharding rule on each operation that has one, where none is written."""

    name = "sdy-populate-op-sharding-rules"
    conservative_propagation: bool = field(default=False)

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        rules = ShardingRules(conservative=self.conservative_propagation)
        found = dict(rules_in(op, rules))
        for message, unknown in rules.unknown.items():
            warn(unknown, message)
        PatternRewriteWalker(WriteShardingRule(found), apply_recursively=False).rewrite_module(op)
