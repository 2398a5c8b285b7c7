"""Whole modules on a GPU, here a fake one that executes kernels on the host."""

from pathlib import Path
from typing import Any

import pytest
from fake_gpu import FakeGpu
from module_programs import PROGRAMS

from xshardy import compiler
from xshardy.engines.cuda import gpu as gpu_module
from xshardy.engines.cuda.gpu import GpuError
from xshardy.engines.cuda.modules import GpuMachine, run_module_on_gpu
from xshardy.hlo_text import parse_hlo
from xshardy.lowering.nvptx import Kernel
from xshardy.modules.checked_run import ModuleRuns
from xshardy.modules.compilation import CompiledModule, compile_module
from xshardy.modules.program import ModuleError
from xshardy.tools.cli import main


@pytest.fixture
def gpu(monkeypatch: pytest.MonkeyPatch) -> FakeGpu:
    """A GPU that knows every kernel that is compiled from here on."""
    fake, compile = FakeGpu(), compiler.compile

    def compile_and_tell(*arguments: Any, **options: Any) -> Kernel:
        kernel = compile(*arguments, **options)
        fake.kernels[kernel.ptx] = kernel
        return kernel

    monkeypatch.setattr(compiler, "compile", compile_and_tell)
    return fake


def compiled(name: str, gpu: FakeGpu) -> CompiledModule:
    module = compile_module(parse_hlo(PROGRAMS[name]))
    gpu.kernels |= {kernel.ptx: kernel for kernel in module.kernels.values()}  # entries have other names now
    return module


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, gpu: FakeGpu):
    module = compiled(name, gpu)
    runs = ModuleRuns(parse_hlo(PROGRAMS[name]), module.plan)
    execution, results = runs.run(GpuMachine(module, gpu), checks=True)
    assert execution.wrong is None
    for index, result in enumerate(results):
        assert (comparison := runs.reference.compare(index, result)), str(comparison)
    assert [result.tobytes() for result in run_module_on_gpu(module, runs.arguments, gpu)] == [
        result.tobytes() for result in results
    ]


def test_arguments_that_do_not_fit(gpu: FakeGpu):
    module = compiled("donated", gpu)
    x, y, i = ModuleRuns(parse_hlo(PROGRAMS["donated"]), module.plan).arguments
    with pytest.raises(ModuleError, match="the program has 3 parameters, but there are 2 arrays"):
        run_module_on_gpu(module, [x, y], gpu)
    with pytest.raises(ModuleError, match=r"parameter y is a f32\[300\]\{0\}, but the array for it is float32\[299\]"):
        run_module_on_gpu(module, [x, y[1:], i], gpu)
    with pytest.raises(ModuleError, match=r"parameter i is a s32\[\]\{\}, but the array for it is float64\[\]"):
        run_module_on_gpu(module, [x, y, i.astype(float)], gpu)


def test_too_little_memory(gpu: FakeGpu):
    module = compiled("loop", gpu)
    gpu.free = 5000
    with pytest.raises(GpuError, match="out of memory"):
        run_module_on_gpu(module, ModuleRuns(parse_hlo(PROGRAMS["loop"]), module.plan).arguments, gpu)


def test_the_command(tmp_path: Path, gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "loop.hlo"
    file.write_text(PROGRAMS["loop"])
    known = compiled("loop", gpu)
    monkeypatch.setattr(gpu_module, "Gpu", lambda: gpu)
    assert main(["run", "--check", "--on", "cuda", str(file)]) == 0
    assert "13 steps (6 copy, 5 kernel, 1 memset, 1 while), each compared" in capsys.readouterr().out
    assert len(gpu.launches) > len(known.kernels)


def test_without_a_driver(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def no_gpu() -> None:
        raise GpuError("GPU 0 cannot be used: no driver")

    monkeypatch.setattr(gpu_module, "Gpu", no_gpu)
    file = tmp_path / "loop.hlo"
    file.write_text(PROGRAMS["loop"])
    assert main(["run", "--on", "cuda", str(file)]) == 1
    assert capsys.readouterr().err == f"{file}: error: GPU 0 cannot be used: no driver\n"
