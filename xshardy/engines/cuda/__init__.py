"""Kernels and modules on an NVIDIA GPU, run through the CUDA driver (package cuda-core, `cuda` extra)."""

from xshardy.engines.cuda.gpu import Gpu, GpuError
from xshardy.engines.cuda.gpu_array import GpuArray
from xshardy.engines.cuda.gpu_views import LaunchError
from xshardy.engines.cuda.launching import LoadedKernel, load, run_on_gpu
from xshardy.engines.cuda.loaded_module import LoadedModule, load_module

__all__ = [
    "Gpu",
    "GpuArray",
    "GpuError",
    "LaunchError",
    "LoadedKernel",
    "LoadedModule",
    "load",
    "load_module",
    "run_on_gpu",
]
