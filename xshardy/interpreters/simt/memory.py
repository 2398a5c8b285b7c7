"""
Memory of a kernel: buffers that know who wrote each element and when, and tensors, which are views of them.

A kernel updates a tensor value by value; in memory that is done in place. So that this gives what the value semantics
promise, and what every order of the threads gives, each access is checked: indices are in bounds; an element that two
threads write gets the same bits from both; a thread reads what another one wrote only after a barrier of their block;
and nobody reads an element through a tensor from before it was overwritten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType
from xdsl.ir import Attribute, Operation

from xshardy.interpreters.constants import dense_array
from xshardy.interpreters.element_types import Array, DType, numpy_dtype
from xshardy.interpreters.numerics.floats import bits
from xshardy.interpreters.simt.errors import SimtError, shown

if TYPE_CHECKING:
    from xshardy.interpreters.simt.machine import Lanes

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


# -- Access -----------------------------------------------------------------------------------------------------------


def in_bounds(tensor: Tensor, indices: Sequence[Array]) -> Array:
    """Whether each lane's indices lie inside the tensor."""
    inside = np.ones((1, 1), np.bool_)
    for index, size in zip(indices, tensor.shape, strict=True):
        inside = inside & ((index >= 0) & (index < size))
    return inside


def offsets(lanes: Lanes, op: Operation, tensor: Tensor, indices: Sequence[Array], mask: Array) -> Array:
    """
    Where in the buffer each lane's element is; 0 for lanes that are not in `mask`.

    Raises `SimtError` if a lane in `mask` is out of bounds.
    """
    for dimension, (index, size) in enumerate(zip(indices, tensor.shape, strict=True)):
        outside = ((index < 0) | (index >= size)) & mask
        if outside.any():
            place = lanes.first(outside)
            raise SimtError(
                f"{shown(op)}\n  index {place.of(index)} is out of bounds in dimension {dimension} of size {size}, in "
                f"{place}"
            )
    result = sum((i * s for i, s in zip(indices, tensor.strides, strict=True)), np.zeros((1, 1), np.int64))
    if tensor.buffer.elements_per_block is not None:
        result = result + lanes.on_vector(lanes.block_in_chunk, result.ndim) * tensor.buffer.elements_per_block
    if not mask.all():
        result = np.where(mask, result, 0)
    if lanes.program.observe is not None:
        lanes.program.observe(lanes, op, tensor, result, mask)
    return result


def load(
    lanes: Lanes, op: Operation, tensor: Tensor, indices: Sequence[Array], mask: Array, atomic: bool = False
) -> Array:
    """
    The element of each lane in `mask`; where the indices have the dimensions of a vector, so has the result.

    Raises `SimtError` if a lane is out of bounds or, unless `atomic`, in a race.
    """
    buffer = tensor.buffer
    where = offsets(lanes, op, tensor, indices, mask)
    if buffer.data.size == 0:
        return np.zeros(where.shape, buffer.data.dtype)
    if buffer.writer is not None and buffer.written_at is not None and not atomic:
        check_load(lanes, op, tensor, where, mask, buffer.writer[where], buffer.written_at[where])
    return buffer.data[where]


def check_load(
    lanes: Lanes, op: Operation, tensor: Tensor, where: Array, mask: Array, writer: Array, written_at: Array
) -> None:
    """
    Raise `SimtError` if a lane in `mask` sees what another thread may or may not have written yet, or too new a value.
    """
    me = lanes.on_vector(lanes.lane, where.ndim)
    racing = (writer >= 0) & (writer != me) & mask & ~lanes.synchronized(writer, written_at)
    if racing.any():
        place = lanes.first(racing)
        raise SimtError(
            f"{shown(op)}\n  {place} reads element {place.of(where)} of {tensor.buffer.name}, which "
            f"{lanes.launch.place(int(place.of(writer)))} wrote with no barrier in between: a race"
        )
    overwritten = (written_at > tensor.time) & (writer == me) & mask
    if overwritten.any():
        place = lanes.first(overwritten)
        raise SimtError(
            f"{shown(op)}\n  {place} reads element {place.of(where)} of {tensor.buffer.name} through a tensor from "
            "before it overwrote that element: read the updated tensor, or read first"
        )


def store(
    lanes: Lanes,
    op: Operation,
    tensor: Tensor,
    indices: Sequence[Array],
    value: Array,
    mask: Array,
    atomic: bool = False,
) -> Tensor:
    """
    `tensor` with the `value` of each lane in `mask` at its indices.

    Raises `SimtError` if two threads write different bits to one element, unless `atomic`.
    """
    buffer = tensor.buffer
    where = offsets(lanes, op, tensor, indices, mask)
    shape = np.broadcast_shapes(where.shape, value.shape, mask.shape, (*lanes.shape, *(1,) * (where.ndim - 2)))
    chosen = np.broadcast_to(mask, shape)
    everybody = bool(mask.all())

    def of_writers(array: Array) -> Array:
        whole = np.broadcast_to(array, shape)
        return whole.reshape(-1) if everybody else whole[chosen]

    where, value, me = of_writers(where), of_writers(value), of_writers(lanes.on_vector(lanes.lane, len(shape)))
    writer, written_at = buffer.track_writes(lanes.lane.dtype)
    now = lanes.tick()
    if not atomic:
        previous = writer[where]
        suspects = (previous >= 0) & (previous != me)
        if suspects.any():
            suspects &= ~lanes.synchronized(previous, written_at[where], me)
            check_agreement(lanes, op, buffer, where, value, me, previous, suspects)
    buffer.data[where] = value
    writer[where] = ATOMIC if atomic else me
    written_at[where] = now
    if not atomic:
        last = writer[where]
        check_agreement(lanes, op, buffer, where, value, me, last, last != me)
    return tensor.at(now)


def check_agreement(
    lanes: Lanes, op: Operation, buffer: Buffer, where: Array, value: Array, me: Array, other: Array, suspects: Array
) -> None:
    """Raise `SimtError` if one of the `suspects` has another value than the element that `other` wrote."""
    if not suspects.any():
        return
    theirs, ours = buffer.data[where[suspects]], value[suspects]
    differ = bits(theirs) != bits(ours)
    if not differ.any():
        return
    first = int(np.argmax(differ))
    lane, earlier = int(me[suspects][first]), int(other[suspects][first])
    raise SimtError(
        f"{shown(op)}\n  {lanes.launch.place(lane)} writes {ours[first]} to element {where[suspects][first]} of "
        f"{buffer.name}, to which {lanes.launch.place(earlier)} writes {theirs[first]}: a kernel may give "
        "an element one value only"
    )
