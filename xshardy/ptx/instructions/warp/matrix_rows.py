"""
Loads and stores of the fragments of small matrices, whose rows are anywhere. Source: PTX ISA, `ldmatrix`, `stmatrix`.

A matrix is so many rows of 16 bytes of shared memory, whose addresses different lanes have; a register has four of
these bytes. Rows of elements of 4 and 6 bits have sixteen of them at their start, which become bytes: the lower bits.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.scalar.memory import addresses, elements_of, load_words, store_words, take_space
from xshardy.ptx.instructions.warp.fragments import ALL_LANES
from xshardy.ptx.instructions.warp.warps import members
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Instruction
from xshardy.ptx.tensor_elements import PACKED_BITS, PIECES, unpacked
from xshardy.ptx.types import TYPES

ROW_BYTES = 16
WORDS_OF_ROW = ROW_BYTES // 4
B32 = TYPES["b32"]

_LANE = np.arange(WARP_SIZE)[:, None, None]
_G, _T = _LANE // 4, _LANE % 4
_BYTE = np.arange(4)[None, None, :]
"""Of a register."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which byte of the rows each byte of the registers of a matrix is."""

    rows: int
    row: Array
    byte: Array
    """By lane, register and byte."""
    counts: tuple[str, ...] = ("x1", "x2", "x4")

    @property
    def registers(self) -> int:
        return self.row.shape[1]


def _layout(rows: int, row: Array, byte: Array, counts: tuple[str, ...] = ("x1", "x2", "x4")) -> Layout:
    one, other = np.broadcast_arrays(row, byte)
    return Layout(rows, one, other, counts)


