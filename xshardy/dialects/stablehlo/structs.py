"""Attributes that are a list of named fields, `<handle = 1, type = 0>`, and the pieces that such attributes have."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from xdsl.dialects.builtin import I64, DenseArrayBase, IntAttr, StringAttr
from xdsl.ir import Attribute, ParametrizedAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xshardy.dialects.stablehlo.attributes import parse_integers, print_integers

__all__ = ["ChannelHandleAttr", "OutputOperandAliasAttr"]


@dataclass(frozen=True, slots=True)
class Field:
    """How the value of a field is read and printed, and the value that is left out, if there is one."""

    parse: Callable[[AttrParser], Attribute]
    print: Callable[[Printer, Any], None]
    absent: Attribute | None = None


INTEGER = Field(
    lambda parser: IntAttr(parser.parse_integer()), lambda printer, value: printer.print_string(str(value.data))
)
INTEGERS = Field(parse_integers, print_integers)
STRING = Field(
    lambda parser: StringAttr(parser.parse_str_literal()),
    lambda printer, value: printer.print_string_literal(value.data),
)
ATTRIBUTE = Field(lambda parser: parser.parse_attribute(), lambda printer, value: printer.print_attribute(value))


class StructAttribute(ParametrizedAttribute):
    """Named fields, printed in the order of `FIELDS` and read in any order."""

    FIELDS: ClassVar[Mapping[str, Field]]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        found: dict[str, Attribute] = {}

        def parse_field() -> None:
            name = parser.parse_keyword_in(tuple(cls.FIELDS))
            if name in found:
                parser.raise_error(f"'{name}' is given twice: remove one of the two")
            parser.parse_punctuation("=")
            found[name] = cls.FIELDS[name].parse(parser)

        parser.parse_comma_separated_list(parser.Delimiter.ANGLE, parse_field)
        for name, field in cls.FIELDS.items():
            if name in found:
                continue
            if field.absent is None:
                parser.raise_error(f"struct is missing required parameter: {name}")
            found[name] = field.absent
        return [found[name] for name in cls.FIELDS]

    def print_parameters(self, printer: Printer) -> None:
        def print_field(item: tuple[tuple[str, Field], Attribute]) -> None:
            (name, field), value = item
            printer.print_string(f"{name} = ")
            field.print(printer, value)

        pairs = zip(self.FIELDS.items(), self.parameters, strict=True)
        with printer.in_angle_brackets():
            printer.print_list((pair for pair in pairs if pair[1] != pair[0][1].absent), print_field)


@irdl_attr_definition
class ChannelHandleAttr(StructAttribute):
    """The channel over which operations of one or several programs communicate; handle 0 is none."""

    name = "stablehlo.channel_handle"
    FIELDS = {"handle": INTEGER, "type": INTEGER}
    handle: IntAttr
    type: IntAttr


@irdl_attr_definition
class OutputOperandAliasAttr(StructAttribute):
    """
    A result, or a part of it, that shares the memory of an operand or a part of it; parts are paths into nested tuples.
    """

    name = "stablehlo.output_operand_alias"
    FIELDS = {"output_tuple_indices": INTEGERS, "operand_index": INTEGER, "operand_tuple_indices": INTEGERS}
    output_tuple_indices: DenseArrayBase[I64]
    operand_index: IntAttr
    operand_tuple_indices: DenseArrayBase[I64]
