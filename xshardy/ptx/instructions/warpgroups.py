"""
Products of matrices by four warps, of which B and often A are in shared memory. Source: PTX ISA, `wgmma`.

They are executed at once. The race check knows that their matrices are read until the warps wait for the group, and
`PendingProducts` that their registers are not used before. Each warp has 16 of the 64 rows of A and of the accumulator.
Products and sums are exact in f64 and rounded once per instruction: a GPU rounds more often. Of a sparse A, only the
elements that are stored are in shared memory or registers; B has twice the depth.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.interpreters.element_types import Array
from xshardy.ptx.bulk import load_each
from xshardy.ptx.clocks import Engine
from xshardy.ptx.decode import Action, Context, Reader, Step
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.bulk_copies import commit, wait
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.fragments import ALL_LANES, rounded
from xshardy.ptx.instructions.matrices import KINDS, check_metadata, places_of_a, take_sparsity
from xshardy.ptx.instructions.matrix_elements import RegisterElement, take_elements, unpacked
from xshardy.ptx.instructions.memory import elements_of
from xshardy.ptx.instructions.warps import members
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.matrix_descriptors import DEPTH_BYTES, decoded
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Instruction, Integer, Operand, Vector
from xshardy.ptx.swizzles import CHUNK
from xshardy.ptx.types import TYPES

WARPS = 4
ROWS = 16
"""Of a warp."""
REGISTERS_OF_A = 4
SHAPES = {f"m64n{columns}k{depth}": (columns, depth) for columns in range(8, 257, 8) for depth in (8, 16, 32, 64, 256)}
"""The columns of B and its rows, by shape."""
DEPTHS: Mapping[str, int] = {"f16": 16, "bf16": 16, "tf32": 8, "e4m3": 32, "e5m2": 32, "s8": 32, "u8": 32, "b1": 256}
"""By the type of A, its columns; of a sparse one, those that are stored."""
INTEGER_COLUMNS = (8, 16, 24, *range(32, 257, 16))
"""Of B of integers and single bits."""
TRANSPOSABLE = ("f16", "bf16")
B32, B64, PREDICATE = TYPES["b32"], TYPES["b64"], TYPES["pred"]

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
        bits = np.stack([lanes.warps(read(lanes)).reshape(-1, WARP_SIZE)[warps] for read in self.readers], axis=-1)
        result = np.zeros((len(warps), ROWS, DEPTH_BYTES * 8 // self.element.bits))
        rows, columns = places_of_a(len(self.readers), self.element.in_register)
        result[:, rows, columns] = unpacked(bits, self.element)
        return result


def multiply(form: Form, context: Context) -> Step:
    """
    `wgmma.mma_async{.sp}.sync.aligned.m64nNkK.dtype.atype.btype d, a, b, {metadata, selector,} keep, scale_a, scale_b,
    transpose_a, transpose_b`: `d = a * b + d`, or `a * b` if `keep` is false. B, and A unless it is in registers, is a
    descriptor.
    """
    is_sparse = form.has("sp")
    form.required("sync")
    form.required("aligned")
    columns, depth = SHAPES[form.required(*SHAPES)]
    saturates = form.has("satfinite")
    result, of_a, of_b = take_elements(form, 3)
    kind, stored = KINDS.get(of_a.name), depth // 2 if is_sparse else depth
    if kind is None or DEPTHS.get(of_a.name) != stored or of_b.name not in kind.of_b or (is_sparse and of_a.bits == 1):
        raise form.error(f"no product of .{of_a.name} and .{of_b.name} has this shape")
    if result.name not in kind.of_result or (of_a.is_integer and columns not in INTEGER_COLUMNS):
        raise form.error(f"no product of .{of_a.name} has this shape and a result of .{result.name}")
    if saturates and (not of_a.is_integer or of_a.bits == 1):
        raise form.error("only sums of integers of 8 bits saturate")
    if of_a.bits == 1:
        form.required("and")
        form.required("popc")
    instruction, memory, registers = form.instruction, context.memory, context.registers
    d, a, b, *scales = instruction.operands
    sparsity, read_metadata = None, registers.reader(instruction, elements_of(d)[0], B32)
    if is_sparse:
        metadata, selector, *scales = scales
        sparsity = take_sparsity(form, of_a, depth, False, selector)
        read_metadata = registers.reader(instruction, metadata, B32)
    in_registers = isinstance(a, Vector)
    keep, numbers = _scales(form, scales, of_a, in_registers)
    check = members(context, instruction, ALL_LANES)
    left: Matrix | Fragments
    if in_registers:
        if len(a.elements) != REGISTERS_OF_A:
            raise form.error(f"{len(a.elements)} registers for the {REGISTERS_OF_A} of A")
        left = Fragments([registers.reader(instruction, register, B32) for register in elements_of(a)], of_a)
    else:
        read = registers.reader(instruction, a, B64)
        left = Matrix(memory, instruction, read, WARPS * ROWS, stored, of_a, numbers["transpose_a"] == 1)
    read = registers.reader(instruction, b, B64)
    right = Matrix(memory, instruction, read, columns, depth, of_b, numbers["transpose_b"] == 1)
    packed = 32 // result.bits
    places = places_of_accumulator(columns, packed)
    accumulators = elements_of(d)
    if len(accumulators) != places[0].shape[1]:
        raise form.error(f"{len(accumulators)} registers for {places[0].shape[1]} of the accumulator")
    readers = [registers.reader(instruction, register, B32) for register in accumulators]
    writers = [registers.writer(instruction, register, B32) for register in accumulators]
    adds = registers.reader(instruction, keep, PREDICATE)
    sign = numbers["scale_a"] * numbers["scale_b"]

    def execute(lanes: Lanes) -> None:
        check(lanes)
        warps = np.flatnonzero(lanes.warps(lanes.active_mask()).any(axis=-1))
        _check_warpgroups(lanes, memory, instruction, warps)
        with lanes.working(Engine.MATRIX):
            of_warps = left.load(lanes, warps)
            if isinstance(left, Matrix):
                part = warps % -(-lanes.shape[1] // WARP_SIZE) % WARPS
                of_warps = of_warps.reshape(len(warps), WARPS, ROWS, stored)[np.arange(len(warps)), part]
            if sparsity is not None:
                held = lanes.warps(read_metadata(lanes))
                check_metadata(lanes, context, instruction, sparsity, held)
                of_warps = sparsity.expanded(of_warps, sparsity.codes(held.reshape(-1, WARP_SIZE)[warps]))
            total = sign * (of_warps @ right.load(lanes, warps).swapaxes(1, 2))
        bits = np.stack([lanes.warps(read(lanes)).reshape(-1, WARP_SIZE)[warps] for read in readers], axis=-1)
        before = np.ascontiguousarray(bits)[..., None].view(result.dtype).astype(np.float64)
        kept = lanes.warps(adds(lanes)).reshape(-1, WARP_SIZE)[warps]
        sums = total[:, places[0], places[1]] + np.where(kept[..., None, None], before, 0.0)
        values = rounded(sums, result, saturates)
        words = np.ascontiguousarray(values).view(np.uint32)[..., 0]
        full = np.zeros((lanes.shape[0] * -(-lanes.shape[1] // WARP_SIZE), WARP_SIZE), np.uint32)
        for number, writer in enumerate(writers):
            out = full.copy()
            out[warps] = words[..., number]
            writer(lanes, lanes.of_warps(out))

    return execute


def _scales(
    form: Form, operands: list[Operand], of_a: RegisterElement, in_registers: bool
) -> tuple[Operand, Mapping[str, int]]:
    """The predicate that keeps the accumulator, and the constants behind it."""
    names = [] if of_a.is_integer else ["scale_a", "scale_b"]
    if of_a.name in TRANSPOSABLE:
        names += ["transpose_b"] if in_registers else ["transpose_a", "transpose_b"]
    keep, *rest = operands
    if len(rest) != len(names):
        raise form.error(f"takes {len(names)} constants behind the accumulator's predicate, but there are {len(rest)}")
    numbers = {"scale_a": 1, "scale_b": 1, "transpose_a": 0, "transpose_b": 0}
    for name, operand in zip(names, rest, strict=True):
        allowed = (1, -1) if name.startswith("scale") else (0, 1)
        if not isinstance(operand, Integer) or operand.value not in allowed:
            raise form.error(f"{name} must be {allowed[0]} or {allowed[1]}")
        numbers[name] = operand.value
    return keep, numbers


def _check_warpgroups(lanes: Lanes, memory: Memory, instruction: Instruction, warps: Array) -> None:
    """Four warps must execute it together; which rows a warp has is its place among them."""
    per_block = -(-lanes.shape[1] // WARP_SIZE)
    if lanes.shape[1] % (WARPS * WARP_SIZE) == 0 or not len(warps):
        return
    alone = np.zeros((lanes.shape[0], per_block), np.bool_)
    alone.reshape(-1)[warps] = True
    alone[:, : per_block // WARPS * WARPS] = False
    wrong = lanes.of_warps(np.repeat(alone[..., None], WARP_SIZE, axis=-1)) & lanes.active_mask()
    if wrong.any():
        what = f"is not in one of the groups of {WARPS} warps that the block has"
        memory.faults.report(FaultKind.DIVERGENT_WARP, instruction.line, lanes, wrong, lambda _: what)


def fence(form: Form, context: Context) -> Step:
    """`wgmma.fence.sync.aligned`: orders what is executed in order here anyway."""
    return lambda lanes: None


FORMS: Mapping[str, Callable[[Form, Context], Step]] = {
    "mma_async": multiply,
    "fence": fence,
    "commit_group": commit(Engine.MATRIX),
    "wait_group": wait([Engine.MATRIX]),
}
"""By the word behind `wgmma`."""


def wgmma(form: Form, context: Context) -> Step:
    """An instruction that begins with `wgmma`."""
    step = FORMS[form.required(*FORMS)](form, context)
    form.take("sync")
    form.take("aligned")
    return step


WARPGROUPS: Mapping[str, Action] = {"wgmma": wgmma}
