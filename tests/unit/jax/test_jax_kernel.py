"""`examples/jax_kernel.py`: a kernel of ours that XLA calls, on the CPU, and on a GPU as XLA would call it there."""

import ctypes
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fake_cuda.state import Driver

import xshardy
from xshardy.engines.cuda import Gpu, load
from xshardy.numerics.element_types import float_info

pytest.importorskip("jax")

EXAMPLE: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[3] / "examples" / "jax_kernel.py"))

NEGATE = """HloModule negate
ENTRY main {
  x = f32[300] parameter(0)
  ROOT r = f32[300] negate(x)
}
"""


def test_on_the_cpu(capsys: pytest.CaptureFixture[str]):
    float_info.cache_clear()
    EXAMPLE["main"]()
    printed = capsys.readouterr().out
    assert printed.startswith("on the cpu: [") and float(printed.split()[-1]) < 0.05
    assert float_info(np.dtype(np.float32)).smallest_subnormal == 2**-149  # XLA flushes subnormals while it calls


def call_of(pointers: list[int], operands: int, stream: int | None) -> ctypes.Structure:
    """What XLA passes to a foreign function, with what it points to."""
    call, functions, kept = EXAMPLE["Call"](), EXAMPLE["Functions"](), []

    def get_stream(asked: int) -> int | None:
        EXAMPLE["GetStream"].from_address(asked).stream = stream
        return 1 if stream is None else None

    def create_error(asked: int) -> int:
        kept.append(EXAMPLE["CreateError"].from_address(asked).message)
        return 0xE

    types = dict(EXAMPLE["Functions"]._fields_)
    functions.get_stream, functions.create_error = types["get_stream"](get_stream), types["create_error"](create_error)
    call.functions = ctypes.pointer(functions)
    for buffers, given in ((call.operands, pointers[:operands]), (call.results, pointers[operands:])):
        places = (ctypes.c_void_p * len(given))()
        for index, pointer in enumerate(given):
            kept.append(buffer := EXAMPLE["Buffer"](data=pointer))
            places[index] = ctypes.addressof(buffer)
        buffers.size, buffers.places = len(given), places
    call.kept = kept
    return call


def test_on_a_gpu(gpu: Gpu, driver: Driver):
    """The kernel is launched on XLA's stream, on XLA's memory, and reports what the driver refuses."""
    handler = EXAMPLE["handler_of"](EXAMPLE["on_gpu"](load(xshardy.compile(NEGATE), gpu)))
    x = np.arange(300, dtype=np.float32)
    operand, result = gpu.upload(x), gpu.allocate(1200)
    stream = driver.handle("the stream of XLA")
    call = call_of([operand.pointer, result.pointer], 1, stream)
    assert handler(ctypes.byref(call)) is None
    assert driver.launches[0].stream == stream
    np.testing.assert_array_equal(gpu.download(result).view(np.float32), -x)
    odd = call_of([operand.pointer + 4, result.pointer], 1, stream)
    assert handler(ctypes.byref(odd)) == 0xE and b"CUDA_ERROR_MISALIGNED_ADDRESS" in odd.kept[-1]
    without = call_of([operand.pointer, result.pointer], 1, None)
    assert handler(ctypes.byref(without)) == 0xE and without.kept[-1] == b"XLA has no stream for this call"
