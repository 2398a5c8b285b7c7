"""The attributes of StableHLO: enumerations, dimension numbers, accuracy, bounds of dynamic dimensions."""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    AnyTensorType,
    ArrayAttr,
    DenseArrayBase,
    FloatAttr,
    IntAttr,
    f64,
    i64,
)
from xdsl.dialects.utils.enum_attribute import EnumAttribute
from xdsl.ir import Attribute, ParametrizedAttribute, SpacedOpaqueSyntaxAttribute
from xdsl.irdl import BaseAttr, irdl_attr_definition, param_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.stablehlo.slice_dims import SliceDims
from xshardy.dialects.tensor_encoding import VerifiableTensorEncoding

__all__ = [
    "BoundsAttr",
    "ComparisonDirection",
    "ComparisonDirectionAttr",
    "ComparisonType",
    "ComparisonTypeAttr",
    "DotDimensionNumbersAttr",
    "GatherDimensionNumbersAttr",
    "Precision",
    "PrecisionAttr",
    "ResultAccuracyAttr",
    "ResultAccuracyMode",
    "ResultAccuracyModeAttr",
    "ScatterDimensionNumbersAttr",
    "TypeExtensionsAttr",
    "integers",
]


def integers(values: Iterable[int]) -> DenseArrayBase[I64]:
    """`array<i64: values>`, the form of every list of dimensions or sizes."""
    return _integers(tuple(values))


def parse_integers(parser: AttrParser) -> DenseArrayBase[I64]:
    """`[1, 0]`"""
    return integers(parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer))


def print_integers(printer: Printer, value: DenseArrayBase[I64]) -> None:
    """The inverse of `parse_integers`."""
    printer.print_string(str([*value.get_values()]))


@lru_cache(maxsize=4096)
def _integers(values: tuple[int, ...]) -> DenseArrayBase[I64]:
    return DenseArrayBase.from_list(i64, values)


class ComparisonDirection(StrEnum):
    EQ = "EQ"
    NE = "NE"
    GE = "GE"
    GT = "GT"
    LE = "LE"
    LT = "LT"


class ComparisonType(StrEnum):
    NOTYPE = "NOTYPE"
    FLOAT = "FLOAT"
    TOTALORDER = "TOTALORDER"
    SIGNED = "SIGNED"
    UNSIGNED = "UNSIGNED"


class Precision(StrEnum):
    DEFAULT = "DEFAULT"
    HIGH = "HIGH"
    HIGHEST = "HIGHEST"


class ResultAccuracyMode(StrEnum):
    DEFAULT = "DEFAULT"
    HIGHEST = "HIGHEST"
    TOLERANCE = "TOLERANCE"


@irdl_attr_definition
class ComparisonDirectionAttr(EnumAttribute[ComparisonDirection], SpacedOpaqueSyntaxAttribute):
    name = "stablehlo.comparison_direction"


@irdl_attr_definition
class ComparisonTypeAttr(EnumAttribute[ComparisonType], SpacedOpaqueSyntaxAttribute):
    """The order of a comparison; for floats with NaN unordered (FLOAT), or by their bits (TOTALORDER)."""

    name = "stablehlo.comparison_type"


@irdl_attr_definition
class PrecisionAttr(EnumAttribute[Precision], SpacedOpaqueSyntaxAttribute):
    name = "stablehlo.precision"


@irdl_attr_definition
class ResultAccuracyModeAttr(EnumAttribute[ResultAccuracyMode]):
    name = "stablehlo.result_accuracy_mode"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ResultAccuracyMode:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(ResultAccuracyMode)

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(self.data.value)


