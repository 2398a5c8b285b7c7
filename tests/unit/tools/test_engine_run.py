"""`xshardy run --on`: its table, its diagnostics, and what its options exclude."""

import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass
from xdsl.rewriter import Rewriter

from xshardy.dialects.stablehlo.elementwise_unary import NegOp
from xshardy.engines import checked_run, first_difference
from xshardy.engines.engine import Engine
from xshardy.engines.kernels import Kernels
from xshardy.numerics.element_types import Array
from xshardy.programs import partitioned
from xshardy.programs.partitioned import PartitionedProgram
from xshardy.tools.cli import main

EXAMPLES = Path(__file__).parents[3] / "examples"

PROGRAM = """
sdy.mesh @mesh = <["data"=2, "model"=2]>
func.func @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"data"}, {}]>},
                %w: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"model"}, {}]>}) -> tensor<4x4xf32> {
  %0 = stablehlo.dot %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
"""

TANH = """%1 = stablehlo.tanh %0 : tensor<4x4xf32>
  %2 = stablehlo.abs %1 : tensor<4x4xf32>
  return %2"""

OF_JAX = """
import jax
import jax.numpy as jnp

def program():
    return jax.jit(lambda x: jnp.tanh(x) + 1).lower(jnp.ones(4))
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.mlir"
    path.write_text(PROGRAM)
    return str(path)


def test_results_are_a_table(program: str, capsys: pytest.CaptureFixture[str]):
    assert main(["run", program, "--on", "simulated", "--check", "--mesh", "model=4"]) == 0
    shown = capsys.readouterr()
    assert "agrees" in shown.out and '[{"data"}, {}]' in shown.out and "8 devices" in shown.out and shown.err == ""
    assert main(["run", program, "--on", "simulated", "--seed", "1"]) == 0
    assert "..." in capsys.readouterr().out


def test_a_function_of_a_python_file_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    (tmp_path / "model.py").write_text(OF_JAX)
    assert main(["run", f"{tmp_path}/model.py:program", "--on", "simulated", "--mesh", "x=2", "--check"]) == 0
    assert "2 devices" in capsys.readouterr().out


@pytest.mark.parametrize(("file", "what"), [("gelu", "26: error: hlo.fusion"), ("two_devices", " error: hlo.all_red")])
def test_a_module_that_xla_has_fused_or_scheduled_is_not_partitioned(
    file: str, what: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["run", str(EXAMPLES / f"{file}.hlo"), "--on", "simulated"]) == 1
    error = capsys.readouterr().err
    assert f"{file}.hlo:{what}" in error and "this module already: take the program from before that" in error


CALLING_BACK = """
import jax
import jax.numpy as jnp

def traced(x):
    jax.debug.print("{}", x)
    return x + 1

def program():
    return jax.jit(traced).lower(jnp.ones(4))
