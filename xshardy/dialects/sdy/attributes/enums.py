"""
The enums of sdy. As properties of operations they are numbers of 32 bits, as upstream's are; only its text names them.

Source: rows SDY-ENUM-01 and SDY-ENUM-02, and upstream's `ReductionOp`.
"""

from typing import TypeVar

from xdsl.dialects.builtin import I32, IntegerAttr, i32
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum


class EdgeNodeType(StrEnum):
    """Which side of an operation a value is on."""

    OPERAND = "operand"
    RESULT = "result"


@irdl_attr_definition
class EdgeNodeTypeAttr(EnumAttribute[EdgeNodeType], SpacedOpaqueSyntaxAttribute):
    name = "sdy.edge_node_type"


class PropagationDirection(StrEnum):
    """Which ways shardings may go through an operation: forward is from operands to results."""

    NONE = "NONE"
    FORWARD = "FORWARD"
    BACKWARD = "BACKWARD"
    BOTH = "BOTH"


class ReductionOp(StrEnum):
    """How the parts of an unreduced tensor are combined."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"


@irdl_attr_definition
class ReductionOpAttr(EnumAttribute[ReductionOp], SpacedOpaqueSyntaxAttribute):
    name = "sdy.reduction_op"


EnumT = TypeVar("EnumT", bound=StrEnum)


def number_of(member: StrEnum) -> IntegerAttr[I32]:
    """The number that stands for `member` in a property: its place in the enum."""
    return IntegerAttr(list(type(member)).index(member), i32)


def member_of(enum: type[EnumT], number: IntegerAttr[I32]) -> EnumT:
    """The member of `enum` that `number` stands for. Raises `VerifyException` if there is none."""
    members = list(enum)
    if not 0 <= number.value.data < len(members):
        listed = ", ".join(f"{index} ({member.value})" for index, member in enumerate(members))
        raise VerifyException(f"{number.value.data} is no {enum.__name__}: expected one of {listed}")
    return members[number.value.data]
