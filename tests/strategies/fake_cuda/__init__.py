"""
A CUDA driver without a GPU: `libcuda.so.1`, built here, with functions in Python.

cuda-core and cuda-bindings above it are NVIDIA's, so every call of the engine is one that they accept. Memory is the
host's, at true addresses, and kernels are executed from their PTX by our PTX machine. The library is loaded once per
process and has no GPU but inside of `installed()`.
"""

import ctypes
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fake_cuda import device_functions, kernel_functions, memory_functions  # noqa: F401  (they fill the table)
from fake_cuda.registry import FUNCTIONS, unknown
from fake_cuda.state import DRIVER, Driver

COMPILER = "cc"

_Lookup = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(ctypes.c_void_p))


@_Lookup
def _lookup(name: bytes, function: Any) -> int:
    found = FUNCTIONS.get(name.decode()) or unknown(name.decode())
    function[0] = ctypes.cast(found, ctypes.c_void_p)
    return 1


@cache
def _library() -> ctypes.CDLL:
    """The driver. Its name is that of NVIDIA's, so whoever asks the system for that gets this one."""
    with TemporaryDirectory() as folder:
        built = Path(folder) / "libcuda.so.1"
        source = Path(__file__).with_name("libcuda.c")
        command = [COMPILER, "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", str(built), str(source)]
        subprocess.run(command, check=True, capture_output=True)
        library = ctypes.CDLL(str(built), mode=ctypes.RTLD_GLOBAL)
    library.set_lookup(_lookup)
    return library


@contextmanager
def installed(memory: int = 1 << 30) -> Iterator[Driver]:
    """A machine with one GPU, of compute capability 9.0, with `memory` bytes."""
    _library()
    DRIVER.reset(memory)
    DRIVER.is_present = True
    try:
        yield DRIVER
    finally:
        DRIVER.is_present = False
