"""Where the part of each device is in a whole tensor, by shardings."""

import numpy as np
from numpy.typing import NDArray

from xshardy.programs.distributed_tensor import DistributedTensor
from xshardy.proving.index import Digit, Index, canonical, digits_of_steps, first_equal, identity, part_at, substitute
from xshardy.proving.kernel import Undecided
from xshardy.proving.views import Box, Piece, View, pull, restricted


def part_numbers(tensor: DistributedTensor) -> NDArray[np.int64]:
    """The number of the part of each device along each dimension: `[device, dimension]`."""
    return np.array(tensor.part_indices, np.int64).reshape(tensor.devices, len(tensor.shape))


def place_of(tensor: DistributedTensor) -> tuple[Index, ...]:
    """The index in the whole tensor of each element of the part of a device."""
    return part_at([*(part_numbers(tensor) * np.array(tensor.local_shape, np.int64)).T], tensor.local_shape)


def part_of(view: View, tensor: DistributedTensor) -> View:
    """The part of a whole tensor that each device has; its padding is unknown. Raises `Undecided` if it is no view."""
    part = pull(restricted(view, tensor.devices), place_of(tensor), tensor.local_shape)
    if part is None:
        raise Undecided("the part of a device is no view of the whole tensor")
    return part


def joined(view: View, tensor: DistributedTensor) -> View | None:
    """
    The whole tensor of whose parts each device has one, as a view of the only device of the whole program.

    Where several devices have the same part, it is that of the first one. None if it is no view.
    """
    if not view.is_known(tensor.devices):
        return None
    pieces = [_joined_piece(piece, tensor) for piece in view.pieces]
    if any(piece is None for piece in pieces):
        return None
    return View(tensor.shape, tuple(piece for piece in pieces if piece is not None))


def _joined_piece(piece: Piece, tensor: DistributedTensor) -> Piece | None:
    """One piece of all parts, the same box on all devices, and whole along the dimensions that are divided."""
    lo, hi, sizes = piece.box.lo, piece.box.hi, np.array(tensor.local_shape, np.int64)
    is_divided = np.array(tensor.part_numbers) > 1
    if piece.partial is not None or not piece.box.active.all() or (lo != lo[0]).any() or (hi != hi[0]).any():
        return None
    if ((lo[0] != 0) | (hi[0] != sizes))[is_divided].any():
        return None
    numbers = part_numbers(tensor)
    firsts = [_first_devices(numbers, dim, count) for dim, count in enumerate(tensor.part_numbers)]
    owners = first_equal(numbers)  # for each device, the first one with the same part
    at = list[Index]()
    inner = identity(tensor.local_shape)
    for index in piece.at:
        if (moved := substitute(index, inner, tensor.local_shape)) is None:
            return None
        offsets = np.broadcast_to(index.offset, tensor.devices)
        digits, expected = list(moved.digits), np.full(tensor.devices, offsets[0])
        for dim, devices in enumerate(firsts):
            steps = offsets[devices] - offsets[0]
            found = digits_of_steps(steps)
            if found is None:
                return None
            size = tensor.local_shape[dim]
            digits += (Digit(stride, dim, size * div, mod) for stride, _, div, mod in found)
            expected = expected + steps[numbers[:, dim]]
        if (offsets[owners] != expected).any():
            return None
        at.append(Index(offsets[:1], canonical(digits)))
    whole_lo, whole_hi = lo[:1], np.where(is_divided, np.array(tensor.shape), hi[:1])
    return Piece(piece.source, tuple(at), Box(whole_lo, whole_hi, piece.box.here[:1]), None, piece.outside)


def _first_devices(numbers: NDArray[np.int64], dim: int, count: int) -> list[int]:
    """For each part along `dim`, the first device that has it and the first part along all other dimensions."""
    others = np.delete(numbers, dim, axis=1)
    is_first = (others == 0).all(1)
    return [int(np.flatnonzero(is_first & (numbers[:, dim] == part))[0]) for part in range(count)]
