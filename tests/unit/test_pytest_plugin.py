"""`pytest --xshardy-plan`: a test fails if what it compiles sends or holds more than recorded."""

import json
import sys

import pytest
from fake_triton import write_fake_triton
from ptx_kernels import kernel

from xshardy.api import plan
from xshardy.ptx import Machine

pytest_plugins = ["pytester"]

DUMP = """\
module @jit_step attributes {{mhlo.num_partitions = 2 : i32}} {{
  sdy.mesh @mesh = <["x"=2]>
  func.func public @main(%arg0: tensor<{size}x8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{"x"}}, {{}}]>}})
      -> (tensor<8xf32> {{sdy.sharding = #sdy.sharding<@mesh, [{{}}]>}}) {{
    %cst = stablehlo.constant dense<0.0> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0]
        : (tensor<{size}x8xf32>, tensor<f32>) -> tensor<8xf32>
    return %0 : tensor<8xf32>
  }}
}}
"""
"""What JAX writes when it compiles a sum over the first dimension, which is divided between two devices."""

TESTS = """
import os
from pathlib import Path
import pytest

@pytest.mark.parametrize("number", (0, 1))
def test_step(number):
    (Path(os.environ["JAX_DUMP_IR_TO"]) / "jax_ir0000_jit_step_compile.mlir").write_text({dump!r})

def test_that_compiles_nothing():
    pass
"""

OF_JAX = """
import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding, PartitionSpec

jax.config.update("jax_num_cpu_devices", 2)

def test_step():
    mesh = jax.make_mesh((2,), ("x",), axis_types=(AxisType.Auto,))
    x = jax.device_put(np.ones((4, 8), np.float32), NamedSharding(mesh, PartitionSpec("x")))
    step(x)

@jax.jit
def step(x):
    return x.sum(0)

test_it_again = test_step
"""


STEP = kernel(
    """
  mul.wide.u32 %rd3, %r1, 4;
  add.s64 %rd4, %rd1, %rd3;
  ld.global.u32 %r4, [%rd4+4];
  BARRIER
  st.global.u32 [%rd4], %r4;
""",
    parameters=1,
)


@pytest.fixture(scope="module", autouse=True)
def imported_modules() -> None:
    """Import what plans and checks before the runs in this process, which forget the modules that they import."""
    plan(DUMP.format(size=4))
    Machine(STEP.replace("BARRIER", ""))


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delitem(sys.modules, "jax", raising=False)  # other tests keep what it has compiled
    pytester.makepyfile(test_model=TESTS.format(dump=DUMP.format(size=4)))
    return pytester


def run(suite: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return suite.runpytest_inprocess("-p", "xshardy.pytest_plugin", *arguments)


def recorded(suite: pytest.Pytester) -> dict[str, dict[str, dict[str, int]]]:
    return json.loads((suite.path / "xshardy_plans.json").read_text())


def test_a_test_fails_when_its_function_sends_or_holds_more(suite: pytest.Pytester):
    run(suite, "--xshardy-plan-update").assert_outcomes(passed=3)
    of_step = {"step": {"sent": 32, "peak": 96}}
    assert recorded(suite) == {f"test_model.py::test_step[{number}]": of_step for number in (0, 1)}
    run(suite, "--xshardy-plan").assert_outcomes(passed=3)

    suite.makepyfile(test_model=TESTS.format(dump=DUMP.format(size=400)))
    grown = run(suite, "--xshardy-plan", "-k", "step")
    grown.assert_outcomes(failed=2, deselected=1)
    grown.stdout.fnmatch_lines(["step holds * bytes per device, and by its recorded plan 96: *", "  * bytes: *"])
    grown.stdout.fnmatch_lines([r"*pytest --xshardy-plan-update test_model.py::test_step[[]1]"])
    assert "step sends" not in grown.stdout.str()

    run(suite, "--xshardy-plan-update", "-k", "0").assert_outcomes(passed=1, deselected=2)
    found = recorded(suite)
    assert found["test_model.py::test_step[1]"] == of_step != found["test_model.py::test_step[0]"]


def test_less_is_no_failure_and_a_missing_record_is_named(suite: pytest.Pytester):
    plans = {"test_model.py::test_step[0]": {"step": {"sent": 16, "peak": 1000}}}
    (suite.path / "xshardy_plans.json").write_text(json.dumps(plans))
    result = run(suite, "--xshardy-plan")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["step sends 32 bytes per device, and by its recorded plan 16: 16 B more"])
    result.stdout.fnmatch_lines(["  1 x all-reduce of *: * reduces over a sharded dimension: *"])
    result.stdout.fnmatch_lines(["xshardy: 1 compiled functions have no recorded plan: *"])


