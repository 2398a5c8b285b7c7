"""The pieces of StableHLO's pretty syntax that several ops share, as custom directives of assembly formats."""

import re
from collections.abc import Callable, Sequence
from typing import cast

from xdsl.dialects.builtin import (
    AnyTensorType,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    TensorType,
    TupleType,
    i32,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    TypeDirective,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer

from xshardy.dialects.stablehlo.types import real_element


def operand_count(state: ParsingState) -> int:
    """The number of operands parsed so far."""
    return sum(len(operands or ()) for operands in state.operands)


def set_types(
    parser: Parser,
    state: ParsingState,
    operands: TypeDirective,
    result: TypeDirective,
    types: Sequence[Attribute],
    expand: Callable[[Sequence[Attribute]], tuple[Sequence[Attribute], Attribute]],
) -> None:
    """Set the types of operands and result from a function type, or from `types` expanded by `expand`."""
    match types:
        case [FunctionType() as function]:
            if len(function.outputs) != 1:
                parser.raise_error("expected single output")
            operand_types, result_type = function.inputs.data, function.outputs.data[0]
        case _:
            operand_types, result_type = expand(types)
    if len(operand_types) != (count := operand_count(state)):
        parser.raise_error(f"{count} operands present, but expected {len(operand_types)}")
    operands.set(state, operand_types)
    result.set(state, (result_type,))


def print_types(
    printer: Printer, state: PrintingState, op: IRDLOperation, abbreviated: Sequence[Attribute] | None
) -> None:
    """Print `abbreviated`, or the whole function type if there is no abbreviation."""
    state.print_whitespace(printer)
    if abbreviated is None:
        printer.print_function_type(op.operand_types, op.result_types)
    else:
        printer.print_list(abbreviated, printer.print_attribute)


@irdl_custom_directive
class SameOperandsAndResultType(CustomDirective):
    """`tensor<4xf32>` when all operands have the type of the result; else a function type."""

    operands: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        count = operand_count(state)
        type = parser.parse_type()
        set_types(parser, state, self.operands, self.result, [type], lambda types: ([types[0]] * count, types[0]))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        (result,) = self.result.get(op)
        is_same = all(type == result for type in self.operands.get(op))
        print_types(printer, state, op, [result] if is_same else None)


def real_type(complex_type: Attribute) -> Attribute | None:
    """`tensor<4xcomplex<f32>>` -> `tensor<4xf32>`; None for any other type."""
    if not isinstance(complex_type, TensorType):
        return None
    tensor = cast(AnyTensorType, complex_type)
    real = real_element(tensor.element_type)
    return None if real == tensor.element_type else TensorType(real, tensor.shape, tensor.encoding)


@irdl_custom_directive
class ComplexOpType(CustomDirective):
    """The complex type of the result when both operands have its real type; else a function type."""

    operands: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        def expand(types: Sequence[Attribute]) -> tuple[Sequence[Attribute], Attribute]:
            if (real := real_type(types[0])) is None:
                parser.raise_error("expected tensor with complex element type")
            return [real, real], types[0]

        set_types(parser, state, self.operands, self.result, [parser.parse_type()], expand)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        (result,) = self.result.get(op)
        real = real_type(result)
        is_same = all(type == real for type in self.operands.get(op))
        print_types(printer, state, op, [result] if is_same else None)


@irdl_custom_directive
class SelectOpType(CustomDirective):
    """The types of predicate and result when both branches have the type of the result; else a function type."""

    operands: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        def expand(types: Sequence[Attribute]) -> tuple[Sequence[Attribute], Attribute]:
            if len(types) != 2:
                parser.raise_error("expected functional type or list of two types")
            return [types[0], types[1], types[1]], types[1]

        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        set_types(parser, state, self.operands, self.result, types, expand)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        (result,) = self.result.get(op)
        predicate, *branches = self.operands.get(op)
        is_same = all(type == result for type in branches)
        print_types(printer, state, op, [predicate, result] if is_same else None)


@irdl_custom_directive
class TupleOpType(CustomDirective):
    """The tuple type of the result; the operands have the types of its elements."""

    operands: TypeDirective
    result: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        def expand(types: Sequence[Attribute]) -> tuple[Sequence[Attribute], Attribute]:
            if not isinstance(types[0], TupleType):
                parser.raise_error("expected tuple type")
            count, elements = operand_count(state), types[0].types.data
            if len(elements) != count:
                parser.raise_error(
                    f"number of operands and types do not match: got {count} operands and {len(elements)} types"
                )
            return elements, types[0]

        set_types(parser, state, self.operands, self.result, [parser.parse_type()], expand)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        print_types(printer, state, op, self.result.get(op))


@irdl_custom_directive
class PairwiseValues(CustomDirective):
    """`%a, %b : tensor<f32>, tensor<i32>`: operands, and their types, which are those of the results; `()` if none."""

    values: VariadicOperandVariable
    operands: TypeDirective
    results: TypeDirective

    def parse(self, parser: Parser, state: ParsingState) -> None:
        values: list[UnresolvedOperand] = []
        types: list[Attribute] = []
        if parser.parse_optional_punctuation("("):
            parser.parse_punctuation(")")
        else:
            values = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
            parser.parse_punctuation(":")
            types = [*parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)]
        if len(values) != len(types):
            parser.raise_error(
                f"number of operands and types do not match: got {len(values)} operands and {len(types)} types"
            )
        self.values.set(state, values)
        self.operands.set(state, types)
        self.results.set(state, types)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        values = self.values.get(op)
        if not values:
            printer.print_string("()")
            return
        state.print_whitespace(printer)
        printer.print_list(values, printer.print_ssa_value)
        printer.print_string(" : ")
        printer.print_list(self.operands.get(op), printer.print_attribute)


