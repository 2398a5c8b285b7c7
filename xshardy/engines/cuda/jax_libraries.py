"""
Library steps by JAX: XLA compiles each for the GPU, and calls cuBLAS, cuDNN, cuFFT and cuSOLVER, which JAX brings.

XLA reads the memory of the plan as it is, and its results are copied to where the plan has them. Both wait for each
other on the host: XLA has streams of its own.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from xshardy.engines.cuda.dlpack import Exported
from xshardy.engines.cuda.gpu import DeviceMemory, Gpu
from xshardy.engines.errors import EngineError
from xshardy.engines.pjrt.devices import import_jax
from xshardy.engines.pjrt.executable import Executable, load
from xshardy.launch.launch_plan import LaunchPlan

PREALLOCATE = "XLA_PYTHON_CLIENT_PREALLOCATE"
"""Of the environment: whether JAX takes most of the memory of a GPU when it starts, which it does by default."""


class Libraries(StrEnum):
    """Who computes library steps."""

    AUTO = "auto"
    """XLA, if JAX can use the GPU."""
    JAX = "jax"
    """XLA; without JAX there is a diagnostic."""
    NONE = "none"
    """Kernels of ours, and the host."""


def taken_by_jax(exported: Exported) -> Any:
    """The array of JAX that is the memory of `exported`."""
    return import_jax().dlpack.from_dlpack(exported, copy=False)


@dataclass
class JaxLibraries:
    """Runs programs of library steps on `device`, JAX's name for `gpu`."""

    gpu: Gpu
    device: Any
    taken: Callable[[Exported], Any] = taken_by_jax
    """How JAX takes an operand."""
    _compiled: dict[str, Executable] = field(default_factory=dict[str, Executable])
    """By the text of the program: models repeat their layers."""
    _outputs: Sequence[Any] = ()
    """Those of the last run, from which the GPU may still copy."""

    def compiled(self, program: str) -> Executable:
        """The executable of a `step_program`. Raises `EngineError` with XLA's reason if it refuses that."""
        if program not in self._compiled:
            self._compiled[program] = Executable(load(program, [self.device]), [self.device])
        return self._compiled[program]

    def run(self, executable: Executable, operands: Sequence[Exported], results: Sequence[DeviceMemory]) -> None:
        """
        Execute a program, and copy what it returns to the first of `results`, which may be memory of `operands`.

        Raises `EngineError` with XLA's reason if the execution fails.
        """
        self.gpu.wait()  # what writes the operands, and copies of earlier results
        with import_jax().enable_x64(True):  # without it, JAX makes 64 bits 32 bits wide
            arrays = [self._operand(operand) for operand in operands]
            self._outputs = executable.execute_on_one_device(arrays)
        for array, target in zip(self._outputs, results, strict=False):  # without workspace
            if target.size:
                assert array.nbytes == target.size
                self.gpu.copy(self.gpu.memory_at(array.unsafe_buffer_pointer(), target.size, array), target)

    def _operand(self, operand: Exported) -> Any:
        if 0 in operand.shape:  # there may be no memory at its address
            return import_jax().device_put(np.empty(operand.shape, operand.dtype), self.device)
        return self.taken(operand)


def libraries_for(plan: LaunchPlan, gpu: Gpu, choice: Libraries) -> JaxLibraries | None:
    """
    JAX on `gpu` for the library steps of `plan`, as `choice` says; None if nothing is left to it.

    JAX starts if it has not: without `XLA_PYTHON_CLIENT_PREALLOCATE` in the environment, such that it allocates what it
    needs, as the memory of the GPU belongs to the plan. Raises `EngineError` if `JAX` is chosen and cannot use the GPU.
    """
    if choice is Libraries.NONE or not any(plan.library_steps()):
        return None
    try:
        return JaxLibraries(gpu, _device_of(gpu))
    except EngineError:
        if choice is Libraries.AUTO:
            return None
        raise


def _device_of(gpu: Gpu) -> Any:
    os.environ.setdefault(PREALLOCATE, "false")
    try:
        devices = import_jax().local_devices(backend="cuda")
    except RuntimeError as error:  # JAX is there, but not for GPUs
        reason = str(error).strip().partition("\n")[0]
        raise EngineError(
            f"library steps by JAX need its CUDA backend: run `pip install 'jax[cuda13]'`, or leave them to kernels of "
            f"xshardy with libraries 'none' ({reason})"
        ) from None
    for device in devices:
        if device.local_hardware_id == gpu.number:
            return device
    raise EngineError(f"JAX does not use GPU {gpu.number}: it has {', '.join(map(str, devices))}")
