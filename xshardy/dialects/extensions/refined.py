"""
Operations with the name of one of xDSL's that create xDSL's operation if its class suffices.

A dialect has one class per name. If a class of ours takes the name of xDSL's, code that looks for xDSL's class (in
xDSL, in other projects) no longer finds it. A `Refined` class avoids that: reading text, `create` and `build` give an
operation of xDSL's class where that accepts the operation, and one of ours for what only ours accepts.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from xdsl.dialects.builtin import ContainerType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import IRDLOperation


class Refined(IRDLOperation):
    """The base of such classes; it precedes the class of the added operations in the list of bases."""

    original: ClassVar[type[IRDLOperation]]
    """xDSL's class."""

    @classmethod
    def is_original(cls, operands: Sequence[SSAValue], properties: Mapping[str, Attribute | None]) -> bool:
        """Whether xDSL's class suffices. By default: whether the first operand is a scalar."""
        return bool(operands) and not isinstance(operands[0].type, ContainerType)

    @classmethod
    def create(
        cls, *, operands: Sequence[SSAValue] = (), properties: Mapping[str, Attribute] = {}, **parts: Any
    ) -> Any:
        make = cls.original.create if cls.is_original(operands, properties) else super().create
        return make(operands=operands, properties=properties, **parts)

    @classmethod
    def build(
        cls,
        *,
        operands: Sequence[SSAValue | Operation | Sequence[SSAValue | Operation] | None] | None = None,
        properties: Mapping[str, Attribute | None] | None = None,
        **parts: Any,
    ) -> Any:
        make = cls.original.build if cls.is_original(_flat(operands or ()), properties or {}) else super().build
        return make(operands=operands, properties=properties, **parts)


def _flat(operands: Sequence[SSAValue | Operation | Sequence[SSAValue | Operation] | None]) -> list[SSAValue]:
    """The values among the operands of `build`: values, operations with one result, and sequences of these."""
    values: list[SSAValue] = []
    for operand in operands:
        if isinstance(operand, SSAValue | Operation):
            values.append(SSAValue.get(operand))
        elif operand is not None:
            values += map(SSAValue.get, operand)
    return values
