"""
From an operation to its sharding rule: the rule written on it, its own, a registered one, or the row of a table.

Rules are computed once per distinct shapes and parameters.
Source: Shardy's docs, "Sharding representation" and "Op interfaces" (ShardingRuleOpInterface).
"""

from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import cache, lru_cache
from importlib import import_module
from typing import Any, NoReturn

from xdsl.dialects.builtin import ModuleOp, ShapedType, UnregisteredOp
from xdsl.dialects.func import CallOp, FuncOp
from xdsl.ir import Operation
from xdsl.traits import IsTerminator
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.elementwise import Elementwise
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.interfaces import ShardableDataFlowOpInterface, ShardingRuleOpInterface
from xshardy.dialects.sdy.rule_verification import verify_sharding_rule
from xshardy.dialects.sdy.value_shardings import SHARDING_RULE
from xshardy.dialects.shapes import shape_of
from xshardy.sharding.factor_rule import FactorRule
from xshardy.sharding.rules.builder import (
    Factor,
    InvalidRule,
    Row,
    Shapes,
    UnknownOperation,
    check_sizes,
    factor_rule,
)

TENSOR_FAMILIES = (
    *("elementwise", "dots", "movement", "reshape", "reductions", "convolution", "dynamic_slices"),
    *("gather_scatter", "linear_algebra", "random_numbers", "collectives", "custom_calls", "without_rule"),
)

FAMILIES: Mapping[str, tuple[str, ...]] = {
    "chlo": TENSOR_FAMILIES,
    "hlo": ("hlo", *TENSOR_FAMILIES),
    "linalg": ("linalg",),
    "mhlo": ("mhlo",),
    "sdy": ("without_rule", "elementwise"),
    "stablehlo": TENSOR_FAMILIES,
}
"""By dialect, the modules beside this one with rows for its operations; imported for the first such operation."""

HANDLED_ELSEWHERE: tuple[type[Operation], ...] = (ModuleOp, FuncOp, CallOp)
"""Operations that propagation handles without a rule: no warning that they have none."""

_registered: dict[type[Operation], Row] = {}
"""The rules of operations of other dialects, by class."""


def register_rule(operation: type[Operation], rule: Row | Callable[[Shapes, Any], Iterable[Factor] | None]) -> None:
    """
    Register the sharding rule of a class of operations: a `Row`, or its `factors` if these depend on shapes only.

    Raises `ValueError` if the class has a rule already.
    """
    if operation in _registered or _built_in_row(operation) is not UNKNOWN:
        raise ValueError(
            f"'{operation.name}' ({operation.__name__}) has a sharding rule already: to replace that of one operation, "
            f"set its attribute {SHARDING_RULE}"
        )
    _registered[operation] = rule if isinstance(rule, Row) else Row(rule)


def has_own_rule(operation: type[Operation]) -> bool:
    """Whether the rule of a class of operations is registered, or implemented by the class."""
    return operation in _registered or _implements_rule(operation)


@cache
def _implements_rule(operation: type[Operation]) -> bool:
    return issubclass(operation, ShardingRuleOpInterface)


def no_registered_rule(shapes: Shapes, name: str) -> NoReturn:
    """The factors of an operation without a row."""
    raise UnknownOperation(f"op '{name}' is unknown to SDY sharding rule registry")


def _name(op: Operation) -> str:
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name


UNKNOWN = Row(no_registered_rule, _name)


def row_of(operation: type[Operation]) -> Row | None:
    """The row for a class of operations; None if it has no rule and needs none."""
    return _registered.get(operation) or _built_in_row(operation)


@lru_cache(maxsize=4096)
def _built_in_row(operation: type[Operation]) -> Row | None:
    if issubclass(operation, (*HANDLED_ELSEWHERE, ShardableDataFlowOpInterface)):
        return None
    if operation.has_trait(IsTerminator, value_if_unregistered=False):
        return None
    for family in FAMILIES.get(operation.name.partition(".")[0], ()):
        rows: Mapping[type[Operation], Row | None] = import_module(f"xshardy.sharding.rules.{family}").RULES
        if operation in rows:
            return rows[operation]
    return UNKNOWN


@lru_cache(maxsize=1024)
def _row_beyond_upstream(operation: type[Operation]) -> Row | None:
    """The row of an operation that upstream's registry lacks: of CHLO's top-k, of an `Elementwise` one, or none."""
    if operation.name == "chlo.top_k":
        mhlo = import_module("xshardy.sharding.rules.mhlo")
        return mhlo.RULES[mhlo.TopKOp]
    if not operation.has_trait(Elementwise, value_if_unregistered=False):
        return UNKNOWN
    return import_module("xshardy.sharding.rules.elementwise").POINTWISE


def sharding_rule(
    op: Operation, *, conservative: bool = False, beyond_upstream: bool = False
) -> OpShardingRuleAttr | None:
    """The sharding rule of `op`; None if it has none. For several operations, use one `ShardingRules`."""
    return ShardingRules(conservative=conservative, beyond_upstream=beyond_upstream).of(op)


