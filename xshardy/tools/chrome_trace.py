"""
Events in the format of Chrome's traces, which https://ui.perfetto.dev shows: of a plan, and of a launch plan.

Source: "Trace Event Format" (Google, 2016): `X` is an event with a duration, `b` and `e` begin and end one that may
overlap others, `C` is a counter, `M` a name; times are in microseconds.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from xshardy.launch.launch_plan import AsyncDoneStep, AsyncStartStep, Call, LaunchPlan, LaunchStep, walk
from xshardy.planning.collectives import Collective
from xshardy.planning.plan import Plan
from xshardy.planning.timeline import timeline
from xshardy.planning.topology import Topology
from xshardy.tools.output import write_text

Event = Mapping[str, object]


def write_events(path: Path, events: Iterator[Event]) -> None:
    """Write a trace to `path`. Raises `OSError`."""
    write_text(path, json.dumps({"traceEvents": [*events], "displayTimeUnit": "ns"}) + "\n")


def _tracks(*names: str) -> Iterator[Event]:
    for number, name in enumerate(names):
        yield {"ph": "M", "name": "thread_name", "pid": 0, "tid": number, "args": {"name": name}}


def _span(track: int, name: str, start: float, duration: float, details: Mapping[str, object]) -> Event:
    return {"ph": "X", "name": name, "pid": 0, "tid": track, "ts": start, "dur": duration, "args": details}


def plan_events(plan: Plan, topology: Topology) -> Iterator[Event]:
    """The operations of a plan on one device of `topology`, one after the other: computation, and collectives."""
    yield from _tracks("computation", "collectives")
    for timed in timeline(plan, topology):
        what = timed.what
        if isinstance(what, Collective):
            name = f"{what.kind} of {what.tensor}"
            details = {"bytes": what.bytes, "along": what.axes, "needed by": timed.name, "cause": what.cause.text}
        else:
            name, details = timed.name, {"FLOP": what.products, "bytes": what.traffic}
        track = int(isinstance(what, Collective))
        yield _span(track, name, timed.start * 1e6, timed.seconds * 1e6, details | {"executions": what.count})


def launch_events(plan: LaunchPlan) -> Iterator[Event]:
    """
    The steps of a launch plan, and the bytes of memory that are in use. A microsecond is a step, whatever it takes.

    A loop or a branch is around its steps. What runs beside others has its steps on another track, and a span from its
    start to the step that waits for it.
    """
    yield from _tracks("steps", "asynchronous")
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
            yield _span(track, step.name, step.number, 1, details)
            flight = {"name": step.name, "cat": "in flight", "id": step.number, "pid": 0}
            yield {"ph": "b", "ts": step.number} | flight
            yield {"ph": "e", "ts": ends.get(step.name, step.number + inside) + 1} | flight
            yield from _step_events(1, step.steps, ends)
            continue
        yield _span(track, step.name, step.number, 1 + inside, details)
        for inner in step.inner:
            yield from _step_events(track, inner, ends)
