"""Ops with no operands: constants and iota."""

from collections.abc import Sequence
from typing import Self, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, IntegerAttr, i64
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, irdl_op_definition, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import ConstantLike, Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.stablehlo.constraints import IntegerAtLeast
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.types import STATIC_NUMBER_TENSOR, STATIC_TENSOR, tensor_type


class TensorConstantOp(InfersResultTypes):
    """The tensor that `value` holds."""

    value = prop_def(DenseIntOrFPElementsAttr)
    output = result_def(STATIC_TENSOR)
    traits = traits_def(Pure(), ConstantLike())

    def __init__(self, value: DenseIntOrFPElementsAttr):
        super().__init__(properties={"value": value}, result_types=[value.type])

    def infer_result_types(self) -> Sequence[Attribute]:
        return [self.value.type]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        attributes = parser.parse_optional_attr_dict()
        value = parser.parse_attribute()
        if not isinstance(value, DenseIntOrFPElementsAttr):
            parser.raise_error("expected a dense elements attribute, as in `dense<0.0> : tensor<2xf32>`")
        value = cast(DenseIntOrFPElementsAttr, value)
        return cls.create(properties={"value": value}, result_types=[value.type], attributes=attributes)

    def print(self, printer: Printer) -> None:
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
