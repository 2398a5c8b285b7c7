"""A launch plan as the events of Chrome's traces."""

from collections.abc import Iterator, Mapping, Sequence

from xshardy.launch.launch_plan import AsyncDoneStep, AsyncStartStep, Call, LaunchPlan, LaunchStep, walk
from xshardy.tools.chrome_trace import Event, span, tracks


def launch_events(plan: LaunchPlan) -> Iterator[Event]:
    """
    The steps of a launch plan, and the bytes of memory that are in use. A microsecond is a step, whatever it takes.

    A loop or a branch is around its steps. What runs beside others has its steps on another track, and a span from its
    start to the step that waits for it.
    """
    yield from tracks("steps", "asynchronous")
    yield from _step_events(0, plan.steps, _ends(plan))
    changes = [0] * (len([*plan.all_steps()]) + 1)
    for buffer, place in plan.assignment.slices.items():
        first, last = plan.lifetime(buffer.lifetime)
        changes[first] += place.size
        changes[last + 1] -= place.size
    alive = 0
    for number, change in enumerate(changes):
        alive += change
        yield {"ph": "C", "name": "memory", "pid": 0, "ts": number, "args": {"bytes": alive}}


def _ends(plan: LaunchPlan) -> Mapping[str, int]:
    """The number of the step that waits for each asynchronous start."""
    return {step.start: step.number for step in plan.all_steps() if isinstance(step, AsyncDoneStep)}


def _step_events(track: int, steps: Sequence[LaunchStep], ends: Mapping[str, int]) -> Iterator[Event]:
    for step in steps:
        inside = len([*walk([inner for each in step.inner for inner in each])])
        details: dict[str, object] = {"kind": step.kind}
        if isinstance(step, Call):
            details["reads"] = [argument.leaf.shape_text for argument in step.operands]
            details["writes"] = [argument.leaf.shape_text for argument in step.results]
        if isinstance(step, AsyncStartStep):
            yield span(track, step.name, step.number, 1, details)
            flight = {"name": step.name, "cat": "in flight", "id": step.number, "pid": 0}
            yield {"ph": "b", "ts": step.number} | flight
            yield {"ph": "e", "ts": ends.get(step.name, step.number + inside) + 1} | flight
            yield from _step_events(1, step.steps, ends)
            continue
        yield span(track, step.name, step.number, 1 + inside, details)
        for inner in step.inner:
            yield from _step_events(track, inner, ends)
