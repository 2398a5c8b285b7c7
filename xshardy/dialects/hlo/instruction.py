"""The common base of operations that are instructions of HLO."""

from collections.abc import Iterable
from typing import cast

from xdsl.dialects.builtin import IntegerAttr, TupleType, i64
from xdsl.ir import Attribute
from xdsl.irdl import IRDLOperation, ParsePropInAttrDict

__all__ = ["InstructionOp", "hlo_opcode"]

I64_ATTR = IntegerAttr.constr(i64)


class InstructionOp(IRDLOperation):
    """An instruction of HLO; its properties have the names of the attributes in HLO text."""

    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


def hlo_opcode(name: str) -> str:
    """`hlo.async_start` -> `async-start`; the name of an operation of another dialect as it is."""
    return name.removeprefix("hlo.").replace("_", "-") if name.startswith("hlo.") else name


def elements(type: Attribute) -> tuple[Attribute, ...]:
    """The element types of a tuple type; any other type is its own single element."""
    return tuple(cast(Iterable[Attribute], type.types.data)) if isinstance(type, TupleType) else (type,)
