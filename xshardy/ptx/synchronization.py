"""Barriers of the threads of a block. Source: PTX ISA, `bar`, `barrier`."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.ptx.decode import Context, Reader, Step, Writer
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.warps import members
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Integer
from xshardy.ptx.types import PREDICATE, TYPES

U32 = TYPES["u32"]


@dataclass(frozen=True, slots=True)
class Barrier:
    """An instruction at which threads wait for others of their block."""

    number: Reader
    count: Reader | None
    """How many threads take part; None for all of the block."""
    waits: bool
    """False for `bar.arrive`."""
    finish: Step | None = None
    """What to do for the threads that leave it together."""


def barrier(form: Form, context: Context) -> Barrier | Step:
    """`bar{.cta}.sync a{, b}`, `bar.arrive a, b`, `bar.red.op.type`, and `bar.warp.sync mask`."""
    form.take("cta")
    instruction, registers = form.instruction, context.registers
    if form.has("warp"):
        form.required("sync")
        return _warp_barrier(members(context, instruction, instruction.operands[0]))
    what = form.required("sync", "arrive", "red")
    form.take("aligned")
    operands = [*instruction.operands]
    finish = None
    if what == "red":
        operation, type = form.required("and", "or", "popc"), form.type()
        read = registers.reader(instruction, operands.pop(), PREDICATE)
        finish = _reduction(operation, read, registers.writer(instruction, operands.pop(0), type))
    number = registers.reader(instruction, operands[0] if operands else Integer(0), U32)
    count = registers.reader(instruction, operands[1], U32) if len(operands) > 1 else None
    return Barrier(number, count, what != "arrive", finish)


def _warp_barrier(check: Step) -> Step:
    """The step of `bar.warp.sync`: it orders the accesses of the threads of a warp."""

    def execute(lanes: Lanes) -> None:
        check(lanes)
        lanes.warp_phases += lanes.active_mask()

    return execute


def _reduction(operation: str, read: Reader, write: Writer) -> Step:
    """What `bar.red` writes: of each block, whether a predicate holds for all or any thread, or for how many."""

    def finish(lanes: Lanes) -> None:
        active = lanes.active_mask()
        holds = read(lanes)
        if operation == "popc":
            write(lanes, np.sum(holds & active, axis=1, keepdims=True).astype(np.uint32))
        elif operation == "and":
            write(lanes, np.all(holds | ~active, axis=1, keepdims=True))
        else:
            write(lanes, np.any(holds & active, axis=1, keepdims=True))

    return finish


BARRIERS: Mapping[str, Callable[[Form, Context], Barrier | Step]] = {"bar": barrier, "barrier": barrier}
