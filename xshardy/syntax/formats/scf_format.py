"""Texts of the scf dialect."""

from collections.abc import Mapping, Sequence
from typing import cast

from xdsl.dialects import scf
from xdsl.dialects.builtin import DYNAMIC_INDEX, ArrayAttr, DenseArrayBase, IndexType, IntegerType, i1
from xdsl.dialects.utils import parse_assignment, print_assignment
from xdsl.dialects.utils.dynamic_index_list import (
    parse_dynamic_index_list_without_types,
    print_dynamic_index_list,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, SSAValues
from xdsl.irdl import IRDLOperation
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.traits import SingleBlockImplicitTerminator, ensure_terminator

from xshardy.dialects.extensions.scf import ForallOp, InParallelOp
from xshardy.syntax.formats import Format, declared


def parse_result_types(parser: Parser) -> Sequence[Attribute]:
    """What follows `->`: types in parentheses, or a single type without."""
    listed = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return listed if listed is not None else [parser.parse_type()]


def add_implicit_terminator(op: IRDLOperation) -> None:
    """Add the terminator if the text omits it."""
    for trait in op.get_traits_of_type(SingleBlockImplicitTerminator):
        ensure_terminator(op, trait)


def parse_for(parser: Parser) -> scf.ForOp:
    """` %i = %lower to %upper step %step iter_args(%x = %init) -> (f32) : i32 { ... } {attributes}`"""
    variable = parser.parse_argument(expect_type=False)
    parser.parse_punctuation("=", " after the induction variable")
    lower = parser.parse_unresolved_operand()
    parser.parse_keyword("to")
    upper = parser.parse_unresolved_operand()
    parser.parse_keyword("step")
    step = parser.parse_unresolved_operand()
    carried: list[tuple[Parser.UnresolvedArgument, UnresolvedOperand]] = []
    types: Sequence[Attribute] = ()
    if parser.parse_optional_keyword("iter_args"):
        carried = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parse_assignment(parser))
        parser.parse_punctuation("->", " and the types of the iteration arguments")
        types = parse_result_types(parser)
    inits = parser.resolve_operands([init for _, init in carried], types, parser.pos)
    index_type = parser.parse_type() if parser.parse_optional_punctuation(":") else IndexType()
    lower, upper, step = (parser.resolve_operand(bound, index_type) for bound in (lower, upper, step))
    arguments = [argument.resolve(type) for (argument, _), type in zip(carried, types, strict=True)]
    body = parser.parse_region((variable.resolve(index_type), *arguments))
    op = scf.ForOp(lower, upper, step, inits, body)
    op.attributes |= parser.parse_optional_attr_dict()
    if not carried:
        add_implicit_terminator(op)
    return op


def print_for(op: scf.ForOp, printer: Printer) -> None:
    """The inverse of `parse_for`. Upstream puts two spaces in front of the type of the induction variable."""
    variable, *arguments = op.body.block.args
    for word, value in ((" ", variable), (" = ", op.lb), (" to ", op.ub), (" step ", op.step)):
        printer.print_string(word)
        printer.print_operand(value)
    if arguments:
        printer.print_string(" iter_args(")
        pairs = zip(arguments, op.iter_args, strict=True)
        printer.print_list(pairs, lambda pair: print_assignment(printer, *pair))
        printer.print_string(") -> (")
        printer.print_list((argument.type for argument in arguments), printer.print_attribute)
        printer.print_string(")")
    printer.print_string(" ")
    if not isinstance(variable.type, IndexType):
        printer.print_string(" : ")
        printer.print_attribute(variable.type)
        printer.print_string(" ")
    printer.print_region(
        op.body, print_entry_block_args=False, print_empty_block=False, print_block_terminators=bool(arguments)
    )
    printer.print_op_attributes(op.attributes)


def parse_if(parser: Parser) -> scf.IfOp:
    """` %condition -> (f32) { ... } else { ... } {attributes}`"""
    condition = parser.parse_operand(i1)
    types = parse_result_types(parser) if parser.parse_optional_punctuation("->") else ()
    then_region = scf.IfOp.parse_region_with_yield(parser)
    has_else = parser.parse_optional_keyword("else") is not None
    else_region = scf.IfOp.parse_region_with_yield(parser) if has_else else Region()
    return scf.IfOp(condition, types, then_region, else_region, parser.parse_optional_attr_dict())


def print_if(op: scf.IfOp, printer: Printer) -> None:
    """The inverse of `parse_if`."""
    printer.print_string(" ")
    printer.print_operand(op.cond)
    if op.output:
        printer.print_string(" -> (")
        printer.print_list(op.output.types, printer.print_attribute)
        printer.print_string(")")
    for word, region in ((" ", op.true_region), (" else ", op.false_region)):
        if region.blocks:
            printer.print_string(word)
            printer.print_region(region, print_entry_block_args=False, print_block_terminators=bool(op.output))
    printer.print_op_attributes(op.attributes)


def parse_index_switch(parser: Parser) -> scf.IndexSwitchOp:
    """Like xDSL's parser, but regions may omit their terminators."""
    op = scf.IndexSwitchOp.parse(parser)
    if not op.result_types:
        add_implicit_terminator(op)
    return op


