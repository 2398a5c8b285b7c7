"""
Asynchronous copies from global to shared memory. Source: PTX ISA, `cp.async`.

They are executed at once. The race check knows that they are complete only for those who wait.
"""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.clocks import Engine
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Row
from xshardy.ptx.instructions.scalar.memory import addresses, load_words, nothing, store_words
from xshardy.ptx.instructions.tensor import bulk_copies, tensor_copies
from xshardy.ptx.instructions.tensor.mbarriers import copies_arrive
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Instruction, Integer
from xshardy.ptx.types import TYPES

WORD = 4


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
    """`cp.async.ca,.cg.shared.global [d], [s], bytes{, source_bytes}`, and its groups, which do nothing."""
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
    for hint in [m for m in form.modifiers if m.startswith("L2::")]:
        form.modifiers.remove(hint)
    instruction, memory = form.instruction, context.memory
    destination, source, size, *rest = instruction.operands
    if not isinstance(size, Integer) or len(rest) > 1:
        raise form.error("expected a constant number of bytes, and at most the bytes of the source behind it")
    to, of = addresses(context, instruction, destination), addresses(context, instruction, source)
    used = context.registers.reader(instruction, rest[0] if rest else size, TYPES["u32"])
    count = size.value // WORD

    def execute(lanes: Lanes) -> None:
        with lanes.working(Engine.COPY):
            words = _loaded(lanes, memory, instruction, of(lanes), count, used(lanes))
            store_words(lanes, memory, instruction, "shared", to(lanes), words)

    return execute


def _loaded(
    lanes: Lanes, memory: Memory, instruction: Instruction, where: Array, count: int, used: Array
) -> list[Array]:
    """`count` words; those from byte `used` on are 0 and not read. `used` is a multiple of a word."""
    before = lanes.mask
    words = [np.zeros((1, 1), np.uint32)] * count
    for bytes in np.unique(lanes.active(used)).tolist():
        if bytes:
            chosen = lanes.active_mask() & (used == bytes)
            lanes.mask = before if used.size == 1 else chosen
            part = load_words(lanes, memory, instruction, "global", where, WORD, bytes // WORD)
            words = [np.where(chosen, new, old) for new, old in zip(part, words, strict=False)] + words[len(part) :]
            lanes.mask = before
    return words


COPIES: Mapping[str, Row] = {"cp": Row(copy, "copy")}