"""


@pytest.mark.parametrize("engine", ["simulated", "kernels", "pjrt"])
def test_a_callback_into_python_is_refused_with_its_line(
    engine: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    """XLA would crash: the callback is of the process that traced the function."""
    (tmp_path / "model.py").write_text(CALLING_BACK)
    assert main(["run", f"{tmp_path}/model.py:program", "--on", engine]) == 1
    shown = capsys.readouterr()
    assert "model.py:6: error: stablehlo.custom_call @xla_ffi_python_cpu_callback: a Python callback" in shown.err
    assert "take the callback out of the function" in shown.err and shown.out == ""


@pytest.mark.parametrize("level", ["xla_gpu", "ptx"])
def test_kernels_agree(program: str, level: str, capsys: pytest.CaptureFixture[str]):
    assert main(["run", program, "--on", "kernels", "--level", level, "--check"]) == 0
    shown = capsys.readouterr()
    assert "agrees" in shown.out and "4 devices" in shown.out and shown.err == ""


def test_xla_agrees(program: str, capsys: pytest.CaptureFixture[str]):
    assert main(["run", program, "--on", "pjrt", "--check"]) == 0
    assert "agrees" in capsys.readouterr().out


def test_a_wrong_result_is_an_error(program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def wrong(engine: Engine, given: object, arguments: object) -> list[list[Array]]:
        parts = run_program(engine, given, arguments)  # pyright: ignore
        return [[part + 1 for part in of_result] for of_result in parts]

    run_program = checked_run.run_program
    monkeypatch.setattr(checked_run, "run_program", wrong)
    assert main(["run", program, "--on", "simulated", "--check"]) == 1
    shown = capsys.readouterr()
    assert "differs" in shown.out and f"{program}: error: result 0: 16 of 16 elements differ" in shown.err


def test_a_wrong_result_of_an_engine_is_said_to_be_its_fault(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    execute = Kernels.execute

    def wrong(self: Kernels, program: PartitionedProgram, arguments: Sequence[Sequence[Array]]) -> list[list[Array]]:
        return [[part + 1 for part in of_device] for of_device in execute(self, program, arguments)]

    monkeypatch.setattr(Kernels, "execute", wrong)
    assert main(["run", program, "--on", "kernels", "--check"]) == 1
    assert f"{program}: note: the simulated mesh agrees with the reference" in capsys.readouterr().err
    assert main(["run", program, "--on", "simulated", "--check"]) == 0


class WrongTanh(ModulePass):
    """A fault: `tanh` of a part becomes its negation."""

    name = "wrong-tanh"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for tanh in [inner for inner in op.walk() if inner.name == "stablehlo.tanh"]:
            Rewriter.replace_op(tanh, NegOp.create(operands=tanh.operands, result_types=tanh.result_types))


def test_the_first_wrong_operation_has_its_place(
    program: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    text = PROGRAM.replace("return %0", TANH)
    Path(program).write_text(text)
    for module in (partitioned, first_difference):
        monkeypatch.setattr(module, "PARTITIONING", (*partitioned.PARTITIONING, WrongTanh()))
    assert main(["run", program, "--on", "simulated", "--check"]) == 1
    line = 1 + text[: text.index("stablehlo.tanh")].count("\n")
    assert f"{program}:{line}: note: the first difference is in stablehlo.tanh, result 0" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--mesh", "data=2"], "--mesh is for programs: say where, with"),
        (["--time-out", "3"], "--time-out is for programs"),
        (["--on", "simulated", "--fusion", "f"], "--fusion is for fusions"),
        (["--on", "simulated", "--abs_error_bound", "0"], "--abs_error_bound is for fusions"),
        (["--on", "simulated", "--fuse"], "--fuse makes kernels, which all devices"),
        (["--on", "kernels", "--levels", "all"], "--levels is for fusions"),
        (["--on", "simulated", "--processes", "2"], "--processes is for engine pjrt"),
        (["--on", "pjrt", "--coordinator", "host:1"], "--coordinator, --process-id and --processes together"),
        (["--on", "pjrt", "--process-id", "0", "--processes", "2"], "--coordinator, --process-id and --processes"),
    ],
)
def test_options_that_do_not_go_together_are_one_diagnostic(
    program: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["run", program, *options]) == 2
    shown = capsys.readouterr()
    assert message in shown.err and shown.err.count("error:") == 1 and shown.out == ""


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--on", "pjrt", "--processes", "3"], "4 devices cannot be divided among 3 processes"),
        (["--on", "simulated", "--mesh", "rows=2"], 'no mesh of the module has an axis "rows"'),
    ],
)
def test_options_that_do_not_fit_the_program_are_one_diagnostic(
    program: str, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
):
    assert main(["run", program, *options]) == 1
    shown = capsys.readouterr()
    assert message in shown.err and shown.err.count("error:") == 1 and shown.out == ""


@pytest.mark.parametrize("mesh", ["", "data", "data=0", "data=x", "data=2,data=3", "=3"])
def test_a_mesh_is_a_list_of_sizes(program: str, mesh: str, capsys: pytest.CaptureFixture[str]):
    with pytest.raises(SystemExit):
        main(["run", program, "--on", "simulated", "--mesh", mesh])
    assert "such as data=2,model=4" in capsys.readouterr().err


def test_a_refused_operation_has_its_place(program: str, capsys: pytest.CaptureFixture[str]):
    Path(program).write_text(PROGRAM.replace("stablehlo.dot %x, %w", '"test.unknown"(%x, %w)'))
    assert main(["run", program, "--on", "simulated"]) == 1
    assert "test.unknown" in capsys.readouterr().err


def test_a_process_that_waits_for_others_gives_up(program: str):
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        coordinator = f"127.0.0.1:{listener.getsockname()[1]}"
    command = [sys.executable, "-m", "xshardy.tools.cli", "run", program, "--on", "pjrt", "--processes", "2"]
    command += ["--coordinator", coordinator, "--process-id", "0", "--time-out", "4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 1
    assert "error: no result after 4 s in process 0 of 2: others are missing" in done.stderr


PARALLEL = """
func.func @sum(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = "stablehlo.all_reduce"(%x) <{
    replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>,
    channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids
  }> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main() {
  %x = stablehlo.constant dense<[1.0, -0.5]> : tensor<2xf32>
  %y = stablehlo.constant dense<[2.0, -1.0]> : tensor<2xf32>
  %r:2 = "interpreter.run_parallel"(%x, %x) {programs = [[@sum, @sum]]}
    : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  check.expect_eq %r#0, %y : tensor<2xf32>
  check.expect_eq %r#1, %y : tensor<2xf32>
  return
}
"""


def test_programs_that_check_themselves(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    """As the executable tests of Shardy do: a grid of devices, and comparisons of what they return."""
    path = tmp_path / "parallel.mlir"
    path.write_text(PARALLEL)
    assert main(["run", str(path), "--on", "simulated"]) == 0
    path.write_text(PARALLEL.replace("-1.0", "-1.5"))
    assert main(["run", str(path), "--on", "simulated"]) == 1
    assert "the first: at [1] it is -1.0, expected -1.5" in capsys.readouterr().err
    path.write_text(PARALLEL.replace("[[@sum, @sum]]", "[[@sum, @mean]]"))
    assert main(["run", str(path), "--on", "simulated"]) == 1
    assert "no function @mean" in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    [
        """sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> tensor<8xf32> {
  %0 = stablehlo.add %x, %x : tensor<8xf32>
  %1 = stablehlo.negate %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}""",
        """HloModule m, num_partitions=2
ENTRY main {
  x = f32[8] parameter(0), sharding={devices=[2]<=[2]}
  y = f32[8] add(x, x)
  ROOT z = f32[8] negate(y)
}""",
    ],
    ids=["mlir", "hlo"],
)
def test_a_sharded_program_runs_on_the_simulated_mesh_by_default(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    file = tmp_path / "program"
    file.write_text(text)
    assert main(["run", str(file), "--check"]) == 0
    assert "2 devices, " in capsys.readouterr().out
    assert main(["run", str(file), "--level", "ptx"]) == 1, "levels are those of kernels"
    assert "the module is not fused" in capsys.readouterr().err
