"""The roles of a convolution's dimensions, as an attribute."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import I64, DenseArrayBase, IntAttr
from xdsl.ir import Attribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer

from xshardy.dialects.stablehlo.attributes import DimensionNumbers, integers

__all__ = ["ConvDimensionNumbersAttr"]

LETTERS = ("bf", "io", "bf")
"""The letters of the non-spatial dimensions of input, kernel and output, in the order of the fields."""


@irdl_attr_definition
class ConvDimensionNumbersAttr(DimensionNumbers):
    """
    The role of each dimension of input, kernel and output: `[b, 0, f]x[0, i, o]->[b, 0, f]`.

    Batch `b`, feature `f`, input feature `i` and output feature `o` of the kernel, or the number of a spatial
    dimension. Numbers that are no dimensions can only be written field by field, behind the word `raw`.
    """

    name = "stablehlo.conv"
    input_batch_dimension: IntAttr
    input_feature_dimension: IntAttr
    input_spatial_dimensions: DenseArrayBase[I64]
    kernel_input_feature_dimension: IntAttr
    kernel_output_feature_dimension: IntAttr
    kernel_spatial_dimensions: DenseArrayBase[I64]
    output_batch_dimension: IntAttr
    output_feature_dimension: IntAttr
    output_spatial_dimensions: DenseArrayBase[I64]

    @property
    def roles(self) -> tuple[tuple[int, ...], ...]:
        """For input, kernel and output, its two dimensions that are not spatial, then those that are."""
        fields = [self.parameters[i : i + 3] for i in (0, 3, 6)]
        return tuple(
            (*(cast(IntAttr, scalar).data for scalar in scalars), *cast(DenseArrayBase[I64], spatial).get_values())
            for *scalars, spatial in fields
        )

    def text(self) -> str | None:
        """`[b, 0, f]x[0, i, o]->[b, 0, f]`, or None where a number is no dimension or stands twice."""
        texts: list[str] = []
        for letters, roles in zip(LETTERS, self.roles, strict=True):
            if sorted(roles) != list(range(len(roles))):
                return None
            labels = dict(zip(roles, (*letters, *map(str, range(len(roles) - 2))), strict=True))
            texts.append(f"[{', '.join(labels[dimension] for dimension in range(len(roles)))}]")
        return f"{texts[0]}x{texts[1]}->{texts[2]}"

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        parser.parse_punctuation("<")
        if parser.parse_optional_keyword("raw"):
            return cls.parse_fields(parser)
        fields = cls.parse_short(parser)
        parser.parse_punctuation(">")
        return fields

    @classmethod
    def parse_short(cls, parser: AttrParser) -> Sequence[Attribute]:
        """`[b, 0, f]x[0, i, o]->[b, 0, f]`"""
        input = parse_labels(parser, LETTERS[0])
        parser.parse_characters("x")
        kernel = parse_labels(parser, LETTERS[1])
        parser.parse_punctuation("->")
        return [*input, *kernel, *parse_labels(parser, LETTERS[2])]

    def print_parameters(self, printer: Printer) -> None:
        if (text := self.text()) is not None:
            printer.print_string(f"<{text}>")
            return
        texts = (f"{name} = {number}" for name, number in self.numbers.items())
        printer.print_string(f"<raw {', '.join(texts)}>")


def parse_labels(parser: AttrParser, letters: str) -> tuple[IntAttr, IntAttr, DenseArrayBase[I64]]:
    """`[b, 1, 0, f]` -> where the two `letters` stand, and where each spatial dimension stands."""
    places: dict[str | int, int] = {}
    index = 0

    def parse_label() -> None:
        nonlocal index
        position = parser.pos
        label = parser.parse_optional_integer(allow_boolean=False)
        if label is None:
            label = parser.parse_identifier()
            left = [letter for letter in letters if letter not in places]
            if len(label) > 1 or not left:
                parser.raise_error(f"Unexpected keyword {label}", position, parser.pos)
            if label not in left:
                parser.raise_error(f"Unexpected dimension {label}, expecting {', '.join(left)}", position, parser.pos)
        elif label < 0:
            parser.raise_error(f"Unexpected dimension {label}", position, parser.pos)
        elif label in places:
            parser.raise_error(f"Duplicate entries for spatial dimension {label}", position, parser.pos)
        places[label] = index
        index += 1

    parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_label)
    if missing := [letter for letter in letters if letter not in places]:
        parser.raise_error(f"Expected dimensions {', '.join(missing)} not specified")
    count = len(places) - len(letters)
    if missing := [dimension for dimension in range(count) if dimension not in places]:
        parser.raise_error(f"Expected spatial dimensions {', '.join(map(str, missing))} not specified")
    first, second = letters
    return IntAttr(places[first]), IntAttr(places[second]), integers(places[dimension] for dimension in range(count))
