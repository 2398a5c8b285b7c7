"""Results on a GPU, as arrays that other libraries take without a copy."""

import ctypes
from collections.abc import Mapping
from typing import Any

import numpy as np

from xshardy.engines.cuda.gpu import DeviceMemory, Gpu
from xshardy.interpreters.element_types import Array, DType, bits_in_memory, numpy_dtype
from xshardy.modules.leaves import Leaf
from xshardy.modules.memory import from_memory

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


class GpuArray:
    """
    A tensor in the memory of a GPU, in the order of its layout.

    cupy, torch, jax and other libraries take it without a copy, by DLPack or `__cuda_array_interface__`; `numpy()` and
    `numpy.asarray` copy it to the host. The memory is freed with the last array that uses it.
    """

    def __init__(self, gpu: Gpu, memory: DeviceMemory, leaf: Leaf):
        self._gpu, self._memory, self._leaf = gpu, memory, leaf

    @property
    def shape(self) -> tuple[int, ...]:
        """The sizes of the dimensions."""
        return self._leaf.type.get_shape()

    @property
    def dtype(self) -> DType:
        """The type of the elements, one of numpy or ml_dtypes."""
        return numpy_dtype(self._leaf.type)

    @property
    def strides(self) -> tuple[int, ...]:
        """The distance in elements from one element to the next, for each dimension."""
        return strides_of(self._leaf)

    def numpy(self) -> Array:
        """A copy of the elements on the host."""
        return from_memory(self._gpu.download(self._memory), self._leaf)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("an array on a GPU cannot become one of numpy without a copy")
        found = self.numpy()
        return found if dtype is None else found.astype(dtype, copy=False)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        if self.dtype.isbuiltin != 1:
            raise AttributeError(f"__cuda_array_interface__ has no name for {self.dtype}: use DLPack")
        return {
            "version": 3,
            "shape": self.shape,
            "typestr": self.dtype.str,
            "data": (self._memory.pointer, False),
            "strides": tuple(stride * self.dtype.itemsize for stride in self.strides),
            "stream": None,  # what wrote to it is done
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._gpu.export(self._memory, self.shape, self.strides, _plain(self.dtype)).__dlpack_device__()

    def __dlpack__(self, **options: Any) -> object:
        """Raises `BufferError` for elements of less than a byte, which DLPack does not pack."""
        if bits_in_memory(self.dtype) < 8:
            raise BufferError(f"DLPack has no arrays of packed {self.dtype}: use numpy()")
        capsule = self._gpu.export(self._memory, self.shape, self.strides, _plain(self.dtype)).__dlpack__(**options)
        if (code := DLPACK_CODES.get(self.dtype.name)) is not None:
            # cuda-core cannot export these types, so it is given integers of the same size
            name = _name_of(capsule)
            ctypes.c_uint8.from_address(_pointer_of(capsule, name) + _TENSOR_OFFSETS[name] + _CODE_OFFSET).value = code
        return capsule

    def __repr__(self) -> str:
        return f"GpuArray({self._leaf.shape_text} on GPU {self._gpu.number})"


def _plain(dtype: DType) -> DType:
    """`dtype`, or an unsigned integer of its size for one that numpy lacks."""
    return dtype if dtype.isbuiltin == 1 else np.dtype(f"u{dtype.itemsize}")


def strides_of(leaf: Leaf) -> tuple[int, ...]:
    """The distance in elements from one element to the next, for each dimension of a tensor."""
    strides = [0] * leaf.type.get_num_dims()
    stride = 1
    for dimension in leaf.layout:
        strides[dimension] = stride
        stride *= leaf.type.get_shape()[dimension]
    return tuple(strides)
