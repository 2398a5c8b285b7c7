"""
Events in the format of Chrome's traces, which https://ui.perfetto.dev shows, and those of a plan.

Source: "Trace Event Format" (Google, 2016): `X` is an event with a duration, `b` and `e` begin and end one that may
overlap others, `C` is a counter, `M` a name; times are in microseconds.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from xshardy.planning.collectives import Collective
from xshardy.planning.plan import Plan
from xshardy.planning.timeline import timeline
from xshardy.planning.topology import Topology
from xshardy.tools.output import write_text

Event = Mapping[str, object]


def write_events(path: Path, events: Iterator[Event]) -> None:
    """Write a trace to `path`. Raises `OSError`."""
    write_text(path, json.dumps({"traceEvents": [*events], "displayTimeUnit": "ns"}) + "\n")


def tracks(*names: str) -> Iterator[Event]:
    """The names of tracks, which are numbered from 0."""
    for number, name in enumerate(names):
        yield {"ph": "M", "name": "thread_name", "pid": 0, "tid": number, "args": {"name": name}}


def span(track: int, name: str, start: float, duration: float, details: Mapping[str, object]) -> Event:
    """An event on a track; times are in microseconds."""
    return {"ph": "X", "name": name, "pid": 0, "tid": track, "ts": start, "dur": duration, "args": details}


def plan_events(plan: Plan, topology: Topology) -> Iterator[Event]:
    """The operations of a plan on one device of `topology`, one after the other: computation, and collectives."""
    yield from tracks("computation", "collectives")
    for timed in timeline(plan, topology):
        what = timed.what
        if isinstance(what, Collective):
            name = f"{what.kind} of {what.tensor}"
            details = {"bytes": what.bytes, "along": what.axes, "needed by": timed.name, "cause": what.cause.text}
        else:
            name, details = timed.name, {"FLOP": what.products, "bytes": what.traffic}
        track = int(isinstance(what, Collective))
        yield span(track, name, timed.start * 1e6, timed.seconds * 1e6, details | {"executions": what.count})
