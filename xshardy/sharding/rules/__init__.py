"""
Sharding rules: what the loops of an operation are, and which dimensions of its operands and results they walk.

A family of operations is a module with a table `RULES`, a row per operation. An operation of another dialect brings its
own rule by implementing `xshardy.dialects.sdy.interfaces.ShardingRuleOpInterface`, with `build_rule` to write it.
"""

from xshardy.sharding.rules.builder import Factor, FactorType, Row, Shapes, build_rule, pointwise
from xshardy.sharding.rules.registry import ShardingRules, shape_of, sharding_rule

__all__ = [
    "Factor",
    "FactorType",
    "Row",
    "Shapes",
    "ShardingRules",
    "build_rule",
    "pointwise",
    "shape_of",
    "sharding_rule",
]
