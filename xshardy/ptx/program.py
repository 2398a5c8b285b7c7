"""An entry as a list of steps, with the places where the flow of control changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from xshardy.ptx.decode import Action, Context, Registers, Step, computation_step, guarded
from xshardy.ptx.errors import PtxError
from xshardy.ptx.instructions.form import Form, Rule
from xshardy.ptx.instructions.scalar.atomics import ATOMICS
from xshardy.ptx.instructions.scalar.bits import BITS
from xshardy.ptx.instructions.scalar.comparisons import COMPARISONS
from xshardy.ptx.instructions.scalar.conversions import CONVERSIONS
from xshardy.ptx.instructions.scalar.floats import FLOATS
from xshardy.ptx.instructions.scalar.integers import INTEGERS
from xshardy.ptx.instructions.scalar.memory import MEMORY
from xshardy.ptx.instructions.tensor.copies import COPIES
from xshardy.ptx.instructions.tensor.tensor_copies import TENSORS
from xshardy.ptx.instructions.tensor.warpgroups import WARPGROUPS
from xshardy.ptx.instructions.warp.matrices import MATRICES
from xshardy.ptx.instructions.warp.warps import WARPS
from xshardy.ptx.instructions.warp.wmma import WMMA
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Body, Entry, Instruction, Register, Symbol, Vector
from xshardy.ptx.synchronization import BARRIERS, Barrier
from xshardy.ptx.types import TYPES, Kind
from xshardy.ptx.waiting import Wait

ACTIONS: Mapping[str, Action] = {**MEMORY, **ATOMICS, **WARPS, **COPIES, **TENSORS, **MATRICES, **WARPGROUPS, **WMMA}
"""Rules of instructions with side effects."""
BY_NAME: Mapping[str, Rule] = {**BITS, **COMPARISONS, **CONVERSIONS}
"""Rules of instructions whose type does not decide what they compute."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch to an instruction by its number, or the end of the threads."""

    target: int | None
    """None for `ret` and `exit`."""
    slot: int | None
    """The guard; None without one."""
    negated: bool


@dataclass(frozen=True, slots=True)
class Switch:
    """A branch to one of several instructions by their numbers: `brx.idx`."""

    targets: tuple[int, ...]
    slot: int
    """The register with the number of the target."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """A `Wait` with a guard."""

    wait: Wait
    slot: int
    negated: bool


Control: TypeAlias = Branch | Switch | Barrier | Wait | Guarded


@dataclass(frozen=True, slots=True)
class Program:
    """The steps of an entry, one for each instruction."""

    instructions: tuple[Instruction, ...]
    steps: tuple[Step | Control, ...]
    ends: tuple[int, ...]
    """For each instruction, the next one at or behind it that is no plain step; or the number of instructions."""
    registers: Registers


def program_of(
    entry: Entry, symbols: Mapping[str, int], memory: Memory, errors: np.random.Generator | None = None
) -> Program:
    """Decode the instructions of an entry. Raises `PtxError` for an unknown one."""
    body = entry.body
    registers = Registers(body.registers, symbols)
    context = Context(registers, memory, errors)
    steps = tuple(_checked(instruction, body, context) for instruction in body.instructions)
    ends = [len(steps)] * (len(steps) + 1)
    for number in reversed(range(len(steps))):
        ends[number] = number if isinstance(steps[number], Control) else ends[number + 1]
    return Program(body.instructions, steps, tuple(ends), registers)


def _checked(instruction: Instruction, body: Body, context: Context) -> Step | Control:
    try:
        return _decoded(instruction, body, context)
    except (IndexError, ValueError) as error:  # rules take the operands that they need
        count = len(instruction.operands)
        raise PtxError(instruction.line, f"{instruction.opcode} does not take {count} operands") from error


def _decoded(instruction: Instruction, body: Body, context: Context) -> Step | Control:
    form = Form(instruction, context.errors)
    guard = instruction.guard
    if form.name in ("bra", "ret", "exit"):
        form.take("uni")
        form.finish()
        slot = None if guard is None else context.registers.slot(guard.register.name)
        target = _target(instruction, body) if form.name == "bra" else None
        return Branch(target, slot, guard is not None and guard.negated)
    if form.name == "brx":
        return _switch(form, body, context)
    if form.name in BARRIERS:
        barrier = BARRIERS[form.name](form, context)
        form.finish()
        if guard is None:
            return barrier
        if isinstance(barrier, Barrier):
            raise form.error("a barrier with a guard is not supported: branch around it")
        if isinstance(barrier, Wait):
            return Guarded(barrier, context.registers.slot(guard.register.name), guard.negated)
        return guarded(context.registers, guard, barrier)
    if (action := ACTIONS.get(form.name)) is not None:
        step = action(form, context)
    else:
        step = computation_step(context.registers, instruction, _rule(form)(form))
    form.finish()
    return step if guard is None else guarded(context.registers, guard, step)


def _rule(form: Form) -> Rule:
    """The rule of an instruction without side effects, by its name and the kind of its type."""
    if (rule := BY_NAME.get(form.name)) is not None:
        return rule
    kinds = [TYPES[modifier].kind for modifier in form.modifiers if modifier in TYPES]
    table = FLOATS if Kind.FLOAT in kinds else INTEGERS
    if form.name not in table:
        raise form.error("unknown instruction")
    return table[form.name]


def _switch(form: Form, body: Body, context: Context) -> Switch:
    """`brx.idx{.uni} number, {labels}`."""
    form.required("idx")
    form.take("uni")
    form.finish()
    match form.instruction.operands:
        case (Register(name), Vector(elements)) if form.instruction.guard is None:
            labels = [element.name for element in elements if isinstance(element, Symbol)]
            if missing := [label for label in labels if label not in body.labels]:
                raise form.error(f"{missing[0]} is no label of this entry")
            return Switch(tuple(body.labels[label] for label in labels), context.registers.slot(name))
        case _:
            raise form.error("expected a register and a table of labels, and no guard")


def _target(instruction: Instruction, body: Body) -> int:
    match instruction.operands:
        case (Symbol(name),) if name in body.labels:
            return body.labels[name]
        case _:
            raise PtxError(instruction.line, "a branch needs a label of this entry")