@irdl_custom_directive
class VariadicOperandWithAttribute(CustomDirective):
    """`%a, %b,`: operands and the comma before the attribute that follows them."""

    operands: VariadicOperandVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        operands: list[UnresolvedOperand] = []
        while (operand := parser.parse_optional_unresolved_operand()) is not None:
            operands.append(operand)
            parser.parse_punctuation(",")
        self.operands.set(state, operands)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        if operands := self.operands.get(op):
            state.print_whitespace(printer)
            printer.print_list(operands, printer.print_ssa_value)
            printer.print_string(",")


@irdl_custom_directive
class SliceRanges(CustomDirective):
    """`[0:4, 1:8:2]`: start, limit and (unless 1) stride of each dimension."""

    starts: AttributeVariable
    limits: AttributeVariable
    strides: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        def parse_range() -> tuple[int, int, int]:
            start = parser.parse_integer()
            parser.parse_punctuation(":")
            limit = parser.parse_integer()
            stride = parser.parse_integer() if parser.parse_optional_punctuation(":") else 1
            return start, limit, stride

        ranges = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_range)
        columns = list(zip(*ranges, strict=True)) or [(), (), ()]
        for variable, values in zip((self.starts, self.limits, self.strides), columns, strict=True):
            variable.set(state, DenseArrayBase.from_list(i64, values))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        columns = [get_integers(op, variable) for variable in (self.starts, self.limits, self.strides)]
        state.print_whitespace(printer)
        with printer.in_square_brackets():
            if len({len(column) for column in columns}) != 1:  # invalid, but printed in error messages
                names = ("start_indices", "limit_indices", "strides")
                texts = (f"{name}: {', '.join(map(str, values))}" for name, values in zip(names, columns, strict=True))
            else:
                texts = (
                    f"{start}:{limit}" + (f":{stride}" if stride != 1 else "")
                    for start, limit, stride in zip(*columns, strict=True)
                )
            printer.print_string(", ".join(texts))


def get_integers(op: IRDLOperation, variable: AttributeVariable) -> tuple[int, ...]:
    """The values of the dense integer array that `variable` names in `op`; none if it is not such an array."""
    attribute = variable.get(op)
    return attribute.get_values() if isinstance(attribute, DenseArrayBase) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


@irdl_custom_directive
class ExponentMantissa(CustomDirective):
    """`e5m10`: the number of exponent and of mantissa bits."""

    exponent: AttributeVariable
    mantissa: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        word = parser.parse_identifier(context_msg=" for exponent and mantissa in the form e#m#")
        if (match := re.fullmatch(r"e(\d+)m(\d+)", word)) is None:
            parser.raise_error(f"expected exponent mantissa in format e#m#, saw {word}")
        for variable, bits in zip((self.exponent, self.mantissa), match.groups(), strict=True):
            if len(bits) > 10 or int(bits) >= 2**31:
                name = "exponent" if variable is self.exponent else "mantissa"
                parser.raise_error(f"unable to parse {name} '{bits[:20]}': it has at most 31 bits")
            variable.set(state, IntegerAttr(int(bits), i32))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        exponent, mantissa = (getattr(op, v.name).value.data for v in (self.exponent, self.mantissa))
        printer.print_string(f"e{exponent}m{mantissa}")
