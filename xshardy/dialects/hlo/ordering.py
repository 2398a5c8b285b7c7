"""Instructions that say what comes before what, or where a part of the program begins."""

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.hlo.instruction import InstructionOp
from xshardy.dialects.stablehlo.types import TENSOR_OR_TOKEN, VALUE

__all__ = ["AddDependencyOp", "DomainOp"]


class PassingOp(InstructionOp):
    """The result is the operand."""

    operand = operand_def(VALUE)
    result = result_def(VALUE)

    def verify_(self) -> None:
        if self.operand.type != self.result.type:
            raise VerifyException(f"operand is '{self.operand.type}' but result is '{self.result.type}': they are one")


@irdl_op_definition
class AddDependencyOp(PassingOp):
    """`operand`, no earlier than `token`."""

    name = "hlo.add_dependency"
    operand = operand_def(VALUE)
    token = operand_def(TENSOR_OR_TOKEN)
    result = result_def(VALUE)


@irdl_op_definition
class DomainOp(PassingOp):
    """`operand`, on the border of two domains: `domain` says of what kind, and what holds on both sides."""

    name = "hlo.domain"
    domain = prop_def(StringAttr)
