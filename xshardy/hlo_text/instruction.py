"""A parsed instruction of HLO text, from which a builder makes an operation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import TupleType
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.hlo_text.errors import HLOError
from xshardy.hlo_text.fields import ComputationName
from xshardy.hlo_text.lexer import Tokens
from xshardy.hlo_text.shapes import ArrayShape, Shape, leaves, print_shape
from xshardy.hlo_text.tuples import unpack


@dataclass(slots=True)
class Instruction:
    """
    A parsed instruction; `at` is the token index of its opcode, for diagnostics.

    `before` are operations to insert before its operation: they unpack tuples.
    """

    opcode: str
    shape: Shape
    operands: Sequence[SSAValue]
    fields: Mapping[str, Any]
    literal: Attribute | Sequence[Attribute] | None
    functions: Mapping[str, func.FuncOp]
    tokens: Tokens
    at: int
    before: list[Operation] = field(default_factory=list[Operation])

    def error(self, message: str, hint: str = "", at: int | None = None) -> HLOError:
        """The error about this instruction."""
        return self.tokens.error(f"{self.opcode}: {message}", hint, self.at if at is None else at)

    @property
    def result_type(self) -> Attribute:
        """The type of the result. Precondition: it is an array."""
        if not isinstance(self.shape, ArrayShape):
            raise self.error(f"gives one array, but its shape is the tuple {print_shape(self.shape)}")
        return self.shape.type

    @property
    def result_types(self) -> list[Attribute]:
        """The types of the arrays in the result, in order."""
        return [leaf.type for leaf in leaves(self.shape)]

    @property
    def values(self) -> Sequence[SSAValue]:
        """The operands. Precondition: they are arrays."""
        for i, operand in enumerate(self.operands):
            if type(operand.type) is TupleType:
                raise self.error(f"operand {i} is a tuple", "take its elements with get-tuple-element")
        return self.operands

    def unpack(self, value: SSAValue) -> list[SSAValue]:
        """The arrays in `value`, in order; unpacked by operations before this one."""
        return unpack(value, self.before)

    def function(self, attribute: str) -> func.FuncOp:
        """The function of the computation named by `attribute`."""
        return self.functions[cast(ComputationName, self.fields[attribute]).name]
