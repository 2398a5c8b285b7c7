"""Rules for the elementwise ops of StableHLO, CHLO and HLO, by kind of element."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from xdsl.ir import Operation

from xshardy.dialects import chlo, stablehlo
from xshardy.dialects.stablehlo.attributes import ComparisonDirection, ComparisonType
from xshardy.dialects.stablehlo.selection import why_unordered
from xshardy.dialects.stablehlo.types import tensor_type
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, unsupported
from xshardy.numerics import complexes, floats, integers
from xshardy.numerics.conversions import convert
from xshardy.numerics.element_types import KINDS, Array, Kind, numpy_dtype
from xshardy.numerics.integers import as_typed, as_unsigned

Function = Callable[..., Array]


@dataclass(frozen=True, slots=True)
class Elementwise:
    """A function for each supported kind of element, selected by the kind of the first operand."""

    pred: Function | None = None
    integer: Function | None = None
    floating: Function | None = None
    complex: Function | None = None

    def __call__(self, evaluator: Evaluator, op: Operation, *operands: Array) -> Array:
        """Raises `InterpretationError` for an unsupported kind of element."""
        kind = KINDS[operands[0].dtype]
        function = {
            Kind.PRED: self.pred,
            Kind.INTEGER: self.integer,
            Kind.FLOAT: self.floating,
            Kind.COMPLEX: self.complex,
        }[kind]
        if function is None:
            raise unsupported(op, f"not defined on elements of type {operands[0].dtype}")
        return function(*map(np.atleast_1d, operands)).reshape(np.broadcast_shapes(*(x.shape for x in operands)))


def on_floats_and_complex(function: Function) -> Elementwise:
    return Elementwise(floating=function, complex=function)


def logical(pred: Function, integer: Function) -> Elementwise:
    return Elementwise(pred=pred, integer=as_unsigned(integer))


# -- Ops with attributes, or on several kinds of element at once ------------------------------------------------------

COMPARISONS: Mapping[ComparisonDirection, Callable[[Any, Any], Any]] = {
    ComparisonDirection.EQ: operator.eq,
    ComparisonDirection.NE: operator.ne,
    ComparisonDirection.GE: operator.ge,
    ComparisonDirection.GT: operator.gt,
    ComparisonDirection.LE: operator.le,
    ComparisonDirection.LT: operator.lt,
}


def compare(evaluator: Evaluator, op: stablehlo.CompareOp | chlo.BroadcastCompareOp, x: Array, y: Array) -> Array:
    """NaN differs from itself, and -0 equals 0, unless the comparison is by total order."""
    if (why := why_unordered(op.compare_type, tensor_type(op.operands[0]).get_element_type())) is not None:
        raise unsupported(op, why)
    is_total = op.compare_type is not None and op.compare_type.data is ComparisonType.TOTALORDER
    if is_total and KINDS[x.dtype] is Kind.FLOAT:
        x, y = floats.total_order(x), floats.total_order(y)
    return COMPARISONS[op.comparison_direction.data](x, y)


def convert_to_result(evaluator: Evaluator, op: stablehlo.ConvertOp, x: Array) -> Array:
    return convert(x, numpy_dtype(op.result.type))


def reduce_precision(evaluator: Evaluator, op: stablehlo.ReducePrecisionOp, x: Array) -> Array:
    return floats.reduce_precision(x, op.exponent_bits.value.data, op.mantissa_bits.value.data)


def select(evaluator: Evaluator, op: stablehlo.SelectOp, pred: Array, on_true: Array, on_false: Array) -> Array:
    return np.where(pred, on_true, on_false)


MAXIMUM = Elementwise(np.logical_or, as_typed(np.maximum), floats.maximum, np.maximum)
MINIMUM = Elementwise(np.logical_and, as_typed(np.minimum), floats.minimum, np.minimum)


def clamp(evaluator: Evaluator, op: stablehlo.ClampOp, lower: Array, x: Array, upper: Array) -> Array:
    """The upper bound wins if the bounds cross."""
    return MINIMUM(evaluator, op, MAXIMUM(evaluator, op, x, lower), upper)


ELEMENTWISE: Mapping[type[Operation], Rule] = {
    chlo.AcosOp: on_floats_and_complex(floats.acos),
    chlo.AcoshOp: on_floats_and_complex(floats.acosh),
    chlo.AsinOp: on_floats_and_complex(floats.asin),
    chlo.AsinhOp: on_floats_and_complex(floats.asinh),
    chlo.AtanOp: on_floats_and_complex(floats.atan),
    chlo.AtanhOp: on_floats_and_complex(floats.atanh),
    chlo.CoshOp: on_floats_and_complex(floats.cosh),
    chlo.ErfInvOp: Elementwise(floating=floats.erf_inv),
    chlo.ErfOp: Elementwise(floating=floats.erf),
    chlo.ErfcOp: Elementwise(floating=floats.erfc),
    chlo.SinhOp: on_floats_and_complex(floats.sinh),
    stablehlo.AbsOp: Elementwise(integer=integers.absolute, floating=np.abs, complex=np.abs),
    stablehlo.AddOp: Elementwise(np.logical_or, integers.add, np.add, np.add),
    stablehlo.AndOp: logical(np.logical_and, np.bitwise_and),
    stablehlo.Atan2Op: Elementwise(floating=floats.atan2, complex=complexes.atan2),
    stablehlo.CbrtOp: Elementwise(floating=floats.cbrt, complex=complexes.cbrt),
    stablehlo.CeilOp: Elementwise(floating=floats.ceil),
    stablehlo.ClampOp: clamp,
    stablehlo.ClzOp: Elementwise(integer=integers.count_leading_zeros),
    stablehlo.CompareOp: compare,
    stablehlo.ComplexOp: Elementwise(floating=complexes.create),
    stablehlo.ConvertOp: convert_to_result,
    stablehlo.CosineOp: on_floats_and_complex(floats.cos),
    stablehlo.DivOp: Elementwise(integer=integers.divide, floating=np.divide, complex=complexes.divide),
    stablehlo.ExpOp: Elementwise(floating=floats.exp, complex=complexes.exp),
    stablehlo.Expm1Op: on_floats_and_complex(floats.expm1),
    stablehlo.FloorOp: Elementwise(floating=floats.floor),
    stablehlo.ImagOp: Elementwise(floating=floats.imaginary, complex=np.imag),
    stablehlo.IsFiniteOp: Elementwise(floating=np.isfinite),
    stablehlo.Log1pOp: Elementwise(floating=floats.log1p, complex=complexes.log1p),
    stablehlo.LogOp: on_floats_and_complex(floats.log),
    stablehlo.LogisticOp: Elementwise(floating=floats.logistic, complex=complexes.logistic),
    stablehlo.MaxOp: MAXIMUM,
    stablehlo.MinOp: MINIMUM,
    stablehlo.MulOp: Elementwise(np.logical_and, integers.multiply, np.multiply, complexes.multiply),
    stablehlo.NegOp: Elementwise(integer=integers.negate, floating=np.negative, complex=np.negative),
    stablehlo.NotOp: logical(np.logical_not, np.invert),
    stablehlo.OrOp: logical(np.logical_or, np.bitwise_or),
    stablehlo.PopulationCountOp: Elementwise(integer=integers.population_count),
    stablehlo.PowOp: Elementwise(integer=integers.power, floating=floats.power, complex=floats.power),
    stablehlo.RealOp: Elementwise(floating=np.copy, complex=np.real),
    stablehlo.ReducePrecisionOp: reduce_precision,
    stablehlo.RemOp: Elementwise(integer=integers.remainder, floating=floats.remainder),
    stablehlo.RoundNearestEvenOp: Elementwise(floating=floats.round_half_even),
    stablehlo.RoundOp: Elementwise(floating=floats.round_half_away_from_zero),
    stablehlo.RsqrtOp: Elementwise(floating=floats.rsqrt, complex=complexes.rsqrt),
    stablehlo.SelectOp: select,
    stablehlo.ShiftLeftOp: Elementwise(integer=integers.shift_left),
    stablehlo.ShiftRightArithmeticOp: Elementwise(integer=integers.shift_right_arithmetic),
    stablehlo.ShiftRightLogicalOp: Elementwise(integer=integers.shift_right_logical),
    stablehlo.SignOp: Elementwise(integer=integers.sign, floating=floats.sign, complex=complexes.sign),
    stablehlo.SineOp: on_floats_and_complex(floats.sin),
    stablehlo.SqrtOp: on_floats_and_complex(floats.sqrt),
    stablehlo.SubtractOp: Elementwise(integer=integers.subtract, floating=np.subtract, complex=np.subtract),
    stablehlo.TanOp: on_floats_and_complex(floats.tan),
    stablehlo.TanhOp: on_floats_and_complex(floats.tanh),
    stablehlo.XorOp: logical(np.logical_xor, np.bitwise_xor),
}
