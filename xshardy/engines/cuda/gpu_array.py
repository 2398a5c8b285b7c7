"""Results on a GPU, as arrays that other libraries take without a copy."""

from typing import Any

from xshardy.engines.cuda.dlpack import Exported
from xshardy.engines.cuda.gpu import DeviceMemory, Gpu
from xshardy.launch.leaves import Leaf
from xshardy.launch.memory import from_memory
from xshardy.numerics.element_types import Array, DType, numpy_dtype


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
    def __cuda_array_interface__(self) -> dict[str, object]:
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
        return self._exported().__dlpack_device__()

    def __dlpack__(self, **options: object) -> object:
        """Raises `BufferError` for elements of less than a byte, which DLPack does not pack."""
        return self._exported().__dlpack__(**options)

    def _exported(self) -> Exported:
        return Exported(self._gpu, self._memory, self.shape, self.strides, self.dtype)

    def __repr__(self) -> str:
        return f"GpuArray({self._leaf.shape_text} on GPU {self._gpu.number})"


def strides_of(leaf: Leaf) -> tuple[int, ...]:
    """The distance in elements from one element to the next, for each dimension of a tensor."""
    strides = [0] * leaf.type.get_num_dims()
    stride = 1
    for dimension in leaf.layout:
        strides[dimension] = stride
        stride *= leaf.type.get_shape()[dimension]
    return tuple(strides)
