"""
Rules for asynchronous operations: the start executes the wrapped operation.

This is possible because values are immutable. The value of a bundle, or of a future, is the tuple of its outputs. If
the start has not all operands, it is the tuple of those bound so far, and the last update executes the operation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from xshardy.dialects import hlo, stablehlo
from xshardy.dialects.hlo.async_operation import start_of
from xshardy.dialects.hlo.own_async_ops import OWN_DONES
from xshardy.interpreters.stablehlo.calls import Execution
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value


def start(evaluator: Evaluator, op: hlo.StartOp, *arguments: Value) -> Execution:
    if not _has_operands(op, arguments):
        return [arguments]
    return [(yield evaluator.calling(op.callee.string_value(), arguments))]


def start_region(evaluator: Evaluator, op: stablehlo.AsyncStartOp, *arguments: Value) -> Execution:
    return [(yield evaluator.running(op.body.block, arguments))]


def update(evaluator: Evaluator, op: hlo.AsyncUpdateOp, bundle: Sequence[Value], *inputs: Value) -> Execution:
    started, arguments = start_of(op.operand), (*bundle, *inputs)
    assert started is not None
    if not (inputs and _has_operands(started, arguments)):
        return [arguments]
    return [(yield evaluator.calling(started.callee.string_value(), arguments))]


def _has_operands(op: hlo.StartOp, arguments: Sequence[Value]) -> bool:
    """Whether `arguments` are all that `op` needs to start."""
    return op.BINDS_ALL or len(arguments) == len(op.wrapped_function().args)


def done(evaluator: Evaluator, op: Operation, bundle: Sequence[Value]) -> Sequence[Value]:
    return bundle


ASYNCHRONOUS: Mapping[type[Operation], Rule] = {
    **dict.fromkeys((hlo.AsyncStartOp, *OWN_DONES), start),
    **dict.fromkeys((hlo.AsyncDoneOp, stablehlo.AsyncDoneOp, *OWN_DONES.values()), done),
    hlo.AsyncUpdateOp: update,
    stablehlo.AsyncStartOp: start_region,
}
