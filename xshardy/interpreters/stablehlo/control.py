"""Rules for tuples and barriers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value


def make_tuple(evaluator: Evaluator, op: stablehlo.TupleOp, *elements: Value) -> Sequence[Value]:
    return [elements]


def get_tuple_element(
    evaluator: Evaluator, op: stablehlo.GetTupleElementOp, operand: Sequence[Value]
) -> Sequence[Value]:
    return [operand[op.index.value.data]]


def pass_through(evaluator: Evaluator, op: Operation, *operands: Value) -> Sequence[Value]:
    return operands


CONTROL: Mapping[type[Operation], Rule] = {
    stablehlo.GetTupleElementOp: get_tuple_element,
    stablehlo.OptimizationBarrierOp: pass_through,
    stablehlo.TupleOp: make_tuple,
}
