"""Whole programs compiled from Python: which are partitioned and fused, what is executed, and what is refused."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from jax.sharding import AbstractMesh, AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import xshardy
from xshardy.engines.kernels import Kernels
from xshardy.hlo_text import parse_hlo
from xshardy.launch.cpu_machine import CpuMachine
from xshardy.launch.launch_plan import AsyncStartStep, CollectiveStep, KernelStep, LibraryStep
from xshardy.launch.parallel_execution import WrongStepError
from xshardy.launch.plan_steps import plan_in_memory
from xshardy.launch.prepared_program import ModuleError
from xshardy.programs.errors import EngineError

EXAMPLES = Path(__file__).parents[3] / "examples"
RNG = np.random.default_rng(0)
X, W = RNG.standard_normal((16, 32), np.float32), RNG.standard_normal((32, 8), np.float32) / 8


def layer(x: Any, w: Any) -> Any:
    return jax.nn.softmax(jax.numpy.tanh(x @ w)), x.sum()


def step_kinds(program: xshardy.CompiledProgram) -> set[type]:
    return set(map(type, program.plan.all_steps()))


@pytest.mark.parametrize("level", ["xla_gpu", "ptx"])
def test_a_function_of_jax_runs_as_kernels(level: str):
    program = xshardy.compile_program(layer, arguments=(X, W))
    for found, wanted in zip(program.run([X, W], level=level, check=True), layer(X, W), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    assert program.devices == 1 and program.partitioned is None and step_kinds(program) == {KernelStep, LibraryStep}


def test_a_sharded_function_runs_on_all_devices():
    mesh = AbstractMesh((2, 2), ("data", "model"), axis_types=(AxisType.Auto, AxisType.Auto))
    specs = P("data", "model"), P("model")
    types = [
        jax.ShapeDtypeStruct(array.shape, array.dtype, sharding=NamedSharding(mesh, spec))
        for array, spec in zip((X, W), specs, strict=True)
    ]
    program = xshardy.compile_program(layer, arguments=types)
    for found, wanted in zip(program.run([X, W], check=True), layer(X, W), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-5)
    assert program.devices == 4 and CollectiveStep in step_kinds(program)


def test_an_optimised_program_is_compiled_as_it_is():
    program = xshardy.compile_program(EXAMPLES / "decode_loop.hlo")
    module = parse_hlo((EXAMPLES / "decode_loop.hlo").read_text())
    assert list(map(str, module.walk())) == list(map(str, program.module.walk()))
    with pytest.raises(EngineError, match="XLA has optimised this program"):
        xshardy.compile_program(EXAMPLES / "decode_loop.hlo", mesh={"x": 2})


def test_a_program_that_xla_has_partitioned_takes_no_whole_arguments():
    program = xshardy.compile_program(EXAMPLES / "two_devices.hlo")
    assert program.devices == 2
    with pytest.raises(EngineError, match="XLA has partitioned this program for 2 devices"):
        program.run([X, W])


def test_a_module_is_left_as_it_is():
    module = xshardy.parse(EXAMPLES / "mlp.mlir")
    text = xshardy.print_module(module)
    assert xshardy.compile_program(module).devices == 32
    assert xshardy.print_module(module) == text


@pytest.mark.parametrize("mesh", [None, {"rows": 2}])
def test_the_folder_has_kernels_and_plan(tmp_path: Path, mesh: dict[str, int] | None):
    program = xshardy.compile_program(layer, arguments=(X, W), mesh=mesh)
    for _ in range(2):  # a folder that is there is written into
        program.write(tmp_path / "program")
    plan = json.loads((tmp_path / "program" / "plan.json").read_text())
    assert (tmp_path / "program" / plan["ptx"]).read_text() == program.ptx
    assert plan.get("partitioning", {"devices": 1})["devices"] == program.devices == (1 if mesh is None else 2)
    if mesh is not None:
        divided = plan["partitioning"]
        assert divided.keys() == {"devices", "mesh", "parameters", "results"} and "rows" in divided["mesh"]
        shapes = [each["shape"] for each in divided["parameters"]]
        assert shapes == [f"f32[{','.join(map(str, each.shape))}]" for each in (X, W)] and divided["results"]


def test_what_it_is_in_one_line_and_in_notebooks():
    program = xshardy.compile_program(EXAMPLES / "mlp.mlir")
    assert repr(program) == (
        "<program mlp for sm_90: 6 steps on each of 32 devices (1 async_done, 1 async_start, 1 collective, 1 kernel, "
        f"2 library), 1 different kernel, {program.plan.assignment.temporary_bytes:,} bytes of temporary memory>"
    )
    shown = program._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert "all_reduce" in shown and f">{program.compiled.target}<" in shown


@pytest.mark.parametrize(
    ("arguments", "message"), [([X], "2 parameters, but there are 1"), ([X, W.T], "parameter arg1 is a")]
)
def test_arguments_must_fit(arguments: list[Any], message: str):
    with pytest.raises(ModuleError, match=message):
        xshardy.compile_program(layer, arguments=(X, W)).run(arguments)


def test_a_wrong_step_is_named(monkeypatch: pytest.MonkeyPatch):
    kernel = CpuMachine.kernel

    def wrong(machine: CpuMachine, step: KernelStep) -> None:
        kernel(machine, step)
        machine.fill(step.results[0].slice, 0x41)

    monkeypatch.setattr(CpuMachine, "kernel", wrong)
    with pytest.raises(WrongStepError, match=r"^step 1, .* elements differ"):
        xshardy.compile_program(layer, arguments=(X, W)).run([X, W], check=True)


TWO_PRODUCTS = """
sdy.mesh @mesh = <["x"=2]>
func.func @main(%x: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                %w: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                %y: tensor<4x8xf64> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                %v: tensor<8x2xf64> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
    -> (tensor<4x4xf32>, tensor<4x2xf64>) {
  %0 = stablehlo.dot %x, %w : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %1 = stablehlo.dot %y, %v : (tensor<4x8xf64>, tensor<8x2xf64>) -> tensor<4x2xf64>
  return %0, %1 : tensor<4x4xf32>, tensor<4x2xf64>
}
"""


def test_memory_of_a_collective_in_flight_belongs_to_it():
    """The second product is written over the first, which is added up meanwhile: at once this is right, later wrong."""
    program = xshardy.compile_program(TWO_PRODUCTS)
    plan, partitioned = program.plan, program.partitioned
    first, start, second, *_ = plan.steps
    assert isinstance(start, AsyncStartStep) and partitioned is not None
    assert start.steps[0].operands[0].slice == first.results[0].slice
    slices = {
        buffer: first.results[0].slice if second.results[0].leaf in buffer.leaves else place
        for buffer, place in plan.assignment.slices.items()
    }
    wrong = plan_in_memory(plan.entry, replace(plan.assignment, slices=slices), {})
    of_devices = partitioned.by_device(
        [X[:4, :8], W[:8, :4], X[4:8, :8].astype(np.float64), W[8:16, :2].astype(np.float64)]
    )
    Kernels(check=True).execute_plan(wrong, of_devices)
    with pytest.raises(WrongStepError, match="bytes were overwritten before"):
        Kernels(check=True, late=True).execute_plan(wrong, of_devices)


def test_a_program_without_one_of_its_kernels_is_refused():
    unknown = """HloModule m
other { x = f32[300] parameter(0) ROOT r = f32[300] custom-call(x), custom_call_target="other" }
ENTRY main { x = f32[300] parameter(0) ROOT a = f32[300] fusion(x), kind=kLoop, calls=other }
"""
    with pytest.raises(ModuleError, match=r"^a cannot be compiled: "):
        xshardy.compile_program(unknown)
