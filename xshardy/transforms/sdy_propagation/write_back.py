"""
Writing the decisions of propagation into the module: shardings at the home of each value, and sharding rules.

`pending_shardings` and `written_rules` turn the numbers of the engine into attributes by operation; the patterns set
them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation, OpResult, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from xshardy.dialects.function_attributes import add_argument_attributes, add_result_attributes
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingAttr, TensorShardingPerValueAttr
from xshardy.dialects.sdy.value_shardings import SHARDING, SHARDING_RULE
from xshardy.rewriting import DecisionPattern
from xshardy.sharding.interning import ShardingTable
from xshardy.sharding.program import OpClass, Program
from xshardy.transforms.sdy.op_kinds import traits_of
from xshardy.transforms.sdy.shardable_values import set_sharding
from xshardy.transforms.sdy_propagation.numbering import FunctionResult, Numbering

Attributes = Mapping[str, Attribute]
"""Discardable attributes by name."""


@dataclass(slots=True)
class FunctionAttributes:
    """New attributes of arguments and results of a function, by index."""

    arguments: dict[int, Attributes] = field(default_factory=dict[int, Attributes])
    results: dict[int, Attributes] = field(default_factory=dict[int, Attributes])


@dataclass(slots=True)
class PendingShardings:
    """The shardings that the module does not have yet, by where they are written."""

    functions: dict[FuncOp, FunctionAttributes] = field(default_factory=dict[FuncOp, FunctionAttributes])
    """Those of arguments and results of functions."""
    values: dict[Operation, list[tuple[SSAValue, TensorShardingAttr]]] = field(
        default_factory=dict[Operation, list[tuple[SSAValue, TensorShardingAttr]]]
    )
    """Those of values that are written one by one, such as edges and operations with a sharding of their own."""
    results: dict[int, Attributes] = field(default_factory=dict[int, Attributes])
    """Those of all results of other operations, by number, as their discardable attributes."""


def pending_shardings(program: Program, numbering: Numbering, written: Sequence[int]) -> PendingShardings:
    """The shardings of `program` that differ from `written`, which lists those in the module by value."""
    table, homes, definitions, siblings = program.table, numbering.homes, numbering.definitions, program.siblings
    pending = PendingShardings()
    results, per_value = pending.results, _ResultShardings(table)
    of_single_result = _SingleResultSharding(table)
    for number, (sharding, old) in enumerate(zip(program.shardings, written, strict=True)):
        if sharding == old:
            continue
        home = homes[number]
        if isinstance(home, OpResult) and number not in siblings and traits_of(type(home.op)).is_plain:
            results[definitions[number]] = of_single_result[sharding]
            continue
        if (attribute := table.attribute(sharding)) is None:
            continue
        if isinstance(home, OpResult):
            if number in siblings:
                of_all = tuple([program.shardings[each] for each, _ in siblings[number]])
                results[definitions[number]] = per_value[of_all]
            else:
                pending.values.setdefault(home.op, []).append((home, attribute))
        elif isinstance(home, FunctionResult):
            of_function = pending.functions.setdefault(home.function, FunctionAttributes())
            of_function.results[home.index] = {SHARDING: attribute}
        elif isinstance(home, BlockArgument) and (around := home.block.parent_op()) is not None:
            if isinstance(around, FuncOp):
                of_function = pending.functions.setdefault(around, FunctionAttributes())
                of_function.arguments[home.index] = {SHARDING: attribute}
            else:
                pending.values.setdefault(around, []).append((home, attribute))
    return pending


class _ResultShardings(dict[tuple[int, ...], Attributes]):
    """`{sdy.sharding = ...}` by the numbers of the shardings of all results; equal ones share the attribute."""

    def __init__(self, table: ShardingTable):
        super().__init__()
        self._table = table

    def __missing__(self, numbers: tuple[int, ...]) -> Attributes:
        attributes = map(self._table.attribute, numbers)
        per_value = TensorShardingPerValueAttr(each for each in attributes if each is not None)
        made = self[numbers] = {SHARDING: per_value}
        return made


class _SingleResultSharding(dict[int, Attributes]):
    """`{sdy.sharding = ...}` of an operation with one result, by the number of its sharding."""

    def __init__(self, table: ShardingTable):
        super().__init__()
        self._of_results = _ResultShardings(table)

    def __missing__(self, number: int) -> Attributes:
        made = self[number] = self._of_results[number,]
        return made


def rules_to_write(program: Program) -> Mapping[int, Attributes]:
    """For each operation, by number, `{sdy.sharding_rule = ...}`: the rule that it propagated by."""
    written: dict[OpClass, Attributes] = {}
    found: dict[int, Attributes] = {}
    for op, op_class in enumerate(program.classes):
        if op_class is not None and op_class.has_rule:
            if (attributes := written.get(op_class)) is None:
                attributes = written[op_class] = {SHARDING_RULE: op_class.signature.rule.attribute}
            found[op] = attributes
    return found


def add_attributes(decisions: dict[int, Attributes], more: Mapping[int, Attributes]) -> None:
    """Add attributes to the decisions for each operation."""
    for op, attributes in more.items():
        decisions[op] = {**before, **attributes} if (before := decisions.get(op)) is not None else attributes


def rules_to_erase(numbering: Numbering) -> Mapping[Operation, None]:
    """The operations with a rule in the input that was not written by the user."""
    rules = ((op, op.attributes.get(SHARDING_RULE)) for op in numbering.with_written_rule)
    return {op: None for op, rule in rules if isinstance(rule, OpShardingRuleAttr) and not rule.is_custom_rule}


class EraseDead(DecisionPattern[Operation, None]):
    """
    `%0 = stablehlo.add %x, %y` -> nothing, if the result is not used.

    The decisions are the operations that propagation found dead. Users must be visited before what they use.
    """

    def rewrite(self, op: Operation, decision: None, rewriter: PatternRewriter, /) -> None:
        rewriter.erase(op)


class WriteFunctionAttributes(DecisionPattern[FuncOp, FunctionAttributes]):
    """`func.func @f(%x) -> ...` -> `func.func @f(%x {sdy.sharding = ...}) -> ...`: on arguments and results."""

    def rewrite(self, op: FuncOp, decision: FunctionAttributes, rewriter: PatternRewriter, /) -> None:
        add_argument_attributes(op, decision.arguments)
        add_result_attributes(op, decision.results)
        rewriter.notify_op_modified(op)


class WriteValueShardings(DecisionPattern[Operation, Sequence[tuple[SSAValue, TensorShardingAttr]]]):
    """`sdy.data_flow_edge %x` -> `sdy.data_flow_edge %x sharding=<...>`: shardings that are kept in properties."""

    def rewrite(
        self, op: Operation, decision: Sequence[tuple[SSAValue, TensorShardingAttr]], rewriter: PatternRewriter, /
    ) -> None:
        for value, sharding in decision:
            set_sharding(value, sharding)
        rewriter.notify_op_modified(op)


class WriteAttributes(DecisionPattern[Operation, Attributes]):
    """`op` -> `op {sdy.sharding = ..., sdy.sharding_rule = ...}`: the discardable attributes that were decided."""

    def rewrite(self, op: Operation, decision: Attributes, rewriter: PatternRewriter, /) -> None:
        op.attributes.update(decision)
        rewriter.notify_op_modified(op)


class EraseRule(DecisionPattern[Operation, None]):
    """`op {sdy.sharding_rule = ...}` -> `op`, unless the rule is custom."""

    def rewrite(self, op: Operation, decision: None, rewriter: PatternRewriter, /) -> None:
        del op.attributes[SHARDING_RULE]
        rewriter.notify_op_modified(op)
