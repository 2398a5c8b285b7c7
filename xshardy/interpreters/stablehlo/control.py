"""Rules for calls, tuples and tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects import func
from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value


def call(evaluator: Evaluator, op: func.CallOp | hlo.FusionOp, *arguments: Value) -> Sequence[Value]:
    return evaluator.call(op.callee.string_value(), arguments)


def composite(evaluator: Evaluator, op: stablehlo.CompositeOp, *arguments: Value) -> Sequence[Value]:
    return evaluator.call(op.decomposition.string_value(), arguments)


def make_tuple(evaluator: Evaluator, op: stablehlo.TupleOp, *elements: Value) -> Sequence[Value]:
    return [elements]


def get_tuple_element(
    evaluator: Evaluator, op: stablehlo.GetTupleElementOp, operand: Sequence[Value]
) -> Sequence[Value]:
    return [operand[op.index.value.data]]


def pass_through(evaluator: Evaluator, op: Operation, *operands: Value) -> Sequence[Value]:
    return operands


def token(evaluator: Evaluator, op: Operation, *operands: Value) -> Sequence[Value]:
    """A token is an empty tuple: ops are executed in order in any case."""
    return [()]


CONTROL: Mapping[type[Operation], Rule] = {
    func.CallOp: call,
    hlo.FusionOp: call,
    stablehlo.AfterAllOp: token,
    stablehlo.CompositeOp: composite,
    stablehlo.CreateTokenOp: token,
    stablehlo.GetTupleElementOp: get_tuple_element,
    stablehlo.OptimizationBarrierOp: pass_through,
    stablehlo.TupleOp: make_tuple,
}
