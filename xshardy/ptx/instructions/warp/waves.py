"""
Exchanges within a wave of AMD's GPUs, as instructions `amdgcn.NAME.TARGET d, operands`.

PTX of no compiler has them. `lowering/amd_as_ptx.py` writes them, so that kernels for AMD's GPUs are executed with
their own exchanges. Source: AMD's ISA documents of CDNA3 and RDNA3, "DPP", `DS_BPERMUTE_B32`, `DS_SWIZZLE_B32`,
`V_MBCNT_LO_U32_B32`.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form, amd_target
from xshardy.ptx.instructions.row import Row
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Integer, Operand
from xshardy.ptx.types import TYPES

B32 = TYPES["b32"]
QUAD, ROW, HALF_WAVE = 4, 16, 32

Source: TypeAlias = Callable[[Array], Array]
"""The lane that each lane of a wave reads; -1 for none."""


def number(form: Form, operand: Operand) -> int:
    """An operand that is part of the instruction. Raises `PtxError` for a register."""
    if not isinstance(operand, Integer):
        raise form.error("this operand must be a constant")
    return operand.value


def exchange(form: Form, context: Context, wave: int, word: Operand, source: Callable[[Lanes], Array]) -> Step:
    """
    Each lane reads `word` of its `source` [blocks, waves, wave]; 0 if it has none, or the block has no such lane.

    To read a lane that is elsewhere or has exited is a fault. Threads for whom others of their wave may come wait.
    """
    instruction, registers, faults = form.instruction, context.registers, context.memory.faults
    read, write = registers.reader(instruction, word, B32), registers.writer(instruction, instruction.operands[0], B32)

    def absent_lanes(lanes: Lanes, there: Array) -> Array:
        some = lanes.warps(~there, size=wave).any(axis=-1, keepdims=True)
        return lanes.of_warps(np.repeat(some, wave, axis=-1))

    def execute(lanes: Lanes) -> None:
        words, active = lanes.warps(read(lanes), size=wave), lanes.warps(lanes.active_mask(), size=wave)
        lane_read = np.broadcast_to(source(lanes), words.shape)
        exists = lanes.warps(np.ones((1, 1), np.bool_), size=wave)
        reads = np.take_along_axis(exists, lane_read, axis=-1) & (lane_read >= 0)
        absent = active & reads & ~np.take_along_axis(active, lane_read, axis=-1)
        if absent.any():
            read_by = lanes.of_warps(lane_read)

            def describe(thread: int) -> str:
                return f"reads lane {int(read_by.flat[thread])} of its wave, which is elsewhere or has exited"

            faults.report(FaultKind.DIVERGENT_WARP, instruction.line, lanes, lanes.of_warps(absent), describe)
        found = np.take_along_axis(words, lane_read, axis=-1)
        write(lanes, lanes.of_warps(np.where(reads, found, np.uint32(0))))

    context.absent_lanes.append(absent_lanes)
    return execute


def permute(form: Form, context: Context) -> Step:
    """`amdgcn.ds_bpermute d, address, word`: of the lane `address / 4`, modulo the wave."""
    wave = amd_target(form).device.threads_per_warp
    _, address, word = form.instruction.operands
    read = context.registers.reader(form.instruction, address, B32)
    return exchange(
        form, context, wave, word, lambda lanes: (lanes.warps(read(lanes), size=wave) >> 2).astype(np.int64) % wave
    )


def swizzle(form: Form, context: Context) -> Step:
    """`amdgcn.ds_swizzle d, word, masks`: of lane `(lane & and | or) ^ xor` of 32; masks of 5 bits, `and` lowest."""
    wave = amd_target(form).device.threads_per_warp
    _, word, operand = form.instruction.operands
    masks = number(form, operand)
    if not 0 <= masks < 1 << 15:
        raise form.error(f"masks {masks:#x}: only three masks of 5 bits are supported")
    and_mask, or_mask, xor_mask = (masks >> shift & HALF_WAVE - 1 for shift in (0, 5, 10))
    lane = np.arange(wave)
    source = lane // HALF_WAVE * HALF_WAVE + ((lane & and_mask | or_mask) ^ xor_mask)
    return exchange(form, context, wave, word, lambda lanes: source)


def _in_quad(control: int) -> Source:
    return lambda lane: lane // QUAD * QUAD + (control >> 2 * (lane % QUAD) & QUAD - 1)


def _shifted(control: int) -> Source:
    return lambda lane: np.where(lane % ROW + control % ROW < ROW, lane + control % ROW, -1)


def _rotated(control: int) -> Source:
    return lambda lane: lane // ROW * ROW + (lane - control % ROW) % ROW


def _exchanged(control: int) -> Source:
    return lambda lane: lane ^ control % ROW


MOVES: Mapping[range, tuple[Callable[[int], Source], bool]] = {
    range(0x100): (_in_quad, False),
    range(0x101, 0x110): (_shifted, False),
    range(0x121, 0x130): (_rotated, False),
    range(0x161, 0x170): (_exchanged, True),
}
"""By the control of `update_dpp`: the lane that each lane reads, and whether only RDNA has it. Others have no row."""


def move(form: Form, context: Context) -> Step:
    """`amdgcn.update_dpp d, old, word, control, rows, banks, bound`: of another lane of 16, by the control."""
    gpu = amd_target(form)
    _, _, word, *numbers = form.instruction.operands
    control, rows, banks, bound = (number(form, operand) for operand in numbers)
    found = next((row for controls, row in MOVES.items() if control in controls), None)
    if found is None or (found[1] and not gpu.exchanges_rows):
        raise form.error(f"this GPU has no control {control:#x}, or none that is supported")
    if (rows, banks) != (0xF, 0xF) or not bound:
        raise form.error("only moves are supported in which all rows and banks take part and lanes can get 0")
    wave = gpu.device.threads_per_warp
    source = found[0](control)(np.arange(wave))
    return exchange(form, context, wave, word, lambda lanes: source)


def count_below(first: int) -> Callable[[Form, Context], Step]:
    """`amdgcn.mbcnt_lo d, mask, start`: `start`, and the bits of `mask` for 32 lanes from `first` on below this."""

    def meaning(form: Form, context: Context) -> Step:
        wave = amd_target(form).device.threads_per_warp
        result, mask, start = form.instruction.operands
        read_mask, read_start = (context.registers.reader(form.instruction, each, B32) for each in (mask, start))
        write = context.registers.writer(form.instruction, result, B32)

        def execute(lanes: Lanes) -> None:
            below = np.clip(np.arange(lanes.launch.threads) % wave - first, 0, HALF_WAVE)
            bits = ((np.uint64(1) << below.astype(np.uint64)) - np.uint64(1)).astype(np.uint32)
            counted = np.bitwise_count(read_mask(lanes) & bits).astype(np.uint32)
            write(lanes, read_start(lanes) + counted)

        return execute

    return meaning


WAVES: Mapping[str, Row] = {
    f"amdgcn.{name}": Row(meaning, "warp exchange")
    for name, meaning in {
        "ds_bpermute": permute,
        "ds_swizzle": swizzle,
        "mbcnt_hi": count_below(HALF_WAVE),
        "mbcnt_lo": count_below(0),
        "update_dpp": move,
    }.items()
}
