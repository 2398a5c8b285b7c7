"""Kernels on an NVIDIA GPU, loaded and launched through the CUDA driver (package cuda-core, `cuda` extra)."""

from xshardy.engines.cuda.gpu import Gpu, GpuError
from xshardy.engines.cuda.launching import LaunchError, LoadedKernel, load, run_on_gpu

__all__ = ["Gpu", "GpuError", "LaunchError", "LoadedKernel", "load", "run_on_gpu"]
