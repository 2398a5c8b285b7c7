"""Reinterpretation (bitcast) and copies of the memory of a tensor."""

from math import prod

from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def, traits_def
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.shapes import is_static
from xshardy.dialects.stablehlo.elementwise_unary import UnaryElementwiseOp
from xshardy.dialects.stablehlo.types import TENSOR, VALUE, bit_width, tensor_type

__all__ = ["BitcastOp", "CopyOp"]


@irdl_op_definition
class BitcastOp(IRDLOperation):
    """The memory of the operand with another shape, layout or element type; nothing moves."""

    name = "hlo.bitcast"
    operand = operand_def(TENSOR)
    result = result_def(TENSOR)
    traits = traits_def(Pure())
    assembly_format = "$operand attr-dict `:` functional-type(operands, results)"

    def __init__(self, operand: SSAValue, result_type: Attribute):
        super().__init__(operands=[operand], result_types=[result_type])

    def verify_(self) -> None:
        source, target = tensor_type(self.operand), tensor_type(self.result)
        if not is_static(source) or not is_static(target):
            return
        bits, expected = (_size_in_bits(type) for type in (target, source))
        if bits != expected:
            raise VerifyException(
                f"result '{target}' has {bits} bits but operand '{source}' has {expected}: a bitcast keeps the size"
            )


def _size_in_bits(type: Attribute) -> int:
    """The size of all elements of a static tensor."""
    tensor = tensor_type(type)
    return prod(tensor.get_shape()) * bit_width(tensor.element_type)


@irdl_op_definition
class CopyOp(UnaryElementwiseOp):
    """The operand in a new buffer, possibly with another layout; for a tuple, each of its arrays."""

    name = "hlo.copy"
    operand = operand_def(VALUE)
    result = result_def(VALUE)

    def verify_(self) -> None:
        if not isinstance(self.operand.type, TupleType):
            super().verify_()
        elif self.operand.type != self.result.type:
            raise VerifyException(f"operand is '{self.operand.type}' but result is '{self.result.type}': they are one")
