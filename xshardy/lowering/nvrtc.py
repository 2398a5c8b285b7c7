"""CUDA C++ compiled to PTX without a GPU, by NVRTC of the Python package `nvidia-cuda-nvrtc`."""

import ctypes
from collections.abc import Mapping, Sequence
from pathlib import Path

from xdsl.utils.exceptions import DiagnosticException

from xshardy.lowering.cuda_files import MissingCudaExtraError, installed_file

LIBRARY = "lib/libnvrtc.so.13"
HEADERS = "include/cuda_runtime.h"
ARCHITECTURE = "compute_90"


class CudaSourceError(DiagnosticException):
    """NVRTC rejects CUDA C++: its messages, with lines of the source."""


def compile_cuda(
    source: str,
    name: str = "kernel.cu",
    options: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
) -> str:
    """
    The PTX of `source`, whose lines it names by `.loc`. Functions for the host are compiled for the device too.

    `headers` are texts that `#include` finds by their names, beside those of the folder of `name` and of the package
    `nvidia-cuda-runtime`. Raises `MissingCudaExtraError` without NVRTC, and `CudaSourceError` if it rejects the source.
    """
    nvrtc = _library()
    includes = [f"-I{Path(name).parent}"]
    if (runtime := installed_file(HEADERS)) is not None:
        includes += [f"-I{runtime.parent}", f"-I{runtime.parent / 'cccl'}"]
    defaults = [] if any("gpu-architecture" in option for option in options) else [f"--gpu-architecture={ARCHITECTURE}"]
    arguments = _strings([*defaults, "-lineinfo", "-default-device", *options, *includes])
    headers = headers or {}
    program = ctypes.c_void_p()
    texts, names = _strings([*headers.values()]), _strings([*headers])
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), name.encode(), len(headers), texts, names)
    try:
        if nvrtc.nvrtcCompileProgram(program, len(arguments), arguments):
            raise CudaSourceError(_text(nvrtc, program, "ProgramLog").strip())
        return _text(nvrtc, program, "PTX")
    finally:
        nvrtc.nvrtcDestroyProgram(ctypes.byref(program))


def _library() -> ctypes.CDLL:
    if (file := installed_file(LIBRARY)) is None:
        raise MissingCudaExtraError(
            "CUDA C++ is compiled by NVRTC: install it with `pip install 'nvidia-cuda-nvrtc>=13'`"
        )
    for part in file.parent.glob("libnvrtc-builtins.so*"):  # NVRTC looks for it where the system has libraries
        ctypes.CDLL(str(part))
    return ctypes.CDLL(str(file))


def _strings(texts: Sequence[str]) -> "ctypes.Array[ctypes.c_char_p]":
    return (ctypes.c_char_p * len(texts))(*(text.encode() for text in texts))


def _text(nvrtc: ctypes.CDLL, program: ctypes.c_void_p, what: str) -> str:
    """What `nvrtcGet...` gives."""
    size = ctypes.c_size_t()
    nvrtc[f"nvrtcGet{what}Size"](program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    nvrtc[f"nvrtcGet{what}"](program, text)
    return text.value.decode()
