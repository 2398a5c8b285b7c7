"""
Integer comparison, selection and casts on vectors and tensors, element by element.

Upstream's operations are elementwise; `arith.cmpi`, `select`, `extsi`, `extui` and `trunci` of xDSL take scalars only.
The classes here are subclasses of xDSL's, for vectors and tensors; an operation on scalars has xDSL's class. `create`
and `build` choose, as `refined` explains. Code that makes an operation which may be on vectors uses `compare`, `select`
or `create` of the class here.
"""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import Any, ClassVar, TypeVar, cast

from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    IntegerAttr,
    IntegerType,
    SignlessIntegerConstraint,
    TensorType,
    VectorType,
    container_of,
    i1,
    i64,
)
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import AttrConstraint, IRDLOperation, OpDef, OperandDef, ResultDef
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from xshardy.dialects.extensions.refined import Refined

INTEGERS = container_of(SignlessIntegerConstraint)
CONDITIONS = container_of(i1)


class Predicate(IntEnum):
    """The relations of `arith.cmpi`, by their number."""

    EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE = range(10)

    @property
    def is_unsigned(self) -> bool:
        """Whether it is an order of integers without sign."""
        return self >= Predicate.ULT


RELATIONS: Mapping[Predicate, Callable[[Any, Any], Any]] = {
    predicate: getattr(operator, predicate.name[-2:].lower()) for predicate in Predicate
}
"""`ULE` -> `operator.le`: the comparison of integers that are read with or without sign, as the predicate says."""


class FloatPredicate(IntEnum):
    """The relations of `arith.cmpf`, by their number. Ordered ones are false for NaN, unordered ones are true."""

    FALSE, OEQ, OGT, OGE, OLT, OLE, ONE, ORD, UEQ, UGT, UGE, ULT, ULE, UNE, UNO, TRUE = range(16)


PREDICATES = tuple(predicate.name.lower() for predicate in Predicate)
"""The names of the predicates."""


def container_shape_of(type: Attribute) -> tuple[int, ...] | None:
    """The shape of a vector or tensor; None for a scalar."""
    return type.get_shape() if isinstance(type, VectorType | TensorType) else None


def with_element_type(type: Attribute, element: Attribute) -> Attribute:
    """A scalar, vector or tensor like `type`, with other elements: `i1` for `vector<4xi32>` gives `vector<4xi1>`."""
    match type:
        case VectorType():
            return VectorType(element, type.shape)
        case TensorType():
            return TensorType(element, type.shape, type.encoding)
        case _:
            return element


def element_type_of(type: Attribute) -> Attribute:
    """The type of the elements of a vector or tensor; a scalar type itself."""
    return cast(VectorType | TensorType, type).element_type if isinstance(type, VectorType | TensorType) else type


def predicate_of(op: arith.CmpiOp) -> Predicate:
    """The relation that `op` tests."""
    return Predicate(op.predicate.value.data)


def compare(predicate: Predicate | str, lhs: SSAValue, rhs: SSAValue) -> arith.CmpiOp:
    """`arith.cmpi predicate, lhs, rhs`, element by element. The predicate is given as such, or by its name."""
    number = PREDICATES.index(predicate) if isinstance(predicate, str) else predicate.value
    return CmpiOp.create(
        operands=[lhs, rhs],
        properties={"predicate": IntegerAttr(number, i64)},
        result_types=[with_element_type(lhs.type, i1)],
    )


def select(condition: SSAValue | Operation, lhs: SSAValue | Operation, rhs: SSAValue | Operation) -> arith.SelectOp:
    """`arith.select condition, lhs, rhs`; element by element if the condition is a vector or tensor."""
    operands = [SSAValue.get(value) for value in (condition, lhs, rhs)]
    return SelectOp.create(operands=operands, result_types=[operands[1].type])


def _with_constraints(
    op: type[IRDLOperation],
    operands: Mapping[str, AttrConstraint] | None = None,
    results: Mapping[str, AttrConstraint] | None = None,
) -> OpDef:
    """A copy of the definition of `op` with other constraints of some operands and results."""
    definition = op.get_irdl_definition()
    operands, results = operands or {}, results or {}
    return replace(
        definition,
        operands=[(name, OperandDef(operands[name]) if name in operands else old) for name, old in definition.operands],
        results=[(name, ResultDef(results[name]) if name in results else old) for name, old in definition.results],
    )


class _Elementwise(Refined):
    """The base of the operations on vectors and tensors. xDSL's class is the one for scalars."""

    definition: ClassVar[OpDef]
    """The result of `get_irdl_definition`: a class cannot redefine the operands of its base class."""

    @classmethod
    def get_irdl_definition(cls) -> OpDef:
        return cls.definition

    def verify_(self) -> None:
        self.definition.verify(self)
        self.verify_types()

    def verify_types(self) -> None:
        """Check what constraints do not express. Raises `VerifyException`."""


