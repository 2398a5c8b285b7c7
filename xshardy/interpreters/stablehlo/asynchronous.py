"""
Rules for asynchronous operations: the start executes the wrapped operation.

This is possible because values are immutable. The value of a bundle, or of a future, is the tuple of its outputs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.interpreters.stablehlo.calls import Execution
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value


def start(evaluator: Evaluator, op: hlo.StartOp, *arguments: Value) -> Execution:
    return [(yield evaluator.calling(op.callee.string_value(), arguments))]


def start_region(evaluator: Evaluator, op: stablehlo.AsyncStartOp, *arguments: Value) -> Execution:
    return [(yield evaluator.running(op.body.block, arguments))]


def update(evaluator: Evaluator, op: hlo.AsyncUpdateOp, bundle: Value) -> Sequence[Value]:
    return [bundle]


def done(evaluator: Evaluator, op: Operation, bundle: Sequence[Value]) -> Sequence[Value]:
    return bundle


STARTS = (
    hlo.AllGatherStartOp,
    hlo.AllReduceStartOp,
    hlo.AsyncStartOp,
    hlo.CollectivePermuteStartOp,
    hlo.CopyStartOp,
    hlo.RecvOp,
    hlo.SendOp,
)
DONES = (
    hlo.AllGatherDoneOp,
    hlo.AllReduceDoneOp,
    hlo.AsyncDoneOp,
    hlo.CollectivePermuteDoneOp,
    hlo.CopyDoneOp,
    hlo.RecvDoneOp,
    hlo.SendDoneOp,
    stablehlo.AsyncDoneOp,
)

ASYNCHRONOUS: Mapping[type[Operation], Rule] = {
    **dict.fromkeys(STARTS, start),
    **dict.fromkeys(DONES, done),
    hlo.AsyncUpdateOp: update,
    stablehlo.AsyncStartOp: start_region,
}
