"""
Exchanges within a warp: shuffles, votes, matches and reductions.

Source: PTX ISA, `shfl.sync`, `vote.sync`, `match.sync`, `redux.sync`, `activemask`, `elect.sync`, `bar.warp.sync`.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics import floats
from xshardy.numerics.element_types import Array
from xshardy.ptx.decode import Context, Reader, Step
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Row
from xshardy.ptx.instructions.scalar.floats import canonical
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Instruction, Integer, Operand, Pair
from xshardy.ptx.types import TYPES, Type

B32 = TYPES["b32"]
PREDICATE = TYPES["pred"]
LANES = np.arange(WARP_SIZE)
ALL = 0xFFFFFFFF

Sync = Callable[[Lanes], None]
"""Checks that the threads that a member mask names, and no others, execute the instruction together."""


def members(context: Context, instruction: Instruction, operand: Operand) -> Sync:
    """The check of a member mask."""
    read, faults = context.registers.reader(instruction, operand, B32), context.memory.faults
    names_all = isinstance(operand, Integer) and operand.value & ALL == ALL

    def check(lanes: Lanes) -> None:
        if not names_all:
            check_own_lanes(lanes)
        if lanes.mask is not None:
            check_others(lanes, lanes.mask)

    def check_own_lanes(lanes: Lanes) -> None:
        masks = np.broadcast_to(read(lanes), lanes.shape)
        own = np.arange(lanes.shape[1], dtype=np.uint32) % WARP_SIZE
        unnamed = (masks >> own & 1 == 0) & lanes.active_mask()
        if unnamed.any():

            def describe(thread: int) -> str:
                mask, lane = int(masks.flat[thread]), own[thread % own.size]
                return f"executes it with member mask {mask:#x}, which does not name its lane {lane}"

            faults.report(FaultKind.MEMBER_MASK, instruction.line, lanes, unnamed, describe)

    def absent_lanes(lanes: Lanes, there: Array) -> Array:
        existing = bits_of(lanes.warps(np.ones((1, 1), np.bool_)))
        absent = existing & ~bits_of(lanes.warps(there))
        return lanes.of_warps(lanes.warps(read(lanes)) & absent[..., None]) & np.uint32(ALL)

    def check_others(lanes: Lanes, mask: Array) -> None:
        missing = absent_lanes(lanes, mask)
        wrong = (missing != 0) & mask
        if wrong.any():

            def describe(thread: int) -> str:
                absent = int(missing.flat[thread])
                lane = (absent & -absent).bit_length() - 1
                return f"waits for lane {lane} of its warp, which is elsewhere or has exited"

            faults.report(FaultKind.DIVERGENT_WARP, instruction.line, lanes, wrong, describe)

    context.absent_lanes.append(absent_lanes)
    return check


def bits_of(predicates: Array) -> Array:
    """A bit for each of the 32 threads along the last axis."""
    return (predicates.astype(np.uint32) << LANES.astype(np.uint32)).sum(axis=-1, dtype=np.uint32)


def results(operand: Operand) -> tuple[Operand, Operand | None]:
    return (operand.first, operand.second) if isinstance(operand, Pair) else (operand, None)


MODES = ("up", "down", "bfly", "idx")


def source_lanes(mode: str, by: Array, clamp: Array) -> tuple[Array, Array]:
    """The lane that each lane reads (itself, if that is out of range), and whether it is in range."""
    segment, limit, by = clamp.astype(np.int64) >> 8 & 31, clamp.astype(np.int64) & 31, by.astype(np.int64) & 31
    low = LANES & segment
    high = low | (limit & ~segment)
    lane = {"up": LANES - by, "down": LANES + by, "bfly": LANES ^ by, "idx": low | (by & ~segment)}[mode]
    valid = lane >= high if mode == "up" else lane <= high
    return np.where(valid, lane, LANES), valid


def shuffle(form: Form, context: Context) -> Step:
    """`shfl.sync.mode.b32 d{|p}, a, b, c, membermask`."""
    form.required("sync")
    mode, instruction, registers = form.required(*MODES), form.instruction, context.registers
    form.required("b32")
    value, by, clamp, mask = instruction.operands[1:]
    result, in_range = results(instruction.operands[0])
    check = members(context, instruction, mask)
    read = registers.reader(instruction, value, B32)
    write = registers.writer(instruction, result, B32)
    write_range = None if in_range is None else registers.writer(instruction, in_range, PREDICATE)
    read_by, read_clamp = (registers.reader(instruction, operand, B32) for operand in (by, clamp))
    constant = isinstance(by, Integer) and isinstance(clamp, Integer)
    fixed = (
        source_lanes(mode, *(np.array(o.value) for o in (by, clamp) if isinstance(o, Integer))) if constant else None
    )

    def execute(lanes: Lanes) -> None:
        check(lanes)
        values = lanes.warps(read(lanes))
        if fixed is None:
            source, valid = source_lanes(mode, lanes.warps(read_by(lanes)), lanes.warps(read_clamp(lanes)))
            found = np.take_along_axis(values, np.broadcast_to(source, values.shape), axis=-1)
        else:
            source, valid = fixed
            found = values[..., source]
        write(lanes, lanes.of_warps(found))
        if write_range is not None:
            write_range(lanes, lanes.of_warps(np.array(np.broadcast_to(valid, values.shape))))

    return execute


def collective(
    lanes: Lanes, function: Callable[[Array, Array], Array], read: Reader, read_members: Reader | None
) -> Array:
    """
    `function` of values [blocks, warps, 32] and of which threads take part, as an array of the full shape. Threads of a
    warp with different member masks are groups of their own; without a mask, all take part together.
    """
    active, values = lanes.warps(lanes.active_mask()), lanes.warps(read(lanes))
    found = np.broadcast_to(function(values, active), values.shape)
    masks = None if read_members is None else read_members(lanes)
    if masks is not None and masks.size > 1:
        masks, left = lanes.warps(masks), active
        while left.any():
            first = left.argmax(axis=-1)[..., None]
            group = active & (masks == np.take_along_axis(masks, first, axis=-1))
            found = np.where(group, function(values, group), found)
            left = left & ~group
    return lanes.of_warps(np.ascontiguousarray(found))


def any_holds(holds: Array, active: Array) -> Array:
    return np.any(holds & active, axis=-1, keepdims=True)


def all_hold(holds: Array, active: Array) -> Array:
    return np.all(holds | ~active, axis=-1, keepdims=True)


def all_same(holds: Array, active: Array) -> Array:
    return all_hold(holds, active) | all_hold(~holds, active)


def ballot(holds: Array, active: Array) -> Array:
    return bits_of(holds & active)[..., None]


VOTES: Mapping[str, Callable[[Array, Array], Array]] = {
    "any": any_holds,
    "all": all_hold,
    "uni": all_same,
    "ballot": ballot,
}


def vote(form: Form, context: Context) -> Step:
    """
    `vote.sync.{any,all,uni}.pred p, {!}a, membermask` and `vote.sync.ballot.b32 d, {!}a, membermask`; without `.sync`
    and mask, as before sm_70, of the threads that are there.
    """
    is_sync, function, instruction = form.has("sync"), VOTES[form.required(*VOTES)], form.instruction
    result, value, *mask = instruction.operands
    if len(mask) != is_sync:
        raise form.error("expected a member mask with .sync only")
    check = members(context, instruction, mask[0]) if is_sync else None
    read_members = context.registers.reader(instruction, mask[0], B32) if is_sync else None
    read = context.registers.reader(instruction, value, PREDICATE)
    write = context.registers.writer(instruction, result, form.type())

    def execute(lanes: Lanes) -> None:
        if check is not None:
            check(lanes)
        write(lanes, collective(lanes, function, read, read_members))

    return execute


def equal_lanes(values: Array, active: Array) -> Array:
    """For each thread the bits of the active ones with the same value."""
    return bits_of((values[..., :, None] == values[..., None, :]) & active[..., None, :])


def match(form: Form, context: Context) -> Step:
    """`match.any.sync.type d, a, membermask`; `match.all.sync.type d|p, a, membermask`."""
    form.required("sync")
    every, instruction, type = form.required("any", "all") == "all", form.instruction, form.type()
    operand, value, mask = instruction.operands
    result, agrees = results(operand)
    check, read_members = members(context, instruction, mask), context.registers.reader(instruction, mask, B32)
    read = context.registers.reader(instruction, value, type)
    write = context.registers.writer(instruction, result, B32)
    write_agrees = None if agrees is None else context.registers.writer(instruction, agrees, PREDICATE)

    def all_equal(values: Array, active: Array) -> Array:
        return equal_lanes(values, active) == bits_of(active)[..., None]

    def execute(lanes: Lanes) -> None:
        check(lanes)
        found = collective(lanes, equal_lanes, read, read_members)
        if every:
            same = collective(lanes, all_equal, read, read_members)
            found = np.where(same, found, np.uint32(0))
            if write_agrees is not None:
                write_agrees(lanes, same)
        write(lanes, found)

    return execute


Bounds: TypeAlias = "np.iinfo[Any]"  # a text: `iinfo` of numpy 2.0 takes no parameter

REDUCTIONS: Mapping[str, tuple[np.ufunc, Callable[[Bounds], int]]] = {
    "add": (np.add, lambda of: 0),
    "min": (np.minimum, lambda of: int(of.max)),
    "max": (np.maximum, lambda of: int(of.min)),
    "and": (np.bitwise_and, lambda of: -1 if of.min else int(of.max)),
    "or": (np.bitwise_or, lambda of: 0),
    "xor": (np.bitwise_xor, lambda of: 0),
}
"""The operations of `redux`, and the neutral element of each for a type."""


def reduce(form: Form, context: Context) -> Step:
    """`redux.sync.op.type d, a, membermask`, also with `.abs` and `.NaN` of f32."""
    form.required("sync")
    name, instruction, type = form.required(*REDUCTIONS), form.instruction, form.type()
    if not type.is_integer:
        return _reduce_floats(form, context, name, type)
    operation, neutral = REDUCTIONS[name]
    result, value, mask = instruction.operands
    check, read_members = members(context, instruction, mask), context.registers.reader(instruction, mask, B32)
    read = context.registers.reader(instruction, value, type)
    write = context.registers.writer(instruction, result, type)
    start = type.dtype.type(neutral(np.iinfo(type.dtype)))

    def function(values: Array, active: Array) -> Array:
        return operation.reduce(np.where(active, values, start), axis=-1, keepdims=True).astype(type.dtype)

    def execute(lanes: Lanes) -> None:
        check(lanes)
        write(lanes, collective(lanes, function, read, read_members))

    return execute


EXTREMES: Mapping[tuple[str, bool], tuple[Callable[[Array, Array], Array], float]] = {
    ("min", False): (floats.minimum_number, np.nan),
    ("max", False): (floats.maximum_number, np.nan),
    ("min", True): (floats.minimum, np.inf),
    ("max", True): (floats.maximum, -np.inf),
}
"""By the operation of `redux` and whether it has `.NaN`, the one for floats, and its neutral element."""


def _reduce_floats(form: Form, context: Context, name: str, type: Type) -> Step:
    """`redux.sync.op{.abs}{.NaN}.f32 d, a, membermask`."""
    of_magnitudes, with_nan, instruction = form.has("abs"), form.has("NaN"), form.instruction
    if type.name != "f32" or (name, with_nan) not in EXTREMES:
        raise form.error("floats have the reductions .min and .max of .f32 only")
    (operation, neutral), (result, value, mask) = EXTREMES[name, with_nan], instruction.operands
    check, read_members = members(context, instruction, mask), context.registers.reader(instruction, mask, B32)
    read = context.registers.reader(instruction, value, type)
    write = context.registers.writer(instruction, result, type)

    def function(values: Array, active: Array) -> Array:
        left = np.where(active, np.abs(values) if of_magnitudes else values, np.float32(neutral))
        while left.shape[-1] > 1:
            half = left.shape[-1] // 2
            left = operation(left[..., :half], left[..., half:])
        return canonical(left)

    def execute(lanes: Lanes) -> None:
        check(lanes)
        write(lanes, collective(lanes, function, read, read_members))

    return execute


def active_threads(form: Form, context: Context) -> Step:
    """`activemask.b32 d`."""
    form.required("b32")
    instruction = form.instruction
    write = context.registers.writer(instruction, instruction.operands[0], B32)

    def execute(lanes: Lanes) -> None:
        bits = bits_of(lanes.warps(lanes.active_mask()))[..., None]
        write(lanes, lanes.of_warps(np.repeat(bits, WARP_SIZE, axis=-1)))

    return execute


def first_of(values: Array, active: Array) -> Array:
    return active.argmax(axis=-1)[..., None].astype(np.uint32)


def elect(form: Form, context: Context) -> Step:
    """`elect.sync d|p, membermask`: the first of the threads."""
    form.required("sync")
    instruction = form.instruction
    number, elected = results(instruction.operands[0])
    check = members(context, instruction, instruction.operands[1])
    read_members = context.registers.reader(instruction, instruction.operands[1], B32)
    write = context.registers.writer(instruction, number, B32)
    write_elected = None if elected is None else context.registers.writer(instruction, elected, PREDICATE)

    def execute(lanes: Lanes) -> None:
        check(lanes)
        leader = collective(lanes, first_of, read_members, read_members)
        write(lanes, leader)
        if write_elected is not None:
            write_elected(lanes, lanes.of_warps(lanes.warps(leader) == LANES))

    return execute


WARPS: Mapping[str, Row] = {
    name: Row(meaning, "warp exchange")
    for name, meaning in {
        "shfl": shuffle,
        "vote": vote,
        "match": match,
        "redux": reduce,
        "activemask": active_threads,
        "elect": elect,
    }.items()
}
