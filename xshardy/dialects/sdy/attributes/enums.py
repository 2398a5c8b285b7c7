"""
The enums of sdy. A property of an operation holds the number of a member, in 32 bits, as upstream; its text, the name.

Source: rows SDY-ENUM-01 and SDY-ENUM-02, and upstream's `ReductionOp`.
"""

from typing import TypeVar

from xdsl.dialects.builtin import I32, IntegerAttr, i32
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from xshardy.dialects.attribute_text import expect

EnumT = TypeVar("EnumT", bound=StrEnum)


def parse_enum_member(parser: AttrParser, enum: type[EnumT]) -> EnumT:
    """The name of a member of `enum`, bare or in angle brackets: both spellings of an attribute (row SDY-Q-12)."""
    if parser.parse_optional_punctuation("<") is None:
        return parser.parse_str_enum(enum)
    member = parser.parse_str_enum(enum)
    expect(parser, ">")
    return member


class EdgeNodeType(StrEnum):
    """The side of an operation that a value is on."""

    OPERAND = "operand"
    RESULT = "result"


@irdl_attr_definition
class EdgeNodeTypeAttr(EnumAttribute[EdgeNodeType], SpacedOpaqueSyntaxAttribute):
    """`#sdy<edge_node_type operand>`; `#sdy.edge_node_type<operand>` is read too."""

    name = "sdy.edge_node_type"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> EdgeNodeType:
        return parse_enum_member(parser, EdgeNodeType)


class PropagationDirection(StrEnum):
    """The directions in which shardings may go through an operation: forward is from operands to results."""

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
    """`#sdy<reduction_op sum>`; `#sdy.reduction_op<sum>` is read too."""

    name = "sdy.reduction_op"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> ReductionOp:
        return parse_enum_member(parser, ReductionOp)


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
