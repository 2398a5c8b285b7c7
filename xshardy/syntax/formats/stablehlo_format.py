"""
StableHLO's declared formats, parsed without checking the types of operands and results.

xDSL checks these types while parsing, to infer the variables of constraints. These operations have no such variables.
The verifier checks the types again, and its message names the value.
"""

from collections.abc import Mapping
from functools import cache
from itertools import chain

from xdsl.ir import Dialect, Operation
from xdsl.irdl import IRDLOperation, IRDLOperationInvT, OpDef
from xdsl.irdl.declarative_assembly_format import FormatProgram, ParsingState
from xdsl.irdl.operations import VariadicDef
from xdsl.parser import Parser

from xshardy.dialects.stablehlo import STABLEHLO
from xshardy.syntax.formats import Format


class UncheckedProgram(FormatProgram):
    """A format of an operation whose constraints have no variables."""

    def resolve_constraint_variables(self, state: ParsingState, op_def: OpDef) -> None:
        """Nothing: there are none."""


class PlainProgram(UncheckedProgram):
    """A format of an operation without variadic operands or results, so that values need no division into segments."""

    def parse(self, parser: Parser, op_type: type[IRDLOperationInvT]) -> IRDLOperationInvT:
        definition = op_type.get_irdl_definition()
        state = ParsingState(op_type)
        for directive in self.stmts:
            directive.parse(parser, state)
        operands = chain.from_iterable(operands or () for operands in state.operands)
        types = chain.from_iterable(self.resolve_operand_types(state, definition))
        return op_type.create(
            operands=[parser.resolve_operand(operand, type) for operand, type in zip(operands, types, strict=True)],
            result_types=list(chain.from_iterable(self.resolve_result_types(state, definition))),
            properties=state.properties,
            attributes=state.attributes,
        )


def is_plain(definition: OpDef) -> bool:
    """Whether the operation has no regions, no successors, and as many operands and results as their definitions."""
    if definition.regions or definition.successors:
        return False
    return not any(isinstance(field, VariadicDef) for _, field in (*definition.operands, *definition.results))


def has_variables(definition: OpDef) -> bool:
    """Whether a constraint on an operand or a result has a variable."""
    return any(field.constr.variables() for _, field in (*definition.operands, *definition.results))


@cache
def program_of(op: type[IRDLOperation]) -> UncheckedProgram:
    """The format of `op`, created at the first such operation."""
    definition = op.get_irdl_definition()
    assert definition.assembly_format is not None
    program = PlainProgram if is_plain(definition) else UncheckedProgram
    return program(FormatProgram.from_str(definition.assembly_format, definition).stmts)


TYPED_LAST = (
    "attr-dict `:` functional-type(operands, results)",
    "attr-dict `:` custom<SameOperandsAndResultType>(type(operands), type(results))",
)
"""The ends of formats in which all types are in one at the end."""


def unchecked(op: type[IRDLOperation], definition: OpDef) -> Format:
    """The row that parses `op` by its own format."""
    is_typed_last = is_plain(definition) and (definition.assembly_format or "").endswith(TYPED_LAST)
    return Format(parse=lambda parser: program_of(op).parse(parser, op), is_typed_last=is_typed_last)


def formats(dialect: Dialect) -> Mapping[type[Operation], Format]:
    """A row for each operation of `dialect` that has a declared format, in which no constraint has a variable."""
    rows: dict[type[Operation], Format] = {}
    for op in dialect.operations:
        assert issubclass(op, IRDLOperation)
        definition = op.get_irdl_definition()
        if definition.assembly_format is not None and not has_variables(definition):
            rows[op] = unchecked(op, definition)
    return rows


FORMATS = formats(STABLEHLO)
