"""Drop the sharding rules that passes have written: no pass reads them after propagation."""

from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern

from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.rewriting import PatternPass


@dataclass(frozen=True)
class DropShardingRule(RewritePattern):
    """`f(%x) {sdy.sharding_rule = RULE}` -> `f(%x)`, unless the rule is a custom one."""

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter, /) -> None:
        rule = op.attributes.get(SHARDING_RULE)
        if isinstance(rule, OpShardingRuleAttr) and not rule.is_custom_rule:
            del op.attributes[SHARDING_RULE]
            rewriter.notify_op_modified(op)


@dataclass(frozen=True)
class DropShardingRulesPass(PatternPass):
    """Remove `sdy.sharding_rule` from all operations, except custom rules."""

    name = "sdy-drop-sharding-rules"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-drop-sharding-rules'

    def patterns(self, module: ModuleOp) -> tuple[RewritePattern, ...]:
        return (DropShardingRule(),)
