"""Operations of HLO that StableHLO lacks: copies, ragged dot products and top-k."""

from collections.abc import Sequence

from xdsl.dialects.builtin import ArrayAttr, BoolAttr, IntegerAttr, TensorType, TupleType, i1, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.chlo.ragged_dot import RaggedDotProduct
from xshardy.dialects.mhlo.attributes import PrecisionAttr, RaggedDotDimensionNumbersAttr
from xshardy.dialects.naming import Names, SuggestsNames
from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.types import TENSOR, VALUE, tensor_type


@irdl_op_definition
class CopyOp(UnaryElementwiseOp):
    """The operand in a new buffer; for a tuple, each of its arrays. With another sharding, the operand moves."""

    name = "mhlo.copy"
    operand = operand_def(VALUE)
    result = result_def(VALUE)
    cross_program_prefetch_index = opt_prop_def(IntegerAttr.constr(i32))
    irdl_options = (ParsePropInAttrDict(),)

    def verify_(self) -> None:
        if not isinstance(self.operand.type, TupleType):
            super().verify_()
        elif self.operand.type != self.result.type:
            raise VerifyException(f"operand is '{self.operand.type}' but result is '{self.result.type}': they are one")


@irdl_op_definition
class RaggedDotOp(RaggedDotProduct):
    """The ragged dot product of `chlo.ragged_dot`, as HLO has it."""

    name = "mhlo.ragged_dot"
    ragged_dot_dimension_numbers = prop_def(RaggedDotDimensionNumbersAttr)
    precision_config = opt_prop_def(ArrayAttr[PrecisionAttr])


@irdl_op_definition
class TopKOp(InfersResultTypes, SuggestsNames):
    """The `k` largest elements of each row of `operand`, or the smallest, in order, and their indices."""

    name = "mhlo.topk"
    operand = operand_def(TENSOR)
    k = prop_def(IntegerAttr.constr(i64))
    largest = opt_prop_def(BoolAttr, default_value=IntegerAttr(1, i1))
    values = result_def(TENSOR)
    indices = result_def(TENSOR)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, k: int, *, largest: bool = True):
        shape = (*tensor_type(operand).get_shape()[:-1], k)
        super().__init__(
            operands=[operand],
            result_types=[TensorType(tensor_type(operand).element_type, shape), TensorType(i32, shape)],
            properties={"k": IntegerAttr(k, i64), "largest": IntegerAttr(int(largest), i1)},
        )

    def result_names(self) -> Names:
        return ("values", "indices")

    def infer_result_types(self) -> Sequence[Attribute]:
        operand, k = tensor_type(self.operand), self.k.value.data
        if not (shape := operand.get_shape()):
            raise VerifyException("operand's rank must be at least 1")
        if 0 <= shape[-1] < k:
            raise VerifyException(f"operand's last dimension must be at least {k}")
        result = (*shape[:-1], k)
        return [TensorType(operand.element_type, result), TensorType(i32, result)]

    @classmethod
    def parse(cls, parser: Parser) -> "TopKOp":
        properties: dict[str, Attribute] = {}
        with parser.in_parens():
            unresolved = parser.parse_unresolved_operand()
            parser.parse_punctuation(",")
            parser.parse_keyword("k")
            parser.parse_punctuation("=")
            properties["k"] = IntegerAttr(parser.parse_integer(allow_boolean=False), i64)
            if parser.parse_optional_punctuation(","):
                parser.parse_keyword("largest")
                parser.parse_punctuation("=")
                properties["largest"] = IntegerAttr(int(parser.parse_boolean()), i1)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(unresolved, parser.parse_type())
        parser.parse_punctuation("->")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        return cls.create(operands=[operand], result_types=types, properties=properties, attributes=attributes)

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_ssa_value(self.operand)
            printer.print_string(f", k={self.k.value.data}")
            if "largest" in self.properties:
                printer.print_string(f", largest={'true' if self.largest.value.data else 'false'}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(self.result_types, printer.print_attribute)
