"""Convolutions: dot products of a kernel with each position of a window."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    I64,
    ArrayAttr,
    DenseArrayBase,
    DenseIntElementsAttr,
    DenseIntOrFPElementsAttr,
    IntegerAttr,
    TensorType,
    i1,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.quant import UniformQuantizedType
from xshardy.dialects.stablehlo.attributes import Precision, PrecisionAttr, integers
from xshardy.dialects.stablehlo.constraints import IntegerAtLeast
from xshardy.dialects.stablehlo.convolution_numbers import ConvDimensionNumbersAttr
from xshardy.dialects.stablehlo.dynamic_shapes import constant_integers
from xshardy.dialects.stablehlo.inference import InfersResultTypes, shape_text
from xshardy.dialects.stablehlo.nullary import ConstantOp
from xshardy.dialects.stablehlo.quantized_types import quantized_element, verify_contraction
from xshardy.dialects.stablehlo.types import (
    INTEGER_TENSOR,
    PER_AXIS_TENSOR,
    TENSOR,
    is_compatible_element,
    is_compatible_shape,
    tensor_type,
)
from xshardy.dialects.stablehlo.windows import I64_ARRAY, WindowDimension, padding_pairs, window_of

__all__ = ["ConvolutionOp", "DynamicConvOp"]

I1_ARRAY = DenseArrayBase.constr(i1)


@irdl_custom_directive
class ConvolutionDimensions(CustomDirective):
    """`[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`"""

    numbers: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.numbers.set(state, ConvDimensionNumbersAttr.new(ConvDimensionNumbersAttr.parse_short(parser)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        numbers = self.numbers.get(op)
        assert isinstance(numbers, ConvDimensionNumbersAttr)
        state.print_whitespace(printer)
        printer.print_string(numbers.text() or str(numbers))


@irdl_custom_directive
class WindowAttributes(CustomDirective):
    """`{stride = [1, 2], pad = [[0, 1], [0, 1]], reverse = [true, false]}`, without the absent parts."""

    window_strides: AttributeVariable
    padding: AttributeVariable
    lhs_dilation: AttributeVariable
    rhs_dilation: AttributeVariable
    window_reversal: AttributeVariable

    def variables(self) -> dict[str, AttributeVariable]:
        """The attributes in the window, by their names, in printing order."""
        return {
            "stride": self.window_strides,
            "pad": self.padding,
            "lhs_dilate": self.lhs_dilation,
            "rhs_dilate": self.rhs_dilation,
            "reverse": self.window_reversal,
        }

    def parse(self, parser: Parser, state: ParsingState) -> None:
        left = self.variables()
        parser.parse_punctuation("{")
        while parser.parse_optional_punctuation("}") is None:
            position = parser.pos
            name = parser.parse_identifier()
            if name not in left:
                parser.raise_error(f"Unexpected keyword {name}", position, parser.pos)
            parser.parse_punctuation("=")
            left.pop(name).set(state, parse_pairs(parser) if name == "pad" else parse_numbers(parser, name))
            if parser.parse_optional_punctuation(",") is None:  # a trailing comma is allowed
                parser.parse_punctuation("}")
                break

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        texts: list[str] = []
        for name, variable in self.variables().items():
            value = variable.get(op)
            if isinstance(value, DenseArrayBase):
                values = cast(DenseArrayBase[I64], value).get_values()
                numbers = (str(bool(number)).lower() if name == "reverse" else str(number) for number in values)
                texts.append(f"{name} = [{', '.join(numbers)}]")
            elif isinstance(value, DenseIntOrFPElementsAttr):
                pairs = padding_pairs(cast(DenseIntElementsAttr, value))
                texts.append(f"{name} = [{', '.join(f'[{low}, {high}]' for low, high in pairs)}]")
        state.print_whitespace(printer)
        printer.print_string(f"{{{', '.join(texts)}}}")


def parse_pairs(parser: Parser) -> Attribute:
    """`[[0, 1], [2, 3]]` -> `dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>`"""

    def parse_pair() -> list[int]:
        pair = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        if len(pair) != 2:
            parser.raise_error(f"Expected array with 2 elements, got {len(pair)} elements instead")
        return pair

    pairs = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parse_pair)
    return DenseIntOrFPElementsAttr.from_list(TensorType(i64, [len(pairs), 2]), [n for pair in pairs for n in pair])


def parse_numbers(parser: Parser, name: str) -> Attribute:
    """`[1, 2]` -> `array<i64: 1, 2>`; of what is `reverse`, `[true, 0]` -> `array<i1: true, false>`."""
    values = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
    return (
        DenseArrayBase.from_list(i1, [int(value != 0) for value in values]) if name == "reverse" else integers(values)
    )


class WindowedProductOp(InfersResultTypes):
    """Dot products of `rhs`, a kernel, with each position of a window over the spatial dimensions of `lhs`."""

    lhs = operand_def(TENSOR)
    rhs = operand_def(PER_AXIS_TENSOR)
    window_strides = opt_prop_def(I64_ARRAY)
    lhs_dilation = opt_prop_def(I64_ARRAY)
    rhs_dilation = opt_prop_def(I64_ARRAY)
    window_reversal = opt_prop_def(I1_ARRAY)
    dimension_numbers = prop_def(ConvDimensionNumbersAttr)
    feature_group_count = prop_def(IntegerAtLeast("feature_group_count", 1))
    batch_group_count = prop_def(IntegerAtLeast("batch_group_count", 1))
    precision_config = opt_prop_def(ArrayAttr[PrecisionAttr])
    result = result_def(PER_AXIS_TENSOR)
    traits = traits_def(NoMemoryEffect())

    def constant_padding(self) -> DenseIntElementsAttr | None:
        """The padding of the window, where it is an attribute."""
        return None

    def window(self) -> tuple[WindowDimension, ...]:
        """The window, of the size of the kernel. Raises `VerifyException` when its attributes do not fit together."""
        shape = tensor_type(self.rhs).get_shape()
        return window_of(
            [shape[i] for i in self.dimension_numbers.kernel_spatial_dimensions.get_values()],
            self.window_strides,
            self.constant_padding(),
            self.lhs_dilation,
            self.rhs_dilation,
            self.window_reversal,
        )

    def infer_shape(self) -> list[int]:
        """
        The shape of the result. Raises `VerifyException` if the operands and attributes are invalid for every result
        type.
        """
        lhs, rhs = tensor_type(self.lhs), tensor_type(self.rhs)
        verify_operands(lhs, rhs)
        numbers = self.dimension_numbers
        verify_dimension_numbers(numbers, lhs.get_num_dims())
        self.verify_groups()
        if self.precision_config is not None and len(self.precision_config) > 2:
            raise VerifyException(
                f"expects precision config to be empty or have <= 2 elements, got {len(self.precision_config)}"
            )
        shape, inputs = lhs.get_shape(), numbers.input_spatial_dimensions.get_values()
        if len(shape) != len(inputs) + 2:
            raise VerifyException(
                f"expects convolution arguments to have {len(inputs) + 2} dimensions. Got: {len(shape)}"
            )
        result = [DYNAMIC_INDEX] * len(shape)
        outputs = numbers.output_spatial_dimensions.get_values()
        for dimension, source, target in zip(self.window(), inputs, outputs, strict=True):
            result[target] = dimension.positions(shape[source])
        if (batch := shape[numbers.input_batch_dimension.data]) != DYNAMIC_INDEX:
            batch //= self.batch_group_count.value.data
        result[numbers.output_batch_dimension.data] = batch
        result[numbers.output_feature_dimension.data] = rhs.get_shape()[numbers.kernel_output_feature_dimension.data]
        return result

    def infer_result_types(self) -> Sequence[Attribute]:
        shape = self.infer_shape()
        if not is_compatible_shape(shape, tensor_type(self.result).get_shape()):
            raise VerifyException(
                f"inferred shape '{shape_text(shape)}' is incompatible with return type of operation "
                f"'{self.result.type}'"
            )
        self.verify_quantization()
        return [self.result.type]

    def verify_groups(self) -> None:
        """Batches, or features, can be divided into groups of one size, each of which has its own convolution."""
        batch_groups, feature_groups = self.batch_group_count.value.data, self.feature_group_count.value.data
        if batch_groups > 1 and feature_groups > 1:
            raise VerifyException(
                "expects batch_group_count and feature_group_count not to be both greater than 1. "
                f"Got {batch_groups} and {feature_groups} resp."
            )
        numbers, shape, kernel = self.dimension_numbers, *(tensor_type(v).get_shape() for v in (self.lhs, self.rhs))
        batches = shape[numbers.input_batch_dimension.data]
        features = shape[numbers.input_feature_dimension.data]
        kernel_inputs = kernel[numbers.kernel_input_feature_dimension.data]
        outputs = kernel[numbers.kernel_output_feature_dimension.data]
        if batches != DYNAMIC_INDEX and batches % batch_groups:
            raise VerifyException(
                f"expects input batch dimension ({batches}) to be divisible by batch_group_count. "
                f"Got batch_group_count = {batch_groups}."
            )
        if features != DYNAMIC_INDEX and features % feature_groups:
            raise VerifyException(
                f"expects input feature dimension ({features}) to be a multiple of feature_group_count. "
                f"Got feature_group_count = {feature_groups}."
            )
        if features != DYNAMIC_INDEX and kernel_inputs not in (DYNAMIC_INDEX, features // feature_groups):
            raise VerifyException(
                f"expects input feature dimension ({features}) / feature_group_count = kernel input feature dimension "
                f"({kernel_inputs}). Got feature_group_count = {feature_groups}."
            )
        if outputs != DYNAMIC_INDEX and outputs % batch_groups:
            raise VerifyException(
                f"expects output feature dimension size ({outputs}) to be a multiple of batch_group_count. "
                f"Got batch_group_count = {batch_groups}."
            )
        if outputs != DYNAMIC_INDEX and outputs % feature_groups:
            raise VerifyException(
                f"expects kernel output feature dimension ({outputs}) to be divisible by feature_group_count. "
                f"For feature_group_count = {feature_groups}."
            )

    def verify_quantization(self) -> None:
        """Scales for each index of an axis run along the output features, and the elements belong together."""
        numbers = self.dimension_numbers
        for what, value, name, dimension in (
            ("rhs", self.rhs, "kernel_output_feature_dimension", numbers.kernel_output_feature_dimension.data),
            ("result", self.result, "output_feature_dimension", numbers.output_feature_dimension.data),
        ):
            element = quantized_element(value)
            if element is not None and element.quantized_dimension not in (None, dimension):
                raise VerifyException(f"quantization dimension of {what} should be same with {name}")
        verify_contraction(self.lhs.type, self.rhs.type, self.result.type)


def verify_operands(lhs: TensorType[Attribute], rhs: TensorType[Attribute]) -> None:
    """Input and kernel have the same number of dimensions, at least 2, and elements that can be multiplied."""
    if lhs.get_num_dims() < 2:
        raise VerifyException(f"expects convolution arguments to have >= 2 dimensions. Got: '{lhs}' and '{rhs}'.")
    if lhs.get_num_dims() != rhs.get_num_dims():
        raise VerifyException(
            f"expects convolution arguments to have same number of dimensions. Got: '{lhs}' and '{rhs}'."
        )
    elements = lhs.element_type, rhs.element_type
    is_quantized = any(isinstance(element, UniformQuantizedType) for element in elements)
    if not is_quantized and not is_compatible_element(*elements):
        raise VerifyException(
            f"expects lhs and rhs to have compatible element type. Got: '{elements[0]}' and '{elements[1]}'"
        )


def verify_dimension_numbers(numbers: ConvDimensionNumbersAttr, rank: int) -> None:
    """Each number is a dimension, and has one role."""
    roles = numbers.roles
    counts = [len(dims) - 2 for dims in roles]
    if len(set(counts)) > 1:
        raise VerifyException(
            "expects the same size for input, kernel and output spatial-dimensions, but got "
            f"{counts[0]}, {counts[1]}, and {counts[2]} resp."
        )
    if any(not 0 <= dimension < rank for dims in roles for dimension in dims):
        raise VerifyException(f"expects input, kernel, and output dimension-numbers to be in-range [0, {rank}).")
    for what, dims in zip(("input", "kernel", "output"), roles, strict=True):
        if len(set(dims)) != len(dims):
            listed = ", ".join(map(str, dims))
            raise VerifyException(f"expects {what} dimension-numbers to be unique, got {{{listed}}}.")


@irdl_op_definition
class ConvolutionOp(WindowedProductOp):
    name = "stablehlo.convolution"
    padding = opt_prop_def(DenseIntElementsAttr)
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (ConvolutionDimensions, WindowAttributes)
    assembly_format = (
        "`(` operands `)` `dim_numbers` `=` custom<ConvolutionDimensions>($dimension_numbers) `,` `window` `=` "
        "custom<WindowAttributes>($window_strides, $padding, $lhs_dilation, $rhs_dilation, $window_reversal) "
        "attr-dict `:` functional-type(operands, results)"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        dimension_numbers: ConvDimensionNumbersAttr,
        result_type: Attribute,
        window: Sequence[WindowDimension] = (),
        feature_group_count: int = 1,
        batch_group_count: int = 1,
        precision: Sequence[Precision] = (),
    ):
        columns = {
            "window_strides": [dimension.stride for dimension in window],
            "lhs_dilation": [dimension.base_dilation for dimension in window],
            "rhs_dilation": [dimension.window_dilation for dimension in window],
        }
        padding = [amount for dimension in window for amount in (dimension.low, dimension.high)]
        padding_type = TensorType(i64, [len(window), 2])
        super().__init__(
            operands=[lhs, rhs],
            result_types=[result_type],
            properties={
                **{name: integers(values) for name, values in columns.items() if any(n != 1 for n in values)},
                "padding": DenseIntOrFPElementsAttr.from_list(padding_type, padding) if any(padding) else None,
                "dimension_numbers": dimension_numbers,
                "feature_group_count": IntegerAttr(feature_group_count, i64),
                "batch_group_count": IntegerAttr(batch_group_count, i64),
                "precision_config": ArrayAttr(map(PrecisionAttr, precision)) if precision else None,
            },
        )

    def constant_padding(self) -> DenseIntElementsAttr | None:
        return self.padding


@irdl_op_definition
class DynamicConvOp(WindowedProductOp):
    """A convolution whose padding, a row of two numbers for each spatial dimension, is an operand."""

    name = "stablehlo.dynamic_conv"
    lhs = operand_def(TENSOR)
    rhs = operand_def(TENSOR)
    padding = operand_def(INTEGER_TENSOR.static().of_rank(2))
    result = result_def(TENSOR)

    def constant_padding(self) -> DenseIntElementsAttr | None:
        owner, count = self.padding.owner, len(self.dimension_numbers.kernel_spatial_dimensions.get_values())
        if not isinstance(owner, ConstantOp) or constant_integers(self.padding) is None:
            return None
        if tensor_type(self.padding).get_shape() != (count, 2):
            return None
        return cast(DenseIntElementsAttr, owner.value)

    def infer_result_types(self) -> Sequence[Attribute]:
        spatial = len(self.infer_shape()) - 2
        rows = tensor_type(self.padding).get_shape()
        if rows != (spatial, 2):
            raise VerifyException(f"expects padding to be of shape [{spatial}, 2], but got {shape_text(rows)}")
        self.verify_quantization()
        return [self.result.type]
