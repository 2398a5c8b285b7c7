"""Traces for Chrome and Perfetto: the events of plans and of launch plans."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import xshardy
from xshardy.hlo_text import read_hlo
from xshardy.launch.checked_run import planned
from xshardy.planning.topology import H100
from xshardy.tools.chrome_trace import plan_events
from xshardy.tools.cli import main
from xshardy.tools.launch_trace import launch_events

EXAMPLES = Path(__file__).parents[3] / "examples"

LOOP = """
sdy.mesh @mesh = <["x"=4]>
func.func private @layer(%a: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = stablehlo.dot %a, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = stablehlo.tanh %0 : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
func.func @main(%a: tensor<8x8xf32>, %w: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> tensor<8x8xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %c = %a) : tensor<i32>, tensor<8x8xf32>
  cond {
    %go = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  } do {
    %next = stablehlo.add %i, %one : tensor<i32>
    %d = func.call @layer(%c, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    stablehlo.return %next, %d : tensor<i32>, tensor<8x8xf32>
  }
  %last = func.call @layer(%r#1, %w) : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %last : tensor<8x8xf32>
}
"""
"""A function that a loop calls three times, and what follows it once."""

IN_FLIGHT = """HloModule m, is_scheduled=true
negative { p = f32[300] parameter(0)
  ROOT n = f32[300] negate(p) }
doubled { p = f32[300] parameter(0)
  ROOT d = f32[300] add(p, p) }
first { p = f32[300] parameter(0)
  ROOT f = f32[300] fusion(p), kind=kLoop, calls=negative }
second { p = f32[300] parameter(0)
  ROOT f = f32[300] fusion(p), kind=kLoop, calls=negative }
ENTRY e {
  x = f32[300] parameter(0)
  start0 = ((f32[300]), f32[300]) async-start(x), calls=first
  start1 = ((f32[300]), f32[300]) async-start(x), calls=second
  y = f32[300] fusion(x), kind=kLoop, calls=doubled
  done0 = f32[300] async-done(start0), calls=first
  done1 = f32[300] async-done(start1), calls=second
  ROOT r = (f32[300], f32[300], f32[300]) tuple(y, done0, done1)
}
"""

Events = list[Mapping[str, Any]]

NUMBER = (int, float)
FIELDS: Mapping[str, Mapping[str, Any]] = {
    "X": {"name": str, "ph": str, "pid": int, "tid": int, "ts": NUMBER, "dur": NUMBER, "args": dict},
    "b": {"name": str, "ph": str, "pid": int, "ts": NUMBER, "cat": str, "id": int},
    "e": {"name": str, "ph": str, "pid": int, "ts": NUMBER, "cat": str, "id": int},
    "C": {"name": str, "ph": str, "pid": int, "ts": NUMBER, "args": dict},
    "M": {"name": str, "ph": str, "pid": int, "tid": int, "args": dict},
}
"""By phase, the fields of an event that "Trace Event Format" asks for, and their types in JSON."""


def check_format(text: str) -> None:
    """Check that a file is a trace: an object with events that have the fields of their phase."""
    trace = json.loads(text)
    assert trace.keys() == {"traceEvents", "displayTimeUnit"} and trace["displayTimeUnit"] in ("ms", "ns")
    flights = dict[tuple[str, int], float]()
    for event in trace["traceEvents"]:
        fields = FIELDS[event["ph"]]
        assert event.keys() == fields.keys()
        assert all(isinstance(event[name], kind) for name, kind in fields.items())
        assert event.get("ts", 0) >= 0 and event.get("dur", 0) >= 0
        if event["ph"] == "C":
            assert event["args"] and all(isinstance(value, NUMBER) for value in event["args"].values())
        if event["ph"] == "b":
            flights[event["cat"], event["id"]] = event["ts"]
        if event["ph"] == "e":
            assert flights.pop((event["cat"], event["id"])) <= event["ts"]
    assert not flights


def spans(events: Events) -> dict[str, tuple[float, float]]:
    """By name, when each event with a duration begins and ends."""
    return {each["name"]: (each["ts"], each["ts"] + each["dur"]) for each in events if each["ph"] == "X"}


def test_the_operations_of_a_plan_end_at_its_estimate():
    plan = xshardy.plan(LOOP)
    found = [each for each in plan_events(plan, H100) if each["ph"] == "X"]
    at = 0.0
    for each in found:
        assert each["ts"] == pytest.approx(at)
        at += each["dur"]
    assert at == pytest.approx(1e6 * plan.estimate(H100).total)
    counts = [each["args"]["executions"] for each in found if "dot" in each["name"]]
    assert sorted(counts) == [1, 3]
    reduced = [each for each in found if each["tid"] == 1]
    assert sum(each["args"]["bytes"] * each["args"]["executions"] for each in reduced) == plan.bytes > 0
    assert {"needed by", "cause", "along"} <= reduced[0]["args"].keys()


def test_steps_are_inside_of_the_loop_that_has_them():
    plan = planned(read_hlo((EXAMPLES / "decode_loop.hlo").read_text()), "sm_90")
    events = [*launch_events(plan)]
    steps = spans(events)
    (start, end), (first, last) = steps["loop"], steps["cache.1"]
    assert start < first < last < end and steps["empty"] == (0, 1)
    memory = [each["args"]["bytes"] for each in events if each["ph"] == "C"]
    assert len(memory) == len([*plan.all_steps()]) + 1
    assert 0 < max(memory) <= plan.assignment.total_bytes and memory[-1] == 0


def test_what_is_in_flight_overlaps():
    events = [*launch_events(planned(read_hlo(IN_FLIGHT), "sm_90"))]
    flights = {(each["ph"], each["name"]): each["ts"] for each in events if each["ph"] in "be"}
    assert flights["b", "start1"] < flights["e", "start0"] <= flights["e", "start1"]
    between = spans(events)["y"]
    assert flights["b", "start1"] < between[0] < between[1] <= flights["e", "start0"]
    assert [each["tid"] for each in events if each["ph"] == "X" and each["name"].startswith("f")] == [1, 1]


def test_commands_write_traces(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "trace.json"
    assert main(["plan", str(EXAMPLES / "mlp.mlir"), "--chrome-trace", str(file)]) == 0
    check_format(file.read_text())
    names = [each["name"] for each in json.loads(file.read_text())["traceEvents"]]
    assert names[2:] == [*(f"stablehlo.{op}" for op in ("dot (line 8)", "tanh (line 9)", "dot (line 10)")), names[-1]]
    assert names[-1] == "all-reduce of %2 (line 10)"
    hlo = tmp_path / "m.hlo"
    hlo.write_text(IN_FLIGHT)
    assert main(["compile", str(hlo), "-o", str(tmp_path / "out"), "--chrome-trace", str(file)]) == 0
    check_format(file.read_text())
    assert "start0" in file.read_text()
    assert main(
        ["compile", str(hlo), "--fusion", "doubled", "-o", str(tmp_path / "x.ptx"), "--chrome-trace", str(file)]
    )
    assert "single kernels have no launch plan" in capsys.readouterr().err
