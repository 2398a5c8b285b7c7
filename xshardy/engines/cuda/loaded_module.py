"""Compiled modules on a GPU: run with arrays that are there already, or with arrays of the host that are copied."""

from typing import Any

import numpy as np

from xshardy.engines.cuda.gpu import DeviceMemory, Gpu
from xshardy.engines.cuda.gpu_array import GpuArray, strides_of
from xshardy.engines.cuda.gpu_views import LaunchError, has_strides, require_alignment, view_of
from xshardy.engines.cuda.modules import GpuMachine
from xshardy.interpreters.element_types import DType, numpy_dtype
from xshardy.modules.buffer_assignment import ALIGNMENT, Allocation, AllocationKind
from xshardy.modules.compilation import CompiledModule
from xshardy.modules.execution import Execution, check_count, check_type
from xshardy.modules.leaves import Leaf
from xshardy.modules.memory import to_memory
from xshardy.modules.program import ModuleError

READ_ALIGNMENT = 16
"""Bytes: kernels assume it of what they only read."""


class LoadedModule:
    """A module on a GPU: its kernels, its constants, and the memory of the values in between."""

    def __init__(self, module: CompiledModule, gpu: Gpu):
        for name, reason in module.failures.items():
            raise ModuleError(f"{name} cannot be compiled: {reason}")
        self.module, self.gpu = module, gpu
        self._machine = GpuMachine(module, gpu)
        self._kept = {
            allocation.number: self._allocated(allocation)
            for allocation in module.plan.assignment.allocations
            if allocation.kind in (AllocationKind.CONSTANT, AllocationKind.TEMPORARY)
        }

    def run(self, *arrays: Any, donate: bool = False) -> list[GpuArray]:
        """
        The results for `arrays`, one for each parameter, of the same shape and type; waits for the GPU.

        An array on this GPU, of cupy, torch, jax or another library with DLPack or `__cuda_array_interface__`, is not
        copied; one of the host is. For a type that numpy lacks, such as bf16, unsigned integers of its size stand too.

        A parameter that the module may overwrite (`input_output_alias`) is copied first; with `donate`, an array on the
        GPU is overwritten, and shares its memory with the result.

        Raises `ModuleError` for another number of arrays, shape or type, `LaunchError` for an array on another device,
        with gaps, in another order or at an odd address, `GpuError` for what the driver refuses, and `StepFailedError`.
        """
        plan = self.module.plan
        check_count(plan.parameters, arrays)
        memory = dict(self._kept)
        for allocation in plan.assignment.allocations:
            if allocation.parameter is not None:
                leaf = plan.parameters[allocation.parameter]
                memory[allocation.number] = self._bound(leaf, arrays[allocation.parameter], allocation, donate)
            elif allocation.kind is AllocationKind.RESULT:
                memory[allocation.number] = self.gpu.allocate(allocation.size)
        self._machine.memory = [memory[number] for number in range(len(memory))]
        try:
            Execution(plan, self._machine, checks=False).execute()
            self.gpu.wait()
        finally:
            self._machine.memory = []  # the arrays may be freed now
        return [GpuArray(self.gpu, memory[result.slice.allocation], result.leaf) for result in plan.results]

    def _allocated(self, allocation: Allocation) -> DeviceMemory:
        """Memory for a constant, with its value, or for values in between."""
        if (value := allocation.constant_value) is not None:
            return self.gpu.upload(value)
        return self.gpu.allocate(allocation.size)

    def _bound(self, leaf: Leaf, array: Any, allocation: Allocation, donate: bool) -> DeviceMemory:
        """The memory of the parameter `leaf`, with the elements of `array`."""
        where, dtype = f"parameter {leaf.name}", numpy_dtype(leaf.type)
        view = view_of(self.gpu, array, where)
        if view is None:
            host = np.asarray(array)
            host = host.view(dtype) if _is_same_bits(host.dtype, dtype) else host
            check_type(leaf, host.shape, host.dtype)
            return self.gpu.upload(to_memory(host, leaf))
        check_type(leaf, view.shape, dtype if _is_same_bits(view.dtype, dtype) else view.dtype)
        if not has_strides(view, strides_of(leaf)):
            raise LaunchError(f"{where}: the array has strides {view.strides}, not {strides_of(leaf)}: pass a copy")
        overwrites = bool(allocation.results)
        require_alignment(view, ALIGNMENT if overwrites and donate else READ_ALIGNMENT, where)
        given = self.gpu.memory_at(view.ptr, allocation.size, array)
        if not overwrites:
            return given
        if donate:
            if view.readonly:
                raise LaunchError(f"{where}: the module overwrites it, but the array is read-only")
            return given
        copy = self.gpu.allocate(allocation.size)
        self.gpu.copy(given, copy)
        return copy


def _is_same_bits(given: DType | None, expected: DType) -> bool:
    """Whether `given` are unsigned integers that stand for a type that numpy lacks, and that is not packed."""
    return expected.isbuiltin != 1 and given == np.dtype(f"u{expected.itemsize}")


def load_module(module: CompiledModule, gpu: Gpu | None = None) -> LoadedModule:
    """
    `module` on `gpu`, by default on GPU 0.

    Raises `ModuleError` if a kernel of it could not be compiled, and `GpuError`.
    """
    return LoadedModule(module, gpu or Gpu())
