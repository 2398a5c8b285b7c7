"""The custom directives in the assembly formats of sdy. Source: section 0.1 of the specification."""

from typing import cast

from xdsl.dialects.builtin import I32, DenseIntOrFPElementsAttr, DenseResourceAttr, IntegerAttr
from xdsl.ir import Attribute, Block, Operation, Region
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    RegionVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator, SingleBlockImplicitTerminator
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.hints import isa

from xshardy.dialects.sdy.attributes.enums import PropagationDirection, ReductionOp, member_of, number_of
from xshardy.dialects.sdy.attributes.mesh import MeshAttr
from xshardy.dialects.sdy.attributes.sharding import SHARDINGS, TensorShardingPerValueAttr


@irdl_custom_directive
class MeshBody(CustomDirective):
    """`<["a"=2]>`: a mesh. The error for an invalid mesh has upstream's words and points at the mesh."""

    mesh: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        try:
            whole = parser.parse_optional_attribute()  # `#sdy.mesh<["a"=2]>` is read too
            self.mesh.set(state, whole if isinstance(whole, MeshAttr) else MeshAttr.parse_body(parser))
        except VerifyException as error:
            if isinstance(error, ParseError):
                raise
            parser.raise_error(str(error), start)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        mesh = self.mesh.get(op)
        if isinstance(mesh, MeshAttr):
            state.print_whitespace(printer)
            mesh.print_body(printer)


@irdl_custom_directive
class DenseElements(CustomDirective):
    """`dense<1.0> : tensor<8xf32>`, or `dense_resource<name> : tensor<8xf32>`"""

    value: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        start = parser.pos
        value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
            parser.raise_error("expected a dense elements attribute, as in `dense<1.0> : tensor<8xf32>`", start)
        self.value.set(state, cast(Attribute, value))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        value = self.value.get(op)
        if value is not None:
            state.print_whitespace(printer)
            printer.print_attribute(value)


@irdl_custom_directive
class StrippedShardings(CustomDirective):
    """`[<@mesh, [{"a"}]>, <@mesh, [{}]>]`: shardings without the name of the attribute that holds them."""

    shardings: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.shardings.set(state, TensorShardingPerValueAttr(SHARDINGS.read(parser)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        attribute = self.shardings.get(op)
        if isinstance(attribute, TensorShardingPerValueAttr):
            state.print_whitespace(printer)
            SHARDINGS.print(printer, attribute.shardings)

    def is_present(self, op: IRDLOperation) -> bool:
        return self.shardings.is_present(op)

    def is_anchorable(self) -> bool:
        return self.shardings.is_anchorable()


@irdl_custom_directive
class ReductionUnlessSum(CustomDirective):
    """`max`, `min`, or nothing for a sum."""

    reduction: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        reduction = parser.parse_optional_str_enum(ReductionOp)
        if reduction is not None and reduction is not ReductionOp.SUM:
            self.reduction.set(state, number_of(reduction))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        number = self.reduction.get(op)
        if isa(number, IntegerAttr[I32]) and (reduction := member_of(ReductionOp, number)) is not ReductionOp.SUM:
            state.print_whitespace(printer)
            printer.print_string(reduction.value)


@irdl_custom_directive
class DirectionName(CustomDirective):
    """`NONE`, `FORWARD`, `BACKWARD` or `BOTH`."""

    direction: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.direction.set(state, number_of(parser.parse_str_enum(PropagationDirection)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        number = self.direction.get(op)
        if isa(number, IntegerAttr[I32]):
            printer.print_string(member_of(PropagationDirection, number).value)
            state.last_was_punctuation = False
            state.should_emit_space = True


def add_missing_terminators(body: Region, op_type: type[Operation]) -> None:
    """
    End each block of `body`, a region of an `op_type`, in the implicit terminator of `op_type`.

    A block that ends in any other terminator is left to the verifier.
    """
    (implicit,) = op_type.get_traits_of_type(SingleBlockImplicitTerminator)
    if not body.blocks:
        body.add_block(Block())
    for block in body.blocks:
        if (last := block.last_op) is None or not last.has_trait(IsTerminator):
            block.add_op(implicit.op_type.create())


@irdl_custom_directive
class BlockWithArguments(CustomDirective):
    """
    `(%arg0: type, ...) { ... }`: a region of one block, whose arguments stand in front of the brace.

    The terminator may be left out if it has no operands.
    """

    body: RegionVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        arguments = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_argument)
        region = parser.parse_region(arguments)
        add_missing_terminators(region, state.op_type)
        self.body.set(state, region)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        region = self.body.get(op)
        state.print_whitespace(printer)
        with printer.in_parens():
            printer.print_list(region.block.args, printer.print_block_argument)
        printer.print_string(" ")
        printer.print_region(region, print_entry_block_args=False)
