"""
Sharding rules: the loops of an operation, and the dimensions of its operands and results that each loop walks.

A family of operations is a module with a table `RULES`, one row per operation. For an operation of another dialect,
`register_rule` adds a row, or its class implements `xshardy.dialects.sdy.interfaces.ShardingRuleOpInterface`.
"""

from xshardy.dialects.shapes import shape_of
from xshardy.sharding.rules.builder import Factor, FactorType, InvalidRule, Row, Shapes, build_rule, pointwise
from xshardy.sharding.rules.registry import ShardingRules, register_rule, sharding_rule

__all__ = [
    "Factor",
    "FactorType",
    "InvalidRule",
    "Row",
    "Shapes",
    "ShardingRules",
    "build_rule",
    "pointwise",
    "register_rule",
    "shape_of",
    "sharding_rule",
]
