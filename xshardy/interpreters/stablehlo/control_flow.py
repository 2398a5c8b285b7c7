"""Rules for conditionals and loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo.calls import Execution
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value, unsupported
from xshardy.numerics.element_types import Array


def if_(evaluator: Evaluator, op: stablehlo.IfOp, condition: Array) -> Execution:
    check_decides_once(evaluator, op)
    return evaluator.running((op.true_branch if condition else op.false_branch).block, [])


def case(evaluator: Evaluator, op: stablehlo.CaseOp, index: Array) -> Execution:
    """An index out of bounds selects the last branch."""
    check_decides_once(evaluator, op)
    number = int(index) if 0 <= int(index) < len(op.branches) else -1
    return evaluator.running(op.branches[number].block, [])


def check_decides_once(evaluator: Evaluator, op: Operation) -> None:
    """Raise `InterpretationError` if the decision differs between elements."""
    if evaluator.is_elementwise:
        raise unsupported(op, "it chooses for each element anew here: use stablehlo.select")


def while_(evaluator: Evaluator, op: stablehlo.WhileOp, *operands: Value) -> Execution:
    if evaluator.is_elementwise:
        raise unsupported(op, "each element would go round its own number of times here")
    values: Sequence[Value] = operands
    while (yield evaluator.running(op.cond.block, values))[0]:
        values = yield evaluator.running(op.body.block, values)
    return values


CONTROL_FLOW: Mapping[type[Operation], Rule] = {
    stablehlo.CaseOp: case,
    stablehlo.IfOp: if_,
    stablehlo.WhileOp: while_,
}
