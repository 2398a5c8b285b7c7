"""Instructions that order others, or mark the boundary of a part of the program."""

from xdsl.dialects.builtin import StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.hlo.instruction import InstructionOp
from xshardy.dialects.stablehlo.types import TENSOR_OR_TOKEN, VALUE

__all__ = ["AddDependencyOp", "DomainOp"]


class PassingOp(InstructionOp):
    """An operation whose result is its operand."""

    operand = operand_def(VALUE)
    result = result_def(VALUE)

    def verify_(self) -> None:
        if self.operand.type != self.result.type:
            raise VerifyException(f"operand is '{self.operand.type}' but result is '{self.result.type}': they are one")


@irdl_op_definition
class AddDependencyOp(PassingOp):
    """`operand`, ordered after `token`."""

    name = "hlo.add_dependency"
    operand = operand_def(VALUE)
    token = operand_def(TENSOR_OR_TOKEN)
    result = result_def(VALUE)


@irdl_op_definition
class DomainOp(PassingOp):
    """`operand`, on the boundary of two domains: `domain` has the kind and the metadata of both sides."""

    name = "hlo.domain"
    domain = prop_def(StringAttr)
