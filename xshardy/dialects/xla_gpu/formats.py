"""The custom directives in the assembly formats of xla_gpu. Source: section 6 of the specification."""

from xdsl.dialects.builtin import IndexType
from xdsl.ir import BlockArgument, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    RegionVariable,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from xshardy.dialects.xla_gpu.attributes import IndexingMapAttr


def parse_map(parser: Parser) -> IndexingMapAttr:
    """`#xla_gpu.indexing_map<...>`, or an alias of one."""
    start = parser.pos
    attr = parser.parse_attribute()
    if not isinstance(attr, IndexingMapAttr):
        parser.raise_error("expected a #xla_gpu.indexing_map", start)
    return attr


@irdl_custom_directive
class AppliedMap(CustomDirective):
    """`#map(%d0, %d1)[%s0]`: a map, its dimensions and its symbols; the brackets of none are left out."""

    map: AttributeVariable
    operands: VariadicOperandVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.map.set(state, parse_map(parser))
        operands: list[UnresolvedOperand] = []
        for delimiter in (parser.Delimiter.PAREN, parser.Delimiter.SQUARE):
            operands += parser.parse_optional_comma_separated_list(delimiter, parser.parse_unresolved_operand) or []
        self.operands.set(state, operands)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attr, operands = self.map.get(op), self.operands.get(op)
        assert isinstance(attr, IndexingMapAttr)
        state.print_whitespace(printer)
        printer.print_attribute(attr)
        dims = len(attr.data.dimensions)
        if operands[:dims]:
            with printer.in_parens():
                printer.print_list(operands[:dims], printer.print_operand)
        if operands[dims:]:
            with printer.in_square_brackets():
                printer.print_list(operands[dims:], printer.print_operand)


@irdl_custom_directive
class LoopNest(CustomDirective):
    """
    `[%ivs] -> (%indices) in #map iter_args(%iter = %init) -> (types) { ... }`

    The names in front of the region are those of its arguments, in this order. The results have the types of the inits.
    """

    map: AttributeVariable
    inits: VariadicOperandVariable
    init_types: TypeDirective
    result_types: TypeDirective
    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        def indices(delimiter: Parser.Delimiter) -> list[Parser.Argument]:
            names = parser.parse_comma_separated_list(delimiter, lambda: parser.parse_argument(expect_type=False))
            return [name.resolve(IndexType()) for name in names]

        def assignment() -> tuple[Parser.UnresolvedArgument, UnresolvedOperand]:
            name = parser.parse_argument(expect_type=False)
            parser.parse_punctuation("=")
            return name, parser.parse_unresolved_operand()

        induction_vars = indices(parser.Delimiter.SQUARE)
        parser.parse_punctuation("->")
        map_results = indices(parser.Delimiter.PAREN)
        parser.parse_keyword("in")
        self.map.set(state, parse_map(parser))
        parser.parse_keyword("iter_args")
        start = parser.pos
        assignments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, assignment)
        parser.parse_punctuation("->")
        types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        if types is None:
            types = [parser.parse_type()]
        if len(types) != len(assignments):
            parser.raise_error(
                "mismatch in number of induction variables + loop-carried values  + number of indexing map results "
                "variables and the number of results",
                start,
            )
        iter_args = [name.resolve(type) for (name, _), type in zip(assignments, types, strict=True)]
        self.inits.set(state, [init for _, init in assignments])
        self.init_types.set(state, types)
        self.result_types.set(state, types)
        self.body.set(state, parser.parse_region([*induction_vars, *map_results, *iter_args]))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attr, inits, body = self.map.get(op), self.inits.get(op), self.body.get(op)
        assert isinstance(attr, IndexingMapAttr)
        args = body.block.args
        first_iter_arg = len(args) - len(inits)
        first_map_result = first_iter_arg - len(attr.data.results)

        def name(arg: BlockArgument) -> None:
            printer.print_block_argument(arg, print_type=False)

        def assignment(pair: tuple[BlockArgument, SSAValue]) -> None:
            name(pair[0])
            printer.print_string(" = ")
            printer.print_operand(pair[1])

        with printer.in_square_brackets():
            printer.print_list(args[:first_map_result], name)
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(args[first_map_result:first_iter_arg], name)
        printer.print_string(" in ")
        printer.print_attribute(attr)
        printer.print_string(" iter_args")
        with printer.in_parens():
            printer.print_list(zip(args[first_iter_arg:], inits, strict=True), assignment)
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(self.result_types.get(op), printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(body, print_entry_block_args=False)
        state.last_was_punctuation = False
        state.should_emit_space = True
