"""Drop the sharding rules that passes have written: no pass reads them after propagation."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.ir import Operation

from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.rewriting import HeldAttributesPattern, PatternPass
from xshardy.rewriting.held_attributes import HeldAttributes


class DropShardingRule(HeldAttributesPattern):
    """`f(%x) {sdy.sharding_rule = RULE}` -> `f(%x)`, unless the rule is a custom one."""

    def rewrite_held(self, held: HeldAttributes, /) -> Sequence[Operation]:
        return held.drop(SHARDING_RULE, lambda rule: isinstance(rule, OpShardingRuleAttr) and not rule.is_custom_rule)


class DropShardingRulesPass(PatternPass):
    """Remove `sdy.sharding_rule` from all operations, except custom rules."""

    name = "sdy-drop-sharding-rules"
    source: ClassVar[str] = 'Shardy, "Export passes", sdy-drop-sharding-rules'
    fixed_patterns = (DropShardingRule(),)
