"""An entry as a list of steps, with the places where the flow of control changes."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from xshardy.ptx.control import Barrier, Branch, Control, Guarded, Switch
from xshardy.ptx.decode import Context, Registers, Step, guarded, print_text
from xshardy.ptx.errors import PtxError
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.table import name_of, row_of
from xshardy.ptx.memory import Memory
from xshardy.ptx.module import Entry, Instruction
from xshardy.ptx.waiting import Wait


@dataclass(frozen=True, slots=True)
class Program:
    """The steps of an entry, one for each instruction."""

    instructions: tuple[Instruction, ...]
    steps: tuple[Step | Control, ...]
    ends: tuple[int, ...]
    """For each instruction, the next one at or behind it that is no plain step; or the number of instructions."""
    registers: Registers


def program_of(
    entry: Entry,
    symbols: Mapping[str, int],
    memory: Memory,
    errors: np.random.Generator | None = None,
    output: Callable[[str], object] = print_text,
) -> Program:
    """Decode the instructions of an entry. Raises `PtxError` for an unknown one."""
    body = entry.body
    registers = Registers(body.registers, symbols)
    context = Context(registers, memory, body.labels, errors, output)
    steps = tuple(_checked(instruction, context) for instruction in body.instructions)
    ends = [len(steps)] * (len(steps) + 1)
    for number in reversed(range(len(steps))):
        ends[number] = number if isinstance(steps[number], Control) else ends[number + 1]
    return Program(body.instructions, steps, tuple(ends), registers)


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
    match decoded:
        case Branch() | Switch():
            return decoded
        case _ if guard is None:
            return decoded
        case Barrier():
            raise form.error("a barrier with a guard is not supported: branch around it")
        case Wait():
            return Guarded(decoded, context.registers.slot(guard.register.name), guard.negated)
        case Guarded():
            raise AssertionError("no meaning has its guard")
        case _:
            return guarded(context.registers, guard, decoded)
