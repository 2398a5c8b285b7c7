"""Ops with no operands: constants and iota."""

from collections.abc import Sequence
from typing import Self, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, FunctionType, IntegerAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, base, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.constraints import IntegerAtLeast
from xshardy.dialects.stablehlo.inference import InfersResultTypes, with_element_type
from xshardy.dialects.stablehlo.quantized_types import quantized_element, storage_type
from xshardy.dialects.stablehlo.types import STATIC_NUMBER_TENSOR, STATIC_TENSOR, tensor_type

__all__ = ["ConstantOp", "IotaOp"]


class TensorConstantOp(InfersResultTypes):
    """
    The tensor that `value` holds.

    `dense_resource<name>` is read, verified and printed too, its bytes being those of the resource at the end of the
    text. Code that computes with elements expects them in `value`.
    """

    value = cast(DenseIntOrFPElementsAttr, prop_def(base(DenseIntOrFPElementsAttr) | base(DenseResourceAttr)))
    output = result_def(STATIC_TENSOR)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: DenseIntOrFPElementsAttr):
        super().__init__(properties={"value": value}, result_types=[value.type])

    def infer_result_types(self) -> Sequence[Attribute]:
        element = quantized_element(self.output)
        if element is None:
            return [self.value.type]
        stored = with_element_type(self.output, storage_type(element))
        return [self.output.type if self.value.type == stored else self.value.type]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        if parser.parse_optional_punctuation("("):
            return cls.parse_generic(parser)
        attributes = parser.parse_optional_attr_dict()
        value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
            parser.raise_error("expected a dense elements attribute, as in `dense<0.0> : tensor<2xf32>`")
        value = cast(DenseIntOrFPElementsAttr, value)
        return cls.create(properties={"value": value}, result_types=[value.type], attributes=attributes)

    @classmethod
    def parse_generic(cls, parser: Parser) -> Self:
        """`) <{value = ...}> : () -> type`: a result whose type is not that of the value."""
        parser.parse_punctuation(")")
        properties = parser.parse_optional_properties_dict()
        attributes = dict(parser.parse_optional_attr_dict())
        if "value" in attributes:
            properties["value"] = attributes.pop("value")
        parser.parse_punctuation(":")
        type = parser.parse_type()
        if not isinstance(type, FunctionType) or len(type.outputs) != 1 or type.inputs:
            parser.raise_error("expected a type with one result, as in `() -> tensor<2xf32>`")
        return cls.create(properties=properties, result_types=type.outputs.data, attributes=attributes)

    def print(self, printer: Printer) -> None:
        if self.value.type != self.output.type:
            printer.print_string("() <")
            printer.print_attr_dict(self.properties)
            printer.print_string(">")
            printer.print_op_attributes(self.attributes)
            printer.print_string(" : ")
            printer.print_function_type((), self.result_types)
            return
        printer.print_op_attributes(self.attributes)
        printer.print_string(" ")
        printer.print_attribute(self.value)


@irdl_op_definition
class ConstantOp(TensorConstantOp):
    name = "stablehlo.constant"


@irdl_op_definition
class IotaOp(IRDLOperation):
    """Each element is its own index along `iota_dimension`."""

    name = "stablehlo.iota"
    iota_dimension = prop_def(IntegerAtLeast("iota_dimension"))
    output = result_def(STATIC_NUMBER_TENSOR)
    traits = traits_def(Pure())
    assembly_format = "`dim` `=` $iota_dimension attr-dict `:` type($output)"

    def __init__(self, iota_dimension: int, output: Attribute):
        super().__init__(properties={"iota_dimension": IntegerAttr(iota_dimension, i64)}, result_types=[output])

    def verify_(self) -> None:
        rank = tensor_type(self.output).get_num_dims()
        if rank == 0:
            raise VerifyException("does not support scalars.")
        if not 0 <= (dimension := self.iota_dimension.value.data) < rank:
            raise VerifyException(
                f"iota dimension cannot go beyond the output rank. Got dimension {dimension} for rank {rank}"
            )
