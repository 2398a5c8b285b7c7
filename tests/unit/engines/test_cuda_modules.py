"""Launch plans on a GPU, here a fake one that executes PTX: the same steps, memory and results as on the CPU."""

import ctypes
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from fake_cuda.state import Driver
from module_programs import PROGRAMS

from xshardy.engines.cuda import Gpu, GpuArray, GpuError, LaunchError, LoadedModule, load_module
from xshardy.engines.cuda.modules import GpuMachine
from xshardy.hlo_text import parse_hlo
from xshardy.launch.checked_run import ModuleRuns
from xshardy.launch.compilation import compile_module
from xshardy.launch.prepared_program import ModuleError
from xshardy.numerics.element_types import Array
from xshardy.tools.cli import main

LAYOUTS = """HloModule layouts
negate {
  x = bf16[3,4]{0,1} parameter(0)
  ROOT r = bf16[3,4]{0,1} negate(x)
}
ENTRY main {
  x = bf16[3,4]{0,1} parameter(0)
  ROOT r = bf16[3,4]{0,1} fusion(x), kind=kLoop, calls=negate
}
"""

NARROW = """HloModule narrow
negate {
  x = s4[9] parameter(0)
  ROOT r = s4[9] negate(x)
}
ENTRY main {
  x = s4[9] parameter(0)
  ROOT r = s4[9] fusion(x), kind=kLoop, calls=negate
}
"""

EMPTY = """HloModule empty
negate {
  x = f32[0,4] parameter(0)
  ROOT r = f32[0,4] negate(x)
}
ENTRY main {
  x = f32[0,4] parameter(0)
  ROOT r = f32[0,4] fusion(x), kind=kLoop, calls=negate
}
"""


def loaded(text: str, gpu: Gpu) -> LoadedModule:
    return load_module(compile_module(parse_hlo(text)), gpu)


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, gpu: Gpu):
    module = loaded(PROGRAMS[name], gpu)
    runs = ModuleRuns(parse_hlo(PROGRAMS[name]), module.module.plan)
    (results,) = runs.run([GpuMachine(module.module, gpu)], checks=True)
    for index in range(len(results)):
        assert (comparison := runs.compare(index, [results])), str(comparison)
    for _ in range(2):  # the second run must not depend on what the first one leaves in memory
        assert [array.numpy().tobytes() for array in module.run(*runs.arguments[0])] == [
            result.tobytes() for result in results
        ]


def host_array(array: GpuArray) -> Array:
    """The elements as a library finds them: by the pointer and the strides of `__cuda_array_interface__`."""
    seen = array.__cuda_array_interface__
    size = sum((n - 1) * stride for n, stride in zip(seen["shape"], seen["strides"], strict=True)) + 1
    data = np.frombuffer(ctypes.string_at(seen["data"][0], size * np.dtype(seen["typestr"]).itemsize), np.uint8)
    return np.ndarray(seen["shape"], seen["typestr"], data, strides=seen["strides"])


def test_results_are_arguments_without_a_copy(gpu: Gpu, driver: Driver):
    """The result of a run is an array on the GPU, by each of the two ways, and in the kernel's order."""
    module = loaded(LAYOUTS, gpu)
    x = np.arange(12).reshape(3, 4).astype(ml_dtypes.bfloat16)
    (once,) = module.run(x)
    (twice,) = module.run(once)
    assert driver.launches[1].pointers[0] == driver.launches[0].pointers[1]
    assert (once.shape, once.strides, once.dtype) == ((3, 4), (1, 3), ml_dtypes.bfloat16)
    np.testing.assert_array_equal(np.asarray(once), -x)
    np.testing.assert_array_equal(twice.numpy(), x)
    assert repr(once) == "GpuArray(bf16[3,4]{0,1} on GPU 0)"


