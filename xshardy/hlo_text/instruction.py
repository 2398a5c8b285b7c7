"""An instruction of HLO text as it was read, before it becomes an operation; and tuples, which live only until then."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr
from xdsl.ir import Attribute, Operation, SSAValue

from xshardy.hlo_text.errors import HLOError
from xshardy.hlo_text.fields import ComputationName
from xshardy.hlo_text.lexer import Tokens
from xshardy.hlo_text.shapes import ArrayShape, Shape, TupleShape, print_shape

Value: TypeAlias = "SSAValue | tuple[Value, ...]"
"""What an instruction gives: an array, or the elements of a tuple. Tuples exist only while HLO text is read."""


@dataclass(slots=True)
class Instruction:
    """An instruction as it was read; `at` is the index of its opcode's token, for diagnostics."""

    opcode: str
    shape: Shape
    operands: Sequence[Value]
    fields: Mapping[str, Any]
    literal: DenseIntOrFPElementsAttr | None
    functions: Mapping[str, func.FuncOp]
    tokens: Tokens
    at: int

    def error(self, message: str, hint: str = "", at: int | None = None) -> HLOError:
        """The error to raise about this instruction."""
        return self.tokens.error(f"{self.opcode}: {message}", hint, self.at if at is None else at)

    @property
    def result_type(self) -> Attribute:
        """The type of the result of an opcode that gives one array."""
        if isinstance(self.shape, TupleShape):
            raise self.error(f"gives one array, but its shape is the tuple {print_shape(self.shape)}")
        return self.shape.type

    @property
    def values(self) -> Sequence[SSAValue]:
        """The operands of an opcode that takes arrays only."""
        for i, operand in enumerate(self.operands):
            if isinstance(operand, tuple):
                raise self.error(f"operand {i} is a tuple", "take its elements with get-tuple-element")
        return cast(Sequence[SSAValue], self.operands)

    def function(self, attribute: str) -> func.FuncOp:
        """The function that the computation named by `attribute` became."""
        return self.functions[cast(ComputationName, self.fields[attribute]).name]

    def create(self, op: type[Operation], **properties: Attribute) -> Operation:
        """An operation with these operands and this result type."""
        return op.create(operands=self.values, result_types=[self.result_type], properties=properties)


def flatten(value: Value) -> list[SSAValue]:
    """The arrays in `value`, in order."""
    if isinstance(value, SSAValue):
        return [value]
    return [leaf for element in value for leaf in flatten(element)]


def nest(values: Sequence[SSAValue], shape: Shape) -> Value:
    """`values` as the elements of `shape`, in order: the inverse of `flatten`."""
    remaining = iter(values)

    def take(shape: Shape) -> Value:
        return next(remaining) if isinstance(shape, ArrayShape) else tuple(map(take, shape.elements))

    return take(shape)


def has_shape(value: Value, shape: Shape) -> bool:
    """Whether `value` is of `shape`; layouts do not count."""
    if isinstance(value, SSAValue):
        return isinstance(shape, ArrayShape) and (value.type is shape.type or value.type == shape.type)
    return (
        isinstance(shape, TupleShape)
        and len(value) == len(shape.elements)
        and all(map(has_shape, value, shape.elements))
    )


def print_value_shape(value: Value) -> str:
    """The shape of `value` as HLO text has it."""
    if isinstance(value, SSAValue):
        return print_shape(ArrayShape(value.type))
    return f"({', '.join(map(print_value_shape, value))})"
