"""Texts of the arith dialect."""

from collections.abc import Mapping

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerType, i1
from xdsl.ir import Operation
from xdsl.parser import Parser
from xdsl.printer import Printer

from xshardy.dialects.extensions.arith_elementwise import PREDICATES, compare
from xshardy.syntax.formats import Format


def parse_comparison(parser: Parser) -> arith.CmpiOp:
    """`arith.cmpi eq, %lhs, %rhs : vector<4xi32>`"""
    start = parser.pos
    keyword = parser.parse_identifier(" for the predicate of a comparison")
    if keyword not in PREDICATES:
        parser.raise_error(f"unknown predicate '{keyword}': expected one of {', '.join(PREDICATES)}", start)
    parser.parse_punctuation(",")
    lhs = parser.parse_unresolved_operand()
    parser.parse_punctuation(",")
    rhs = parser.parse_unresolved_operand()
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    type = parser.parse_type()
    op = compare(keyword, parser.resolve_operand(lhs, type), parser.resolve_operand(rhs, type))
    op.attributes.update(attributes)
    return op


def print_comparison(op: arith.CmpiOp, printer: Printer) -> None:
    """The inverse of `parse_comparison`."""
    printer.print_string(f" {PREDICATES[op.predicate.value.data]}, ")
    printer.print_list(op.operands, printer.print_operand)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.lhs.type)


def parse_selection(parser: Parser) -> arith.SelectOp:
    """`arith.select %c, %x, %y : f32`; with a condition that is no i1 `: vector<4xi1>, vector<4xf32>`"""
    operands = [parser.parse_unresolved_operand()]
    for _ in range(2):
        parser.parse_punctuation(",")
        operands.append(parser.parse_unresolved_operand())
    attributes = parser.parse_optional_attr_dict()
    parser.parse_punctuation(":")
    condition, type = i1, parser.parse_type()
    if parser.parse_optional_punctuation(","):
        condition, type = type, parser.parse_type()
    types = (condition, type, type)
    op = arith.SelectOp(*parser.resolve_operands(operands, types, parser.pos))
    op.attributes.update(attributes)
    return op


def print_selection(op: arith.SelectOp, printer: Printer) -> None:
    """The inverse of `parse_selection`."""
    printer.print_string(" ")
    printer.print_list(op.operands, printer.print_operand)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    if not isinstance(op.cond.type, IntegerType):
        printer.print_attribute(op.cond.type)
        printer.print_string(", ")
    printer.print_attribute(op.result.type)


FORMATS: Mapping[type[Operation], Format] = {
    arith.CmpiOp: Format(parse_comparison, print_comparison),
    arith.SelectOp: Format(parse_selection, print_selection),
}