@pytest.mark.parametrize(
    "hlo, name",
    [
        ("f32", "float32"),
        ("bf16", "bfloat16"),
        ("f8e4m3fn", "float8_e4m3fn"),
        ("f8e5m2", "float8_e5m2"),
        ("pred", "bool"),
        ("c64", "complex64"),
    ],
)
def test_results_keep_their_type_by_dlpack(hlo: str, name: str, gpu: Gpu):
    """The type in a capsule of ours is that in jax's capsule of the same elements."""
    jax = pytest.importorskip("jax")
    hlo = {"float32": "f32", "bfloat16": "bf16", "bool": "pred", "complex64": "c64"}.get(
        name, name.replace("loat", "", 1)
    )
    hlo = hlo.replace("f8_", "f8")
    text = f"""HloModule copies
copied {{
  x = {hlo}[6] parameter(0)
  ROOT r = {hlo}[6] reverse(x), dimensions={{0}}
}}
ENTRY main {{
  x = {hlo}[6] parameter(0)
  ROOT r = {hlo}[6] fusion(x), kind=kLoop, calls=copied
}}
"""
    x = np.array([0, 1, 1, 0, 1, 1]).astype(jax.numpy.dtype(name))
    (result,) = loaded(text, gpu).run(x)
    assert type_in_capsule(result) == type_in_capsule(jax.numpy.asarray(x))
    assert result.__dlpack_device__() == (2, 0)
    np.testing.assert_array_equal(result.numpy(), x[::-1])


def type_in_capsule(array: Any) -> bytes:
    """The code, the bits and the lanes of the type in the capsule of an array, as `dlpack.h` lays them out."""
    capsule = array.__dlpack__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
    return ctypes.string_at(pointer(capsule, b"dltensor") + 20, 4)


def test_a_tensor_without_elements(gpu: Gpu):
    """The driver has no memory of 0 bytes."""
    (result,) = loaded(EMPTY, gpu).run(np.zeros((0, 4), np.float32))
    assert result.shape == (0, 4) and result.numpy().size == 0


def test_packed_elements_have_no_dlpack(gpu: Gpu):
    x = np.arange(-4, 5).astype(ml_dtypes.int4)
    (result,) = loaded(NARROW, gpu).run(x)
    np.testing.assert_array_equal(result.numpy(), -x)
    with pytest.raises(BufferError, match=r"DLPack has no arrays of packed int4: use numpy\(\)"):
        result.__dlpack__()
    assert not hasattr(result, "__cuda_array_interface__")


def test_what_other_libraries_find(gpu: Gpu):
    """Also an array of jax on the host, and of unsigned integers for bf16."""
    jax = pytest.importorskip("jax")
    module = loaded(PROGRAMS["donated"], gpu)
    x, y, i = ModuleRuns(parse_hlo(PROGRAMS["donated"]), module.module.plan).arguments[0]
    results = module.run(jax.numpy.asarray(x), y, i)
    for result in results:
        np.testing.assert_array_equal(host_array(result), result.numpy())
    bits = np.arange(12, dtype=np.uint16).reshape(3, 4)
    (negated,) = loaded(LAYOUTS, gpu).run(bits)
    np.testing.assert_array_equal(negated.numpy().view(np.uint16), bits ^ 0x8000)


def test_donated_arrays(gpu: Gpu):
    """An array on the GPU is overwritten only if the caller says so; then the result is in its memory."""
    module = loaded(PROGRAMS["donated"], gpu)
    x, *others = ModuleRuns(parse_hlo(PROGRAMS["donated"]), module.module.plan).arguments[0]
    on_gpu = GpuArray(gpu, gpu.upload(x), module.module.plan.parameters[0])
    kept = module.run(on_gpu, *others)
    np.testing.assert_array_equal(on_gpu.numpy(), x)
    overwritten = module.run(on_gpu, *others, donate=True)
    pointers = [result.__cuda_array_interface__["data"][0] for result in overwritten]
    assert on_gpu.__cuda_array_interface__["data"][0] in pointers
    assert not np.array_equal(on_gpu.numpy(), x)
    assert [r.numpy().tobytes() for r in kept] == [r.numpy().tobytes() for r in overwritten]


