"""Scan: pass a carried value along a dimension."""

from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyTensorType,
    BoolAttr,
    DenseArrayBase,
    FunctionType,
    IntegerAttr,
    TensorType,
    i32,
    i64,
)
from xdsl.ir import Attribute, Region
from xdsl.irdl import (
    AttrSizedOperandSegments,
    AttrSizedResultSegments,
    irdl_op_definition,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsolatedFromAbove, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.naming import Names, SuggestsNames
from xshardy.dialects.stablehlo.constraints import IntegerAtLeast
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.types import TENSOR, is_compatible, tensor_type

__all__ = ["ScanOp"]


@irdl_op_definition
class ScanOp(InfersResultTypes, SuggestsNames):
    """
    Apply `body` to the slices of `inputs` along `dimension` in order; carried values start as `inits`.

    `body` takes a slice of each input, without `dimension`, and the carried values. It returns a slice of each output
    and the values to carry on; the last of these are results too. `scan_dim_size` says how many slices there are when
    no input does.
    """

    name = "chlo.scan"
    inputs = var_operand_def(TENSOR)
    inits = var_operand_def(TENSOR)
    dimension = prop_def(IntegerAtLeast("dimension"))
    scan_dim_size = opt_prop_def(IntegerAtLeast("scan_dim_size"))
    is_reverse = opt_prop_def(BoolAttr)
    is_associative = opt_prop_def(BoolAttr)
    body = region_def("single_block")
    outputs = var_result_def(TENSOR)
    carries = var_result_def(TENSOR)
    traits = traits_def(IsolatedFromAbove(), RecursiveMemoryEffect())
    irdl_options = (AttrSizedOperandSegments(as_property=True), AttrSizedResultSegments(as_property=True))

    def argument_names(self, region: Region) -> Names:
        count = len(self.inputs)
        return ["input" if argument.index < count else "carry" for argument in region.block.args]

    def infer_result_types(self) -> Sequence[Attribute]:
        if not self.inputs and not self.outputs:
            raise VerifyException("at least one of inputs or outputs must be present")
        last = self.body.block.last_op
        returned = last.operand_types if last is not None else ()
        if (count := len(returned) - len(self.inits)) < 0:
            raise VerifyException(f"ScanOp body must return at least {len(self.inits)} values (carries)")
        dimension, size = self.dimension.value.data, self.scan_size()
        self.verify_arguments()
        types: list[Attribute] = []
        for i, type in enumerate(returned):
            if not isinstance(type, TensorType):
                raise VerifyException(f"terminator operand {i} is not ranked")
            slice = cast(AnyTensorType, type)
            shape = list(slice.get_shape())
            if i < count:
                shape.insert(dimension, size)
            types.append(TensorType(slice.element_type, shape))
        return types

    def scan_size(self) -> int:
        """The number of slices. Raises `VerifyException` if the inputs disagree."""
        dimension = self.dimension.value.data
        known = DYNAMIC_INDEX if self.scan_dim_size is None else self.scan_dim_size.value.data
        for i, value in enumerate(self.inputs):
            shape = tensor_type(value).get_shape()
            if dimension >= len(shape):
                raise VerifyException(f"scan dimension of operand {i} is out of bounds")
            size = shape[dimension]
            if size != DYNAMIC_INDEX and known not in (DYNAMIC_INDEX, size):
                raise VerifyException(f"invalid scan dimension size of operand {i}")
            known = known if size == DYNAMIC_INDEX else size
        return known

    def verify_arguments(self) -> None:
        """The body takes a slice of each input and then the carried values."""
        arguments = self.body.block.args
        if len(arguments) != len(self.operands):
            raise VerifyException(f"expects {len(self.operands)} arguments in the body, but got {len(arguments)}")
        dimension = self.dimension.value.data
        for i, (operand, argument) in enumerate(zip(self.operands, arguments, strict=True)):
            type = tensor_type(operand)
            if i < len(self.inputs):
                shape = type.get_shape()
                type = TensorType(type.element_type, [*shape[:dimension], *shape[dimension + 1 :]])
            if not is_compatible(type, argument.type):
                raise VerifyException(f"operand and body argument {i} are incompatible")

    @classmethod
    def parse(cls, parser: Parser) -> "ScanOp":
        inputs = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        parser.parse_keyword("inits")
        inits = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_unresolved_operand)
        parser.parse_keyword("dimension")
        parser.parse_punctuation("=")
        properties: dict[str, Attribute] = {"dimension": IntegerAttr(parser.parse_integer(), i64)}
        dictionary = parser.parse_optional_attr_dict_with_keyword()
        attributes = {} if dictionary is None else dict(dictionary.data)
        for name in ("scan_dim_size", "is_reverse", "is_associative"):
            if name in attributes:
                properties[name] = attributes.pop(name)
        body = parser.parse_region()
        parser.parse_punctuation(":")
        position = parser.pos
        type = parser.parse_type()
        if not isinstance(type, FunctionType):
            parser.raise_error("expected function type", position, parser.pos)
        if len(type.inputs) != len(inputs) + len(inits):
            parser.raise_error("operand types must match the number of inputs and inits", position, parser.pos)
        if (count := len(type.outputs) - len(inits)) < 0:
            parser.raise_error("not enough result types to cover the required carries", position, parser.pos)
        properties["operandSegmentSizes"] = DenseArrayBase.from_list(i32, [len(inputs), len(inits)])
        properties["resultSegmentSizes"] = DenseArrayBase.from_list(i32, [count, len(inits)])
        return cls.create(
            operands=parser.resolve_operands([*inputs, *inits], type.inputs.data, position),
            result_types=type.outputs.data,
            properties=properties,
            attributes=attributes,
            regions=[body],
        )

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_list(self.inputs, printer.print_ssa_value)
        printer.print_string(" inits (")
        printer.print_list(self.inits, printer.print_ssa_value)
        printer.print_string(f") dimension={self.dimension.value.data} ")
        elided = ("dimension", "operandSegmentSizes", "resultSegmentSizes")
        properties = {name: value for name, value in self.properties.items() if name not in elided}
        printer.print_op_attributes(self.attributes | properties, print_keyword=True)
        printer.print_string(" ")
        printer.print_region(self.body)
        printer.print_string(" : ")
        printer.print_function_type(self.operand_types, self.result_types)
