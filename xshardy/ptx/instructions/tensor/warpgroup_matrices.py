"""
How `wgmma` reads and writes its matrices, in registers and in shared memory. Source: PTX ISA, `wgmma`.

Each warp has 16 of the 64 rows of A and of the accumulator.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.bulk import load_each
from xshardy.ptx.decode import Reader, Writer
from xshardy.ptx.errors import PtxError
from xshardy.ptx.instructions.warp.matrices import places_of_a
from xshardy.ptx.instructions.warp.matrix_elements import RegisterElement, unpacked
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.matrix_descriptors import DEPTH_BYTES, decoded
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Instruction
from xshardy.ptx.swizzles import CHUNK

WARPS = 4
ROWS = 16
"""Of a warp."""

_LANE = np.arange(WARP_SIZE)


def places_of_accumulator(columns: int, elements: int) -> tuple[Array, Array]:
    """The row and column of each element of a warp's accumulator, by lane, register and element of the register."""
    number = np.arange(columns // 2)
    rows = (_LANE // 4)[:, None] + 8 * (number // 2 % 2)
    at = (_LANE % 4 * 2)[:, None] + number % 2 + number // 4 * 8
    return rows.reshape(WARP_SIZE, -1, elements), at.reshape(WARP_SIZE, -1, elements)


@dataclass(frozen=True, slots=True)
class Matrix:
    """How A or B is read from shared memory by a descriptor."""

    memory: Memory
    instruction: Instruction
    read: Reader
    """The descriptor."""
    rows: int
    """Rows of A in all four warps, or columns of B."""
    depth: int
    element: RegisterElement
    is_transposed: bool

    @property
    def depth_bytes(self) -> int:
        return self.depth * self.element.bits // 8

    def load(self, lanes: Lanes, warps: Array) -> Array:
        """
        The matrix of each of `warps`, numbers of warps among those of all blocks, in f64: [warps, rows, depth].

        Warps of one group with one descriptor read it once.
        """
        threads = self._first_threads(lanes, warps)
        values = np.broadcast_to(self.read(lanes), lanes.shape).reshape(-1)
        block, thread = np.divmod(threads, lanes.shape[1])
        group = block * lanes.shape[1] + thread // (WARPS * WARP_SIZE)
        keys = np.stack([group, values[threads].view(np.int64)])
        unique, first, inverse = np.unique(keys, axis=1, return_index=True, return_inverse=True)
        result = np.zeros((unique.shape[1], self.rows, self.depth))
        for bits in np.unique(unique[1]).tolist():
            chosen = np.flatnonzero(unique[1] == bits)
            result[chosen] = self._tiles(lanes, threads[first[chosen]], bits % (1 << 64))
        return result[inverse.reshape(-1)]

    def _first_threads(self, lanes: Lanes, warps: Array) -> Array:
        per_block = -(-lanes.shape[1] // WARP_SIZE)
        return warps // per_block * lanes.shape[1] + warps % per_block * WARP_SIZE

    def _tiles(self, lanes: Lanes, threads: Array, bits: int) -> Array:
        """The matrix that the same descriptor has in the blocks of `threads`."""
        descriptor = decoded(bits)
        if descriptor.span and descriptor.base_offset:
            message = "descriptors with a base offset, of atoms that do not begin at a multiple of their size, "
            raise PtxError(self.instruction.line, message + "are not supported")
        if 0 < descriptor.span < self.depth_bytes and not self.is_transposed:
            message = f"rows of {self.depth_bytes} bytes in atoms of {descriptor.span} are not supported"
            raise PtxError(self.instruction.line, message)
        where = descriptor.chunks(self.rows, self.depth, self.is_transposed, self.depth_bytes)
        ordered = _by_atoms(where)
        who = np.repeat(threads, ordered.size)
        addresses = np.tile(ordered.reshape(-1), len(threads))
        raw = load_each(lanes, self.memory, self.instruction, "shared", who, addresses, CHUNK)
        chunks = raw.reshape(len(threads), -1, CHUNK)[:, _from_atoms(where.shape)]
        words = np.ascontiguousarray(chunks).reshape(len(threads), where.shape[0], -1).view(np.uint32)
        values = unpacked(words, self.element).reshape(*words.shape[:2], -1)
        return values.swapaxes(1, 2) if self.is_transposed else values


def _by_atoms(chunks: Array) -> Array:
    """Chunks of a tile in the order in which they are read: eight rows of one chunk each after another."""
    rows, columns = chunks.shape
    return np.ascontiguousarray(chunks.reshape(rows // 8, 8, columns).swapaxes(1, 2)).reshape(-1)


def _from_atoms(shape: tuple[int, ...]) -> Array:
    """The inverse permutation."""
    order = _by_atoms(np.arange(shape[0] * shape[1]).reshape(shape))
    result = np.empty_like(order)
    result[order] = np.arange(len(order))
    return result


@dataclass(frozen=True, slots=True)
class Fragments:
    """How A is read from registers."""

    readers: list[Reader]
    element: RegisterElement

    def load(self, lanes: Lanes, warps: Array) -> Array:
        """The 16 rows of each warp: [warps, 16, depth]."""
        bits = of_warps(lanes, warps, self.readers)
        result = np.zeros((len(warps), ROWS, DEPTH_BYTES * 8 // self.element.bits))
        rows, columns = places_of_a(len(self.readers), self.element.in_register)
        result[:, rows, columns] = unpacked(bits, self.element)
        return result


@dataclass(frozen=True, slots=True)
class RowsOfWarps:
    """How A is read from shared memory: the 16 rows of each warp are its part of the 64 of the group."""

    matrix: Matrix

    def load(self, lanes: Lanes, warps: Array) -> Array:
        """The rows of each warp: [warps, 16, depth]."""
        of_groups = self.matrix.load(lanes, warps)
        part = warps % -(-lanes.shape[1] // WARP_SIZE) % WARPS
        return of_groups.reshape(len(warps), WARPS, ROWS, self.matrix.depth)[np.arange(len(warps)), part]


@dataclass(frozen=True, slots=True)
class Accumulator:
    """The registers that hold the sums: 16 rows of each warp."""

    readers: list[Reader]
    writers: list[Writer]
    element: RegisterElement
    places: tuple[Array, Array]
    """The row and column of each element, see `places_of_accumulator`."""

    def load(self, lanes: Lanes, warps: Array) -> Array:
        """The sums of `warps` in f64, by lane, register and element of the register."""
        bits = of_warps(lanes, warps, self.readers)
        return np.ascontiguousarray(bits)[..., None].view(self.element.dtype).astype(np.float64)

    def store(self, lanes: Lanes, warps: Array, values: Array) -> None:
        """Write `values`, numbers of the type of the sums, where `load` reads them."""
        words = np.ascontiguousarray(values).view(np.uint32)[..., 0]
        full = np.zeros((lanes.shape[0] * -(-lanes.shape[1] // WARP_SIZE), WARP_SIZE), np.uint32)
        for number, writer in enumerate(self.writers):
            out = full.copy()
            out[warps] = words[..., number]
            writer(lanes, lanes.of_warps(out))


def of_warps(lanes: Lanes, warps: Array, readers: Sequence[Reader]) -> Array:
    """What `readers` read in each of `warps`: [warps, lanes, readers]."""
    return np.stack([lanes.warps(read(lanes)).reshape(-1, WARP_SIZE)[warps] for read in readers], axis=-1)
