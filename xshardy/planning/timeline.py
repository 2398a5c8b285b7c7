"""When a device executes each operation of a program, by the estimates of a plan: one after the other."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.ir import Operation

from xshardy.planning.causes import Causes
from xshardy.planning.collective_time import collective_seconds
from xshardy.planning.collectives import Collective, each_collective
from xshardy.planning.executions import executed_operations
from xshardy.planning.fusion import Fusions
from xshardy.planning.origins import Origins
from xshardy.planning.plan import Plan, inlined_module
from xshardy.planning.roofline import Work, work_of
from xshardy.planning.topology import Topology


@dataclass(frozen=True, slots=True)
class TimedOperation:
    """An operation with all of its executions, those of a loop at once."""

    name: str
    """With its place: `stablehlo.dot (line 10)`; of a collective, that of the operation that needs it."""
    start: float
    """In seconds."""
    seconds: float
    what: Work | Collective
    operation: Operation | None
    """That of the propagated program which it comes from; None for one that a pass created."""


def timeline(plan: Plan, topology: Topology) -> Iterator[TimedOperation]:
    """
    The operations that take time on `topology`, in the order of the program.

    The last one ends at `plan.estimate(topology).total`. Raises `TopologyError` for a mesh axis without a link.
    """
    traced, start = plan.traced, 0.0
    module = inlined_module(traced, plan.program.context)
    origins = Origins(traced.sharded.history, plan.names)
    collectives, work = dict(each_collective(module, traced, Causes(origins))), dict(work_of(module, Fusions()))
    for op, _ in executed_operations(module):
        original = traced.traces.operation(op)
        if (collective := collectives.get(op)) is not None:
            name, seconds, what = collective.operation, collective_seconds(collective, topology), collective
        elif (each := work.get(op)) is not None:
            name = op.name if original is None else origins.operation(original)
            seconds, what = each.count * each.seconds(topology), each
        else:
            continue
        yield TimedOperation(name, start, seconds, what, original)
        start += seconds
