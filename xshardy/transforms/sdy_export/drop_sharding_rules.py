"""Take off the sharding rules that passes have written: nothing reads them any more."""

from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.passes import ModulePass

from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.rewriting.walk import operations_in, operations_of


@dataclass(frozen=True)
class DropShardingRulesPass(ModulePass):
    """Remove `sdy.sharding_rule` from all operations in functions, but for the rules of the user's own."""

    name = "sdy-drop-sharding-rules"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for function in operations_of(op, FuncOp):
            for inner in operations_in(function):
                rule = inner.attributes.get(SHARDING_RULE)
                if isinstance(rule, OpShardingRuleAttr) and not rule.is_custom_rule:
                    del inner.attributes[SHARDING_RULE]
