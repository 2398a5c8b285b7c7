"""Kernels launched through the CUDA driver, here a fake one: what is checked, what is copied, and what is refused."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from fake_cuda.state import Driver

from xshardy import compiler
from xshardy.engines.cuda import Gpu, GpuError, LaunchError, load, run_on_gpu
from xshardy.engines.cuda import gpu as gpu_module
from xshardy.engines.cuda.gpu import DeviceMemory
from xshardy.engines.cuda.gpu_views import has_strides
from xshardy.lowering.cuda_files import MissingCudaExtraError
from xshardy.tools import cli

FUSION = str(Path(__file__).parents[2] / "numerics" / "fusions" / "f32_axpy_odd.hlo")

ADD = compiler.compile("""
HloModule add, entry_computation_layout={(f32[6,50]{1,0}, f32[6,50]{1,0})->f32[6,50]{1,0}}

ENTRY main {
  p0 = f32[6,50]{1,0} parameter(0)
  p1 = f32[6,50]{1,0} parameter(1)
  ROOT add = f32[6,50]{1,0} add(p0, p1)
}
""")

IN_PLACE = compiler.compile("""
HloModule update, input_output_alias={ {}: (0, {}, must-alias) }, entry_computation_layout={(f32[8]{0}, s32[1]{0}, f32[1]{0})->f32[8]{0}}

add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}

fused {
  p0 = f32[8]{0} parameter(0)
  p1 = s32[1]{0} parameter(1)
  p2 = f32[1]{0} parameter(2)
  ROOT scatter = f32[8]{0} scatter(p0, p1, p2), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
}