def test_memory_is_freed_with_the_last_array(gpu: Gpu, driver: Driver):
    module = loaded(PROGRAMS["loop"], gpu)
    arguments = ModuleRuns(parse_hlo(PROGRAMS["loop"]), module.module.plan).arguments[0]
    free = driver.free
    results = module.run(*arguments)
    used = free - driver.free
    assert used == sum(result.numpy().nbytes for result in results)
    capsule = results[0].__dlpack__()
    del results
    assert free - driver.free > 0
    del capsule
    assert driver.free == free


def test_arguments_that_do_not_fit(gpu: Gpu):
    module = loaded(PROGRAMS["donated"], gpu)
    x, y, i = ModuleRuns(parse_hlo(PROGRAMS["donated"]), module.module.plan).arguments[0]
    with pytest.raises(ModuleError, match="the program has 3 parameters, but there are 2 arrays"):
        module.run(x, y)
    with pytest.raises(ModuleError, match=r"parameter y is a f32\[300\]\{0\}, but the array for it is float32\[299\]"):
        module.run(x, y[1:], i)
    with pytest.raises(ModuleError, match=r"parameter i is a s32\[\]\{\}, but the array for it is float64\[\]"):
        module.run(x, y, i.astype(float))
    with pytest.raises(ModuleError, match=r"parameter i is a s32\[\]\{\}, but the array for it is uint32\[\]"):
        module.run(x, y, i.astype(np.uint32))


class ArrayOnGpu:
    """An array of another library; `changes` are to its `__cuda_array_interface__`."""

    def __init__(self, array: GpuArray, **changes: object):
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, "stream": 1, **changes}


@pytest.mark.parametrize(
    "changes, message",
    [
        ({"shape": (150,), "strides": (8,)}, "parameter x is a f32.300..0., but the array for it is float32.150."),
        ({"typestr": "<i4"}, "parameter x is a f32.300..0., but the array for it is int32.300."),
        ({"strides": (0,)}, r"parameter x: the array has strides \(0,\), not \(1,\): pass a copy"),
    ],
)
def test_arrays_on_the_gpu_that_do_not_fit(changes: dict[str, object], message: str, gpu: Gpu):
    module = loaded(PROGRAMS["donated"], gpu)
    x, *others = ModuleRuns(parse_hlo(PROGRAMS["donated"]), module.module.plan).arguments[0]
    array = GpuArray(gpu, gpu.upload(x), module.module.plan.parameters[0])
    with pytest.raises((ModuleError, LaunchError), match=message):
        module.run(ArrayOnGpu(array, **changes), *others)


def test_donated_arrays_that_do_not_fit(gpu: Gpu):
    module = loaded(PROGRAMS["donated"], gpu)
    others = ModuleRuns(parse_hlo(PROGRAMS["donated"]), module.module.plan).arguments[0][1:]
    memory = gpu.upload(np.zeros(400, np.float32))
    array = GpuArray(gpu, memory, module.module.plan.parameters[0])
    with pytest.raises(LaunchError, match=r"parameter x: the array begins at 0x[0-9a-f]+, no multiple of 16 bytes"):
        module.run(ArrayOnGpu(array, data=(memory.pointer + 4, False)), *others)
    module.run(ArrayOnGpu(array, data=(memory.pointer + 16, True)), *others)
    with pytest.raises(LaunchError, match=r"parameter x: the array begins at 0x[0-9a-f]+, no multiple of 256 bytes"):
        module.run(ArrayOnGpu(array, data=(memory.pointer + 16, False)), *others, donate=True)
    with pytest.raises(LaunchError, match="parameter x: the module overwrites it, but the array is read-only"):
        module.run(ArrayOnGpu(array, data=(memory.pointer, True)), *others, donate=True)


def test_a_kernel_that_cannot_be_compiled(gpu: Gpu):
    text = """HloModule refused
refused {
  x = c64[8] parameter(0)
  ROOT r = c64[8] fft(x), fft_type=FFT, fft_length={8}
}
ENTRY main {
  x = c64[8] parameter(0)
  ROOT r = c64[8] fusion(x), kind=kLoop, calls=refused
}
"""
    with pytest.raises(ModuleError, match="r cannot be compiled: "):
        loaded(text, gpu)


