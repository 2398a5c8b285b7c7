"""
Integer comparison, selection and casts on vectors and tensors, element by element.

Upstream's operations are elementwise; these of xDSL take scalars only. Importing this module widens the definitions of
`arith.cmpi`, `select`, `extsi`, `extui` and `trunci` in place, so that there is one class per operation. Who makes such
an operation imports it for `compare` and the like, and so does the extension of the dialect, for who reads one.
"""

from collections.abc import Callable, Mapping
from enum import IntEnum
from typing import cast

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
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AttrConstraint, IRDLOperation, RangeOf
from xdsl.utils.exceptions import VerifyException

INTEGERS = container_of(SignlessIntegerConstraint)
CONDITIONS = container_of(i1)


class Predicate(IntEnum):
    """The relations of `arith.cmpi`, by their number."""

    EQ, NE, SLT, SLE, SGT, SGE, ULT, ULE, UGT, UGE = range(10)

    @property
    def is_unsigned(self) -> bool:
        """Whether it is an order of integers without sign."""
        return self >= Predicate.ULT


PREDICATES = tuple(predicate.name.lower() for predicate in Predicate)
"""Their names."""


def shape_of(type: Attribute) -> tuple[int, ...] | None:
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
    return arith.CmpiOp.create(
        operands=[lhs, rhs],
        properties={"predicate": IntegerAttr(number, i64)},
        result_types=[with_element_type(lhs.type, i1)],
    )


def _verify_comparison(op: arith.CmpiOp) -> None:
    if not 0 <= (number := op.predicate.value.data) < len(PREDICATES):
        raise VerifyException(f"unknown predicate {number}: expected 0 to 9, which are {', '.join(PREDICATES)}")
    expected = with_element_type(op.lhs.type, i1)
    if op.lhs.type != op.rhs.type or op.result.type != expected:
        raise VerifyException(f"compares {op.lhs.type} and {op.rhs.type}: expected one type, and the result {expected}")


def _verify_selection(op: arith.SelectOp) -> None:
    shape = shape_of(op.cond.type)
    if shape is not None and shape != shape_of(op.result.type):
        raise VerifyException(f"condition {op.cond.type} must be i1, or have the shape of {op.result.type}")


def _verify_cast(wider: bool) -> Callable[[arith.ExtUIOp], None]:
    def verify(op: arith.ExtUIOp) -> None:
        source, target = element_type_of(op.input.type), element_type_of(op.result.type)
        assert isinstance(source, IntegerType) and isinstance(target, IntegerType)
        if shape_of(op.input.type) != shape_of(op.result.type):
            raise VerifyException(f"{op.input.type} and {op.result.type} must have the same shape")
        if (source.bitwidth < target.bitwidth) != wider or source == target:
            raise VerifyException(
                f"Destination bit-width must be {'larger' if wider else 'smaller'} than the input bit-width"
            )

    return verify


def _widen(
    op: type[IRDLOperation],
    verify: Callable[..., None],
    operands: Mapping[str, AttrConstraint] | None = None,
    results: Mapping[str, AttrConstraint] | None = None,
) -> None:
    definition = op.get_irdl_definition()
    for name, operand in definition.operands:
        if operands is not None and name in operands:
            operand.constr = RangeOf(operands[name]).of_length(1)
    for name, result in definition.results:
        if results is not None and name in results:
            result.constr = RangeOf(results[name]).of_length(1)
    setattr(op, "verify_", verify)  # noqa: B010


_widen(arith.CmpiOp, _verify_comparison, results={"result": CONDITIONS})
_widen(arith.SelectOp, _verify_selection, operands={"cond": CONDITIONS})
for _cast in (arith.ExtSIOp, arith.ExtUIOp, arith.TruncIOp):
    _both = {"input": INTEGERS, "result": INTEGERS}
    _widen(_cast, _verify_cast(wider=_cast is not arith.TruncIOp), _both, _both)