@irdl_attr_definition
class ResultAccuracyAttr(ParametrizedAttribute):
    """The accuracy of a result: absolute and relative tolerance, and units in the last place."""

    name = "stablehlo.result_accuracy"
    atol: FloatAttr
    rtol: FloatAttr
    ulps: IntAttr
    mode: ResultAccuracyModeAttr

    @staticmethod
    def of(mode: ResultAccuracyMode, atol: float = 0.0, rtol: float = 0.0, ulps: int = 0) -> "ResultAccuracyAttr":
        """An accuracy from Python values."""
        return ResultAccuracyAttr(
            FloatAttr(atol, f64), FloatAttr(rtol, f64), IntAttr(ulps), ResultAccuracyModeAttr(mode)
        )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        def parse_optional_number(name: str) -> float:
            if parser.parse_optional_keyword(name) is None:
                return 0
            parser.parse_punctuation("=")
            value = parser.parse_number()
            parser.parse_punctuation(",")
            return value

        with parser.in_angle_brackets():
            atol, rtol, ulps = map(parse_optional_number, ("atol", "rtol", "ulps"))
            parser.parse_keyword("mode")
            parser.parse_punctuation("=")
            mode = parser.parse_attribute()
        return [FloatAttr(atol, f64), FloatAttr(rtol, f64), IntAttr(int(ulps)), mode]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            for name, tolerance in (("atol", self.atol), ("rtol", self.rtol)):
                if tolerance.value.data:
                    printer.print_string(f"{name} = ")
                    printer.print_float(tolerance.value.data, f64)
                    printer.print_string(", ")
            if self.ulps.data:
                printer.print_string(f"ulps = {self.ulps.data}, ")
            printer.print_string("mode = ")
            printer.print_attribute(self.mode)

    def verify(self) -> None:
        if self.atol.value.data < 0 or self.rtol.value.data < 0 or self.ulps.data < 0:
            raise VerifyException("Invalid tolerances: atol, rtol and ulps must not be negative")
        has_tolerance = bool(self.atol.value.data or self.rtol.value.data or self.ulps.data)
        if has_tolerance and self.mode.data != ResultAccuracyMode.TOLERANCE:
            raise VerifyException(
                f"Invalid tolerances for ResultAccuracyAttr with mode {self.mode.data.value}, must be all zero."
            )


@irdl_attr_definition
class BoundsAttr(ParametrizedAttribute, VerifiableTensorEncoding):
    """`#stablehlo.bounds<4, ?>`: the largest size of each dynamic dimension of a tensor, `?` if there is none."""

    name = "stablehlo.bounds"
    bounds: ArrayAttr[IntAttr] = param_def()

    @staticmethod
    def of(bounds: Iterable[int]) -> "BoundsAttr":
        """Bounds from Python integers, `DYNAMIC_INDEX` for `?`."""
        return BoundsAttr(ArrayAttr(map(IntAttr, bounds)))

    def verify_encoding(self, type: AnyTensorType) -> None:
        shape = type.get_shape()
        if len(self.bounds) != len(shape):
            raise VerifyException(
                f"Bounds length is {len(self.bounds)}, expected to be equal to rank({len(shape)}) of the tensor "
                f"'{type}'"
            )
        for i, (size, bound) in enumerate(zip(shape, self.bounds, strict=True)):
            if DYNAMIC_INDEX not in (size, bound.data):
                raise VerifyException(
                    f"Static dimension {i} cannot have a bound, use ShapedType::kDynamic to indicate a missing bound "
                    f"in tensor '{type}': write `?` for it in the bounds"
                )

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        return parse_bounds(parser, parser.Delimiter.ANGLE)

    def print_parameters(self, printer: Printer) -> None:
        texts = ("?" if bound.data == DYNAMIC_INDEX else str(bound.data) for bound in self.bounds)
        printer.print_string(f"<{', '.join(texts)}>")


@irdl_attr_definition
class TypeExtensionsAttr(ParametrizedAttribute):
    """`#stablehlo.type_extensions<bounds = [4, ?]>`, the longer way to write bounds; it is never built."""

    name = "stablehlo.type_extensions"
    bounds: ArrayAttr[IntAttr]

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        with parser.in_angle_brackets():
            parser.parse_keyword("bounds")
            parser.parse_punctuation("=")
            return parse_bounds(parser, parser.Delimiter.SQUARE)

    @classmethod
    def new(cls, params: Sequence[Attribute]) -> BoundsAttr:  # pyright: ignore[reportIncompatibleMethodOverride]
        return BoundsAttr.new(params)


def parse_bounds(parser: AttrParser, delimiter: AttrParser.Delimiter) -> Sequence[Attribute]:
    """A list of sizes, `?` for none."""

    def parse_bound() -> IntAttr:
        if parser.parse_optional_punctuation("?"):
            return IntAttr(DYNAMIC_INDEX)
        bound = parser.parse_integer()
        if bound >= 1 << 63:
            parser.raise_error("integer value too large: a bound has at most 63 bits")
        return IntAttr(bound)

    return [ArrayAttr(parser.parse_comma_separated_list(delimiter, parse_bound))]