def test_what_is_refused_is_a_warning(suite: pytest.Pytester):
    suite.makepyfile(test_model=TESTS.format(dump=DUMP.format(size=4).replace("reduce(", "reduces(")))
    result = run(suite, "--xshardy-plan")
    result.assert_outcomes(passed=3, warnings=2)
    result.stdout.fnmatch_lines(["*PytestWarning: step has no plan: *"])


def test_without_an_option_nothing_is_recorded(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("JAX_DUMP_IR_TO", str(suite.path))
    run(suite).assert_outcomes(passed=3)
    assert not (suite.path / "xshardy_plans.json").exists()


@pytest.mark.processes
def test_what_jax_compiles_is_seen_in_every_test(suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("JAX_PLATFORMS", "cpu")
    suite.makepyfile(test_model=OF_JAX)
    suite.runpytest_subprocess("-p", "xshardy.pytest_plugin", "--xshardy-plan-update").assert_outcomes(passed=2)
    figures = recorded(suite)
    assert figures["test_model.py::test_step"]["step"] == {"sent": 32, "peak": 96}
    assert figures["test_model.py::test_step"] == figures["test_model.py::test_it_again"]


CHECKED = """
import numpy as np
import pytest

KERNEL = {kernel!r}

@pytest.mark.parametrize("barrier", ["bar.sync 0;", ""])
def test_sum(ptx_check, tmp_path, barrier):
    (tmp_path / "k.ptx").write_text(KERNEL.replace("BARRIER", barrier))
    x = np.arange(65, dtype=np.int32)
    ptx_check(tmp_path / "k.ptx", [1], [64], [x], schedules=2)
    assert x[0] == 1
"""


def test_a_test_fails_with_the_faults_of_a_kernel(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(test_checked_kernels=CHECKED.format(kernel=STEP))
    found = run(pytester)
    found.assert_outcomes(passed=1, failed=1)
    assert any("k.ptx:20: error: race: " in line for line in found.outlines)
    assert not any("pytest_plugin.py" in line for line in found.outlines)


OF_TRITON = """
import pytest
import torch
import triton

@triton.jit
def step(x: "*i32"):
    return {kernel!r}

@pytest.mark.parametrize("last", [0, 1])
def test_step(ptx_check, last):
    x = torch.arange(64 + last)
    with ptx_check.triton("sm_80"):
        step[(1, 1, 1)](x)
    assert x.data[0] == 1
"""


def test_launches_of_triton_in_a_test_are_checked(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    body = "  mul.wide.u32 %rd3, %r1, 4;\n  add.s64 %rd4, %rd1, %rd3;\n  ld.global.u32 %r4, [%rd4+4];\n  bar.sync 0;\n"
    pytester.makepyfile(
        test_kernel=OF_TRITON.format(kernel=kernel(body + "  st.global.u32 [%rd4], %r4;", parameters=1))
    )
    write_fake_triton(pytester.path)
    found = pytester.runpytest_subprocess("-p", "xshardy.pytest_plugin")
    found.assert_outcomes(passed=1, failed=1)
    assert any("triton:1: error: access out of bounds: thread (63, 0, 0)" in line for line in found.outlines)
