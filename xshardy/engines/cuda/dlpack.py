"""Memory of a GPU as an array that other libraries take by DLPack, also with element types that cuda-core lacks."""

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from xshardy.engines.cuda.gpu import DeviceMemory, Gpu
from xshardy.numerics.element_types import DType, bits_in_memory

DLPACK_CODES: Mapping[str, int] = {
    "bfloat16": 4,
    "float8_e3m4": 7,
    "float8_e4m3": 8,
    "float8_e4m3b11fnuz": 9,
    "float8_e4m3fn": 10,
    "float8_e4m3fnuz": 11,
    "float8_e5m2": 12,
    "float8_e5m2fnuz": 13,
    "float8_e8m0fnu": 14,
}
"""`DLDataTypeCode` of the types that numpy lacks. Source: `dlpack.h` of DLPack 1.1."""

_TENSOR_OFFSETS: Mapping[bytes, int] = {b"dltensor": 0, b"dltensor_versioned": 32}
"""Where the `DLTensor` is in what a capsule of this name points to, in bytes."""
_CODE_OFFSET = 20
"""Where `dtype.code` is in a `DLTensor`: behind a pointer, the device (8 bytes) and the number of dimensions (4)."""

_name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
_pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
    ("PyCapsule_GetPointer", ctypes.pythonapi)
)


@dataclass(frozen=True, slots=True)
class Exported:
    """The elements of `dtype` in `memory`; `strides` are in elements. What wrote to it must be done."""

    gpu: Gpu
    memory: DeviceMemory
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    dtype: DType

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._plain().__dlpack_device__()

    def __dlpack__(self, **options: object) -> object:
        """Raises `BufferError` for elements of less than a byte, which DLPack does not pack."""
        if not has_dlpack(self.dtype):
            raise BufferError(f"DLPack has no arrays of packed {self.dtype}: use numpy()")
        capsule = self._plain().__dlpack__(**options)
        if (code := DLPACK_CODES.get(self.dtype.name)) is not None:
            # cuda-core cannot export these types, so it is given integers of the same size
            ctypes.c_uint8.from_address(tensor_in(capsule) + _CODE_OFFSET).value = code
        return capsule

    def _plain(self) -> Any:
        """The array, with an unsigned integer of its size for an element type that numpy lacks."""
        dtype = self.dtype if self.dtype.isbuiltin == 1 else np.dtype(f"u{self.dtype.itemsize}")
        return self.gpu.export(self.memory, self.shape, self.strides, dtype)


def has_dlpack(dtype: DType) -> bool:
    """Whether arrays of `dtype` have a form in DLPack that is the one in memory."""
    return bits_in_memory(dtype) >= 8


def tensor_in(capsule: object) -> int:
    """The address of the `DLTensor` in a capsule of DLPack."""
    name = _name_of(capsule)
    return _pointer_of(capsule, name) + _TENSOR_OFFSETS[name]
