"""Kernels launched through the CUDA driver, here a fake one: what is checked, what is copied, and what is refused."""

import sys
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from fake_gpu import FakeGpu

from xshardy import compiler
from xshardy.engines.cuda import Gpu, GpuError, LaunchError, load, run_on_gpu
from xshardy.engines.cuda import gpu as gpu_module
from xshardy.lowering.libdevice import MissingCudaExtraError

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


@pytest.fixture
def gpu() -> FakeGpu:
    return FakeGpu(ADD, IN_PLACE)


def test_numpy_arrays_are_copied_there_and_back(gpu: FakeGpu):
    x, y = np.arange(300, dtype=np.float32).reshape(6, 50), np.full((6, 50), 2, np.float32)
    out = np.zeros((6, 50), np.float32)
    load(ADD, gpu).launch(x, y, out)
    np.testing.assert_array_equal(out, x + y)
    assert x[0, 1] == 1 and len(gpu.launches) == 1


def test_buffers_by_number(gpu: FakeGpu):
    x, y = np.ones(300, np.float32), np.full(300, 3, np.float32)
    (written,) = run_on_gpu(ADD, {0: x, 1: y, 2: np.zeros(300, np.float32)}, gpu).values()
    np.testing.assert_array_equal(written, x + y)


def test_a_kernel_in_place_has_one_array_for_operand_and_result(gpu: FakeGpu):
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
def test_arrays_that_do_not_fit(gpu: FakeGpu, arrays: list[tuple[int, ...]], message: str):
    with pytest.raises(LaunchError, match=message):
        load(ADD, gpu).launch(*(np.zeros(shape, np.float32) for shape in arrays))
    assert not gpu.launches


def test_a_read_only_result(gpu: FakeGpu):
    out = np.zeros((6, 50), np.float32)
    out.flags.writeable = False
    with pytest.raises(LaunchError, match="argument 2: the kernel writes to it, but the array is read-only"):
        load(ADD, gpu).launch(*[np.zeros((6, 50), np.float32)] * 2, out)


class ArrayOnGpu:
    """An array of another library, as `Gpu.view` describes it."""

    def __init__(self, pointer: int, **changes: object):
        known = {"ptr": pointer, "shape": (6, 50), "strides": None, "dtype": np.dtype(np.float32), "device_id": 0}
        self.seen = SimpleNamespace(**{**known, "readonly": False, **changes})


def arrays_on(gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch, **changes: object) -> list[ArrayOnGpu]:
    """Three arrays in the memory of `gpu`; the last one with `changes`."""
    monkeypatch.setattr(FakeGpu, "view", lambda self, array: array.seen, raising=False)
    memory = [gpu.upload(np.full(300, value, np.float32)) for value in (1, 2, 0)]
    first, second, last = (part.pointer for part in memory)
    return [ArrayOnGpu(first), ArrayOnGpu(second), ArrayOnGpu(last, **changes)]


def test_arrays_on_the_gpu_are_not_copied(gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch):
    arrays = arrays_on(gpu, monkeypatch, strides=(50, 1))
    free = gpu.free
    load(ADD, gpu).launch(*arrays)
    assert gpu.free == free
    np.testing.assert_array_equal(gpu.alive[arrays[2].seen.ptr].view(np.float32), np.full(300, 3))


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"device_id": 1}, "argument 2: the array is on device 1, the kernel on GPU 0"),
        ({"readonly": True}, "argument 2: the kernel writes to it, but the array is read-only"),
        ({"strides": (1, 6)}, r"argument 2: the array is not contiguous \(strides \(1, 6\)\): pass a copy"),
        ({"dtype": np.dtype(np.float16)}, "argument 2: the kernel uses 1,200 bytes, but the array has 600"),
        ({"ptr": 0x7F0000000004}, "argument 2: the array begins at 0x7f0000000004, no multiple of"),
    ],
)
def test_arrays_on_the_gpu_that_do_not_fit(
    gpu: FakeGpu, monkeypatch: pytest.MonkeyPatch, changes: dict[str, object], message: str
):
    arrays = arrays_on(gpu, monkeypatch, **changes)
    with pytest.raises(LaunchError, match=message):
        load(ADD, gpu).launch(*arrays)
    assert not gpu.launches


def test_a_kernel_without_blocks_is_not_launched(gpu: FakeGpu):
    load(replace(ADD, grid=(0, 1, 1)), gpu).launch(*[np.zeros((6, 50), np.float32) for _ in range(3)])
    assert not gpu.launches


def test_too_little_memory():
    with pytest.raises(GpuError, match="refuses a buffer of 1,200 bytes: out of memory"):
        load(ADD, FakeGpu(ADD, memory=2000)).launch(*[np.zeros((6, 50), np.float32) for _ in range(3)])


def test_no_driver(monkeypatch: pytest.MonkeyPatch):
    def no_driver(number: int) -> None:
        raise RuntimeError("libcuda.so.1 was not found\nlooked in ...")

    monkeypatch.setattr(gpu_module, "_cuda_core", lambda: SimpleNamespace(Device=no_driver))
    with pytest.raises(GpuError, match=r"^GPU 0 cannot be used: libcuda.so.1 was not found$"):
        Gpu()


def test_cuda_core_is_not_installed(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(sys.modules, "cuda.core", None)
    monkeypatch.setitem(sys.modules, "cuda", None)
    gpu_module._cuda_core.cache_clear()  # pyright: ignore[reportPrivateUsage]
    with pytest.raises(MissingCudaExtraError, match=r"install the 'cuda' extra with `pip install 'xshardy\[cuda\]'`"):
        Gpu()