BY_ROWS = _layout(8, _G, 4 * _T + _BYTE)
"""A lane has four bytes of a row."""
LAYOUTS_IN: Mapping[str, Layout] = {
    "m8n8.b16": BY_ROWS,
    "m8n8.trans.b16": _layout(8, 2 * _T + _BYTE // 2, 2 * _G + _BYTE % 2),
    "m16n16.trans.b8": _layout(16, 4 * _T + _BYTE, _G + 8 * np.arange(2)[None, :, None], ("x1", "x2")),
    "m8n16.b8x16": BY_ROWS,
    "m16n16.trans.b8x16": _layout(16, 4 * _T + _BYTE, _G + 8 * np.arange(2)[None, :, None], ("x1", "x2")),
}
"""Of `ldmatrix`, by its shape, order and type."""
LAYOUTS_OUT: Mapping[str, Layout] = {
    "m8n8.b16": BY_ROWS,
    "m8n8.trans.b16": LAYOUTS_IN["m8n8.trans.b16"],
    "m16n8.trans.b8": _layout(8, 2 * _T + _BYTE % 2, _G + 8 * (_BYTE // 2)),
}
"""The same of `stmatrix`."""


@dataclass(frozen=True, slots=True)
class Matrices:
    """What an opcode says of its matrices."""

    layout: Layout
    count: int
    space: str
    packed_bits: int | None
    """Of elements in memory that become bytes."""

    @property
    def registers(self) -> int:
        return self.count * self.layout.registers

    @property
    def rows(self) -> int:
        """As many lanes have addresses."""
        return self.count * self.layout.rows


def take_matrices(form: Form, layouts: Mapping[str, Layout]) -> Matrices:
    """`.sync.aligned.shape.count{.trans}.shared.type{.format}`."""
    form.required("sync")
    form.required("aligned")
    shape = form.required(*(name.partition(".")[0] for name in layouts))
    count = form.required("x1", "x2", "x4")
    order = "trans." if form.has("trans") else ""
    space = take_space(form)
    type = form.required("b16", "b8", "b8x16")
    packed = form.required(*PACKED_BITS) if type == "b8x16" else None
    layout = layouts.get(f"{shape}.{order}{type}")
    if layout is None:
        raise form.error(f"there is no {shape}.{order}{type}, only {', '.join(layouts)}")
    if count not in layout.counts:
        raise form.error(f"there are .{' and .'.join(layout.counts)} of this shape, not .{count}")
    return Matrices(layout, int(count[1:]), space, None if packed is None else PACKED_BITS[packed])


def _rows_only(lanes: Lanes, rows: int) -> Array:
    """The active lanes that have addresses."""
    return lanes.active_mask() & (np.arange(lanes.shape[1])[None, :] % WARP_SIZE < rows)


def load_rows(lanes: Lanes, memory: Memory, instruction: Instruction, of: Matrices, where: Array) -> Array:
    """The rows that the active lanes name: [blocks, warps, 32 lanes, 16 bytes]; padding is 0."""
    if of.packed_bits is None:
        words = load_words(lanes, memory, instruction, of.space, where, 4, WORDS_OF_ROW)
    else:
        _check_alignment(lanes, memory, instruction, where)
        words: list[Array] = []
        for first, size in PIECES[ROW_BYTES * of.packed_bits // 8]:  # no padding
            at = where + np.uint64(first)
            words += load_words(lanes, memory, instruction, of.space, at, 4, size // 4)
        words += [np.zeros(lanes.shape, np.uint32)] * (WORDS_OF_ROW - len(words))
    rows = np.stack([lanes.warps(word) for word in words], axis=-1).astype(np.uint32, copy=False)
    rows = np.ascontiguousarray(rows).view(np.uint8)
    return rows if of.packed_bits is None else unpacked(rows, of.packed_bits)


def _check_alignment(lanes: Lanes, memory: Memory, instruction: Instruction, where: Array) -> None:
    """Rows begin at multiples of 16 bytes, though less may be read of them."""
    full = np.broadcast_to(where, lanes.shape)
    crooked = (full % np.uint64(ROW_BYTES) != 0) & lanes.active_mask()
    if crooked.any():
        memory.faults.report(
            FaultKind.MISALIGNED,
            instruction.line,
            lanes,
            crooked,
            lambda thread: f"names a row at {int(full.flat[thread]):#x}, no multiple of {ROW_BYTES}",
        )


def load_matrices(form: Form, context: Context) -> Step:
    """
    `ldmatrix.sync.aligned.shape.count{.trans}.shared.type{.format} {r, ...}, [p]`: the address of row i is that of
    lane i.
    """
    of = take_matrices(form, LAYOUTS_IN)
    instruction, memory, layout = form.instruction, context.memory, of.layout
    check = members(context, instruction, ALL_LANES)
    where = addresses(context, instruction, instruction.operands[1])
    registers = elements_of(instruction.operands[0])
    if len(registers) != of.registers:
        raise form.error(f"{len(registers)} registers where the instruction has {of.registers}")
    writers = [context.registers.writer(instruction, register, B32) for register in registers]

    def execute(lanes: Lanes) -> None:
        check(lanes)
        everyone = lanes.mask
        lanes.mask = _rows_only(lanes, of.rows)
        rows = load_rows(lanes, memory, instruction, of, where(lanes))
        lanes.mask = everyone
        matrices = rows[..., : of.rows, :].reshape(*rows.shape[:2], of.count, layout.rows, ROW_BYTES)
        held = np.ascontiguousarray(matrices[..., layout.row, layout.byte]).view(np.uint32)[..., 0]
        for number, writer in enumerate(writers):
            matrix, register = divmod(number, layout.registers)
            writer(lanes, lanes.of_warps(np.ascontiguousarray(held[:, :, matrix, :, register])))

    return execute


def store_matrices(form: Form, context: Context) -> Step:
    """`stmatrix.sync.aligned.shape.count{.trans}.shared.type [p], {r, ...}`: the address of row i is that of lane i."""
    of = take_matrices(form, LAYOUTS_OUT)
    instruction, memory, layout = form.instruction, context.memory, of.layout
    check = members(context, instruction, ALL_LANES)
    where = addresses(context, instruction, instruction.operands[0])
    readers = [
        context.registers.reader(instruction, register, B32) for register in elements_of(instruction.operands[1])
    ]
    if len(readers) != of.registers:
        raise form.error(f"{len(readers)} registers where the instruction has {of.registers}")

    def execute(lanes: Lanes) -> None:
        check(lanes)
        held = np.stack([lanes.warps(read(lanes)) for read in readers], axis=2)  # [blocks, warps, matrices, lanes]
        found = np.ascontiguousarray(held)[..., None, None].view(np.uint8)  # ..., registers, bytes]
        rows = np.zeros((*held.shape[:3], layout.rows, ROW_BYTES), np.uint8)
        rows[..., layout.row, layout.byte] = found
        words = rows.reshape(*held.shape[:2], of.rows, ROW_BYTES).view(np.uint32)
        words = np.pad(words, ((0, 0), (0, 0), (0, WARP_SIZE - of.rows), (0, 0)))
        everyone = lanes.mask
        lanes.mask = _rows_only(lanes, of.rows)
        each = [lanes.of_warps(np.ascontiguousarray(words[..., number])) for number in range(WORDS_OF_ROW)]
        store_words(lanes, memory, instruction, of.space, where(lanes), each)
        lanes.mask = everyone

    return execute
