"""
StableHLO's declared formats, read without a look at the types of operands and results.

xDSL checks these types while it reads, to find out what the variables of constraints stand for. These operations have
no such variables; the check would only be made twice, and complain of a type without saying which value has it.
"""

from collections.abc import Mapping
from functools import cache

from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation, OpDef
from xdsl.irdl.declarative_assembly_format import FormatProgram, ParsingState

from xshardy.dialects.stablehlo import STABLEHLO
from xshardy.syntax.formats import Format


class UncheckedProgram(FormatProgram):
    """A format of an operation whose constraints have no variables."""

    def resolve_constraint_variables(self, state: ParsingState, op_def: OpDef) -> None:
        """Nothing: there are none."""


def has_variables(definition: OpDef) -> bool:
    """Whether a constraint on an operand or a result has a variable."""
    return any(field.constr.variables() for _, field in (*definition.operands, *definition.results))


@cache
def program_of(op: type[IRDLOperation]) -> UncheckedProgram:
    """The format of `op`, made when the first such operation is read."""
    definition = op.get_irdl_definition()
    assert definition.assembly_format is not None
    return UncheckedProgram(FormatProgram.from_str(definition.assembly_format, definition).stmts)


def unchecked(op: type[IRDLOperation]) -> Format:
    """The row that reads `op` as its own format says."""
    return Format(parse=lambda parser: program_of(op).parse(parser, op))


def formats() -> Mapping[type[Operation], Format]:
    """A row for each operation of StableHLO that has a declared format."""
    rows: dict[type[Operation], Format] = {}
    for op in STABLEHLO.operations:
        assert issubclass(op, IRDLOperation)
        definition = op.get_irdl_definition()
        if definition.assembly_format is not None and not has_variables(definition):
            rows[op] = unchecked(op)
    return rows


FORMATS = formats()
