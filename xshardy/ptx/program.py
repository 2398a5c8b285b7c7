"""An entry as a list of steps, with the places where the flow of control changes."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from xshardy.ptx.control import Barrier, Branch, Control, Guarded, Switch
from xshardy.ptx.decode import AbsentLanes, Context, Registers, Step, guarded, print_text
from xshardy.ptx.errors import PtxError
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import Scope
from xshardy.ptx.instructions.table import name_of, row_of
from xshardy.ptx.liveness import live_registers
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Entry, Instruction
from xshardy.ptx.runs import Runs
from xshardy.ptx.waiting import Wait


@dataclass(frozen=True, slots=True)
class Program:
    """The steps of an entry, one for each instruction."""

    instructions: tuple[Instruction, ...]
    steps: tuple[Step | Control, ...]
    ends: tuple[int, ...]
    """For each instruction, the next one at or behind it that is no plain step; or the number of instructions."""
    registers: Registers
    absent_lanes: tuple[AbsentLanes | None, ...]
    """For each instruction of whole warps that has no guard, which threads it waits for."""
    meetings: tuple[int, ...]
    """For each instruction, the next one at or behind it that is such; or the number of instructions."""
    exchanges: tuple[int, ...]
    """The same for instructions that threads do not execute each for itself."""
    live: tuple[int, ...]
    """The slots of the registers that are live in front of each instruction and at the end: see `live_registers`."""
    runs: Runs
    loops: Mapping[int, Sequence[int]]
    """By the first instruction of a loop that threads execute each for itself, its backward branches."""


def program_of(
    entry: Entry,
    symbols: Mapping[str, int],
    memory: Memory,
    errors: np.random.Generator | None = None,
    output: Callable[[str], object] = print_text,
    shared: Collection[str] = (),
) -> Program:
    """
    Decode the instructions of an entry. `shared` are the names of variables in shared memory.

    Raises `PtxError` for an unknown instruction.
    """
    body = entry.body
    registers = Registers(body.registers, symbols, shared)
    context = Context(registers, memory, body.labels, errors, output)
    steps: list[Step | Control] = []
    absent_lanes: list[AbsentLanes | None] = []
    named: list[frozenset[int]] = []
    reads: list[int] = []
    writes: list[int] = []
    for instruction in body.instructions:
        context.absent_lanes.clear()
        registers.read.clear()
        registers.written.clear()
        steps.append(_checked(instruction, context))
        named.append(frozenset(registers.read | registers.written))
        reads.append(sum(1 << slot for slot in registers.read))
        writes.append(sum(1 << slot for slot in registers.written) if instruction.guard is None else 0)
        absent_lanes.append(context.absent_lanes[0] if context.absent_lanes and instruction.guard is None else None)
    ends = _next([isinstance(step, Control) for step in steps])
    meetings = _next([each is not None for each in absent_lanes])
    exchanges = _next([row_of(instruction).scope is not Scope.THREAD for instruction in body.instructions])
    loops: dict[int, list[int]] = {}
    for at, step in enumerate(steps):
        for target in targets_of(step):
            if target <= at < exchanges[target]:
                loops.setdefault(target, []).append(at)
    live = live_registers(reads, writes, [_following(at, step) for at, step in enumerate(steps)])
    return Program(
        body.instructions,
        tuple(steps),
        ends,
        registers,
        tuple(absent_lanes),
        meetings,
        exchanges,
        live,
        Runs(steps, named, live),
        loops,
    )


def _following(at: int, step: Step | Control) -> tuple[int, ...]:
    """The instructions that may be behind one."""
    ends = isinstance(step, Switch) or (isinstance(step, Branch) and step.slot is None)
    return targets_of(step) if ends else (at + 1, *targets_of(step))


def targets_of(step: Step | Control) -> tuple[int, ...]:
    """The instructions that a branch names."""
    if isinstance(step, Switch):
        return step.targets
    return (step.target,) if isinstance(step, Branch) and step.target is not None else ()


def _next(chosen: Sequence[bool]) -> tuple[int, ...]:
    """For each number, and for the length, the next one at or behind it that is chosen; the length if none is."""
    following = [len(chosen)] * (len(chosen) + 1)
    for number in reversed(range(len(chosen))):
        following[number] = number if chosen[number] else following[number + 1]
    return tuple(following)


def _checked(instruction: Instruction, context: Context) -> Step | Control:
    try:
        return _decoded(instruction, context)
    except (IndexError, ValueError) as error:  # meanings take the operands that they need
        count = len(instruction.operands)
        raise PtxError(instruction.line, f"{instruction.opcode} does not take {count} operands") from error


def _decoded(instruction: Instruction, context: Context) -> Step | Control:
    row = row_of(instruction)
    form = Form(instruction, name_of(instruction), context.errors)
    decoded = row.meaning(form, context)
    form.finish()
    guard = instruction.guard
    assert not isinstance(decoded, Guarded), "no meaning has its guard"
    match decoded:
        case Branch() | Switch():
            return decoded
        case _ if guard is None:
            return decoded
        case Barrier():
            raise form.error("a barrier with a guard is not supported: branch around it")
        case Wait():
            return Guarded(decoded, context.registers.slot(guard.register.name), guard.negated)
        case _:
            return guarded(context.registers, guard, decoded)
