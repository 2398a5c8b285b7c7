"""Rules for tuples, barriers and tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
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


def ordered(evaluator: Evaluator, op: hlo.AddDependencyOp, operand: Value, token: Value) -> Sequence[Value]:
    return [operand]


def token(evaluator: Evaluator, op: Operation, *operands: Value) -> Sequence[Value]:
    """A token is an empty tuple: ops are executed in order in any case."""
    return [()]


CONTROL: Mapping[type[Operation], Rule] = {
    hlo.AddDependencyOp: ordered,
    hlo.DomainOp: pass_through,
    stablehlo.AfterAllOp: token,
    stablehlo.CreateTokenOp: token,
    stablehlo.GetTupleElementOp: get_tuple_element,
    stablehlo.OptimizationBarrierOp: pass_through,
    stablehlo.TupleOp: make_tuple,
}
