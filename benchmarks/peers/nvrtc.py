"""NVRTC, the compiler of NVIDIA from CUDA C++ to PTX, as Python packages have it: see `cutlass_hopper.py`."""

import ctypes
import sysconfig
from collections.abc import Sequence
from pathlib import Path

PACKAGES = Path(sysconfig.get_paths()["purelib"])
NVIDIA = PACKAGES / "nvidia" / "cu13"


def compiled(source: str, options: Sequence[str]) -> str:
    """The PTX of `source` for sm_90a; `options` come before those that all sources share."""
    nvrtc = ctypes.CDLL(str(next((NVIDIA / "lib").glob("libnvrtc.so*"))))
    headers = NVIDIA / "include"
    options = [*options, "--gpu-architecture=compute_90a", "-std=c++17", f"-I{headers}", f"-I{headers / 'cccl'}"]
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"gemm.cu", 0, None, None)
    arguments = (ctypes.c_char_p * len(options))(*(option.encode() for option in options))
    status = nvrtc.nvrtcCompileProgram(program, len(options), arguments)
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    if status:
        raise SystemExit(f"NVRTC fails with status {status}: {log.value.decode()[:2000]}")
    nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size))
    ptx = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetPTX(program, ptx)
    return ptx.value.decode()
