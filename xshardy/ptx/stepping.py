"""A schedule that a debugger follows instruction by instruction, and its groups of threads."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.control import Control
from xshardy.ptx.decode import Step
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.schedule import Schedule


class SteppedSchedule(Schedule):
    """A schedule that tells `before` the number of each instruction before the active threads execute it."""

    def __init__(self, before: Callable[[Schedule, int], None], *arguments: Any, **options: Any):
        super().__init__(*arguments, **options)
        self._before, self.selects = before, False
        steps = (self._told(step, at) for at, step in enumerate(self.program.steps))
        self.program = replace(self.program, steps=(told := tuple(steps)), runs=self.program.runs.with_steps(told))

    def _told(self, step: Step | Control, at: int) -> Step | Control:
        if isinstance(step, Control):
            return step

        def told(lanes: Lanes) -> None:
            self._before(self, at)
            step(lanes)

        return told

    def _after(self, control: Step | Control, at: int) -> int | None:
        self._before(self, at)
        return super()._after(control, at)


class Group(NamedTuple):
    """Threads at one instruction."""

    at: int | None
    """The number of the instruction; None if they have ended."""
    mask: Array
    doing: str
    """What they do there, or wait for."""


def groups(schedule: Schedule) -> Iterator[Group]:
    """The groups that do not run."""
    for at, mask in sorted(schedule.ready.items()):
        yield Group(at, mask, "can go on")
    for waiting in schedule.waiting:
        there = np.sum([other.mask.sum(axis=1) for other in schedule.waiting if other.number == waiting.number], axis=0)
        arrived = ", ".join(str(count) for count in np.unique(there[waiting.mask.any(axis=1)]))
        doing = f"wait at barrier {waiting.number}, where {arrived} threads of {waiting.count} are"
        yield Group(waiting.at, waiting.mask, doing if waiting.barrier.waits else doing.replace("wait", "have arrived"))
    for testing in schedule.testing:
        yield Group(testing.at, testing.mask, schedule.described(testing, int(np.argmax(testing.mask))))
    for spinning in schedule.spinning:
        yield Group(spinning.at, spinning.mask, "wait in a loop until memory changes")
    for at, mask in sorted(schedule.held.items()):
        yield Group(at, mask, "wait for threads of their warps, which wait in a loop")
    for at, mask in sorted(schedule.meeting.items()):
        yield Group(at, mask, "wait for the threads of their warps that their member masks name")
    if schedule.exited.any():
        yield Group(None, schedule.exited, "have ended")