ENTRY main {
  p0 = f32[8]{0} parameter(0)
  p1 = s32[1]{0} parameter(1)
  p2 = f32[1]{0} parameter(2)
  ROOT f = f32[8]{0} fusion(p0, p1, p2), kind=kInput, calls=fused
}
""")  # noqa: E501


def test_numpy_arrays_are_copied_there_and_back(gpu: Gpu, driver: Driver):
    x, y = np.arange(300, dtype=np.float32).reshape(6, 50), np.full((6, 50), 2, np.float32)
    out = np.zeros((6, 50), np.float32)
    load(ADD, gpu).launch(x, y, out)
    np.testing.assert_array_equal(out, x + y)
    assert x[0, 1] == 1
    assert [(launch.name, launch.block) for launch in driver.launches] == [(ADD.entry, ADD.block)]


def test_memory_is_freed(gpu: Gpu, driver: Driver):
    free = driver.free
    load(ADD, gpu).launch(*[np.zeros((6, 50), np.float32) for _ in range(3)])
    assert driver.free == free


def test_buffers_by_number(gpu: Gpu):
    x, y = np.ones(300, np.float32), np.full(300, 3, np.float32)
    (written,) = run_on_gpu(ADD, {0: x, 1: y, 2: np.zeros(300, np.float32)}, gpu).values()
    np.testing.assert_array_equal(written, x + y)


def test_a_kernel_in_place_has_one_array_for_operand_and_result(gpu: Gpu):
    assert [argument.slice_index for argument in IN_PLACE.arguments] == [0, 1, 2, 0]
    data, index, update = np.ones(8, np.float32), np.array([5], np.int32), np.array([2], np.float32)
    loaded = load(IN_PLACE, gpu)
    with pytest.raises(LaunchError, match="argument 3: the kernel works in place of argument 0: pass the same array"):
        loaded.launch(data, index, update, np.zeros(8, np.float32))
    loaded.launch(data, index, update, data)
    assert data.tolist() == [1, 1, 1, 1, 1, 3, 1, 1]


@pytest.mark.parametrize(
    "arrays, message",
    [
        ([(6, 50), (6, 50)], "the kernel has 3 arguments, but there are 2 arrays"),
        ([(6, 50), (6, 49), (6, 50)], "argument 1: the kernel uses 1,200 bytes, but the array has 1,176"),
        ([(0,), (6, 50), (6, 50)], "argument 0: the kernel uses 1,200 bytes, but the array has 0"),
    ],
)
def test_arrays_that_do_not_fit(gpu: Gpu, driver: Driver, arrays: list[tuple[int, ...]], message: str):
    with pytest.raises(LaunchError, match=message):
        load(ADD, gpu).launch(*(np.zeros(shape, np.float32) for shape in arrays))
    assert not driver.launches


def test_a_read_only_result(gpu: Gpu):
    out = np.zeros((6, 50), np.float32)
    out.flags.writeable = False
    with pytest.raises(LaunchError, match="argument 2: the kernel writes to it, but the array is read-only"):
        load(ADD, gpu).launch(*[np.zeros((6, 50), np.float32)] * 2, out)


class ArrayOnGpu:
    """An array of another library: [6, 50] elements at the beginning of some memory, unless `changes` say otherwise."""

    def __init__(self, memory: DeviceMemory, **changes: object):
        self.memory = memory
        self.__cuda_array_interface__: dict[str, Any] = {
            "version": 3,
            "shape": (6, 50),
            "typestr": "<f4",
            "data": (memory.pointer, False),
            "strides": None,
            "stream": 1,
            **changes,
        }


def arrays_on(gpu: Gpu, **changes: object) -> list[ArrayOnGpu]:
    """Three arrays in the memory of `gpu`; the last one with `changes`."""
    memory = [gpu.upload(np.full(304, value, np.float32)) for value in (1, 2, 0)]
    return [ArrayOnGpu(memory[0]), ArrayOnGpu(memory[1]), ArrayOnGpu(memory[2], **changes)]


def test_arrays_on_the_gpu_are_not_copied(gpu: Gpu, driver: Driver):
    arrays = arrays_on(gpu, strides=(200, 4))
    load(ADD, gpu).launch(*arrays)
    assert list(driver.launches[0].pointers) == [array.memory.pointer for array in arrays]
    np.testing.assert_array_equal(gpu.download(arrays[2].memory).view(np.float32)[:300], np.full(300, 3))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"strides": (4, 24)}, r"argument 2: the array is not contiguous \(strides \(1, 6\)\): pass a copy"),
        ({"typestr": "<f2"}, "argument 2: the kernel uses 1,200 bytes, but the array has 600"),
    ],
)
def test_arrays_on_the_gpu_that_do_not_fit(gpu: Gpu, driver: Driver, changes: dict[str, object], message: str):
    arrays = arrays_on(gpu, **changes)
    with pytest.raises(LaunchError, match=message):
        load(ADD, gpu).launch(*arrays)
    assert not driver.launches


def test_a_read_only_array_on_the_gpu(gpu: Gpu):
    *operands, result = arrays_on(gpu)
    result.__cuda_array_interface__["data"] = result.memory.pointer, True
    with pytest.raises(LaunchError, match="argument 2: the kernel writes to it, but the array is read-only"):
        load(ADD, gpu).launch(*operands, result)


def test_an_array_at_an_odd_address(gpu: Gpu):
    *operands, result = arrays_on(gpu)
    result.__cuda_array_interface__["data"] = result.memory.pointer + 4, False
    with pytest.raises(LaunchError, match=r"argument 2: the array begins at 0x[0-9a-f]+4, no multiple of 256 bytes"):
        load(ADD, gpu).launch(*operands, result)


def test_an_array_on_another_gpu(gpu: Gpu):
    arrays = arrays_on(gpu)
    gpu.number = 1
    with pytest.raises(LaunchError, match="argument 0: the array is on device 0, the kernel on GPU 1"):
        load(ADD, gpu).launch(*arrays)


def test_an_array_of_another_library_on_the_host(gpu: Gpu):
    with pytest.raises(LaunchError, match="argument 0: a list on the host: pass a numpy array, or one on the GPU"):
        load(ADD, gpu).launch([1.0], *[np.zeros((6, 50), np.float32) for _ in range(2)])


def test_a_kernel_that_reads_outside_of_its_memory(gpu: Gpu, driver: Driver):
    loaded, short, result = load(ADD, gpu), gpu.allocate(256), gpu.allocate(1200)
    loaded.launch_pointers([short.pointer, short.pointer, result.pointer])
    with pytest.raises(GpuError, match="refuses the kernel: CUDA_ERROR_ILLEGAL_ADDRESS"):
        gpu.wait()
    assert "access out of bounds" in driver.refusals[0]


def test_a_kernel_without_blocks_is_not_launched(gpu: Gpu, driver: Driver):
    load(replace(ADD, grid=(0, 1, 1)), gpu).launch(*[np.zeros((6, 50), np.float32) for _ in range(3)])
    assert not driver.launches


def test_ptx_that_the_driver_cannot_read(gpu: Gpu):
    with pytest.raises(GpuError, match=f"refuses the kernel '{ADD.entry}': CUDA_ERROR_INVALID_PTX"):
        load(replace(ADD, assembly=ADD.ptx.replace("ret;", "ret !")), gpu)
    with pytest.raises(GpuError, match="refuses the kernel 'missing': CUDA_ERROR_NOT_FOUND"):
        load(replace(ADD, entry="missing"), gpu)


def test_too_little_memory(gpu: Gpu, driver: Driver):
    driver.free = 2000
    with pytest.raises(GpuError, match="refuses a buffer of 1,200 bytes: CUDA_ERROR_OUT_OF_MEMORY"):
        load(ADD, gpu).launch(*[np.zeros((6, 50), np.float32) for _ in range(3)])


def test_times(gpu: Gpu):
    done: list[str] = []
    times = gpu.seconds_of(lambda: done.append("work"), 2, before=lambda: done.append("before"))
    assert done == ["before", "work"] * 2 and len(times) == 2 and all(0 <= time < 60 for time in times)


def test_no_driver(monkeypatch: pytest.MonkeyPatch):
    def no_driver(number: int) -> None:
        raise RuntimeError("libcuda.so.1 was not found\nlooked in ...")

    monkeypatch.setattr(gpu_module, "_cuda_core", lambda: SimpleNamespace(Device=no_driver))
    with pytest.raises(GpuError, match=r"^GPU 0 cannot be used: libcuda.so.1 was not found$"):
        Gpu()


def test_no_gpu(driver: Driver):
    driver.is_present = False
    with pytest.raises(GpuError, match=r"^GPU 0 cannot be used: CUDA_ERROR_NO_DEVICE"):
        Gpu()


def test_cuda_core_is_not_installed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "cuda.core", None)
    monkeypatch.setitem(sys.modules, "cuda", None)
    gpu_module._cuda_core.cache_clear()  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(MissingCudaExtraError, match=r"install the 'cuda' extra with `pip install 'xshardy\[cuda\]'`"):
        Gpu()


def test_run_on_cuda(driver: Driver, capsys: pytest.CaptureFixture[str]):
    """`xshardy run --on cuda` executes PTX, and compares it with the reference."""
    assert cli.main(["run", "--check", "--on", "cuda", FUSION]) == 0
    table = capsys.readouterr().out
    assert "ptx" in table and "agrees" in table and len(driver.launches) == 1


@pytest.mark.parametrize(
    "options, message, status",
    [
        (["--levels", "all"], "--on cuda executes PTX: leave --levels out, or --on", 2),
        (["--mesh", "x=2"], "--mesh is for programs: say where, with --on simulated, kernels or pjrt", 2),
        ([], "GPU 0 cannot be used", 1),
    ],
)
def test_run_on_cuda_refuses(
    driver: Driver, options: list[str], message: str, status: int, capsys: pytest.CaptureFixture[str]
):
    driver.is_present = False
    assert cli.main(["run", "--on", "cuda", *options, FUSION]) == status
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error


@pytest.mark.parametrize(
    ("shape", "strides", "expected", "answer"),
    [
        ((2, 3), None, (3, 1), True),
        ((2, 3), None, (1, 2), False),
        ((2, 3), (1, 2), (1, 2), True),
        ((2, 1), (1, 7), (1, 2), True),
        ((1, 3), (7, 1), (3, 1), True),
        ((2, 3), (7, 1), (3, 1), False),
        ((0, 3), (7, 7), (3, 1), True),
        ((), None, (), True),
    ],
)
def test_strides_of_dimensions_with_several_elements_count(
    shape: tuple[int, ...], strides: tuple[int, ...] | None, expected: tuple[int, ...], answer: bool
):
    assert has_strides(SimpleNamespace(shape=shape, strides=strides), expected) == answer


def test_a_process_that_had_the_fake_driver_ends():
    """cuda-core calls the driver once more after Python."""
    code = "from fake_cuda import installed\nfrom xshardy.engines.cuda import Gpu\nwith installed():\n    Gpu(0)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0
