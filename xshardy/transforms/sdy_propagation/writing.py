"""What propagation found, written into the module: shardings where a value has its home, and rules on operations."""

from collections.abc import Mapping, Sequence

from xdsl.dialects.func import FuncOp
from xdsl.ir import Attribute, BlockArgument, Operation

from xshardy.dialects.function_attributes import add_argument_attributes, add_result_attributes
from xshardy.dialects.sdy.attributes.sharding import TensorShardingPerValueAttr
from xshardy.dialects.sdy.ops import DataFlowEdgeOp
from xshardy.dialects.sdy.value_shardings import SHARDING, SHARDING_RULE
from xshardy.sharding.propagation import Program
from xshardy.transforms.sdy_import.data_flow_edges import set_sharding
from xshardy.transforms.sdy_propagation.numbering import FunctionResult, Numbering
from xshardy.transforms.sdy_propagation.op_kinds import traits_of


def write_shardings(program: Program, numbering: Numbering, written: Sequence[int]) -> None:
    """Write the shardings of `program` that differ from those that the module has, which `written` lists by value."""
    table = program.table
    of_arguments: dict[FuncOp, dict[int, Mapping[str, Attribute]]] = {}
    of_results: dict[FuncOp, dict[int, Mapping[str, Attribute]]] = {}
    of_operations: dict[Operation, None] = {}
    for number, (sharding, old) in enumerate(zip(program.shardings, written, strict=True)):
        attribute = table.attribute(sharding)
        if sharding == old or attribute is None:
            continue
        match numbering.homes[number]:
            case FunctionResult(function, index):
                of_results.setdefault(function, {})[index] = {SHARDING: attribute}
            case BlockArgument(index=index, block=block) if isinstance(function := block.parent_op(), FuncOp):
                of_arguments.setdefault(function, {})[index] = {SHARDING: attribute}
            case None:
                pass
            case home:
                op = home.owner
                if isinstance(op, DataFlowEdgeOp):
                    op.sharding = attribute
                elif isinstance(op, Operation) and _is_plain(op):
                    of_operations[op] = None
                else:
                    set_sharding(home, attribute)
    _write_results(program, numbering, of_operations)
    for function, additions in of_arguments.items():
        add_argument_attributes(function, additions)
    for function, additions in of_results.items():
        add_result_attributes(function, additions)


def _is_plain(op: Operation) -> bool:
    """Whether the shardings of the results of `op` are one attribute that any operation may have."""
    traits = traits_of(type(op))
    return not traits.has_flow and not traits.has_own_sharding


def _write_results(program: Program, numbering: Numbering, operations: Mapping[Operation, None]) -> None:
    """Write the shardings of all results of each of these operations; equal ones share an attribute."""
    made: dict[tuple[int, ...], TensorShardingPerValueAttr] = {}
    for op in operations:
        key = tuple([program.shardings[numbering.value(result)] for result in op.results])
        if (attribute := made.get(key)) is None:
            shardings = map(program.table.attribute, key)
            attribute = TensorShardingPerValueAttr(sharding for sharding in shardings if sharding is not None)
            made[key] = attribute
        op.attributes[SHARDING] = attribute


def write_rules(numbering: Numbering) -> None:
    """Write on each operation the rule by which shardings went through it."""
    for op, rule in zip(numbering.ops, numbering.rules, strict=True):
        if rule is not None:
            op.attributes[SHARDING_RULE] = rule


def erase_rules(numbering: Numbering) -> None:
    """Erase all rules but those that the user wrote."""
    for op, rule in zip(numbering.ops, numbering.rules, strict=True):
        if rule is not None and not rule.is_custom_rule:
            op.attributes.pop(SHARDING_RULE, None)
