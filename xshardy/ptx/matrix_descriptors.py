"""
Descriptors of matrices in shared memory for `wgmma`: where each chunk of 16 bytes of a tile lies.

A tile has rows (of A, or columns of B) and 32 bytes of depth, B twice as many where A is sparse. It is made of atoms of
eight rows. If depth is contiguous, a chunk has elements of one row; if rows are contiguous ("transposed"), it has
elements of neighbouring rows at one depth. Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout".
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.swizzles import CHUNK, swizzled

DEPTH_BYTES = 32
"""Of a tile: two chunks, and of B four where A is sparse."""
ATOM_ROWS = 8
SPANS: Mapping[int, int] = {0: 0, 1: 128, 2: 64, 3: 32}
"""By the number of a swizzle in a descriptor, the bytes of a row of its atoms; 0 for none."""


@dataclass(frozen=True, slots=True)
class Descriptor:
    """A matrix in shared memory."""

    start: int
    """Its address, in bytes."""
    leading: int
    stride: int
    """Offsets between atoms, in bytes."""
    base_offset: int
    span: int
    """The bytes of a row of its atoms; 0 without swizzle."""

    def chunks(self, rows: int, depth: int, is_transposed: bool, depth_bytes: int = DEPTH_BYTES) -> Array:
        """
        The address of each chunk of a tile with so many rows and elements of depth, which have `depth_bytes`: [rows,
        chunks of depth], or if it is transposed [depth, rows / elements of a chunk].
        """
        if not is_transposed:
            offsets = self._by_rows(np.arange(rows)[:, None], np.arange(depth_bytes // CHUNK)[None, :])
        else:
            elements = CHUNK * depth // depth_bytes
            offsets = self._by_depth(np.arange(depth)[:, None], np.arange(rows // elements)[None, :])
        return swizzled((offsets + self.start).astype(np.uint64), self.span)

    def _by_rows(self, row: Array, chunk: Array) -> Array:
        """Where a chunk of a row is, before it is swizzled."""
        atom, within = row // ATOM_ROWS, row % ATOM_ROWS
        if self.span == 0:
            return within * CHUNK + atom * self.stride + chunk * self.leading
        return within * self.span + atom * self.stride + chunk * CHUNK

    def _by_depth(self, depth: Array, chunk: Array) -> Array:
        """Where a chunk of neighbouring rows at one depth is, before it is swizzled."""
        atom, within = depth // ATOM_ROWS, depth % ATOM_ROWS
        if self.span == 0:
            return within * CHUNK + atom * self.leading + chunk * self.stride
        of_span = self.span // CHUNK
        return within * self.span + atom * self.stride + chunk % of_span * CHUNK + chunk // of_span * self.leading


def decoded(bits: int) -> Descriptor:
    """The descriptor in 64 bits."""

    def field(first: int) -> int:
        return (bits >> first & 0x3FFF) << 4

    return Descriptor(field(0), field(16), field(32), bits >> 49 & 7, SPANS[bits >> 62])


VERSION = 1
"""The constant in bits 46 to 48 of descriptors for tensor memory."""
SWIZZLES_OF_TENSORS = (0, 1, 2, 4, 6)
"""The numbers of swizzles in their bits 61 to 63: two times those of `SPANS`, and 1."""
WIDE_ATOMS = 1
"""The number of the swizzle of 128 bytes that keeps 32 bytes together."""


def tensor_descriptor(bits: int) -> Descriptor | str:
    """The descriptor in 64 bits for `tcgen05`; or what is wrong with it, in words."""
    if bits >> 46 & 7 != VERSION:
        return f"has {bits >> 46 & 7} in bits 46 to 48, where sm_100 expects {VERSION}"
    if bits >> 53 & 0xFF:
        return "has bits 53 to 60 set, which must be 0"
    swizzle = bits >> 61
    if swizzle not in SWIZZLES_OF_TENSORS:
        return f"has the unknown swizzle {swizzle}"
    if swizzle == WIDE_ATOMS:
        return "has a swizzle with atoms of 32 bytes, which is not supported"
    if bits >> 52 & 1:
        return "has an absolute leading dimension, which sm_100 has not"
    return decoded(bits)
