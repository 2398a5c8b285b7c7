"""Format directives for the types of asynchronous operations that follow from the bundle type."""

from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer

from xshardy.dialects.hlo.async_types import AsyncBundleType
from xshardy.dialects.stablehlo.formats import operand_count


def parse_bundle(parser: Parser) -> AsyncBundleType:
    """Parse a bundle type. Raises `ParseError` if there is another type, or none."""
    at = parser.pos
    type = parser.parse_type()
    if isinstance(type, AsyncBundleType):
        return type
    parser.raise_error("expected an async bundle, as in `!hlo.async_bundle<(tensor<64xf32>) -> tensor<32xf32>>`", at)


@irdl_custom_directive
class StartTypes(CustomDirective):
    """The bundle type of the result of a start; operands have the operand types of the bundle."""

    inputs: TypeDirective
    bundle: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        at = parser.pos
        bundle = parse_bundle(parser)
        if (count := operand_count(state)) != len(bundle.operands):
            parser.raise_error(f"{count} operands present, but the bundle has {len(bundle.operands)}", at)
        self.inputs.set(state, bundle.operands)
        self.bundle.set(state, (bundle,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.bundle.print(printer, state, op)


@irdl_custom_directive
class DoneTypes(CustomDirective):
    """The bundle type of the operand of a done; results have the output types of the bundle."""

    operand: TypeDirective
    outputs: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        bundle = parse_bundle(parser)
        self.operand.set(state, (bundle,))
        self.outputs.set(state, bundle.outputs)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.operand.print(printer, state, op)


@irdl_custom_directive
class UpdateTypes(CustomDirective):
    """The bundle type of the result of an update; the inputs have its last operand types, the operand has the rest."""

    operand: TypeDirective
    inputs: TypeDirective
    bundle: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        at = parser.pos
        bundle = parse_bundle(parser)
        bound = len(bundle.operands) - (operand_count(state) - 1)
        if bound < 0:
            parser.raise_error(
                f"{operand_count(state) - 1} inputs present, but the bundle has {len(bundle.operands)}", at
            )
        before = AsyncBundleType.of(bundle.operands[:bound], bundle.outputs, bundle.contexts)
        self.operand.set(state, (before,))
        self.inputs.set(state, bundle.operands[bound:])
        self.bundle.set(state, (bundle,))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        self.bundle.print(printer, state, op)
