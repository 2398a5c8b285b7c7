"""
Which cells of tensor memory the registers of a warp hold in `tcgen05.ld` and `tcgen05.st`.

A shape has 16 or 32 lanes, and so many bits of each, which are repeated along the columns. Source: PTX ISA, "Data
Movement Shape", "Packing and Unpacking".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array

COUNTS: Mapping[str, int] = {f"x{count}": count for count in (1, 2, 4, 8, 16, 32, 64, 128)}
"""How often a shape is repeated."""
MOST_REGISTERS = 128

_THREAD = np.arange(WARP_SIZE)[:, None]
_G, _T = _THREAD // 4, _THREAD % 4

Places = tuple[Array, Array]
"""The lane and the column of each register, [threads, registers]."""


def _all_lanes(number: Array, half: int) -> Places:
    """`.32x32b`: a thread has a lane."""
    return _THREAD, number


def _two_halves(number: Array, half: int) -> Places:
    """`.16x32bx2`: the upper threads have the same lanes as the lower ones, `half` columns behind."""
    return _THREAD % 16, number + _THREAD // 16 * half


def _by_64_bits(number: Array, half: int) -> Places:
    """`.16x64b`: of four threads, every other one has a lane 8 below, and the upper two have the second column."""
    return _G + _THREAD % 2 * 8, 2 * number + _THREAD // 2 % 2


def _by_128_bits(number: Array, half: int) -> Places:
    """`.16x128b`: four threads have the columns of a lane, every other register those of the lane 8 below."""
    return _G + number % 2 * 8, 4 * (number // 2) + _T


def _by_256_bits(number: Array, half: int) -> Places:
    """`.16x256b`: four threads have two columns each, every other pair of registers those of the lane 8 below."""
    return _G + number // 2 % 2 * 8, 8 * (number // 4) + 2 * _T + number % 2


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape of `tcgen05.ld` and `tcgen05.st`."""

    registers: int
    """For each repetition."""
    places: Callable[[Array, int], Places]
    has_halves: bool = False
    """A further operand says how many columns are between its halves."""


SHAPES: Mapping[str, Shape] = {
    "32x32b": Shape(1, _all_lanes),
    "16x32bx2": Shape(1, _two_halves, has_halves=True),
    "16x64b": Shape(1, _by_64_bits),
    "16x128b": Shape(2, _by_128_bits),
    "16x256b": Shape(4, _by_256_bits),
}


def fragment(shape: str, registers: int, half: int, packed: bool) -> Places:
    """
    The lane and column of each part of each register, from the address on: [threads, registers, parts].

    There is one part of 32 bits, or if it is `packed`, two of 16 bits in neighbouring columns, the first the lower one.
    """
    lanes, columns = np.broadcast_arrays(*SHAPES[shape].places(np.arange(registers)[None, :], half))
    if not packed:
        return lanes[..., None], columns[..., None]
    pairs = 2 * columns[..., None] + np.arange(2)
    return np.broadcast_to(lanes[..., None], pairs.shape), pairs
