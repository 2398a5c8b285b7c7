"""
From an operation to its sharding rule: its own, or that of its row in a table, worked out once per distinct shape.

Source: Shardy's docs, "Sharding representation" and "Op interfaces" (ShardingRuleOpInterface).
"""

from collections.abc import Hashable, Mapping
from functools import lru_cache
from importlib import import_module
from typing import NoReturn

from xdsl.dialects.builtin import ModuleOp, ShapedType, UnregisteredOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Attribute, Operation
from xdsl.traits import IsTerminator

from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.interfaces import ShardableDataFlowOpInterface, ShardingRuleOpInterface
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.rules.builder import Row, Shape, Shapes, UnknownOperation, factor_rule

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "linalg": ("linalg",),
    "sdy": ("without_rule", "elementwise"),
    "stablehlo": (
        *("elementwise", "dots", "movement", "reshape", "reductions", "convolution", "dynamic_slices"),
        *("gather_scatter", "linear_algebra", "random_numbers", "collectives", "custom_calls", "without_rule"),
    ),
}
"""The modules beside this one with rows for the operations of a dialect; imported when the first of them is met."""


ALWAYS_WITHOUT: tuple[type[Operation], ...] = (ModuleOp, FuncOp, CallOp)
"""Operations that are handled apart, so that nobody need be told that they have no rule."""


def nobody_knows(shapes: Shapes, name: str) -> NoReturn:
    """The factors of an operation without a row."""
    raise UnknownOperation(f"op '{name}' is unknown to SDY sharding rule registry")


def _name(op: Operation) -> str:
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


UNKNOWN = Row(nobody_knows, _name)


@lru_cache(maxsize=4096)
def row_of(operation: type[Operation]) -> Row | None:
    """The row for a class of operations; None if it has no rule and needs none."""
    if issubclass(operation, (*ALWAYS_WITHOUT, ShardableDataFlowOpInterface)):
        return None
    if operation.has_trait(IsTerminator, value_if_unregistered=False):
        return None
    for family in FAMILIES.get(operation.name.partition(".")[0], ()):
        rows: Mapping[type[Operation], Row | None] = import_module(f"xshardy.sharding.rules.{family}").RULES
        if operation in rows:
            return rows[operation]
    return UNKNOWN


def shape_of(type: Attribute) -> Shape:
    """The sizes of a tensor, `DYNAMIC_INDEX` where one is not known; none for what is no tensor of a rank (a token)."""
    return type.get_shape() if isinstance(type, ShapedType) else ()


def sharding_rule(op: Operation, *, conservative: bool = False) -> OpShardingRuleAttr | None:
    """The sharding rule of `op`; None if it has none. For the operations of a program, ask one `ShardingRules`."""
    return ShardingRules(conservative=conservative).of(op)


class ShardingRules:
    """
    The sharding rules of the operations of a program, each worked out once for all that have its shapes.

    If `conservative`, dimensions are only mapped to factors whose sizes multiply to their own.
    """

    def __init__(self, *, conservative: bool = False):
        self.conservative = conservative
        self.unknown: dict[str, Operation] = {}
        """What a user should be told of operations on tensors that nobody knows how to shard, and the first of each."""
        self._rules: dict[Hashable, FactorRule | None] = {}

    def of(self, op: Operation) -> OpShardingRuleAttr | None:
        """
        The rule that is written on `op` as `sdy.sharding_rule`, or its own, or that of its row.

        None if it has none. The rule of an operation on tensors of unknown size names that size, and does not verify.
        """
        written = self._brought_by(op)
        rule = self._of_row(op) if written is None else None
        return rule.attribute if rule is not None else written

    def factor_rule(self, op: Operation) -> FactorRule | None:
        """The same rule as plain data; operations that look alike share it."""
        written = self._brought_by(op)
        if written is None:
            return self._of_row(op)
        if written not in self._rules:
            self._rules[written] = FactorRule.of(written)
        return self._rules[written]

    def _brought_by(self, op: Operation) -> OpShardingRuleAttr | None:
        """The rule that is written on `op`, or that its class has."""
        written = op.attributes.get(SHARDING_RULE)
        if isinstance(written, OpShardingRuleAttr):
            return written
        return op.sharding_rule() if isinstance(op, ShardingRuleOpInterface) else None

    def _of_row(self, op: Operation) -> FactorRule | None:
        row = row_of(type(op))
        if row is None:
            return None
        shapes = Shapes(
            tuple(map(shape_of, op.operand_types)), tuple(map(shape_of, op.result_types)), self.conservative
        )
        parameters = row.parameters(op)
        key = row.factors, shapes, parameters
        if key not in self._rules:
            self._rules[key] = self._new_rule(op, row, shapes, parameters)
        return self._rules[key]

    def _new_rule(self, op: Operation, row: Row, shapes: Shapes, parameters: object) -> FactorRule | None:
        try:
            factors = row.factors(shapes, parameters)
        except UnknownOperation as error:
            if any(isinstance(type, ShapedType) for type in (*op.operand_types, *op.result_types)):
                self.unknown.setdefault(str(error), op)
            return None
        return None if factors is None else factor_rule(shapes, factors)
