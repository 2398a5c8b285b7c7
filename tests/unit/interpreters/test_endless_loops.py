"""Loops that never end are said, by the evaluator and by launch plans; loops that end are left alone."""

from pathlib import Path

import numpy as np
import pytest
from xdsl.utils.exceptions import DiagnosticException

import xshardy
from xshardy.dialects.stablehlo import WhileOp
from xshardy.interpreters.stablehlo import endless_loops
from xshardy.interpreters.stablehlo.endless_loops import FIRST_CHECK, LoopWatch, deciding_values
from xshardy.rewriting.walk import operations_of
from xshardy.tools.cli import main

CONSTANT_CONDITION = """HloModule endless

body {
  s = (f32[4]) parameter(0)
  x = f32[4] get-tuple-element(s), index=0
  y = f32[4] negate(x)
  ROOT t = (f32[4]) tuple(y)
}

condition {
  s = (f32[4]) parameter(0)
  ROOT c = pred[] constant(true)
}

ENTRY main {
  x = f32[4] parameter(0)
  s = (f32[4]) tuple(x)
  ROOT w = (f32[4]) while(s), condition=condition, body=body
}
"""


def counted(next: str, limit: str = "100") -> str:
    """A loop on a counter, from 0; `next` computes it from `%i`."""
    return f"""
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<i32>) {{
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %n = stablehlo.constant dense<{limit}> : tensor<i32>
  %r:2 = stablehlo.while(%i = %zero, %s = %x) : tensor<i32>, tensor<4xf32>
  cond {{
    %p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }} do {{
    %j = stablehlo.{next} : tensor<i32>
    %t = stablehlo.negate %s : tensor<4xf32>
    stablehlo.return %j, %t : tensor<i32>, tensor<4xf32>
  }}
  return %r#1, %r#0 : tensor<4xf32>, tensor<i32>
}}
"""


def loop_of(text: str) -> WhileOp:
    (loop,) = operations_of(xshardy.parse(text), WhileOp)
    return loop


