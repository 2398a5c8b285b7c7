"""Constraints on attributes of StableHLO's operations, beyond their type."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from typing_extensions import TypeVar
from xdsl.dialects.builtin import IntegerAttr, IntegerType, i64
from xdsl.ir import Attribute
from xdsl.irdl import (
    AnyAttr,
    AttrConstraint,
    EqAttrConstraint,
    IntConstraint,
    ParamAttrConstraint,
    VerificationContext,
)
from xdsl.utils.exceptions import VerifyException

SIGNS: Mapping[int, str] = {0: "non-negative", 1: "positive"}


@dataclass(frozen=True, init=False)
class IntegerAtLeast(ParamAttrConstraint[IntegerAttr[IntegerType]]):
    """
    The attribute `name`: an integer of `type`, not below `lowest`, which is 0 or 1.

    Since the type is known, assembly formats print and read the integer without it.
    """

    name: str
    lowest: int
    type: IntegerType

    def __init__(self, name: str, lowest: int = 0, type: IntegerType = i64):
        super().__init__(IntegerAttr, (AnyAttr(), EqAttrConstraint(type)))  # pyright: ignore[reportArgumentType]
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "lowest", lowest)
        object.__setattr__(self, "type", type)

    def verify(self, attr: Attribute, constraint_context: VerificationContext) -> None:
        if (
            not isinstance(attr, IntegerAttr)
            or cast(IntegerAttr[IntegerType], attr).type != self.type
            or attr.value.data < self.lowest
        ):
            raise VerifyException(
                f"attribute '{self.name}' failed to satisfy constraint: {self.type.width.data}-bit signless integer "
                f"attribute whose value is {SIGNS[self.lowest]}, but got {attr}"
            )

    def mapping_type_vars(
        self, type_var_mapping: Mapping[TypeVar, "AttrConstraint | IntConstraint"]
    ) -> AttrConstraint[IntegerAttr[IntegerType]]:
        return self