class ShardingRules:
    """
    The sharding rules of the operations of a program. Operations with equal shapes and parameters share a rule.

    If `conservative`, dimensions are only mapped to factors whose sizes multiply to their own. If `beyond_upstream`,
    elementwise operations that upstream's registry lacks have a rule as well: those of CHLO, `hlo.copy`, quantization.
    """

    def __init__(self, *, conservative: bool = False, beyond_upstream: bool = False):
        self.conservative = conservative
        self.beyond_upstream = beyond_upstream
        self.unknown: dict[str, Operation] = {}
        """Warnings about operations on tensors without a registered rule, and the first operation of each."""
        self._rules: dict[Hashable, FactorRule | None] = {}

    def of(self, op: Operation) -> OpShardingRuleAttr | None:
        """
        The rule that is written on `op` as `sdy.sharding_rule`, or its own, or that of its row.

        None if it has none. The rule of an operation on dynamic tensors contains `DYNAMIC_INDEX`, and does not verify.
        Raises `InvalidRule` if a rule that is registered or implemented by the class does not fit `op`.
        """
        written = self._written_or_implemented(op)
        rule = self._of_row(op) if written is None else None
        return rule.attribute if rule is not None else written

    def factor_rule(self, op: Operation) -> FactorRule | None:
        """The same rule as plain data. Operations with equal shapes and parameters get the same object."""
        written = self._written_or_implemented(op)
        return self._of_row(op) if written is None else _written_rule(written)

    def _written_or_implemented(self, op: Operation) -> OpShardingRuleAttr | None:
        written = op.attributes.get(SHARDING_RULE)
        if type(written) is OpShardingRuleAttr:
            return written
        return self._implemented(op) if isinstance(op, ShardingRuleOpInterface) else None

    def _implemented(self, op: ShardingRuleOpInterface) -> OpShardingRuleAttr:
        """The rule that the class of `op` implements. Raises `InvalidRule` if it does not fit."""
        try:
            rule = op.sharding_rule()
            if _is_static(op):
                verify_sharding_rule(rule, op)
                check_sizes(FactorRule.of(rule), self._shapes(op))
        except Exception as error:  # code of the author of the operation
            raise _invalid(op, f"{type(op).__name__}.sharding_rule", error) from error
        return rule

    def _shapes(self, op: Operation) -> Shapes:
        return Shapes(tuple(map(shape_of, op.operand_types)), tuple(map(shape_of, op.result_types)), self.conservative)

    def _of_row(self, op: Operation) -> FactorRule | None:
        row = row_of(type(op))
        if row is UNKNOWN and self.beyond_upstream:
            row = _row_beyond_upstream(type(op))
        if row is None:
            return None
        if type(op) in _registered:
            return self._of_registered_row(op, row)
        shapes, parameters = self._shapes(op), row.parameters(op)
        key = row.factors, shapes, parameters
        if key not in self._rules:
            self._rules[key] = self._new_rule(op, row, shapes, parameters)
        return self._rules[key]

    def _of_registered_row(self, op: Operation, row: Row) -> FactorRule | None:
        """The rule of a registered row. Raises `InvalidRule` if it does not fit."""
        shapes = self._shapes(op)
        try:
            parameters = row.parameters(op)
            key = row.factors, shapes, parameters
            if key not in self._rules:
                rule = self._new_rule(op, row, shapes, parameters)
                if rule is not None and _is_static(op):
                    check_sizes(rule, shapes)
                    verify_sharding_rule(rule.attribute, op)
                self._rules[key] = rule
            return self._rules[key]
        except Exception as error:  # code of the author of the rule
            raise _invalid(op, f"registered for {type(op).__name__}", error) from error

    def _new_rule(self, op: Operation, row: Row, shapes: Shapes, parameters: Hashable) -> FactorRule | None:
        try:
            return _factor_rule(row.factors, shapes, parameters)
        except UnknownOperation as error:
            if any(isinstance(type, ShapedType) for type in (*op.operand_types, *op.result_types)):
                self.unknown.setdefault(str(error), op)
            return None


_written_rule = lru_cache(maxsize=4096)(FactorRule.of)
"""The rule of an attribute. Modules share it: what one pipeline writes, the next one reads."""


@lru_cache(maxsize=4096)
def _factor_rule(
    factors: Callable[[Shapes, Any], Iterable[Factor] | None], shapes: Shapes, parameters: Hashable
) -> FactorRule | None:
    """The rule of operations with these shapes and parameters. Modules share it: most have the same operations."""
    found = factors(shapes, parameters)
    return None if found is None else factor_rule(shapes, found)


def _is_static(op: Operation) -> bool:
    """Whether all tensors of `op` have static shapes: else a pass rejects the tensor, not the rule."""
    types = (*op.operand_types, *op.result_types)
    return all(type.has_static_shape() for type in types if isinstance(type, ShapedType))


def _invalid(op: Operation, origin: str, error: Exception) -> InvalidRule:
    """What is wrong with the rule of `op`, and where the rule is defined: a failed check, or an exception."""
    detail = str(error) if isinstance(error, InvalidRule | VerifyException) else f"{type(error).__name__}: {error}"
    return InvalidRule(f"'{_name(op)}' op has a sharding rule ({origin}) that does not fit: {detail}")
