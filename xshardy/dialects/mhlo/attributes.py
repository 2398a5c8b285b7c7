"""The attributes of MHLO: the dimensions of dot products, and precisions."""

from collections.abc import Sequence

from xdsl.dialects.builtin import I64, DenseArrayBase
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xshardy.dialects.stablehlo.attributes import DimensionNumbers, Precision, integers

__all__ = ["DotDimensionNumbersAttr", "PrecisionAttr", "RaggedDotDimensionNumbersAttr"]


@irdl_attr_definition
class PrecisionAttr(EnumAttribute[Precision], SpacedOpaqueSyntaxAttribute):
    name = "mhlo.precision"


@irdl_attr_definition
class DotDimensionNumbersAttr(DimensionNumbers):
    """The batching dimensions of a dot product, and its contracting dimensions."""

    name = "mhlo.dot"
    lhs_batching_dimensions: DenseArrayBase[I64]
    rhs_batching_dimensions: DenseArrayBase[I64]
    lhs_contracting_dimensions: DenseArrayBase[I64]
    rhs_contracting_dimensions: DenseArrayBase[I64]


@irdl_attr_definition
class RaggedDotDimensionNumbersAttr(ParametrizedAttribute):
    """`<dot_dimension_numbers = #mhlo.dot<...>, lhs_ragged_dimensions = [1], rhs_group_dimensions = [0]>`"""

    name = "mhlo.ragged_dot"
    dot_dimension_numbers: DotDimensionNumbersAttr
    lhs_ragged_dimensions: DenseArrayBase[I64]
    rhs_group_dimensions: DenseArrayBase[I64]

    @property
    def lhs_batching_dimensions(self) -> DenseArrayBase[I64]:
        return self.dot_dimension_numbers.lhs_batching_dimensions

    @property
    def rhs_batching_dimensions(self) -> DenseArrayBase[I64]:
        return self.dot_dimension_numbers.rhs_batching_dimensions

    @property
    def lhs_contracting_dimensions(self) -> DenseArrayBase[I64]:
        return self.dot_dimension_numbers.lhs_contracting_dimensions

    @property
    def rhs_contracting_dimensions(self) -> DenseArrayBase[I64]:
        return self.dot_dimension_numbers.rhs_contracting_dimensions

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """The fields in any order; a list that is not there is empty."""
        fields: dict[str, Attribute] = {}
        names = ("dot_dimension_numbers", "lhs_ragged_dimensions", "rhs_group_dimensions")
        start = parser.pos
        with parser.in_angle_brackets():
            while True:
                position = parser.pos
                name = parser.parse_identifier(context_msg=f" for a field: expected one of: {', '.join(names)}")
                if name not in names or name in fields:
                    parser.raise_error(f"expected each of {', '.join(names)} once at most", position, parser.pos)
                parser.parse_punctuation("=")
                if name == "dot_dimension_numbers":
                    fields[name] = parser.parse_attribute()
                else:
                    fields[name] = integers(
                        parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
                    )
                if parser.parse_optional_punctuation(",") is None:
                    break
        if not isinstance(dot := fields.get("dot_dimension_numbers"), DotDimensionNumbersAttr):
            parser.raise_error("expected `dot_dimension_numbers = #mhlo.dot<...>`", start, parser.pos)
        return [dot, *(fields.get(name, integers(())) for name in names[1:])]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("dot_dimension_numbers = ")
            printer.print_attribute(self.dot_dimension_numbers)
            for name, dims in (
                ("lhs_ragged_dimensions", self.lhs_ragged_dimensions),
                ("rhs_group_dimensions", self.rhs_group_dimensions),
            ):
                if values := dims.get_values():
                    printer.print_string(f", {name} = [{', '.join(map(str, values))}]")
