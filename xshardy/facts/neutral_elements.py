"""The elements that a reduction does not notice: 0 for a sum, the smallest value for a maximum."""

from collections.abc import Mapping
from math import inf

from xdsl.dialects.builtin import AnyFloat, ComplexType, Float8E8M0FNUType, IntegerType, Signedness, TensorType, i1
from xdsl.ir import Attribute, Block, Operation
from xdsl.utils.hints import isa

from xshardy.dialects import stablehlo
from xshardy.dialects.dense_elements import Dense, dense_values
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.numerics.float_ranges import has_infinities, largest_finite

NUMBERS: Mapping[type[Operation], int] = {
    stablehlo.AddOp: 0,
    stablehlo.AndOp: -1,
    stablehlo.MulOp: 1,
    stablehlo.OrOp: 0,
    stablehlo.XorOp: 0,
}
"""The neutral element of each combiner that has the same one in all types. -1 stands for all bits set."""

IDEMPOTENT = (stablehlo.AndOp, stablehlo.MaxOp, stablehlo.MinOp, stablehlo.OrOp)
"""Combiners that do not notice a value that they have combined before."""


def _is_signed(element: IntegerType) -> bool:
    """Whether half of the values are negative."""
    return element != i1 and element.signedness.data is not Signedness.UNSIGNED


def _limit(element: Attribute, *, largest: bool) -> int | float | None:
    """The largest or smallest value of this type: an infinity, if the type has infinities. None for complex numbers."""
    if isa(element, IntegerType):
        bits = element.width.data - _is_signed(element)
        return (1 << bits) - 1 if largest else -(1 << bits) if _is_signed(element) else 0
    if not isinstance(element, AnyFloat):
        return None
    limit = inf if has_infinities(element) else largest_finite(element)
    return limit if largest else -limit


def identity_of(kind: type[Operation], element: Attribute) -> Dense | None:
    """The neutral element of `kind` as a scalar; None if it has none, or if none is known in this type."""
    scalar = TensorType(element, [])
    if isinstance(element, Float8E8M0FNUType):
        return None  # it has no zero, and no negative numbers
    if kind in (stablehlo.MaxOp, stablehlo.MinOp):
        limit = _limit(element, largest=kind is stablehlo.MinOp)
        return None if limit is None else dense_values(scalar, [limit])
    if (number := NUMBERS.get(kind)) is None:
        return None
    if isa(element, IntegerType):
        return dense_values(scalar, [number if _is_signed(element) else number % (1 << element.width.data)])
    if isinstance(element, AnyFloat):
        return dense_values(scalar, [float(number)])
    return dense_values(scalar, [(float(number), 0.0)]) if isinstance(element, ComplexType) else None


def neutral_element(body: Block) -> Dense | None:
    """The scalar that `body`, a reduction of two elements by one operation, does not notice; None if there is none."""
    end = body.last_op
    if not isinstance(end, stablehlo.ReturnOp) or len(body.args) != 2 or len(end.operands) != 1:
        return None
    op = end.operands[0].owner
    if not isinstance(op, Operation) or {*op.operands} != {*body.args}:
        return None
    return identity_of(type(op), tensor_type(end.operands[0]).element_type)