class DimensionNumbers(ParametrizedAttribute):
    """
    Named lists of dimensions, `<offset_dims = [1], index_vector_dim = 1>`; an empty list is left out.

    A field that is an `IntAttr` is one dimension, not a list, and is left out when it is 0.
    """

    @classmethod
    def absent_fields(cls) -> Mapping[str, IntAttr | DenseArrayBase[I64]]:
        """The fields in the order in which they are printed, each with the value that is left out."""
        return {
            name: IntAttr(0) if field.constr == BaseAttr(IntAttr) else integers(())
            for name, field in cls.get_irdl_definition().parameters
        }

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        parser.parse_punctuation("<")
        return cls.parse_fields(parser)

    @classmethod
    def parse_fields(cls, parser: AttrParser) -> Sequence[Attribute]:
        """The fields in any order, up to the closing `>`; one that is not there is empty, or 0."""
        names = cls.absent_fields()
        fields: dict[str, IntAttr | DenseArrayBase[I64]] = {}
        while parser.parse_optional_punctuation(">") is None:
            position = parser.pos
            name = parser.parse_identifier(
                context_msg=f" for a field: expected one of: {', '.join(f'`{n}`' for n in names)}"
            )
            if name not in names:
                parser.raise_error(f"expected one of: {', '.join(f'`{n}`' for n in names)}", position, parser.pos)
            if name in fields:
                parser.raise_error(f"duplicated `{name}` entry: remove one of the two", position, parser.pos)
            parser.parse_punctuation("=")
            fields[name] = (
                IntAttr(parser.parse_integer()) if isinstance(names[name], IntAttr) else parse_integers(parser)
            )
            if parser.parse_optional_punctuation(",") is None:  # a comma may stand after the last field too
                parser.parse_punctuation(">")
                break
        return [fields.get(name, absent) for name, absent in names.items()]

    def print_parameters(self, printer: Printer) -> None:
        texts = (f"{name} = {number}" for name, number in self.numbers.items() if number not in (0, []))
        printer.print_string(f"<{', '.join(texts)}>")

    @property
    def numbers(self) -> Mapping[str, int | list[int]]:
        """The fields as Python values."""
        return {name: _numbers(getattr(self, name)) for name, _ in self.get_irdl_definition().parameters}


def _numbers(field: IntAttr | DenseArrayBase[I64]) -> int | list[int]:
    return field.data if isinstance(field, IntAttr) else [*field.get_values()]


@irdl_attr_definition
class DotDimensionNumbersAttr(DimensionNumbers):
    """The batching dimensions of a dot product, and its contracting dimensions."""

    name = "stablehlo.dot"
    lhs_batching_dimensions: DenseArrayBase[I64]
    rhs_batching_dimensions: DenseArrayBase[I64]
    lhs_contracting_dimensions: DenseArrayBase[I64]
    rhs_contracting_dimensions: DenseArrayBase[I64]


@irdl_attr_definition
class GatherDimensionNumbersAttr(DimensionNumbers):
    """How the dimensions of the operand, of the indices and of the result of a gather correspond."""

    name = "stablehlo.gather"
    offset_dims: DenseArrayBase[I64]
    collapsed_slice_dims: DenseArrayBase[I64]
    operand_batching_dims: DenseArrayBase[I64]
    start_indices_batching_dims: DenseArrayBase[I64]
    start_index_map: DenseArrayBase[I64]
    index_vector_dim: IntAttr

    @property
    def dims(self) -> SliceDims:
        return SliceDims(
            self.offset_dims.get_values(),
            self.collapsed_slice_dims.get_values(),
            self.operand_batching_dims.get_values(),
            self.start_indices_batching_dims.get_values(),
            self.start_index_map.get_values(),
            self.index_vector_dim.data,
        )


@irdl_attr_definition
class ScatterDimensionNumbersAttr(DimensionNumbers):
    """How the dimensions of the inputs, of the indices and of the updates of a scatter correspond."""

    name = "stablehlo.scatter"
    update_window_dims: DenseArrayBase[I64]
    inserted_window_dims: DenseArrayBase[I64]
    input_batching_dims: DenseArrayBase[I64]
    scatter_indices_batching_dims: DenseArrayBase[I64]
    scatter_dims_to_operand_dims: DenseArrayBase[I64]
    index_vector_dim: IntAttr

    @property
    def dims(self) -> SliceDims:
        return SliceDims(
            self.update_window_dims.get_values(),
            self.inserted_window_dims.get_values(),
            self.input_batching_dims.get_values(),
            self.scatter_indices_batching_dims.get_values(),
            self.scatter_dims_to_operand_dims.get_values(),
            self.index_vector_dim.data,
        )
