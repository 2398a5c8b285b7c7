"""What propagation found, written into the module: shardings where a value has its home, and rules on operations."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, OpResult

from xshardy.dialects.function_attributes import add_argument_attributes, add_result_attributes
from xshardy.dialects.sdy.attributes.rule import OpShardingRuleAttr
from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import DataFlowEdgeOp
from xshardy.dialects.sdy.value_shardings import SHARDING, SHARDING_RULE
from xshardy.sharding.interning import ShardingTable
from xshardy.sharding.propagation import Program
from xshardy.transforms.sdy.op_kinds import traits_of
from xshardy.transforms.sdy.shardable_values import set_sharding
from xshardy.transforms.sdy_propagation.numbering import FunctionResult, Numbering


def write_shardings(program: Program, numbering: Numbering, written: Sequence[int]) -> None:
    """Write the shardings of `program` that differ from those that the module has, which `written` lists by value."""
    table, homes, siblings = program.table, numbering.homes, program.siblings
    of_arguments: dict[FuncOp, dict[int, Mapping[str, Attribute]]] = {}
    of_results: dict[FuncOp, dict[int, Mapping[str, Attribute]]] = {}
    per_value = _PerValue(table)
    for number, (sharding, old) in enumerate(zip(program.shardings, written, strict=True)):
        if sharding == old or (attribute := table.attribute(sharding)) is None:
            continue
        home = homes[number]
        if isinstance(home, OpResult):
            op = home.op
            traits = traits_of(type(op))
            if traits.is_edge and isinstance(op, DataFlowEdgeOp):
                op.sharding = attribute
            elif traits.has_flow or traits.has_own_sharding:
                set_sharding(home, attribute)
            elif number in siblings:
                op.attributes[SHARDING] = per_value[tuple([program.shardings[each] for each, _ in siblings[number]])]
            else:
                op.attributes[SHARDING] = per_value[sharding,]
        elif isinstance(home, FunctionResult):
            of_results.setdefault(home.function, {})[home.index] = {SHARDING: attribute}
        elif isinstance(home, BlockArgument):
            if isinstance(function := home.block.parent_op(), FuncOp):
                of_arguments.setdefault(function, {})[home.index] = {SHARDING: attribute}
            else:
                set_sharding(home, attribute)
    for function, additions in of_arguments.items():
        add_argument_attributes(function, additions)
    for function, additions in of_results.items():
        add_result_attributes(function, additions)


class _PerValue(dict[tuple[int, ...], TensorShardingPerValueAttr]):
    """The attribute for the shardings of all results of an operation, by their numbers; equal ones share it."""

    def __init__(self, table: ShardingTable):
        super().__init__()
        self._table = table

    def __missing__(self, numbers: tuple[int, ...]) -> TensorShardingPerValueAttr:
        attributes = map(self._table.attribute, numbers)
        made = self[numbers] = TensorShardingPerValueAttr(each for each in attributes if each is not None)
        return made


def write_rules(program: Program, numbering: Numbering) -> None:
    """Write on each operation the rule by which shardings went through it."""
    for op, op_class in zip(numbering.ops, program.classes, strict=True):
        if op_class is not None and op_class.has_rule:
            op.attributes[SHARDING_RULE] = op_class.signature.rule.attribute


def erase_rules(numbering: Numbering) -> None:
    """Erase all rules that operations had but those that the user wrote."""
    for op in numbering.with_written_rule:
        rule = op.attributes.get(SHARDING_RULE)
        if isinstance(rule, OpShardingRuleAttr) and not rule.is_custom_rule:
            del op.attributes[SHARDING_RULE]
