"""Write sharding rules on operations that have none in upstream's registry, so that every pass finds these."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp
from xdsl.pattern_rewriter import RewritePattern

from xshardy.rewriting import PatternPass
from xshardy.sharding.rules import ShardingRules
from xshardy.transforms.sdy_propagation.populate_op_sharding_rules import WriteRule, rules_in


@dataclass(frozen=True)
class PopulateRulesBeyondUpstreamPass(PatternPass):
    """
    Write a sharding rule on operations that upstream's registry lacks, so that every pass finds it.

    These are CHLO's functions, its top-k, and other elementwise operations.
    """

    name = "sdy-populate-rules-beyond-upstream"
    source: ClassVar[str] = "this project: JAX emits CHLO, which XLA legalizes before it propagates shardings"

    def patterns(self, module: ModuleOp) -> Sequence[RewritePattern]:
        known = ShardingRules()
        found = rules_in(module, ShardingRules(beyond_upstream=True))
        return (WriteRule({op: rule for op, rule in found if known.of(op) is None}),)
