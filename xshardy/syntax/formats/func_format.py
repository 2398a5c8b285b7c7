"""Texts of the func dialect: functions without a body keep the attributes of their arguments."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from xdsl.dialects import func
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FunctionType, LocationAttr
from xdsl.ir import Attribute, Operation, Region
from xdsl.parser import Parser
from xdsl.printer import Printer

from xshardy.syntax.formats import Format

RESERVED = ("sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs")

Input: TypeAlias = tuple[Parser.Argument | None, Attribute, dict[str, Attribute], LocationAttr | None]
"""An argument: its name if it has one, its type, attributes and location."""


def parse_func(parser: Parser) -> func.FuncOp:
    """` private @f(%x: f32 {a}) -> (f32 {b}) attributes {c} { ... }`"""

    def parse_input() -> Input:
        name = parser.parse_optional_argument()
        type = name.type if name is not None else parser.parse_type()
        return name, type, parser.parse_optional_dictionary_attr_dict(), parser.parse_optional_location()

    def parse_output() -> tuple[Attribute, dict[str, Attribute]]:
        return parser.parse_type(), parser.parse_optional_dictionary_attr_dict()

    visibility = parser.parse_optional_visibility_keyword()
    name = parser.parse_symbol_name()
    start = parser.pos
    inputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parse_input, " in the arguments of a function")
    outputs: list[tuple[Attribute, dict[str, Attribute]]] = []
    if parser.parse_optional_punctuation("->"):
        listed = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parse_output)
        outputs = listed if listed is not None else [(parser.parse_type(), {})]
    attributes = parser.parse_optional_attr_dict_with_keyword(RESERVED)
    named = [argument for argument, *_ in inputs if argument is not None]
    if len(named) not in (0, len(inputs)):
        parser.raise_error("either all arguments of a function have names, or none has", start)
    for argument, (_, _, _, location) in zip(named, inputs, strict=False):
        argument.location = location
    body = parser.parse_optional_region(named if named or not inputs else None)
    op = func.FuncOp(
        name.data,
        ([type for _, type, _, _ in inputs], [type for type, _ in outputs]),
        body if body is not None else Region(),
        visibility,
        arg_attrs=_attribute_array([attrs for _, _, attrs, _ in inputs]),
        res_attrs=_attribute_array([attrs for _, attrs in outputs]),
    )
    if attributes is not None:
        op.attributes |= attributes.data
    return op


def _attribute_array(dictionaries: Sequence[dict[str, Attribute]]) -> ArrayAttr[DictionaryAttr] | None:
    if not any(dictionaries):
        return None
    return ArrayAttr([DictionaryAttr(attributes) for attributes in dictionaries])


def print_func(op: func.FuncOp, printer: Printer) -> None:
    """The inverse of `parse_func`."""
    if op.sym_visibility is not None:
        printer.print_string(f" {op.sym_visibility.data}")
    printer.print_string(" ")
    printer.print_symbol_name(op.sym_name.data)
    types = op.function_type
    arguments = op.body.blocks[0].args if op.body.blocks else ()
    printer.print_string("(")
    for index, type in enumerate(types.inputs):
        if index:
            printer.print_string(", ")
        if arguments:
            printer.print_operand(arguments[index])
            printer.print_string(": ")
        printer.print_attribute(type)
        if op.arg_attrs is not None:
            printer.print_op_attributes(op.arg_attrs.data[index].data)
        if printer.print_debuginfo and arguments:
            printer.print_string(" ")
            printer.print_attribute(arguments[index].location)
    printer.print_string(")")
    if types.outputs.data:
        _print_outputs(types.outputs.data, op.res_attrs, printer)
    printer.print_op_attributes(op.attributes, reserved_attr_names=RESERVED, print_keyword=True)
    if op.body.blocks:
        printer.print_string(" ")
        printer.print_region(op.body, print_entry_block_args=False, print_empty_block=False)


def _print_outputs(types: Sequence[Attribute], attrs: ArrayAttr[DictionaryAttr] | None, printer: Printer) -> None:
    printer.print_string(" -> ")
    has_attributes = attrs is not None and any(dictionary.data for dictionary in attrs)
    if len(types) == 1 and not has_attributes and not isinstance(types[0], FunctionType):
        printer.print_attribute(types[0])
        return
    printer.print_string("(")
    for index, type in enumerate(types):
        if index:
            printer.print_string(", ")
        printer.print_attribute(type)
        if attrs is not None:
            printer.print_op_attributes(attrs.data[index].data)
    printer.print_string(")")


FORMATS: Mapping[type[Operation], Format] = {func.FuncOp: Format(parse_func, print_func)}
