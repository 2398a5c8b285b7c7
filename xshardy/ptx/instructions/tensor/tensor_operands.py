"""
What the instructions read that one thread issues for tensor memory: matrices, their metadata and their scale factors.

They belong to one block, or to two blocks together. Source: PTX ISA, `tcgen05.mma`, "Packing formats of elements in
Tensor and Shared memory", "Data Path Layout Organization".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.bulk import load_each
from xshardy.ptx.decode import Reader
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instruction_descriptors import Product
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.matrix_descriptors import DEPTH_BYTES, Descriptor, tensor_descriptor
from xshardy.ptx.memory import Memory, in_block
from xshardy.ptx.module import Instruction
from xshardy.ptx.sparsity import CODE_BITS
from xshardy.ptx.swizzles import CHUNK
from xshardy.ptx.tensor_cells import Cells, cells_of, load_cells, report
from xshardy.ptx.tensor_elements import PIECES, TF32, MemoryElement, scale_factors
from xshardy.ptx.tensor_layouts import lanes_of_rows, places_of_factors
from xshardy.ptx.tensor_memory import split
from xshardy.ptx.tensor_sparsity import places_of_codes, sparsity_of, valid_codes

GROUPS: Mapping[str, int] = {"cta_group::1": 1, "cta_group::2": 2}
"""How many blocks take part."""
CODE = np.uint32((1 << CODE_BITS) - 1)


@dataclass(frozen=True, slots=True)
class Issue:
    """Threads of different blocks that issue one product with the same operands."""

    lanes: Lanes
    memory: Memory
    instruction: Instruction
    threads: Array
    blocks: int
    """How many blocks multiply together."""

    @property
    def first_blocks(self) -> Array:
        """For each thread, the first of the blocks, by its number among those executed together."""
        own = self.threads // self.lanes.shape[1]
        return own - own % self.blocks

    def shared(self, places: Array, block: int, used: int = CHUNK) -> Array:
        """
        The chunks at places in the shared memory of one of the blocks: [threads, places, bytes]. Only the `used` first
        bytes of each are read.
        """
        own = np.broadcast_to(places.astype(np.uint64), (len(self.threads), len(places)))
        if self.blocks > 1:
            own = in_block(own, (self.first_blocks + block)[:, None] % self.lanes.clusters.size)
        who = np.repeat(self.threads, len(places))
        raw = np.zeros((own.size, CHUNK), np.uint8)
        for first, size in PIECES[used]:
            at = own.reshape(-1) + np.uint64(first)
            raw[:, first : first + size] = load_each(self.lanes, self.memory, self.instruction, "shared", who, at, size)
        return raw.reshape(len(self.threads), len(places), CHUNK)

    def cells(self, block: Array, lane: Array, column: Array) -> tuple[Cells, tuple[int, ...]]:
        """Cells of the blocks for each thread, in a row; and the shape [threads, ...] of them."""
        shape = np.broadcast_shapes(block.shape, lane.shape, column.shape)
        each = (-1, *(1 for _ in shape))
        cells = cells_of(self.threads.reshape(each), self.first_blocks.reshape(each) + block, lane[None], column[None])
        return cells.of(np.ones(cells.threads.shape, np.bool_)), (len(self.threads), *shape)

    def load(self, block: Array, lane: Array, column: Array) -> Array:
        """What is in cells of the blocks: [threads, ...]."""
        cells, shape = self.cells(block, lane, column)
        return load_cells(self.lanes, self.memory, self.instruction, cells).reshape(shape)

    def fault(self, what: str) -> None:
        """Report a wrong descriptor."""
        report(self.lanes, self.memory, self.instruction, FaultKind.DESCRIPTOR, self.threads, what)


@dataclass(frozen=True, slots=True)
class Tile:
    """A, or B transposed, in the shared memory of all blocks."""

    rows: int
    depth: int
    element: MemoryElement
    container: int
    """The bits that an element takes."""
    is_transposed: bool

    @property
    def depth_bytes(self) -> int:
        """Of a row."""
        return self.depth * self.container // 8

    def read(self, issue: Issue, bits: int) -> Array | None:
        """Its elements in f64, [threads, rows, depth], by its descriptor. None after a fault."""
        descriptor = tensor_descriptor(bits)
        if isinstance(descriptor, str):
            issue.fault(f"uses a descriptor of a matrix in shared memory that {descriptor}")
            return None
        if self.is_transposed and self.element is TF32:
            message = "transposed matrices of tf32, which need a swizzle with atoms of 32 bytes, are not supported"
            raise PtxError(issue.instruction.line, message)
        _check_supported(issue.instruction, descriptor)
        if not self.is_transposed and 0 < descriptor.span < self.depth_bytes:
            issue.fault(f"reads rows of {self.depth_bytes} bytes of a matrix whose swizzle has {descriptor.span}")
            return None
        parts = [self._of_block(issue, descriptor, block) for block in range(issue.blocks)]
        return np.concatenate(parts, axis=1)

    def _of_block(self, issue: Issue, descriptor: Descriptor, block: int) -> Array:
        own = self.rows // issue.blocks
        of_chunk = CHUNK * 8 // self.container
        read = -(-own // of_chunk) * of_chunk if self.is_transposed else own
        where = descriptor.chunks(read, self.depth, self.is_transposed, self.depth_bytes)
        raw = issue.shared(where.reshape(-1), block, CHUNK * self.element.bits // self.container)
        values = self.element.values(raw.reshape(len(raw), where.shape[0], -1), self.container)
        return values.swapaxes(1, 2)[:, :own] if self.is_transposed else values


def _check_supported(instruction: Instruction, descriptor: Descriptor) -> None:
    if descriptor.span and descriptor.base_offset:
        message = "descriptors with a base offset, of atoms that do not begin at a multiple of their size, "
        raise PtxError(instruction.line, message + "are not supported")


def matrix_in_tensor_memory(issue: Issue, address: int, part: int, product: Product) -> Array:
    """
    A as it is stored, from the tensor memory of all blocks: [threads, rows, columns]. Of sums in several parts, each
    has a copy in its own lanes.
    """
    (lane,), (column,) = split(np.array([address]))
    own_rows = product.rows // issue.blocks
    block, own = np.divmod(np.arange(product.rows), own_rows)
    at = lane + lanes_of_rows(own_rows, product.parts)[own] + part * own_rows
    words = issue.load(block[:, None], at[:, None], column + np.arange(DEPTH_BYTES // 4)[None, :])
    raw = np.ascontiguousarray(words).view(np.uint8)
    if product.of_a.bits < product.kind.container:
        return product.of_a.values_of_bytes(raw)
    return product.of_a.values(raw, product.kind.container)


def expanded(issue: Issue, stored: Array, address: int, part: int, product: Product) -> Array | None:
    """A sparse A with its zeros, by its metadata in tensor memory: [threads, rows, depth]. None after a fault."""
    sparsity = sparsity_of(product.kind.container, product.depth)
    (lane,), (column,) = split(np.array([address]))
    own_rows = product.rows // issue.blocks
    row, word, bit = places_of_codes(own_rows, product.kind.container, sparsity.count)
    lanes = lane + lanes_of_rows(own_rows, product.parts)[row] + part * own_rows
    words = issue.load(np.arange(issue.blocks)[:, None, None], lanes[None], column + product.selector + word[None])
    codes = words.reshape(len(words), product.rows, -1) >> np.tile(bit, (issue.blocks, 1)).astype(np.uint32) & CODE
    wrong = ~np.isin(codes, valid_codes(sparsity))
    if wrong.any():
        _, at, chunk = np.argwhere(wrong)[0]
        what = f"has the code {int(codes[wrong][0]):#06b} for chunk {chunk} of row {at} of A, which names no elements"
        report(issue.lanes, issue.memory, issue.instruction, FaultKind.METADATA, issue.threads, what)
        return None
    return sparsity.expanded(stored, codes)


def factors_at(issue: Issue, address: int, count: int, first: int, number: int, product: Product) -> Array:
    """
    Scale factors of rows of A or columns of B in each block, `number` for each from byte `first` on: [threads, blocks,
    count, number].
    """
    (lane,), (column,) = split(np.array([address]))
    block, (lanes, columns) = np.arange(issue.blocks), places_of_factors(count)
    words = issue.load(block[:, None], lane + lanes[None], column + columns[None])
    codes = np.ascontiguousarray(words)[..., None].view(np.uint8)[..., first : first + number]
    return scale_factors(np.ascontiguousarray(codes), product.scale)


@dataclass(frozen=True, slots=True)
class Operands:
    """What an instruction reads: of each thread a row of integers."""

    readers: tuple[Reader, ...]

    def issues(self, lanes: Lanes) -> Iterator[tuple[Array, list[int]]]:
        """The active threads with the same operands, and these."""
        threads = np.flatnonzero(lanes.active_mask())
        columns = [np.broadcast_to(read(lanes), lanes.shape).reshape(-1)[threads] for read in self.readers]
        rows = np.stack([column.astype(np.uint64) for column in columns], axis=1)
        unique, inverse = np.unique(rows, axis=0, return_inverse=True)
        for number, row in enumerate(unique.tolist()):
            chosen = threads[inverse.reshape(-1) == number]
            blocks = chosen // lanes.shape[1]
            for turn in range(int(np.bincount(blocks).max())):  # threads of one block follow each other
                earlier = np.array([(blocks[:at] == block).sum() for at, block in enumerate(blocks)])
                yield chosen[earlier == turn], row
