"""
Straight runs of instructions: those that are executed often are compiled to one function of Python.

In it, a register is a variable that an instruction writes and others read, as values of its type. It is stored for what
comes behind the run only if it is live there.
"""

from collections.abc import Callable, Sequence

import numpy as np

from xshardy.numerics.element_types import DType
from xshardy.ptx.decode import Computed, Constant, RegisterReader, RegisterWriter
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.types import STORAGE, Type, from_bits, to_bits

Run = Callable[[Lanes, int], None]
"""Executes instructions for the active threads. Of others, it keeps a set of registers, with a bit for each slot."""

OFTEN = 16
"""How often a run is executed before it is compiled, which takes as long as some executions."""


class Runs:
    """The runs of a program, by their first instruction and the one behind their last."""

    def __init__(self, steps: Sequence[object], named: Sequence[frozenset[int]], live: Sequence[int]):
        self._steps = steps
        self._named, self._live = named, live
        """For each instruction, the slots of the registers that it names, and those live in front of it."""
        self._counts: dict[tuple[int, int], int] = {}
        self._compiled: dict[tuple[int, int], Run] = {}

    def with_steps(self, steps: Sequence[object]) -> "Runs":
        """The runs of the same program with other steps."""
        return Runs(steps, self._named, self._live)

    def execute(self, lanes: Lanes, first: int, end: int, keep: int) -> None:
        """Execute a run. Instruction `end` may be a branch, for which the registers are prepared too."""
        run = self._compiled.get((first, end))
        if run is not None:
            run(lanes, keep)
            return
        count = self._counts[first, end] = self._counts.get((first, end), 0) + 1
        if count == OFTEN:
            steps, named = self._steps[first:end], self._named[first : end + 1]
            self._compiled[first, end] = _Source(steps, named, self._live[end]).compiled()
        lanes.prepare(slot for of_step in self._named[first : end + 1] for slot in of_step)
        for step in self._steps[first:end]:
            step(lanes)  # type: ignore[operator]


def _is_transparent(step: object) -> bool:
    """Whether the operands and results of a step are whole registers and constants."""
    return (
        isinstance(step, Computed)
        and all(isinstance(reader, RegisterReader | Constant) for reader in step.reads)
        and all(isinstance(writer, RegisterWriter) for writer in step.writes)
    )


class _Source:
    """The text of the function of a run, and the values behind its names."""

    def __init__(self, steps: Sequence[object], named: Sequence[frozenset[int]], live: int):
        self.steps, self.named = steps, named
        self.lines: list[str] = []
        self.values: dict[str, object] = {"where": np.where, "from_bits": from_bits, "to_bits": to_bits}
        self.stored = {slot for slot in frozenset[int]().union(*named) if live >> slot & 1}
        """The registers that are live behind the run, or that a step reads which is called as it is."""
        for step, slots in zip(steps, named, strict=False):
            if not _is_transparent(step):
                self.stored |= slots
        self.prepared: set[int] = {*self.stored}
        self.typed: dict[tuple[int, Type], str] = {}
        """The variable that has a register as a type."""
        self.written: dict[int, tuple[str, Type]] = {}
        """By its slot, the variable that a register was written from."""

    def compiled(self) -> Run:
        for step, slots in zip(self.steps, self.named, strict=False):
            if isinstance(step, Computed) and _is_transparent(step):
                self._compute(step)
                continue
            self.lines.append(f"{self._name(step)}(lanes)")
            for slot in slots:
                self._forget(slot)
        self.values["prepared"] = tuple(self.prepared | self.named[len(self.steps)] if self.named else ())
        start = ["lanes.prepare(prepared)", "r, mask = lanes.registers, lanes.mask"]
        text = "\n    ".join(["def run(lanes, keep):", *start, *self.lines])
        exec(compile(text, "<a run of PTX>", "exec"), self.values)
        return self.values["run"]  # type: ignore[return-value]

    def _name(self, value: object) -> str:
        name = f"v{len(self.values)}"
        self.values[name] = value
        return name

    def _forget(self, slot: int) -> None:
        self.written.pop(slot, None)
        for key in [key for key in self.typed if key[0] == slot]:
            del self.typed[key]

    def _compute(self, step: Computed) -> None:
        operands = [self._read(reader) for reader in step.reads]  # type: ignore[arg-type]
        call = f"{self._name(step.function)}({', '.join(['lanes'] * step.takes_lanes + operands)})"
        results = [f"x{len(self.lines)}_{number}" for number in range(len(step.writes))]
        self.lines.append(f"{', '.join(results)} = {call}" if results else call)
        for writer, result in zip(step.writes, results, strict=True):
            self._write(writer, result)  # type: ignore[arg-type]

    def _read(self, reader: RegisterReader | Constant) -> str:
        """The variable of an operand."""
        if isinstance(reader, Constant):
            return self._name(reader.value)
        slot, type, bits = reader.slot, reader.type, reader.bits
        if (slot, type) in self.typed:
            return self.typed[slot, type]
        if slot in self.written:
            register, dtype = self._bits(*self.written[slot], bits)
        else:
            register, dtype = f"r[{slot}]", STORAGE[bits]
            self.prepared.add(slot)
        if type.elements > 1 or type.bits != bits:
            register = f"from_bits({register}, {self._name(type)})"
        elif type.dtype != dtype:
            register = f"{register}.view({self._name(type.dtype)})"
        result = self.typed[slot, type] = f"t{len(self.lines)}"
        self.lines.append(f"{result} = {register}")
        return result

    def _write(self, writer: RegisterWriter, value: str) -> None:
        slot, type, bits = writer.slot, writer.type, writer.bits
        if type.elements == 1:
            dtype = self._name(type.dtype)
            self.lines.append(f"if {value}.dtype is not {dtype}: {value} = {value}.view({dtype})")
        self._forget(slot)
        self.typed[slot, type], self.written[slot] = value, (value, type)
        if slot not in self.stored:
            return
        register, dtype = self._bits(value, type, bits)
        register = register if dtype == STORAGE[bits] else f"{value}.view({self._name(STORAGE[bits])})"
        kept = f"mask is None or not keep & {self._name(1 << slot)}"
        self.lines.append(f"r[{slot}] = {register} if {kept} else where(mask, {register}, r[{slot}])")

    def _bits(self, value: str, type: Type, bits: int) -> tuple[str, DType]:
        """The bits of a value in a register, as an array of some type of their number."""
        if type.elements > 1 or type.bits != bits:
            return f"to_bits({value}, {self._name(type)}, {bits})", STORAGE[bits]
        return value, type.dtype
