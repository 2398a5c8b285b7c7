"""
Elemental emission: compute one element of the result from one element of each operand.

The tables of this package have a row per opcode and kind of number. Source: rows XGPU-14 to XGPU-16, XGPU-49.
"""

from collections.abc import Callable, Mapping, Sequence

from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.utils.exceptions import PassFailedException

from xshardy.dialects import chlo, hlo, stablehlo
from xshardy.dialects.stablehlo.attributes import ComparisonType
from xshardy.dialects.stablehlo.elementwise_unary import ReducePrecisionOp
from xshardy.dialects.stablehlo.selection import CompareOp, why_unordered
from xshardy.emitters.elemental.comparisons import compare, compare_total_order
from xshardy.emitters.elemental.complexes import COMPLEX_OPS, COMPLEX_RULES
from xshardy.emitters.elemental.conversions import convert, round_float, same_bits, widened
from xshardy.emitters.elemental.floats import FLOAT_OPS, FLOAT_RULES, reduce_precision
from xshardy.emitters.elemental.integers import (
    PRED_OPS,
    PRED_RULES,
    SIGNED_OPS,
    SIGNED_RULES,
    UNSIGNED_OPS,
    UNSIGNED_RULES,
)
from xshardy.emitters.elemental.kinds import Kind, element_type_of, emitted_type, kind_of
from xshardy.emitters.elemental.scalars import MakeOp, Rule, Scalars
from xshardy.emitters.elemental.special_functions import SPECIAL_OPS, SPECIAL_RULES, next_after
from xshardy.facts.movement import is_rearrangement

OPS: Mapping[Kind, Mapping[type[Operation], MakeOp]] = {
    Kind.COMPLEX: COMPLEX_OPS,
    Kind.FLOAT: {**FLOAT_OPS, **SPECIAL_OPS},
    Kind.PRED: PRED_OPS,
    Kind.SIGNED: SIGNED_OPS,
    Kind.UNSIGNED: UNSIGNED_OPS,
}
"""Opcodes that are one operation, by the kind of the operands."""

RULES: Mapping[Kind, Mapping[type[Operation], Rule]] = {
    Kind.COMPLEX: COMPLEX_RULES,
    Kind.FLOAT: {**FLOAT_RULES, **SPECIAL_RULES},
    Kind.PRED: PRED_RULES,
    Kind.SIGNED: SIGNED_RULES,
    Kind.UNSIGNED: UNSIGNED_RULES,
}
"""Opcodes that expand to several operations, by the kind of the operands."""


def _compare(s: Scalars, op: Operation, lhs: SSAValue, rhs: SSAValue) -> SSAValue:
    assert isinstance(op, CompareOp)
    element = element_type_of(op.lhs.type)
    if (why := why_unordered(op.compare_type, element)) is not None:
        raise PassFailedException(f"{op.name} cannot be emitted: {why}")
    direction, kind = op.comparison_direction.data, kind_of(element)
    if kind is Kind.SMALL_FLOAT:
        lhs, rhs, kind = widened(s, lhs), widened(s, rhs), Kind.FLOAT
    if kind is Kind.FLOAT and op.compare_type is not None and op.compare_type.data == ComparisonType.TOTALORDER:
        return compare_total_order(s, direction, lhs, rhs)
    return compare(s, direction, kind, lhs, rhs)


def _convert(s: Scalars, op: Operation, value: SSAValue) -> SSAValue:
    return convert(s, value, element_type_of(op.operands[0].type), element_type_of(op.results[0].type))


def _complex(s: Scalars, op: Operation, real: SSAValue, imag: SSAValue) -> SSAValue:
    return s.complex(real, imag)


def _select(s: Scalars, op: Operation, predicate: SSAValue, then: SSAValue, otherwise: SSAValue) -> SSAValue:
    return s.select(predicate, then, otherwise)


def _same_bits(s: Scalars, op: Operation, value: SSAValue) -> SSAValue:
    """Bitcast an element to the result's type, which has the same width."""
    return same_bits(s, value, emitted_type(element_type_of(op.results[0].type)))


def _same_value(s: Scalars, op: Operation, value: SSAValue) -> SSAValue:
    return value


def _next_after(s: Scalars, op: Operation, x: SSAValue, y: SSAValue) -> SSAValue:
    return next_after(s, x, y)


def _reduce_precision(s: Scalars, op: Operation, value: SSAValue) -> SSAValue:
    assert isinstance(op, ReducePrecisionOp)
    return reduce_precision(s, value, op.exponent_bits.value.data, op.mantissa_bits.value.data)


RULES_OF_ANY_KIND: Mapping[type[Operation], Callable[..., SSAValue]] = {
    chlo.NextAfterOp: _next_after,
    hlo.BitcastOp: _same_bits,
    hlo.CopyOp: _same_value,
    stablehlo.CompareOp: _compare,
    stablehlo.ComplexOp: _complex,
    stablehlo.ConvertOp: _convert,
    stablehlo.ReducePrecisionOp: _reduce_precision,
    stablehlo.SelectOp: _select,
}
"""Opcodes whose rule also reads attributes, the type of the result, or the bits of small floats."""


def emit_element(s: Scalars, op: Operation, operands: Sequence[SSAValue]) -> SSAValue:
    """
    Compute the element of the result of `op` from these elements of its operands.

    Raises `PassFailedException` if `op` has no row for the type of its elements.
    """
    if is_rearrangement(op):
        return operands[0]
    if (rule := RULES_OF_ANY_KIND.get(type(op))) is not None:
        return rule(s, op, *operands)
    element_type = element_type_of(op.operands[0].type)
    kind = kind_of(element_type)
    if kind is not Kind.SMALL_FLOAT:
        return _of_kind(s, op, kind, element_type, operands)
    result = _of_kind(s, op, Kind.FLOAT, element_type, [widened(s, operand) for operand in operands])
    result_type = element_type_of(op.results[0].type)
    return round_float(s, result, result_type) if kind_of(result_type) is Kind.SMALL_FLOAT else result


def _of_kind(s: Scalars, op: Operation, kind: Kind, element_type: Attribute, operands: Sequence[SSAValue]) -> SSAValue:
    if (make := OPS[kind].get(type(op))) is not None:
        return s(make(*operands))
    if (rule := RULES[kind].get(type(op))) is not None:
        return rule(s, *operands)
    raise PassFailedException(f"{op.name} of {element_type} cannot be emitted: no emitter has a row for it")
