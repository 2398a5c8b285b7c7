"""
The devices that run a program together, and the rendezvous at which they exchange values. Source: StableHLO
specification, "Parallel execution".
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Operation
from xdsl.utils.exceptions import InterpretationError

from xshardy.axes.grid import Grid, Group
from xshardy.interpreters.stablehlo.calls import Arrival, Execution, Meeting, Process
from xshardy.interpreters.stablehlo.rules import Results, Value


class DeadlockError(InterpretationError):
    """A deadlock: a device waits for others that never arrive."""


@dataclass(slots=True)
class Device:
    """One of the devices of `grid`; `times` counts its executions of each collective."""

    number: int
    grid: Grid
    times: Counter[Operation] = field(default_factory=Counter[Operation])

    @property
    def replica(self) -> int:
        """The replica of this device."""
        return self.number // self.grid.partitions

    @property
    def partition(self) -> int:
        """The partition of this device within its replica."""
        return self.number % self.grid.partitions

    def arrive(self, op: Operation, group: Group, values: Sequence[Value]) -> Arrival:
        """The arrival of this device, which is in `group`, at the rendezvous of `op`; for a rule that yields it."""
        self.times[op] += 1
        return Arrival(op, self.times[op], group, self.number, tuple(values))


def alone() -> Device:
    """The device of a single-device program."""
    return Device(0, Grid(1, 1))


def on_all_devices(grid: Grid, program: Callable[[Device], Execution]) -> list[Results]:
    """
    The results of the execution of `program` on each device of `grid`.

    Devices take turns: each goes on until it has to wait for others. Raises `DeadlockError` if one waits for a device
    that never arrives.
    """
    processes = [Process([program(Device(number, grid))]) for number in range(grid.size)]
    waiting: dict[tuple[Operation, int, Group], dict[int, Arrival]] = {}
    ready = deque[tuple[int, Meeting | None]]((number, None) for number in range(grid.size))
    while ready:
        number, meeting = ready.popleft()
        arrival = processes[number].advance(meeting)
        if arrival is None:
            continue
        key = arrival.op, arrival.time, arrival.group
        arrived = waiting.setdefault(key, {})
        arrived[number] = arrival
        if len(arrived) == len(arrival.group):
            meeting = Meeting([arrived[other].values for other in arrival.group])
            ready.extend((other, meeting) for other in waiting.pop(key))
    for (op, _, group), arrived in waiting.items():
        missing = ", ".join(str(other) for other in group if other not in arrived)
        raise DeadlockError(f"{op.name}: device {min(arrived)} waits for device(s) {missing} forever")
    return [process.results for process in processes]
