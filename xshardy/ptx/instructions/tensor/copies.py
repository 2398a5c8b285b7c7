"""
Asynchronous copies from global to shared memory. Source: PTX ISA, `cp.async`.

They are executed at once. The race check knows that they are complete only for those who wait.
"""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.clocks import Engine
from xshardy.ptx.decode import Context, Reader, Registers, Step
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Row
from xshardy.ptx.instructions.scalar.memory import addresses, load_words, nothing, store_words
from xshardy.ptx.instructions.tensor import bulk_copies, tensor_copies
from xshardy.ptx.instructions.tensor.mbarriers import copies_arrive
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Instruction, Integer, Operand, Register
from xshardy.ptx.types import PREDICATE, TYPES

WORD = 4
SIZES = (4, 8, 16)


def _wait_for_all(form: Form, context: Context) -> Step:
    """`cp.async.wait_all`."""

    def execute(lanes: Lanes) -> None:
        if lanes.clocks is not None:
            lanes.clocks.commit(lanes.active_mask(), Engine.COPY)
            lanes.clocks.wait(lanes.active_mask(), 0, Engine.COPY)

    return execute


GROUPS: Mapping[str, Callable[[Form, Context], Step]] = {
    "commit_group": bulk_copies.commit(Engine.COPY),
    "wait_group": bulk_copies.wait([Engine.COPY]),
    "wait_all": _wait_for_all,
}


def _bulk(form: Form, context: Context) -> Step:
    """`cp.async.bulk` of bytes or tensors, its groups, and prefetches, which do nothing."""
    if form.has("prefetch"):
        return nothing(form, context)
    if (group := form.take(*bulk_copies.GROUPS)) is not None:
        return bulk_copies.GROUPS[group](form, context)
    return tensor_copies.copy(form, context) if form.has("tensor") else bulk_copies.copy(form, context)


def copy(form: Form, context: Context) -> Step:
    """`cp.async.ca,.cg.shared.global [d], [s], bytes{, source_bytes | ignores_source}{, policy}`, and its groups."""
    is_reduction = form.has("reduce")
    form.required("async")
    if form.has("bulk"):
        if is_reduction:
            form.modifiers.append("reduce")
        return _bulk(form, context)
    if form.has("mbarrier"):
        form.required("arrive")
        return copies_arrive(form, context)
    if (group := form.take(*GROUPS)) is not None:
        return GROUPS[group](form, context)
    form.required("ca", "cg")
    form.required("shared", "shared::cta")
    form.required("global")
    has_policy = "L2::cache_hint" in form.modifiers
    for hint in [m for m in form.modifiers if m.startswith("L2::")]:
        form.modifiers.remove(hint)
    instruction, memory, registers = form.instruction, context.memory, context.registers
    destination, source, size, *rest = instruction.operands
    if has_policy and rest:
        rest.pop()
    if not isinstance(size, Integer) or size.value not in SIZES or len(rest) > 1:
        raise form.error(
            f"expected a size of {SIZES} bytes, and at most the bytes of the source, or a predicate, behind it"
        )
    to, of = addresses(context, instruction, destination), addresses(context, instruction, source)
    used = _used_bytes(registers, instruction, size, rest)

    def execute(lanes: Lanes) -> None:
        with lanes.working(Engine.COPY):
            words = _loaded(lanes, memory, instruction, of(lanes), size.value, used(lanes))
            store_words(lanes, memory, instruction, "shared", to(lanes), words)

    return execute


def _used_bytes(registers: Registers, instruction: Instruction, size: Integer, rest: list[Operand]) -> Reader:
    """What reads how many bytes of the source count: a number, or none where a predicate says to ignore it."""
    match rest:
        case [Register(name)] if registers.bits[registers.slot(name)] == 1:
            ignores = registers.reader(instruction, rest[0], PREDICATE)
            return lambda lanes: np.where(ignores(lanes), np.uint32(0), np.uint32(size.value))
        case _:
            read = registers.reader(instruction, rest[0] if rest else size, TYPES["u32"])
            return lambda lanes: np.minimum(read(lanes), np.uint32(size.value))


def _loaded(
    lanes: Lanes, memory: Memory, instruction: Instruction, where: Array, size: int, used: Array
) -> list[Array]:
    """`size` bytes as words; those from byte `used` on are 0 and not read."""
    before = lanes.mask
    if used.size == 1 and used.flat[0] == size:
        return load_words(lanes, memory, instruction, "global", where, WORD, size // WORD)
    raw = np.zeros((*lanes.shape, size), np.uint8)
    for bytes in np.unique(lanes.active(used)).tolist():
        lanes.mask, first = lanes.active_mask() & (used == bytes), 0
        for piece in (16, 8, 4, 2, 1):
            if bytes & piece:
                unit, start = min(piece, WORD), where + np.uint64(first)
                words = load_words(lanes, memory, instruction, "global", start, unit, piece // unit)
                together = np.stack(np.broadcast_arrays(*words, raw[..., 0])[:-1], axis=-1).view(np.uint8)
                raw[lanes.mask, first : first + piece] = together[lanes.mask]
                first += piece
        lanes.mask = before
    words = raw.view(np.uint32)
    return [words[..., number] for number in range(size // WORD)]


COPIES: Mapping[str, Row] = {"cp": Row(copy, "copy")}