class CmpiOp(_Elementwise, arith.CmpiOp):
    """Compare integers or indices, element by element."""

    original = arith.CmpiOp
    definition = _with_constraints(arith.CmpiOp, results={"result": CONDITIONS})

    @classmethod
    def is_original(cls, operands: Sequence[SSAValue], properties: Mapping[str, Attribute | None]) -> bool:
        """Also check the predicate and the types: xDSL's class verifies neither, and prints scalars only."""
        predicate = properties.get("predicate")
        is_known = isinstance(predicate, IntegerAttr) and 0 <= predicate.value.data < len(PREDICATES)
        has_one_type = len(operands) == 2 and operands[0].type == operands[1].type
        return is_known and has_one_type and super().is_original(operands, properties)

    @classmethod
    def parse(cls, parser: Parser) -> arith.CmpiOp:
        """`arith.cmpi eq, %lhs, %rhs : vector<4xi32>`"""
        start = parser.pos
        keyword = parser.parse_identifier(context_msg=" for the predicate of a comparison")
        if keyword not in PREDICATES:
            parser.raise_error(f"unknown predicate '{keyword}': expected one of {', '.join(PREDICATES)}", start)
        parser.parse_punctuation(",")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        type = parser.parse_type()
        op = compare(keyword, parser.resolve_operand(lhs, type), parser.resolve_operand(rhs, type))
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        print_comparison(self, printer)

    def verify_types(self) -> None:
        if not 0 <= (number := self.predicate.value.data) < len(PREDICATES):
            raise VerifyException(f"unknown predicate {number}: expected 0 to 9, which are {', '.join(PREDICATES)}")
        expected = with_element_type(self.lhs.type, i1)
        if self.lhs.type != self.rhs.type or self.result.type != expected:
            raise VerifyException(
                f"compares {self.lhs.type} and {self.rhs.type}: expected one type, and the result {expected}"
            )


def print_comparison(op: arith.CmpiOp, printer: Printer) -> None:
    """The inverse of `CmpiOp.parse`."""
    printer.print_string(f" {PREDICATES[op.predicate.value.data]}, ")
    printer.print_list(op.operands, printer.print_operand)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    printer.print_attribute(op.lhs.type)


class SelectOp(_Elementwise, arith.SelectOp):
    """One of two values; with a vector or tensor of conditions, element by element."""

    original = arith.SelectOp
    definition = _with_constraints(arith.SelectOp, operands={"cond": CONDITIONS})

    @classmethod
    def parse(cls, parser: Parser) -> arith.SelectOp:
        """`arith.select %c, %x, %y : f32`; with a condition that is no i1 `: vector<4xi1>, vector<4xf32>`"""
        operands = [parser.parse_unresolved_operand()]
        for _ in range(2):
            parser.parse_punctuation(",")
            operands.append(parser.parse_unresolved_operand())
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        condition, type = i1, parser.parse_type()
        if parser.parse_optional_punctuation(","):
            condition, type = type, parser.parse_type()
        op = select(*parser.resolve_operands(operands, (condition, type, type), parser.pos))
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        print_selection(self, printer)

    def verify_types(self) -> None:
        shape = container_shape_of(self.cond.type)
        if shape is not None and shape != container_shape_of(self.result.type):
            raise VerifyException(f"condition {self.cond.type} must be i1, or have the shape of {self.result.type}")


def print_selection(op: arith.SelectOp, printer: Printer) -> None:
    """The inverse of `SelectOp.parse`."""
    printer.print_string(" ")
    printer.print_list(op.operands, printer.print_operand)
    printer.print_op_attributes(op.attributes)
    printer.print_string(" : ")
    if not isinstance(op.cond.type, IntegerType):
        printer.print_attribute(op.cond.type)
        printer.print_string(", ")
    printer.print_attribute(op.result.type)


_INTEGER_CAST: Mapping[str, Mapping[str, AttrConstraint]] = {
    "operands": {"input": INTEGERS},
    "results": {"result": INTEGERS},
}


def _verify_cast(op: arith.ExtSIOp | arith.ExtUIOp | arith.TruncIOp, *, is_wider: bool) -> None:
    source, target = element_type_of(op.input.type), element_type_of(op.result.type)
    assert isinstance(source, IntegerType) and isinstance(target, IntegerType)
    if container_shape_of(op.input.type) != container_shape_of(op.result.type):
        raise VerifyException(f"{op.input.type} and {op.result.type} must have the same shape")
    if (source.bitwidth < target.bitwidth) != is_wider or source == target:
        raise VerifyException(
            f"Destination bit-width must be {'larger' if is_wider else 'smaller'} than the input bit-width"
        )


class ExtSIOp(_Elementwise, arith.ExtSIOp):
    """Sign-extend integers, element by element."""

    original = arith.ExtSIOp
    definition = _with_constraints(arith.ExtSIOp, **_INTEGER_CAST)

    def verify_types(self) -> None:
        _verify_cast(self, is_wider=True)


class ExtUIOp(_Elementwise, arith.ExtUIOp):
    """Zero-extend integers, element by element."""

    original = arith.ExtUIOp
    definition = _with_constraints(arith.ExtUIOp, **_INTEGER_CAST)

    def verify_types(self) -> None:
        _verify_cast(self, is_wider=True)


class TruncIOp(_Elementwise, arith.TruncIOp):
    """Drop the upper bits of integers, element by element."""

    original = arith.TruncIOp
    definition = _with_constraints(arith.TruncIOp, **_INTEGER_CAST)

    def verify_types(self) -> None:
        _verify_cast(self, is_wider=False)


OPERATIONS: tuple[type[_Elementwise], ...] = (CmpiOp, SelectOp, ExtSIOp, ExtUIOp, TruncIOp)

_REFINED: Mapping[type[Operation], type[Operation]] = {op.original: op for op in OPERATIONS}


def refined(op: type[Operation]) -> type[Operation]:
    """The refined class of xDSL's class `op`; `op` itself if it has none."""
    return _REFINED.get(op, op)


def original_of(op: type[Operation]) -> type[Operation]:
    """xDSL's class of a refined class; `op` itself if it is not refined."""
    return op.original if issubclass(op, _Elementwise) else op


RowT = TypeVar("RowT")


def with_elementwise(table: Mapping[type[Operation], RowT]) -> Mapping[type[Operation], RowT]:
    """`table`, in which an operation here has the row of xDSL's operation on scalars."""
    return {**table, **{op: table[op.original] for op in OPERATIONS if op.original in table}}
