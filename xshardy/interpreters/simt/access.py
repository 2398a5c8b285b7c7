"""
Checked reads and writes of tensors by lanes.

A kernel updates tensors as values; in memory, updates are in place. The checks ensure that this gives the result of the
value semantics for every order of threads: indices are in bounds; two threads that write one element write the same
bits; a thread reads an element that another one wrote only after a barrier of their block; and no lane reads an element
through a tensor value from before its overwrite.
"""

from collections.abc import Sequence

import numpy as np
from xdsl.ir import Operation

from xshardy.interpreters.simt.errors import SimtError, shown
from xshardy.interpreters.simt.machine import Lanes
from xshardy.interpreters.simt.memory import NO_THREAD, AccessKind, Buffer, Tensor
from xshardy.interpreters.simt.unspecified import specified
from xshardy.numerics.element_types import Array
from xshardy.numerics.floats import bits


def in_bounds(tensor: Tensor, indices: Sequence[Array]) -> Array:
    """Whether each lane's indices lie inside the tensor."""
    inside = np.ones((1, 1), np.bool_)
    for index, size in zip(indices, tensor.shape, strict=True):
        inside = inside & ((index >= 0) & (index < size))
    return inside


def offsets(lanes: Lanes, op: Operation, tensor: Tensor, indices: Sequence[Array], mask: Array) -> Array:
    """
    The offset in the buffer of each lane's element; 0 for lanes outside of `mask`.

    Raises `SimtError` if a lane in `mask` is out of bounds.
    """
    indices = [specified(lanes, index, mask, lambda: shown(op)) for index in indices]
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
    return result


def report(lanes: Lanes, kind: AccessKind, tensor: Tensor, where: Array, mask: Array) -> None:
    """Tell the observer of the program, if there is one, that the lanes in `mask` access the offsets `where`."""
    if lanes.program.observe is not None:
        lanes.program.observe(lanes, kind, tensor, where, mask)


def load(
    lanes: Lanes, op: Operation, tensor: Tensor, indices: Sequence[Array], mask: Array, atomic: bool = False
) -> Array:
    """
    The element of each lane in `mask`; indices with vector dimensions give a result with these dimensions.

    Raises `SimtError` if a lane is out of bounds or, unless `atomic`, in a race.
    """
    buffer = tensor.buffer
    mask = specified(lanes, mask, lanes.on_vector(lanes.active, mask.ndim), lambda: shown(op))
    where = offsets(lanes, op, tensor, indices, mask)
    if not atomic:
        report(lanes, AccessKind.LOAD, tensor, where, mask)
    if buffer.data.size == 0:
        return np.zeros(where.shape, buffer.data.dtype)
    if buffer.writer is not None and buffer.written_at is not None and not atomic:
        check_load(lanes, op, tensor, where, mask, buffer.writer[where], buffer.written_at[where])
    return buffer.data[where]


def check_load(
    lanes: Lanes, op: Operation, tensor: Tensor, where: Array, mask: Array, writer: Array, written_at: Array
) -> None:
    """
    Raise `SimtError` if a lane in `mask` reads a value in a race with another thread, or a later value than its tensor
    shows.
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
    mask = specified(lanes, mask, lanes.on_vector(lanes.active, mask.ndim), lambda: shown(op))
    value = specified(lanes, value, mask, lambda: shown(op))
    where = offsets(lanes, op, tensor, indices, mask)
    if not atomic:
        report(lanes, AccessKind.STORE, tensor, where, mask)
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
    writer[where] = NO_THREAD if atomic else me
    written_at[where] = now
    if not atomic:
        last = writer[where]
        check_agreement(lanes, op, buffer, where, value, me, last, last != me)
    return tensor.at(now)


def check_agreement(
    lanes: Lanes, op: Operation, buffer: Buffer, where: Array, value: Array, me: Array, other: Array, suspects: Array
) -> None:
    """Raise `SimtError` if one of the `suspects` writes another value than the element that `other` wrote."""
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
