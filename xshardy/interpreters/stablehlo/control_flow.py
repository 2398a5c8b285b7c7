"""Rules for conditionals and loops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from xshardy.dialects import stablehlo
from xshardy.interpreters.stablehlo.calls import Execution, contents
from xshardy.interpreters.stablehlo.endless_loops import LoopWatch
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value
from xshardy.numerics.element_types import Array


def if_(evaluator: Evaluator, op: stablehlo.IfOp, condition: Array) -> Execution:
    return evaluator.running((op.true_branch if condition else op.false_branch).block, [])


def case(evaluator: Evaluator, op: stablehlo.CaseOp, index: Array) -> Execution:
    """An index out of bounds selects the last branch."""
    number = int(index) if 0 <= int(index) < len(op.branches) else -1
    return evaluator.running(op.branches[number].block, [])


def while_(evaluator: Evaluator, op: stablehlo.WhileOp, *operands: Value, finds_cycles: bool = True) -> Execution:
    values: Sequence[Value] = operands
    watch = LoopWatch(op, finds_cycles)
    while (yield evaluator.running(op.cond.block, values))[0]:
        watch.iterate(lambda index, state=values: contents(state[index]))
        values = yield evaluator.running(op.body.block, values)
    return values


CONTROL_FLOW: Mapping[type[Operation], Rule] = {
    stablehlo.CaseOp: case,
    stablehlo.IfOp: if_,
    stablehlo.WhileOp: while_,
}
