"""The rule for programs that run others on many devices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.ir import Operation

from xshardy.axes.grid import Grid
from xshardy.dialects.interpreter import RunParallelOp
from xshardy.interpreters.stablehlo.calls import Execution
from xshardy.interpreters.stablehlo.devices import Device, on_all_devices
from xshardy.interpreters.stablehlo.machine import Evaluator
from xshardy.interpreters.stablehlo.rules import Rule, Value, listed, unsupported


def run_parallel(evaluator: Evaluator, op: RunParallelOp, *operands: Value) -> Sequence[Value]:
    """Each device executes its program with the next operands."""
    grid, programs = Grid(len(op.grid), len(op.grid[0])), [name for row in op.grid for name in row]
    if op.infeed is not None:
        raise unsupported(op, "there is no host that puts anything into an infeed")
    if missing := [name for name in programs if name not in evaluator.functions]:
        raise unsupported(op, f"the module has no function @{missing[0]}")
    given = iter(operands)
    counts = [len(evaluator.functions[name].function_type.inputs) for name in programs]
    if sum(counts) != len(operands):
        raise unsupported(op, f"the programs take {sum(counts)} operands, but got {len(operands)}")
    arguments = [[next(given) for _ in range(count)] for count in counts]

    def execution(device: Device) -> Execution:
        return evaluator.on(device).calling(programs[device.number], arguments[device.number])

    return [value for results in on_all_devices(grid, execution) for value in listed(results)]


PARALLEL_PROGRAMS: Mapping[type[Operation], Rule] = {RunParallelOp: run_parallel}
