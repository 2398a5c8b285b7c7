"""Memory of a kernel: buffers, which know which thread wrote each element and when, and tensors, which view them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import prod
from typing import Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Attribute

from xshardy.interpreters.constants import dense_array
from xshardy.interpreters.element_types import Array, DType, numpy_dtype

NOBODY = -1
ATOMIC = -2
"""The writers of an element that is as it was before the launch, and of one that was written by an atomic update."""


@dataclass(eq=False, slots=True)
class Buffer:
    """Elements in the order of memory. Shared memory has those of block after block of the lanes that run together."""

    name: str
    data: Array
    elements_per_block: int | None = None
    """For shared memory: how many elements a block has. None for memory that all blocks see."""
    writer: Array | None = field(default=None)
    """The number in the grid of the thread that wrote each element last. Made when the first element is written."""
    written_at: Array | None = field(default=None)
    """When each element was written last, in steps of the clock."""

    def track_writes(self, number: DType) -> tuple[Array, Array]:
        """
        Who wrote each element, and when, from now on to be kept; `number` is the type of the numbers of threads.

        Makes `data` the buffer's own.
        """
        if self.writer is None or self.written_at is None:
            self.data = self.data.copy()
            self.writer = np.full(self.data.shape, NOBODY, number)
            self.written_at = np.zeros(self.data.shape, np.int32)
        return self.writer, self.written_at


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor as a value: a buffer as it was at some time, and how the indices lead to its elements."""

    buffer: Buffer
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    time: int = 0
    """The step of the clock of the last write that this value shows."""

    def at(self, time: int) -> Tensor:
        return replace(self, time=time)

    def reshaped(self, kind: TensorType[Attribute]) -> Tensor:
        """The same memory seen with another shape."""
        return replace(self, shape=kind.get_shape(), strides=strides_of(kind))


Dense: TypeAlias = DenseIntOrFPElementsAttr[Any]
Value: TypeAlias = Array | Tensor


def minor_to_major(kind: TensorType[Attribute]) -> tuple[int, ...]:
    """The dimensions of a tensor, from the one whose neighbours are neighbours in memory. The encoding may say them."""
    encoding: Attribute = kind.encoding
    if isinstance(encoding, DenseIntOrFPElementsAttr):
        return tuple(int(dimension) for dimension in dense_array(cast(Dense, encoding)))
    return tuple(reversed(range(kind.get_num_dims())))


def strides_of(kind: TensorType[Attribute]) -> tuple[int, ...]:
    """How many elements apart neighbours along each dimension are in memory."""
    shape, order = kind.get_shape(), minor_to_major(kind)
    strides = [1] * len(shape)
    for position, dimension in enumerate(order):
        strides[dimension] = prod(shape[d] for d in order[:position])
    return tuple(strides)


def in_memory_order(array: Array, kind: TensorType[Attribute]) -> Array:
    """The elements of an array of the tensor's own shape, in the order that they have in memory."""
    return array.transpose(tuple(reversed(minor_to_major(kind)))).reshape(-1)


def in_tensor_order(elements: Array, kind: TensorType[Attribute]) -> Array:
    """`in_memory_order` undone: the elements in the tensor's own shape."""
    order = tuple(reversed(minor_to_major(kind)))
    shape = kind.get_shape()
    return elements.reshape([shape[d] for d in order]).transpose(np.argsort(order) if order else ())


def constant_tensor(name: str, array: Array, kind: TensorType[Attribute]) -> Tensor:
    """A tensor with these elements. `array` has the tensor's shape, and is only copied when it is written to."""
    return Tensor(Buffer(name, in_memory_order(array, kind)), kind.get_shape(), strides_of(kind))


def shared_tensor(name: str, kind: TensorType[Attribute], blocks: int) -> Tensor:
    """A tensor in the shared memory of each of `blocks` blocks. All bits are set, which for floats is NaN."""
    size = prod(kind.get_shape())
    dtype = numpy_dtype(kind)
    data = np.full(blocks * size * dtype.itemsize, 0xFF, np.uint8).view(dtype)
    return Tensor(Buffer(name, data, elements_per_block=size), kind.get_shape(), strides_of(kind))
