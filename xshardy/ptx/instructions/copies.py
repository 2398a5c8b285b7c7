"""
Asynchronous copies from global to shared memory. Source: PTX ISA, `cp.async`.

They are executed at once: a missing `cp.async.wait_group` is not found.
"""

from collections.abc import Mapping

import numpy as np

from xshardy.interpreters.element_types import Array
from xshardy.ptx.decode import Action, Context, Step
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.memory import addresses, load_words, nothing, store_words
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Instruction, Integer
from xshardy.ptx.types import TYPES

WORD = 4
GROUPS = ("commit_group", "wait_group", "wait_all")


def copy(form: Form, context: Context) -> Step:
    """`cp.async.ca,.cg.shared.global [d], [s], bytes{, source_bytes}`, and its groups, which do nothing."""
    form.required("async")
    if form.take(*GROUPS):
        return nothing(form, context)
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


COPIES: Mapping[str, Action] = {"cp": copy}
