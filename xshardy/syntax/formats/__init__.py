"""
Upstream's text of operations that xDSL prints or parses differently: a row per operation, a module per dialect.

A row is looked up before the operation's own `print` and `parse`. The module of a dialect is imported at the first
operation of that dialect.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from xdsl.ir import Attribute, Operation
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import FormatProgram
from xdsl.parser import AttrParser, Parser
from xdsl.printer import Printer

MODULES: Mapping[str, str] = {
    name: f"xshardy.syntax.formats.{name}_format"
    for name in ("arith", "chlo", "dlti", "func", "gpu", "llvm", "scf", "stablehlo")
}
"""The dialects with a table, each in a module with a mapping `FORMATS` from operation classes to rows."""


@dataclass(frozen=True, slots=True)
class Format:
    """Parser and printer of the text after an operation's name. None stands for xDSL's."""

    parse: Callable[[Parser], Operation] | None = None
    print: Callable[[Any, Printer], None] | None = None
    is_declared: bool = False
    """Whether it is a declarative assembly format, whose text depends only on the operation's own fields."""
    is_typed_last: bool = False
    """
    Whether the text ends with a type behind ` : `, on which nothing else depends: a function type of all operands and
    results, or the type of each of them.
    """


def declared(op: type[IRDLOperation], assembly_format: str) -> Format:
    """The row for a declarative assembly format."""
    program = FormatProgram.from_str(assembly_format, op.get_irdl_definition())

    def print_op(instance: IRDLOperation, printer: Printer) -> None:
        program.print(printer, instance)

    return Format(lambda parser: program.parse(parser, op), print_op, is_declared=True)


@cache
def format_of(op: type[Operation]) -> Format | None:
    """The row of an operation class, if it has one."""
    module = MODULES.get(op.name.partition(".")[0])
    if module is None:
        return None
    formats: Mapping[type[Operation], Format] = import_module(module).FORMATS
    return formats.get(op)


@cache
def attribute_reader(name: str) -> Callable[[AttrParser], Attribute] | None:
    """The parser of the text after an attribute's name; None if xDSL's parser reads it."""
    module = MODULES.get(name.partition(".")[0])
    if module is None:
        return None
    readers: Mapping[str, Callable[[AttrParser], Attribute]] = getattr(import_module(module), "ATTRIBUTE_READERS", {})
    return readers.get(name)
