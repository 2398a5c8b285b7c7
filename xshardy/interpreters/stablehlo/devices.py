"""
The devices that run a program together, and the rendezvous at which they exchange values.

Devices form a grid of replicas and partitions; the number of a device is `replica * partitions + partition`. Source:
StableHLO specification, "Parallel execution" and "Process groups".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Condition
from typing import TypeVar

from xdsl.ir import Operation
from xdsl.utils.exceptions import InterpretationError

from xshardy.interpreters.stablehlo.rules import Value

T = TypeVar("T")

Group = tuple[int, ...]
"""The numbers of the devices of a group, in the group's order."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The numbers of replicas of a program and of partitions of each replica."""

    replicas: int
    partitions: int

    @property
    def size(self) -> int:
        """The number of devices."""
        return self.replicas * self.partitions

    def device(self, replica: int, partition: int) -> int:
        """The number of a device."""
        return replica * self.partitions + partition

    def cross_replica(self, groups: Sequence[Sequence[int]]) -> list[Group]:
        """Groups of replicas: the devices of one partition each."""
        return [tuple(self.device(r, p) for r in group) for p in range(self.partitions) for group in groups]

    def cross_partition(self, groups: Sequence[Sequence[int]]) -> list[Group]:
        """Groups of partitions: the devices of one replica each."""
        return [tuple(self.device(r, p) for p in group) for r in range(self.replicas) for group in groups]

    def cross_replica_and_partition(self, groups: Sequence[Sequence[int]]) -> list[Group]:
        """
        Groups of replicas, with all of their partitions.

        As in XLA, the partitions of a replica are adjacent; in the specification, the replicas of a partition are. The
        difference is visible only in gathers over both.
        """
        return [tuple(self.device(r, p) for r in group for p in range(self.partitions)) for group in groups]


class DeadlockError(InterpretationError):
    """A deadlock: a device waits for others that never arrive."""


@dataclass(slots=True)
class Exchange:
    """
    The values that the devices of a group bring to a rendezvous, and the number of devices that have yet to read them.
    """

    values: dict[int, tuple[Value, ...]] = field(default_factory=dict[int, "tuple[Value, ...]"])
    readers: int = 0


class Rendezvous:
    """The rendezvous at which devices, each in a thread of its own, wait for the others of their group."""

    def __init__(self, devices: int):
        self.running = devices
        self.waiting = 0
        self.is_stuck = False
        self.exchanges: dict[tuple[Operation, int, Group], Exchange] = {}
        self.changed = Condition()

    def exchange(
        self, op: Operation, time: int, group: Group, device: int, values: Sequence[Value]
    ) -> list[tuple[Value, ...]]:
        """
        The values of each device of `group` for its `time`-th execution of `op`.

        Raises `DeadlockError` on all devices if one of the group never arrives.
        """
        key = (op, time, group)
        with self.changed:
            exchange_state = self.exchanges.setdefault(key, Exchange())
            exchange_state.values[device] = tuple(values)
            if len(exchange_state.values) == len(group):
                self.waiting -= len(group) - 1
                self.changed.notify_all()
            else:
                self.waiting += 1
                self.detect_deadlock()
                self.changed.wait_for(lambda: len(exchange_state.values) == len(group) or self.is_stuck)
            if len(exchange_state.values) < len(group):
                missing = ", ".join(str(other) for other in group if other not in exchange_state.values)
                raise DeadlockError(f"{op.name}: device {device} waits for device(s) {missing} forever")
            exchange_state.readers += 1
            if exchange_state.readers == len(group):
                del self.exchanges[key]
            return [exchange_state.values[other] for other in group]

    def leave(self) -> None:
        """Record that a device has ended its program."""
        with self.changed:
            self.running -= 1
            self.detect_deadlock()

    def detect_deadlock(self) -> None:
        """Detect a deadlock: all running devices wait."""
        if self.running and self.waiting == self.running:
            self.is_stuck = True
            self.changed.notify_all()


@dataclass(slots=True)
class Device:
    """One of the devices of `grid`; `times` counts its executions of each collective."""

    number: int
    grid: Grid
    rendezvous: Rendezvous
    times: Counter[Operation] = field(default_factory=Counter[Operation])

    @property
    def replica(self) -> int:
        """The replica of this device."""
        return self.number // self.grid.partitions

    @property
    def partition(self) -> int:
        """The partition of this device within its replica."""
        return self.number % self.grid.partitions

    def exchange(self, op: Operation, group: Group, values: Sequence[Value]) -> list[tuple[Value, ...]]:
        """The values of each device of `group`, which contains this one, for `op`."""
        self.times[op] += 1
        return self.rendezvous.exchange(op, self.times[op], group, self.number, values)


def alone() -> Device:
    """The device of a single-device program."""
    return Device(0, Grid(1, 1), Rendezvous(1))


def on_all_devices(grid: Grid, program: Callable[[Device], T]) -> list[T]:
    """
    What `program` returns for each device of `grid`, each in a thread of its own.

    A failing device blocks others, so its error takes precedence over theirs.
    """
    rendezvous = Rendezvous(grid.size)

    def run(number: int) -> T:
        try:
            return program(Device(number, grid, rendezvous))
        finally:
            rendezvous.leave()

    with ThreadPoolExecutor(max_workers=grid.size) as threads:
        results = [threads.submit(run, number) for number in range(grid.size)]
    errors = [error for result in results if (error := result.exception()) is not None]
    for error in sorted(errors, key=lambda error: isinstance(error, DeadlockError)):
        raise error
    return [result.result() for result in results]
