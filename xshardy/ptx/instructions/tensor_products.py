"""
Products of matrices by one thread, with sums in tensor memory. Source: PTX ISA, `tcgen05.mma`.

They are executed at once. The race check knows that their matrices are read, and their sums written, until the
`mbarrier` of a commit is complete. Products and sums are exact in f64 and rounded once per instruction: a GPU rounds
more often.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.interpreters.element_types import Array
from xshardy.ptx.bulk import load_each
from xshardy.ptx.clocks import Engine
from xshardy.ptx.decode import Context, Reader, Step
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instruction_descriptors import KINDS, Product, Use, decoded
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.matrices import rounded
from xshardy.ptx.instructions.memory import addresses
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.matrix_descriptors import Descriptor, tensor_descriptor
from xshardy.ptx.memory import RANK_BITS, Memory
from xshardy.ptx.module import Address, Instruction, Integer, Operand, Vector
from xshardy.ptx.swizzles import CHUNK
from xshardy.ptx.tensor_cells import Cells, cells_of, load_cells, report, store_cells
from xshardy.ptx.tensor_elements import TF32, MemoryElement, scale_factors
from xshardy.ptx.tensor_layouts import lanes_of_rows, places_of_factors, places_of_sums
from xshardy.ptx.tensor_memory import LANES, split
from xshardy.ptx.types import TYPES

GROUPS: Mapping[str, int] = {"cta_group::1": 1, "cta_group::2": 2}
"""How many blocks take part."""
FACTORS = ("scale_vec::1X", "scale_vec::2X", "scale_vec::4X", "block16", "block32")
COLLECTORS = tuple(f"collector::a::{use}" for use in ("fill", "use", "lastuse", "discard"))
"""Hints for the buffer of A: they change no values."""
MOST_SCALE = 15
"""Of `scale-input-d`."""
DEPTH_BYTES = 32
"""Of a row of A or column of B in shared memory."""
PIECES: Mapping[int, tuple[tuple[int, int], ...]] = {CHUNK: ((0, CHUNK),), 8: ((0, 8),), 12: ((0, 8), (8, 4))}
"""The first byte and the size of the words that are read of a chunk, by the bytes that are used of it."""
B32, B64, PREDICATE = TYPES["b32"], TYPES["b64"], TYPES["pred"]


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
        named = (self.first_blocks + block) % self.lanes.clusters.size + 1
        rank = np.zeros_like(named) if self.blocks == 1 else named
        own = rank.astype(np.uint64)[:, None] << np.uint64(RANK_BITS) | places.astype(np.uint64)[None, :]
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


def matrix_in_shared(
    issue: Issue, bits: int, rows: int, depth: int, element: MemoryElement, container: int, is_transposed: bool
) -> Array | None:
    """A, or B transposed, from the shared memory of all blocks: [threads, rows, depth]. None after a fault."""
    descriptor = tensor_descriptor(bits)
    if isinstance(descriptor, str):
        issue.fault(f"uses a descriptor of a matrix in shared memory that {descriptor}")
        return None
    if is_transposed and element is TF32:
        message = "transposed matrices of tf32, which need a swizzle with atoms of 32 bytes, are not supported"
        raise PtxError(issue.instruction.line, message)
    _check_supported(issue.instruction, descriptor)
    parts: list[Array] = []
    for block in range(issue.blocks):
        where = descriptor.chunks(rows // issue.blocks, depth, is_transposed)
        raw = issue.shared(where.reshape(-1), block, CHUNK * element.bits // container)
        values = element.values(raw.reshape(len(raw), where.shape[0], -1), container)
        parts.append(values.swapaxes(1, 2) if is_transposed else values)
    return np.concatenate(parts, axis=1)


def _check_supported(instruction: Instruction, descriptor: Descriptor) -> None:
    if descriptor.span and descriptor.base_offset:
        message = "descriptors with a base offset, of atoms that do not begin at a multiple of their size, "
        raise PtxError(instruction.line, message + "are not supported")


def matrix_in_tensor_memory(issue: Issue, address: int, rows: int, product: Product) -> Array:
    """A from the tensor memory of all blocks: [threads, rows, depth]."""
    if product.of_a.bits < 8:
        raise PtxError(issue.instruction.line, f"elements {product.of_a.name} in tensor memory are not supported")
    if issue.blocks == 2 and rows < 2 * LANES:
        raise PtxError(issue.instruction.line, "A of 128 rows in the tensor memory of two blocks is not supported")
    (lane,), (column,) = split(np.array([address]))
    block, own = np.divmod(np.arange(rows), rows // issue.blocks)
    at = lane + lanes_of_rows(rows // issue.blocks)[own]
    words = issue.load(block[:, None], at[:, None], column + np.arange(DEPTH_BYTES // 4)[None, :])
    return product.of_a.values(np.ascontiguousarray(words).view(np.uint8), product.kind.container)


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


def scaled_sums(issue: Issue, of_a: Array, of_b: Array, addresses: list[int], number: int, product: Product) -> Array:
    """
    The products of matrices of which each row of A, and column of B, has scale factors along the depth. A block has
    those of its own rows, and of all columns.
    """
    own_rows, each = product.rows // issue.blocks, product.kind.depth // number
    first_a, first_b = product.first_factors
    rows = factors_at(issue, addresses[0], own_rows, first_a, number, product).repeat(each, axis=-1)
    columns = factors_at(issue, addresses[1], product.columns, first_b, number, product).repeat(each, axis=-1)
    left = of_a.reshape(rows.shape) * rows
    right = of_b[:, None] * columns
    return (left @ right.swapaxes(-1, -2)).reshape(len(of_a), product.rows, product.columns)


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


def multiply(form: Form, context: Context) -> Step:
    """
    `tcgen05.mma.group.kind [d], a, b, descriptor{, disabled}, keep{, scale}`: `d = a * b + d`, or `a * b` if `keep` is
    false; with `.block_scale` `[factors of a], [factors of b]` before `keep`. `a` is a descriptor or `[address]`.
    """
    blocks = GROUPS[form.required(*GROUPS)]
    name = form.required(*(f"kind::{kind}" for kind in KINDS)).partition("::")[2]
    kind = KINDS[name]
    if form.has("block_scale") != (kind.factors is not None):
        raise form.error(f".kind::{name} {'needs' if kind.factors else 'has no'} .block_scale")
    vector = form.take(*FACTORS) or ""
    if kind.factors is not None and vector not in kind.factors:
        raise form.error(f"expected one of .{', .'.join(filter(None, kind.factors))} for .kind::{name}")
    factors = kind.factors[vector] if kind.factors is not None else 0
    use = Use(name, blocks, factors)
    form.take(*COLLECTORS)
    instruction, memory = form.instruction, context.memory
    d, a, b, descriptor, *rest = instruction.operands
    disabled = rest[0] if isinstance(rest[0], Vector) else None
    if disabled is not None:
        rest = rest[1:]
    scales = [rest.pop(0) for _ in range(2)] if kind.factors is not None else []
    keep, *shifts = rest
    halvings = _halvings(form, shifts, kind.scales_accumulator)
    readers = _readers(form, context, [d, a, b, descriptor, keep, *scales], disabled, blocks)
    in_tensor_memory = isinstance(a, Address)

    def execute(lanes: Lanes) -> None:
        memory.changes += 1
        with lanes.working(Engine.TENSOR):
            for threads, (to, left, right, bits, keeps, *others) in readers.issues(lanes):
                issue = Issue(lanes, memory, instruction, threads, blocks)
                if blocks > 1 and lanes.clusters.size % 2:
                    issue.fault("multiplies with another block, but its cluster has an odd number of blocks")
                    continue
                product = decoded(bits, use)
                if isinstance(product, str):
                    issue.fault(f"uses an instruction descriptor that {product}")
                    continue
                rows, columns, container = product.rows, product.columns, product.kind.container
                if in_tensor_memory:
                    of_a = matrix_in_tensor_memory(issue, left, rows, product)
                else:
                    of_a = matrix_in_shared(
                        issue, left, rows, kind.depth, product.of_a, container, product.transposed[0]
                    )
                of_b = matrix_in_shared(
                    issue, right, columns, kind.depth, product.of_b, container, product.transposed[1]
                )
                if of_a is None or of_b is None:
                    continue
                if scales:
                    total = scaled_sums(issue, of_a, of_b, others[:2], factors, product)
                else:
                    total = of_a @ of_b.swapaxes(1, 2)
                total = -total if product.negative else total
                masks = others[-4 * blocks :] if disabled is not None else []
                _add(issue, total, product, to, keeps=bool(keeps), halvings=halvings, masks=masks)

    return execute


def _add(
    issue: Issue, total: Array, product: Product, address: int, *, keeps: bool, halvings: int, masks: list[int]
) -> None:
    """Store products, or if it `keeps` what is in D, their sums with that over 2 to the power of `halvings`."""
    (lane,), (column,) = split(np.array([address]))
    if wrong := _wrong_lane(int(lane), product.rows, issue.blocks):
        issue.fault(wrong)
        return
    block, lanes, columns = places_of_sums(product.rows, product.columns, issue.blocks)
    lanes, columns = lanes + lane, columns + column
    if keeps:
        words = np.ascontiguousarray(issue.load(block, lanes, columns))
        before = words[..., None].view(product.result.dtype)[..., 0].astype(np.float64)
        total = total + before / 2.0**halvings
    values = rounded(total, product.result, product.saturates)
    narrow = np.dtype(f"u{product.result.dtype.itemsize}")
    words = np.ascontiguousarray(values).view(narrow).astype(np.uint32)
    enabled = np.ones(block.shape, np.bool_)
    if masks:
        words_of_mask = np.array(masks, np.uint64).reshape(issue.blocks, -1)
        enabled = (words_of_mask[block, lanes // 32] >> (lanes % 32).astype(np.uint64) & np.uint64(1)) == 0
    cells, shape = issue.cells(block, lanes, columns)
    chosen = np.broadcast_to(enabled, shape).reshape(-1)
    store_cells(issue.lanes, issue.memory, issue.instruction, cells.of(chosen), words.reshape(-1)[chosen])


def _wrong_lane(lane: int, rows: int, blocks: int) -> str | None:
    """Sums begin in lane 0; those that fill half of the lanes of each quarter may begin in lane 16."""
    allowed = (0, 16) if blocks == 1 and rows == LANES // 2 else (0,)
    return None if lane in allowed else f"has its sums from lane {lane} on: expected {' or '.join(map(str, allowed))}"


def _halvings(form: Form, operands: list[Operand], is_allowed: bool) -> int:
    """The constant behind the predicate: by which power of two the accumulator is divided."""
    if not operands:
        return 0
    (operand,) = operands
    if not is_allowed or not isinstance(operand, Integer) or not 0 <= operand.value <= MOST_SCALE:
        raise form.error(f"scale-input-d must be 0 to {MOST_SCALE}, and only .kind::f16 and .kind::tf32 have it")
    return operand.value


def _readers(form: Form, context: Context, operands: list[Operand], disabled: Vector | None, blocks: int) -> Operands:
    """What reads D, A, B, the descriptor, the predicate, the addresses of scale factors and the disabled lanes."""
    d, a, b, descriptor, keep, *scales = operands
    registers, instruction = context.registers, form.instruction
    found: list[Reader] = [addresses(context, instruction, d)]
    found.append(
        addresses(context, instruction, a) if isinstance(a, Address) else registers.reader(instruction, a, B64)
    )
    found += [registers.reader(instruction, operand, type) for operand, type in ((b, B64), (descriptor, B32))]
    found.append(registers.reader(instruction, keep, PREDICATE))
    found += [addresses(context, instruction, scale) for scale in scales]
    if disabled is not None:
        if len(disabled.elements) != 4 * blocks:
            raise form.error(f"the mask of lanes has {len(disabled.elements)} registers, not {4 * blocks}")
        found += [registers.reader(instruction, element, B32) for element in disabled.elements]
    return Operands(tuple(found))