def test_too_little_memory(gpu: Gpu, driver: Driver):
    module = loaded(PROGRAMS["loop"], gpu)
    driver.free = 500
    with pytest.raises(GpuError, match="CUDA_ERROR_OUT_OF_MEMORY"):
        module.run(*ModuleRuns(parse_hlo(PROGRAMS["loop"]), module.module.plan).arguments[0])


def test_the_command(tmp_path: Path, driver: Driver, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "loop.hlo"
    file.write_text(PROGRAMS["loop"])
    assert main(["run", "--check", "--on", "cuda", str(file)]) == 0
    assert "13 steps (6 copy, 5 kernel, 1 memset, 1 while), each compared" in capsys.readouterr().out
    assert len(driver.launches) > 5


def test_without_a_gpu(tmp_path: Path, driver: Driver, capsys: pytest.CaptureFixture[str]):
    driver.is_present = False
    file = tmp_path / "loop.hlo"
    file.write_text(PROGRAMS["loop"])
    assert main(["run", "--on", "cuda", str(file)]) == 1
    assert capsys.readouterr().err.startswith(f"{file}: error: GPU 0 cannot be used: CUDA_ERROR_NO_DEVICE")


@pytest.mark.parametrize("name", PROGRAMS)
def test_graphs(name: str, gpu: Gpu, driver: Driver):
    """Recorded once, submitted at each run; the results of a run are not those of the next."""
    compiled = compile_module(parse_hlo(PROGRAMS[name]))
    arguments = ModuleRuns(parse_hlo(PROGRAMS[name]), compiled.plan).arguments[0]
    others = ModuleRuns(parse_hlo(PROGRAMS[name]), compiled.plan, seed=1).arguments[0]
    plain, module = load_module(compiled, gpu), load_module(compiled, gpu, graphs=True)
    runs = [module.run(*given) for given in (arguments, others, arguments)]
    submitted = driver.graph_launches
    assert submitted > 0
    module.run(*arguments)
    assert driver.graph_launches == submitted + submitted // 3  # no steps outside of graphs are left to the first run
    for given, results in zip((arguments, others, arguments), runs, strict=True):
        expected = [result.numpy().tobytes() for result in plain.run(*given)]
        assert [result.numpy().tobytes() for result in results] == expected


def test_graphs_of_arrays_at_other_addresses(gpu: Gpu):
    module = load_module(compile_module(parse_hlo(LAYOUTS)), gpu, graphs=True)
    x, y = (np.arange(n, n + 12).reshape(3, 4).astype(ml_dtypes.bfloat16) for n in (0, 1))
    leaf = module.module.plan.parameters[0]
    first, second = (GpuArray(gpu, gpu.upload(np.ascontiguousarray(z.T).view(np.uint16)), leaf) for z in (x, y))
    for array, expected in [(first, -x), (second, -y), (first, -x)]:
        np.testing.assert_array_equal(module.run(array)[0].numpy(), expected)


def test_graphs_of_donated_arrays(gpu: Gpu):
    module = load_module(compile_module(parse_hlo(PROGRAMS["donated"])), gpu, graphs=True)
    x, *others = ModuleRuns(parse_hlo(PROGRAMS["donated"]), module.module.plan).arguments[0]
    on_gpu = GpuArray(gpu, gpu.upload(x), module.module.plan.parameters[0])
    kept = module.run(on_gpu, *others)
    np.testing.assert_array_equal(on_gpu.numpy(), x)
    overwritten = module.run(on_gpu, *others, donate=True)
    assert on_gpu.__cuda_array_interface__["data"] in [r.__cuda_array_interface__["data"] for r in overwritten]
    assert [r.numpy().tobytes() for r in kept] == [r.numpy().tobytes() for r in overwritten]
