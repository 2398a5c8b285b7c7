"""JAX's client of CPUs in the place of that of GPUs: the memory of the fake driver is the host's."""

import ctypes
from dataclasses import dataclass
from typing import Any

import jax

from xshardy.engines.cuda import Gpu
from xshardy.engines.cuda.dlpack import Exported, tensor_in
from xshardy.engines.cuda.jax_libraries import JaxLibraries

HOST = (1, 0)
"""The device of a `DLTensor` in the host's memory."""
_DEVICE_OFFSET = 8
"""Where the type of the device is in a `DLTensor`: behind a pointer."""


@dataclass(frozen=True)
class OnHost:
    """An array whose capsule says that it is in the host's memory."""

    exported: Exported

    def __dlpack_device__(self) -> tuple[int, int]:
        assert self.exported.__dlpack_device__() == (2, 0)
        return HOST

    def __dlpack__(self, **options: Any) -> object:
        capsule = self.exported.__dlpack__(**options)
        ctypes.c_int32.from_address(tensor_in(capsule) + _DEVICE_OFFSET).value = HOST[0]
        return capsule


def taken(exported: Exported) -> Any:
    """The array of JAX that is the memory of `exported`, or a copy if it begins where no array of JAX can."""
    array: Any = jax.dlpack.from_dlpack(OnHost(exported))
    assert array.dtype == exported.dtype
    assert exported.memory.pointer % 64 or array.unsafe_buffer_pointer() == exported.memory.pointer
    return array


def libraries(gpu: Gpu) -> JaxLibraries:
    """Library steps by XLA on the CPU."""
    return JaxLibraries(gpu, jax.devices("cpu")[0], taken)