@pytest.mark.parametrize("options", [["--check", "--fuse"], ["--on", "simulated"], ["--on", "kernels", "--check"]])
def test_a_condition_that_is_always_true(options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "endless.hlo"
    file.write_text(CONSTANT_CONDITION)
    assert main(["run", *options, str(file)]) == 1
    message = capsys.readouterr().err
    assert "loop w (endless.hlo:18): it never ends: its condition is always true" in message
    assert message.count("\n") == 1 and "Traceback" not in message


def test_compiled_programs():
    program = xshardy.compile_program(CONSTANT_CONDITION)
    with pytest.raises(DiagnosticException, match=r"loop w .*:18\): it never ends: its condition is always true"):
        program.run([np.ones(4, np.float32)])


@pytest.mark.parametrize("options", [["--fuse"], ["--on", "simulated"]])
def test_a_counter_that_stays(options: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "stays.mlir"
    file.write_text(counted("add %i, %zero"))
    assert main(["run", *options, str(file)]) == 1
    message = capsys.readouterr().err
    assert "(stays.mlir:6): it never ends: iteration 17 begins with the values of an earlier one" in message


@pytest.mark.parametrize("period", [1, 3, 100])
def test_a_cycle_of_any_length_is_found(period: int):
    watch = LoopWatch(loop_of(counted("multiply %i, %i")))
    with pytest.raises(DiagnosticException, match="it never ends: iteration"):
        for step in range(1000):
            watch.iterate(lambda index, step=step: step % period)
    assert watch.iterations <= 4 * (FIRST_CHECK + period)


def test_a_counter_that_goes_the_other_way():
    with pytest.raises(DiagnosticException, match="its counter starts at 0 and steps by -1, away from 100"):
        xshardy.run(counted("subtract %i, %one"), on="simulated")


def test_a_counter_that_passes_its_limit():
    with pytest.raises(DiagnosticException, match="its counter starts at 0 and steps by 1, away from -1"):
        xshardy.run(counted("add %i, %one", limit="-1").replace("compare LT", "compare NE"), on="simulated")
    with pytest.raises(DiagnosticException, match="its counter starts at 0 and steps by 7, past 16"):
        seven = counted("add %i, %one", limit="16").replace("dense<1>", "dense<7>")
        xshardy.run(seven.replace("compare LT", "compare NE"), on="simulated")


FUSED_COUNTER = """HloModule runaway

fused_step {
  i = s32[] parameter(0)
  m = s32[] constant(-1)
  ROOT j = s32[] add(i, m)
}

fused_end {
  i = s32[] parameter(0)
  n = s32[] constant(100)
  ROOT c = pred[] compare(i, n), direction=LT
}

body {
  s = (s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  j = s32[] fusion(i), kind=kLoop, calls=fused_step
  ROOT t = (s32[]) tuple(j)
}

condition {
  s = (s32[]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  ROOT c = pred[] fusion(i), kind=kLoop, calls=fused_end
}

ENTRY main {
  x = s32[] parameter(0)
  z = s32[] constant(0)
  s = (s32[]) tuple(z)
  ROOT w = (s32[]) while(s), condition=condition, body=body
}
"""


def test_a_counter_that_runs_away_in_kernels():
    program = xshardy.compile_program(FUSED_COUNTER)
    with pytest.raises(DiagnosticException, match="its counter starts at 0 and steps by -1, away from 100"):
        program.run([np.zeros((), np.int32)])


def test_a_loop_is_given_up(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(endless_loops, "MAX_ITERATIONS", 50)
    watch = LoopWatch(loop_of(counted("multiply %i, %i")), limit=50)
    with pytest.raises(DiagnosticException, match="it is given up after 50 iterations: its condition is still true"):
        for step in range(60):
            watch.iterate(lambda index, step=step: step)
    known = LoopWatch(loop_of(counted("add %i, %one")), limit=50)
    for step in range(100):
        known.iterate(lambda index, step=step: step)
    with pytest.raises(DiagnosticException, match="it is given up after 100 iterations"):
        known.iterate(lambda index: 100)


@pytest.mark.parametrize("next", ["add %i, %one", "subtract %i, %n"])
def test_a_loop_that_ends(next: str):
    """Also by an overflow, after three steps of -2^30."""
    run = xshardy.run(counted(next, limit=str(1 << 30) if "subtract" in next else "100"), on="simulated", check=True)
    assert run.agrees


def test_what_decides_about_the_end_of_a_loop():
    assert deciding_values(loop_of(counted("add %i, %one"))) == [0]
    assert deciding_values(loop_of(counted("add %zero, %one"))) == [0]
    by_way_of_the_body = counted("add %i, %one").replace(
        "%j = stablehlo.add %i, %one : tensor<i32>",
        "%k = stablehlo.slice %s [0:1] : (tensor<4xf32>) -> tensor<1xf32>\n"
        "    %l = stablehlo.reshape %k : (tensor<1xf32>) -> tensor<f32>\n"
        "    %j = stablehlo.convert %l : (tensor<f32>) -> tensor<i32>",
    )
    assert sorted(deciding_values(loop_of(by_way_of_the_body)) or ()) == [0, 1]
    random = counted("add %i, %one").replace(
        "%j = stablehlo.add %i, %one : tensor<i32>",
        "%shape = stablehlo.constant dense<> : tensor<0xi64>\n"
        "    %j = stablehlo.rng %zero, %n, %shape, distribution = UNIFORM\n"
        "      : (tensor<i32>, tensor<i32>, tensor<0xi64>) -> tensor<i32>",
    )
    assert deciding_values(loop_of(random)) is None


def test_what_a_called_condition_reads():
    text = counted("add %i, %one").replace(
        "%p = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>",
        "%p = func.call @always(%i, %s) : (tensor<i32>, tensor<4xf32>) -> tensor<i1>",
    )
    always = """
func.func private @always(%i: tensor<i32>, %s: tensor<4xf32>) -> tensor<i1> {
  %t = stablehlo.constant dense<true> : tensor<i1>
  return %t : tensor<i1>
}
"""
    assert deciding_values(loop_of(text + always)) == []
    with pytest.raises(DiagnosticException, match="its condition is always true"):
        xshardy.run(text + always, on="simulated")


def test_random_errors_may_end_a_loop_that_repeats():
    """With random errors, equal values are no reason that the next ones are equal, too."""
    watch = LoopWatch(loop_of(counted("multiply %i, %i")), finds_cycles=False)
    for _ in range(100):
        watch.iterate(lambda index: 0)
    converges = """
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %r:2 = stablehlo.while(%a = %two, %b = %zero) : tensor<f32>, tensor<f32>
  cond {
    %p = stablehlo.compare NE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    %c = stablehlo.cosine %a : tensor<f32>
    stablehlo.return %c, %a : tensor<f32>, tensor<f32>
  }
  return %r#0 : tensor<f32>
}
"""
    assert xshardy.run(converges, on="simulated").results[0] == pytest.approx(0.739085, abs=1e-5)
