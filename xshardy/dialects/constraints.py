"""IRDL constraints that several dialects share."""

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Self

from typing_extensions import TypeVar
from xdsl.dialects.builtin import ShapedType
from xdsl.ir import Attribute, AttributeCovT
from xdsl.irdl import AttrConstraint, InferenceContext, IntConstraint, RangeVarConstraint, VerificationContext
from xdsl.utils.exceptions import VerifyException


class WithoutTypeVariables(AttrConstraint[AttributeCovT]):
    """The base of constraints that have no type variables."""

    def mapping_type_vars(self, type_var_mapping: Mapping[TypeVar, AttrConstraint | IntConstraint]) -> Self:
        return self


@dataclass(frozen=True)
class StaticShape(WithoutTypeVariables[Attribute]):
    """A shaped type all of whose dimensions are known. `{type}` in `message`, the error, is the type."""

    message: str

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if not isinstance(attr, ShapedType) or not attr.has_static_shape():
            raise VerifyException(self.message.format(type=attr))


@dataclass(frozen=True)
class Derived(WithoutTypeVariables[Attribute]):
    """
    What `derive` makes of the constraint variable `variable`, so that the text of an operation can leave it out.

    The operation verifies it, in words of its own.
    """

    variable: str
    derive: Callable[[Attribute], Attribute]

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        """Left to the operation."""

    def can_infer(self, var_constraint_names: AbstractSet[str]) -> bool:
        return self.variable in var_constraint_names

    def infer(self, context: InferenceContext) -> Attribute:
        known = context.get_variable(self.variable)
        assert known is not None
        return self.derive(known)


@dataclass(frozen=True)
class OperandTypes(RangeVarConstraint):
    """The types of the operands, which the arguments of the body have as well. Errors have upstream's words."""

    def verify(self, attrs: Sequence[Attribute], constraint_context: VerificationContext) -> None:
        operands = constraint_context.get_range_variable(self.name)
        if operands is None:
            super().verify(attrs, constraint_context)
            return
        if len(attrs) != len(operands):
            raise VerifyException(
                f"number of block arguments must match the number of operands: {len(attrs)} != {len(operands)}"
            )
        for index, (argument, operand) in enumerate(zip(attrs, operands, strict=True)):
            if argument != operand:
                raise VerifyException(
                    f"expected the type of the {index}'th block argument to match the type of the corresponding "
                    f"operand: '{argument}' vs '{operand}'"
                )
