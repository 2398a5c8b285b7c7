"""Top-k: the largest elements along the last dimension, as CHLO and MHLO have it."""

from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import DYNAMIC_INDEX, BoolAttr, IntegerAttr, TensorType, UnrankedTensorType, i1, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.naming import Names, SuggestsNames
from xshardy.dialects.stablehlo.inference import InfersResultTypes
from xshardy.dialects.stablehlo.types import PER_AXIS_TENSOR, tensor_type

__all__ = ["TopKOp"]

ANY_TENSOR = PER_AXIS_TENSOR.or_unranked()


class TopK(InfersResultTypes, SuggestsNames):
    """The `k` first elements of each row, in some order, and their indices. Rows are along the last dimension."""

    FLAG: ClassVar[str]
    """The property that may follow `k` between the parentheses of the text: a boolean."""

    operand = operand_def(ANY_TENSOR)
    k = prop_def(IntegerAttr.constr(i64))
    values = result_def(ANY_TENSOR)
    indices = result_def(ANY_TENSOR)
    traits = traits_def(Pure())

    def __init__(self, operand: SSAValue, k: int, **flags: bool):
        shape = (*tensor_type(operand).get_shape()[:-1], k)
        super().__init__(
            operands=[operand],
            result_types=[TensorType(tensor_type(operand).element_type, shape), TensorType(i32, shape)],
            properties={"k": IntegerAttr(k, i64)} | {name: IntegerAttr(int(flag), i1) for name, flag in flags.items()},
        )

    def result_names(self) -> Names:
        return ("values", "indices")

    def infer_result_types(self) -> Sequence[Attribute]:
        element = tensor_type(self.operand).element_type
        if isinstance(self.operand.type, UnrankedTensorType):
            return [UnrankedTensorType(element), UnrankedTensorType(i32)]
        operand, k = tensor_type(self.operand), self.k.value.data
        if not (shape := operand.get_shape()):
            raise VerifyException("operand's rank must be at least 1")
        if shape[-1] != DYNAMIC_INDEX and shape[-1] < k:
            raise VerifyException(f"operand's last dimension must be at least {k}")
        result = (*shape[:-1], k)
        return [TensorType(element, result), TensorType(i32, result)]

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        properties: dict[str, Attribute] = {}
        with parser.in_parens():
            unresolved = parser.parse_unresolved_operand()
            parser.parse_punctuation(",")
            parser.parse_keyword("k")
            parser.parse_punctuation("=")
            properties["k"] = IntegerAttr(parser.parse_integer(allow_boolean=False), i64)
            if parser.parse_optional_punctuation(","):
                parser.parse_keyword(cls.FLAG)
                parser.parse_punctuation("=")
                properties[cls.FLAG] = IntegerAttr(int(parser.parse_boolean()), i1)
        attributes = parser.parse_optional_attr_dict()
        if cls.FLAG in attributes:
            properties[cls.FLAG] = attributes.pop(cls.FLAG)
        parser.parse_punctuation(":")
        operand = parser.resolve_operand(unresolved, parser.parse_type())
        parser.parse_punctuation("->")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        return cls.create(operands=[operand], result_types=types, properties=properties, attributes=attributes)

    def print_types(self, printer: Printer) -> None:
        """` : tensor<8xf32> -> (tensor<2xf32>, tensor<2xi32>)`"""
        printer.print_string(" : ")
        printer.print_attribute(self.operand.type)
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(self.result_types, printer.print_attribute)


@irdl_op_definition
class TopKOp(TopK):
    """
    The `k` largest elements of each row of `operand`, in descending order, and their indices.

    Equal elements keep their order, unless `is_stable` is false.
    """

    name = "chlo.top_k"
    FLAG: ClassVar[str] = "is_stable"
    is_stable = opt_prop_def(BoolAttr)

    def print(self, printer: Printer) -> None:
        with printer.in_parens():
            printer.print_ssa_value(self.operand)
            printer.print_string(f", k = {self.k.value.data}")
        # Every version of upstream parses the dictionary; only newer versions parse it between the parentheses.
        stability = {} if self.is_stable is None else {"is_stable": self.is_stable}
        printer.print_op_attributes(self.attributes | stability)
        self.print_types(printer)
