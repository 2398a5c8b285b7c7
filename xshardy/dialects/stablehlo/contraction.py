"""Ops that multiply and sum over dimensions: dot products."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    MessageConstraint,
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
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.attributes import DotDimensionNumbersAttr, Precision, PrecisionAttr, integers
from xshardy.dialects.stablehlo.dot_algorithm import DotAlgorithmAttr
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.quantized_types import verify_contraction, verify_weights
from xshardy.dialects.stablehlo.types import (
    PER_AXIS_TENSOR,
    TENSOR,
    is_compatible_dim,
    is_compatible_shape,
    tensor_type,
)

__all__ = ["DotGeneralOp"]

PRECISION_CONFIG = MessageConstraint(
    ArrayAttr[PrecisionAttr], "attribute 'precision_config' failed to satisfy constraint: Precision Config attribute"
)


@irdl_custom_directive
class DotDimensionNumbers(CustomDirective):
    """`batching_dims = [0] x [0], contracting_dims = [2] x [1]`, the first part only if there are such dimensions."""

    numbers: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        def parse_pair() -> tuple[list[int], list[int]]:
            parser.parse_punctuation("=")
            lhs = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
            parser.parse_characters("x")
            return lhs, parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)

        batching: tuple[list[int], list[int]] = ([], [])
        if parser.parse_optional_keyword("batching_dims"):
            batching = parse_pair()
            parser.parse_punctuation(",")
        parser.parse_keyword("contracting_dims")
        self.numbers.set(state, DotDimensionNumbersAttr(*map(integers, (*batching, *parse_pair()))))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        numbers = self.numbers.get(op)
        assert isinstance(numbers, DotDimensionNumbersAttr)
        pairs = {
            "batching_dims": (numbers.lhs_batching_dimensions, numbers.rhs_batching_dimensions),
            "contracting_dims": (numbers.lhs_contracting_dimensions, numbers.rhs_contracting_dimensions),
        }
        texts = [
            f"{name} = {list(lhs.get_values())} x {list(rhs.get_values())}"
            for name, (lhs, rhs) in pairs.items()
            if name == "contracting_dims" or lhs.get_values() or rhs.get_values()
        ]
        state.print_whitespace(printer)
        printer.print_string(", ".join(texts))


@irdl_custom_directive
class PrecisionConfig(CustomDirective):
    """`, precision = [DEFAULT, HIGHEST]`, if there is one."""

    config: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if parser.parse_optional_punctuation(","):
            parse_precision(parser, state, self.config)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        print_precision(printer, state, getattr(op, self.config.name))


@irdl_custom_directive
class PrecisionConfigAndAlgorithm(CustomDirective):
    """`, precision = [DEFAULT, HIGHEST], algorithm = <...>`, each if there is one."""

    config: AttributeVariable
    algorithm: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        if not parser.parse_optional_punctuation(","):
            return
        if parser.parse_optional_keyword("algorithm") is None:
            parse_precision(parser, state, self.config)
            if not parser.parse_optional_punctuation(","):
                return
            parser.parse_keyword("algorithm")
        parser.parse_punctuation("=")
        self.algorithm.set(state, DotAlgorithmAttr.new(DotAlgorithmAttr.parse_parameters(parser)))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        print_precision(printer, state, getattr(op, self.config.name))
        if isinstance(algorithm := getattr(op, self.algorithm.name), DotAlgorithmAttr):
            printer.print_string(", algorithm = ")
            algorithm.print_parameters(printer)


def parse_precision(parser: Parser, state: ParsingState, config: AttributeVariable) -> None:
    """`precision = [DEFAULT, HIGHEST]`"""
    parser.parse_keyword("precision")
    parser.parse_punctuation("=")
    precisions = parser.parse_comma_separated_list(
        parser.Delimiter.SQUARE, lambda: PrecisionAttr(parser.parse_str_enum(Precision))
    )
    if precisions:
        config.set(state, ArrayAttr(precisions))


def print_precision(printer: Printer, state: PrintingState, config: ArrayAttr[PrecisionAttr] | None) -> None:
    """`, precision = [DEFAULT, HIGHEST]`, if there is one."""
    if config is not None and config.data:
        printer.print_string(f", precision = [{', '.join(precision.data.value for precision in config)}]")
    state.should_emit_space = True
    state.last_was_punctuation = False


def verify_precision_config(config: ArrayAttr[PrecisionAttr] | None) -> None:
    """A precision for each operand, one for both, or none at all."""
    if config is not None and len(config) > 2:
        raise VerifyException(f"expects precision config to be empty or have <= 2 elements, got {len(config)}")


@irdl_op_definition
class DotGeneralOp(InfersResultTypes):
    """
    Dot products of slices of `lhs` with slices of `rhs`.

    The result has the batching dimensions, then the remaining ones of `lhs`, then those of `rhs`.
    """

    name = "stablehlo.dot_general"
    lhs = operand_def(TENSOR)
    rhs = operand_def(PER_AXIS_TENSOR)
    dot_dimension_numbers = prop_def(DotDimensionNumbersAttr)
    precision_config = opt_prop_def(PRECISION_CONFIG)
    algorithm = opt_prop_def(DotAlgorithmAttr)
    result = result_def(PER_AXIS_TENSOR)
    traits = traits_def(Pure())
    custom_directives = (DotDimensionNumbers, PrecisionConfigAndAlgorithm)
    assembly_format = (
        "$lhs `,` $rhs `,` custom<DotDimensionNumbers>($dot_dimension_numbers) "
        "custom<PrecisionConfigAndAlgorithm>($precision_config, $algorithm) attr-dict `:` "
        "functional-type(operands, results)"
    )

    def __init__(
        self,
        lhs: SSAValue,
        rhs: SSAValue,
        dot_dimension_numbers: DotDimensionNumbersAttr,
        result_type: Attribute,
        precision: Sequence[Precision] = (),
        algorithm: DotAlgorithmAttr | None = None,
    ):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[result_type],
            properties={
                "dot_dimension_numbers": dot_dimension_numbers,
                "precision_config": ArrayAttr(map(PrecisionAttr, precision)) if precision else None,
                "algorithm": algorithm,
            },
        )

    def infer_shape(self) -> list[int]:
        """The sizes of the result. Raises `VerifyException` if the operands do not fit."""
        numbers = self.dot_dimension_numbers
        lhs_shape, rhs_shape = tensor_type(self.lhs).get_shape(), tensor_type(self.rhs).get_shape()
        lhs_batching = numbers.lhs_batching_dimensions.get_values()
        rhs_batching = numbers.rhs_batching_dimensions.get_values()
        lhs_contracting = numbers.lhs_contracting_dimensions.get_values()
        rhs_contracting = numbers.rhs_contracting_dimensions.get_values()
        verify_dimensions(lhs_shape, rhs_shape, (lhs_batching, rhs_batching), (lhs_contracting, rhs_contracting))
        return [
            *(lhs_shape[i] for i in lhs_batching),
            *(size for i, size in enumerate(lhs_shape) if i not in (*lhs_batching, *lhs_contracting)),
            *(size for i, size in enumerate(rhs_shape) if i not in (*rhs_batching, *rhs_contracting)),
        ]

    def infer_result_types(self) -> Sequence[Attribute]:
        if self.precision_config is not None and len(self.precision_config) > 2:
            raise VerifyException("expects precision config to be empty or have <= 2 elements")
        verify_precision_config(self.precision_config)
        shape = self.infer_shape()
        if not is_compatible_shape(shape, tensor_type(self.result).get_shape()):
            raise VerifyException(
                f"inferred shape '[{', '.join(map(str, shape))}]' is incompatible with return type of operation "
                f"'{self.result.type}'"
            )
        precisions = {precision.data for precision in self.precision_config or ()}
        if self.algorithm is not None and precisions - {Precision.DEFAULT}:
            raise VerifyException("must specify DEFAULT precision config when algorithm is set.")
        verify_contraction(self.lhs.type, self.rhs.type, self.result.type)
        verify_weights(self.rhs.type, self.dot_dimension_numbers.rhs_contracting_dimensions.get_values())
        return [self.result.type]


def verify_dimensions(
    lhs_shape: Sequence[int],
    rhs_shape: Sequence[int],
    batching: tuple[Sequence[int], Sequence[int]],
    contracting: tuple[Sequence[int], Sequence[int]],
) -> None:
    """The dimensions of `lhs` and `rhs` that run in step, those of batches and those summed over, pair up."""
    for kind, (lhs, rhs) in (("batching", batching), ("contracting", contracting)):
        if len(lhs) != len(rhs):
            raise VerifyException(f"lhs and rhs should have the same number of {kind} dimensions")
    verify_side("lhs", batching[0], contracting[0], len(lhs_shape))
    verify_side("rhs", batching[1], contracting[1], len(rhs_shape))
    for kind, (lhs, rhs) in (("batching", batching), ("contracting", contracting)):
        if not all(is_compatible_dim(lhs_shape[i], rhs_shape[j]) for i, j in zip(lhs, rhs, strict=True)):
            raise VerifyException(f"{kind} dimension sizes must match for lhs/rhs")


def verify_side(side: str, batching: Sequence[int], contracting: Sequence[int], rank: int) -> None:
    """The dimensions of one operand are distinct and exist."""
    names = (f"{side}_batching_dimensions", f"{side}_contracting_dimensions")
    used = [*batching, *contracting]
    for dimension in used:
        if used.count(dimension) > 1:
            raise VerifyException(f"has duplicated dimension from {names[0]} and {names[1]}: {dimension}")
    for name, dimensions in zip(names, (batching, contracting), strict=True):
        for dimension in dimensions:
            if not 0 <= dimension < rank:
                raise VerifyException(f"{name} value: {dimension} is out of range: [0, {rank})")
