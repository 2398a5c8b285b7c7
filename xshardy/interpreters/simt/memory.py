"""The memory of a kernel: buffers, which record the writer and the time of each write, and tensors, which view them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import Enum
from math import prod
from typing import TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Attribute

from xshardy.interpreters.constants import dense_array
from xshardy.numerics.element_types import Array, DType, numpy_dtype


class AccessKind(Enum):
    """What an access does to memory."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"


NO_THREAD = -1
"""The writer number of an element that is unchanged since the launch, or was last written by an atomic update."""


@dataclass(eq=False, slots=True)
class Buffer:
    """Elements in memory order. A shared buffer concatenates the memory of the blocks of the chunk."""

    name: str
    data: Array
    elements_per_block: int | None = None
    """For shared memory: the elements per block. None for memory visible to all blocks."""
    writer: Array | None = field(default=None)
    """The number in the grid of the last writer of each element. Allocated at the first write."""
    written_at: Array | None = field(default=None)
    """The time of the last write of each element."""

    def track_writes(self, number: DType) -> tuple[Array, Array]:
        """
        Start to record the writer and time of each element; `number` is the type of thread numbers.

        Copies `data` if it is not the buffer's own.
        """
        if self.writer is None or self.written_at is None:
            self.data = self.data.copy()
            self.writer = np.full(self.data.shape, NO_THREAD, number)
            self.written_at = np.zeros(self.data.shape, np.int32)
        return self.writer, self.written_at


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor value: a buffer as of some time, and the mapping of indices to its elements."""

    buffer: Buffer
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    time: int = 0
    """The time of the last write visible in this value."""

    def at(self, time: int) -> Tensor:
        return replace(self, time=time)

    def reshaped(self, kind: TensorType[Attribute]) -> Tensor:
        """The same memory with another shape."""
        return replace(self, shape=kind.get_shape(), strides=strides_of(kind))


Dense: TypeAlias = DenseIntOrFPElementsAttr
Value: TypeAlias = Array | Tensor


def minor_to_major(kind: TensorType[Attribute]) -> tuple[int, ...]:
    """
    The layout of a tensor: its dimensions, the one that varies fastest in memory first.

    The encoding may specify it.
    """
    encoding: Attribute = kind.encoding
    if isinstance(encoding, DenseIntOrFPElementsAttr):
        return tuple(int(dimension) for dimension in dense_array(cast(Dense, encoding)))
    return tuple(reversed(range(kind.get_num_dims())))


def strides_of(kind: TensorType[Attribute]) -> tuple[int, ...]:
    """The stride of each dimension in memory, in elements."""
    shape, order = kind.get_shape(), minor_to_major(kind)
    strides = [1] * len(shape)
    for position, dimension in enumerate(order):
        strides[dimension] = prod(shape[d] for d in order[:position])
    return tuple(strides)


def in_memory_order(array: Array, kind: TensorType[Attribute]) -> Array:
    """The elements of an array of the tensor's shape, in memory order."""
    return array.transpose(tuple(reversed(minor_to_major(kind)))).reshape(-1)


def in_tensor_order(elements: Array, kind: TensorType[Attribute]) -> Array:
    """The inverse of `in_memory_order`: the elements in the tensor's shape."""
    order = tuple(reversed(minor_to_major(kind)))
    shape = kind.get_shape()
    return elements.reshape([shape[d] for d in order]).transpose(np.argsort(order) if order else ())


def constant_tensor(name: str, array: Array, kind: TensorType[Attribute]) -> Tensor:
    """A tensor with these elements. `array` has the tensor's shape and is copied on the first write."""
    return Tensor(Buffer(name, in_memory_order(array, kind)), kind.get_shape(), strides_of(kind))


def shared_tensor(name: str, kind: TensorType[Attribute], blocks: int) -> Tensor:
    """A tensor in the shared memory of each of `blocks` blocks. Initially all bits are set: NaN for floats."""
    size = prod(kind.get_shape())
    dtype = numpy_dtype(kind)
    data = np.full(blocks * size * dtype.itemsize, 0xFF, np.uint8).view(dtype)
    return Tensor(Buffer(name, data, elements_per_block=size), kind.get_shape(), strides_of(kind))
