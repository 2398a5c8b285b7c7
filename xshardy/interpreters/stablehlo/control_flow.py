"""Rules for conditionals and loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation, Region

from xshardy.dialects import stablehlo
from xshardy.interpreters.element_types import Array
from xshardy.interpreters.stablehlo.calls import Execution
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value, unsupported


def choose(evaluator: Evaluator, op: Operation, region: Region) -> Execution:
    """The execution of `region`. Raises `InterpretationError` if the decision differs between elements."""
    if evaluator.is_elementwise:
        raise unsupported(op, "it chooses for each element anew here: use stablehlo.select")
    return evaluator.running(region.block, [])


def if_(evaluator: Evaluator, op: stablehlo.IfOp, condition: Array) -> Execution:
    return choose(evaluator, op, op.true_branch if condition else op.false_branch)


def case(evaluator: Evaluator, op: stablehlo.CaseOp, index: Array) -> Execution:
    """An index out of bounds selects the last branch."""
    number = int(index) if 0 <= int(index) < len(op.branches) else -1
    return choose(evaluator, op, op.branches[number])


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
