"""Compiled modules on a GPU: run with arrays that are there already, or with arrays of the host that are copied."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from xshardy.engines.cuda.gpu import DeviceMemory, Gpu
from xshardy.engines.cuda.gpu_array import GpuArray, strides_of
from xshardy.engines.cuda.gpu_views import LaunchError, has_strides, require_alignment, view_of
from xshardy.engines.cuda.graphs import GraphExecution, Graphs
from xshardy.engines.cuda.jax_libraries import JaxLibraries, Libraries, libraries_for
from xshardy.engines.cuda.modules import GpuMachine, Way
from xshardy.launch.buffer_assignment import ALIGNMENT, Allocation, AllocationKind
from xshardy.launch.compilation import CompiledModule
from xshardy.launch.execution import Execution, check_count, check_type
from xshardy.launch.launch_plan import Argument
from xshardy.launch.leaves import Leaf
from xshardy.launch.memory import to_memory
from xshardy.numerics.element_types import DType, bits_in_memory, numpy_dtype

READ_ALIGNMENT = 16
"""Bytes: kernels assume it of what they only read."""


class LoadedModule:
    """A module on a GPU: its kernels, its constants, and the memory of the values in between."""

    def __init__(self, module: CompiledModule, gpu: Gpu, graphs: bool = False, libraries: JaxLibraries | None = None):
        module.require_complete()
        self.module, self.gpu = module, gpu
        self._machine = GpuMachine(module, gpu, libraries)
        self._machine.prepare()
        self._graphs = Graphs(gpu, self._machine.stays_on_gpu) if graphs else None
        self._kept: dict[int, DeviceMemory] = {}
        """Allocations by number that are the same in every run: all but the caller's arrays if there are graphs."""
        for allocation in module.plan.assignment.allocations:
            if (value := allocation.constant_value) is not None:
                self._kept[allocation.number] = gpu.upload(value)
            elif allocation.kind is AllocationKind.TEMPORARY:
                self._kept[allocation.number] = gpu.allocate(allocation.size)

    @property
    def library_steps(self) -> Mapping[str, Way]:
        """Who computes each library step, by its name."""
        return {step.name: self._machine.way(step) for step in self.module.plan.library_steps()}

    @property
    def refused(self) -> Mapping[str, str]:
        """For the name of each library step that XLA was asked for and does not compute, why."""
        return self._machine.refused

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
                memory[allocation.number] = self._made(allocation)
        self._machine.memory = [memory[number] for number in range(len(memory))]
        try:
            self._execution().execute()
            results = [self._result(memory, result) for result in plan.results]
            self.gpu.wait()
        finally:
            self._machine.memory = []  # the arrays may be freed now
        return results

    def _execution(self) -> Execution:
        """One execution on the memory of the machine."""
        plan, machine = self.module.plan, self._machine
        if self._graphs is None:
            return Execution(plan, machine, checks=False)
        graphs = self._graphs.at([memory.pointer for memory in machine.memory])
        return GraphExecution(plan, machine, checks=False, graphs=graphs)

    def _made(self, allocation: Allocation) -> DeviceMemory:
        """Memory for a parameter or a result: new, or with graphs, which hold its address, that of the first run."""
        if self._graphs is None:
            return self.gpu.allocate(allocation.size)
        if allocation.number not in self._kept:
            self._kept[allocation.number] = self.gpu.allocate(allocation.size)
        return self._kept[allocation.number]

    def _result(self, memory: Mapping[int, DeviceMemory], result: Argument) -> GpuArray:
        """A result as an array: a copy, if the next run writes to the same memory."""
        number = result.slice.allocation
        found = memory[number]
        if self._kept.get(number) is found:
            found = self.gpu.allocate(found.size)
            self.gpu.copy(self._kept[number], found)
        return GpuArray(self.gpu, found, result.leaf)

    def _bound(self, leaf: Leaf, array: Any, allocation: Allocation, donate: bool) -> DeviceMemory:
        """The memory of the parameter `leaf`, with the elements of `array`."""
        where, dtype = f"parameter {leaf.name}", numpy_dtype(leaf.type)
        view = view_of(self.gpu, array, where)
        if view is None:
            host = np.asarray(array)
            host = host.view(dtype) if _is_same_bits(host.dtype, dtype) else host
            check_type(leaf, host.shape, host.dtype)
            made = self._made(allocation)
            self.gpu.store(to_memory(host, leaf), made)
            return made
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
        made = self._made(allocation)
        self.gpu.copy(given, made)
        return made


def _is_same_bits(given: DType | None, expected: DType) -> bool:
    """Whether `given` are unsigned integers that stand for a type that numpy lacks, and that is not packed."""
    return expected.isbuiltin != 1 and bits_in_memory(expected) >= 8 and given == np.dtype(f"u{expected.itemsize}")


def load_module(
    module: CompiledModule,
    gpu: Gpu | None = None,
    *,
    graphs: bool = False,
    libraries: Literal["auto", "jax", "none"] = "auto",
) -> LoadedModule:
    """
    `module` on `gpu`, by default on GPU 0.

    With `graphs`, steps in a row are recorded as a CUDA graph when they first run, and submitted at once from then on,
    as long as the same arrays on the GPU are passed; results are copied. Loops and branches are decided by the host.

    `libraries` says who computes library steps, such as matrix products: `jax`, XLA, which calls NVIDIA's libraries;
    `none`, kernels of ours and the host; `auto`, XLA if JAX is installed with CUDA.

    Raises `ModuleError` if a kernel of it could not be compiled, `GpuError`, and `EngineError` without JAX for `jax`.
    """
    module.require_complete()
    gpu = gpu or Gpu()
    return LoadedModule(module, gpu, graphs, libraries_for(module.plan, gpu, Libraries(libraries)))