def print_index_switch(op: scf.IndexSwitchOp, printer: Printer) -> None:
    """` %index -> f32 case 0 { ... } default { ... }`, each region on a line of its own."""
    printer.print_string(" ")
    printer.print_operand(op.arg)
    printer.print_op_attributes(op.attributes, reserved_attr_names=("cases",))
    if op.result_types:
        printer.print_string(" -> ")
        printer.print_list(op.result_types, printer.print_attribute)
    printer.print_string(" ")
    for value, region in zip(op.cases.iter_values(), op.case_regions, strict=True):
        printer.print_string(f"\ncase {value} ")
        printer.print_region(region)
    printer.print_string("\ndefault ")
    printer.print_region(op.default_region, print_block_terminators=bool(op.result_types))


Bounds = tuple[list[UnresolvedOperand], list[int]]
"""Operands, and integers that are `DYNAMIC_INDEX` where an operand stands."""


def parse_forall(parser: Parser) -> ForallOp:
    """
    ` (%i, %j) in (8, %n) shared_outs(%x = %init) -> (tensor<8xf32>) { ... } {attributes}`.

    The box may also be given in full: `= (0, 0) to (8, %n) step (1, 1)`.
    """

    def bounds() -> Bounds:
        dynamic, static = parse_dynamic_index_list_without_types(
            parser, DYNAMIC_INDEX, delimiter=parser.Delimiter.PAREN
        )
        return list(dynamic), list(static)

    variables = parser.parse_comma_separated_list(
        parser.Delimiter.PAREN, lambda: parser.parse_argument(expect_type=False)
    )
    lower: Bounds = [], [0] * len(variables)
    step: Bounds = [], [1] * len(variables)
    if parser.parse_optional_keyword("in"):
        upper = bounds()
    else:
        parser.parse_punctuation("=", " or 'in' after the induction variables")
        lower = bounds()
        parser.parse_keyword("to")
        upper = bounds()
        parser.parse_keyword("step")
        step = bounds()
    shared: list[tuple[Parser.UnresolvedArgument, UnresolvedOperand]] = []
    types: Sequence[Attribute] = ()
    if parser.parse_optional_keyword("shared_outs"):
        shared = parser.parse_comma_separated_list(parser.Delimiter.PAREN, lambda: parse_assignment(parser))
        parser.parse_punctuation("->", " and the types of the shared outputs")
        types = parse_result_types(parser)
    outputs = parser.resolve_operands([init for _, init in shared], types, parser.pos)
    arguments = [variable.resolve(IndexType()) for variable in variables]
    arguments += [argument.resolve(type) for (argument, _), type in zip(shared, types, strict=True)]
    region = parser.parse_region(arguments)
    attributes = parser.parse_optional_attr_dict()
    mapping = attributes.pop("mapping", None)

    def resolved(bound: Bounds) -> tuple[Sequence[SSAValue], Sequence[int]]:
        return [parser.resolve_operand(operand, IndexType()) for operand in bound[0]], bound[1]

    op = ForallOp(
        resolved(lower),
        resolved(upper),
        resolved(step),
        outputs,
        region,
        cast(ArrayAttr[Attribute], mapping) if isinstance(mapping, ArrayAttr) else None,
    )
    op.attributes |= attributes
    if not shared and not isinstance(region.block.last_op, InParallelOp):
        region.block.add_op(InParallelOp(Region(Block())))
    return op


def print_forall(op: ForallOp, printer: Printer) -> None:
    """The inverse of `parse_forall`, with `in` if the lower bounds are 0 and the steps are 1."""

    def print_bounds(word: str, dynamic: SSAValues, static: DenseArrayBase[IntegerType]) -> None:
        printer.print_string(f" {word} ")
        values = static.get_values()
        print_dynamic_index_list(printer, DYNAMIC_INDEX, dynamic, values, delimiter=Parser.Delimiter.PAREN)

    body = op.region.block
    variables, shared = body.args[: op.rank], body.args[op.rank :]
    printer.print_string(" (")
    printer.print_list(variables, printer.print_operand)
    printer.print_string(")")
    if set(op.static_lower_bound.get_values()) <= {0} and set(op.static_step.get_values()) <= {1}:
        print_bounds("in", op.dynamic_upper_bound, op.static_upper_bound)
    else:
        print_bounds("=", op.dynamic_lower_bound, op.static_lower_bound)
        print_bounds("to", op.dynamic_upper_bound, op.static_upper_bound)
        print_bounds("step", op.dynamic_step, op.static_step)
    if shared:
        printer.print_string(" shared_outs(")
        pairs = zip(shared, op.outputs, strict=True)
        printer.print_list(pairs, lambda pair: print_assignment(printer, *pair))
        printer.print_string(") -> (")
        printer.print_list(op.outputs.types, printer.print_attribute)
        printer.print_string(")")
    printer.print_string(" ")
    printer.print_region(op.region, print_entry_block_args=False, print_block_terminators=bool(shared))
    attributes: dict[str, Attribute] = dict(op.attributes)
    if op.mapping is not None:
        attributes["mapping"] = op.mapping
    printer.print_op_attributes(attributes)


FORMATS: Mapping[type[Operation], Format] = {
    ForallOp: Format(parse_forall, print_forall),
    InParallelOp: declared(InParallelOp, "$region attr-dict"),
    scf.ForOp: Format(parse_for, print_for),
    scf.IfOp: Format(parse_if, print_if),
    scf.IndexSwitchOp: Format(parse_index_switch, print_index_switch),
}
