"""Straight runs of instructions: those that are executed often are compiled to one function of Python."""

from collections.abc import Callable, Sequence

import numpy as np

from xshardy.ptx.decode import Computed, Reader, RegisterReader, RegisterWriter, Step, Writer
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.types import STORAGE, from_bits, to_bits

Run = Callable[[Lanes, int], None]
"""Executes instructions for the active threads. Of others, it keeps a set of registers, with a bit for each slot."""

OFTEN = 16
"""How often a run is executed before it is compiled, which takes as long as some executions."""


class Runs:
    """The runs of a program, by their first instruction and the one behind their last."""

    def __init__(self, steps: Sequence[object], named: Sequence[frozenset[int]]):
        self._steps, self._named = steps, named
        self._counts: dict[tuple[int, int], int] = {}
        self._compiled: dict[tuple[int, int], Run] = {}

    def with_steps(self, steps: Sequence[object]) -> "Runs":
        """The runs of the same program with other steps."""
        return Runs(steps, self._named)

    def execute(self, lanes: Lanes, first: int, end: int, keep: int) -> None:
        """Execute a run. Instruction `end` may be a branch, for which the registers are prepared too."""
        run = self._compiled.get((first, end))
        if run is not None:
            run(lanes, keep)
            return
        count = self._counts[first, end] = self._counts.get((first, end), 0) + 1
        named = [slot for of_step in self._named[first : end + 1] for slot in of_step]
        if count == OFTEN:
            self._compiled[first, end] = compiled(self._steps[first:end], {*named})
        lanes.prepare(named)
        for step in self._steps[first:end]:
            step(lanes)  # type: ignore[operator]


class _Source:
    """The text of a function, and the values behind its names."""

    def __init__(self):
        self.lines = ["def run(lanes, keep):", "    lanes.prepare(named)", "    r, mask = lanes.registers, lanes.mask"]
        self.names: dict[str, object] = {"where": np.where, "from_bits": from_bits, "to_bits": to_bits}

    def name(self, value: object) -> str:
        name = f"v{len(self.names)}"
        self.names[name] = value
        return name

    def read(self, reader: Reader) -> str:
        """An expression for an operand."""
        if not isinstance(reader, RegisterReader):
            return f"{self.name(reader)}(lanes)"
        register, type, bits = f"r[{reader.slot}]", reader.type, reader.bits
        if type.elements > 1 or type.bits != bits:
            return f"from_bits({register}, {self.name(type)})"
        return register if type.dtype == STORAGE[bits] else f"{register}.view({self.name(type.dtype)})"

    def write(self, writer: Writer, value: str) -> None:
        """Set a result to the value of a variable."""
        if not isinstance(writer, RegisterWriter):
            self.lines.append(f"    {self.name(writer)}(lanes, {value})")
            return
        slot, type, bits = writer.slot, writer.type, writer.bits
        storage = self.name(STORAGE[bits])
        if type.elements > 1 or type.bits != bits:
            self.lines.append(f"    {value} = to_bits({value}, {self.name(type)}, {bits})")
        else:
            self.lines.append(f"    if {value}.dtype is not {storage}: {value} = {value}.view({storage})")
        kept = f"mask is None or not keep & {self.name(1 << slot)}"
        self.lines.append(f"    r[{slot}] = {value} if {kept} else where(mask, {value}, r[{slot}])")


def compiled(steps: Sequence[object], named: set[int]) -> Run:
    """A function that executes steps one after another; `named` are the registers in them."""
    source = _Source()
    source.names["named"] = tuple(named)
    for step in steps:
        if not isinstance(step, Computed):
            source.lines.append(f"    {source.name(step)}(lanes)")
            continue
        values = [f"x{number}" for number in range(len(step.writes))]
        operands = ", ".join(source.read(reader) for reader in step.reads)
        source.lines.append(f"    {', '.join(values)} = {source.name(step.function)}({operands})")
        for writer, value in zip(step.writes, values, strict=True):
            source.write(writer, value)
    exec(compile("\n".join(source.lines), "<a run of PTX>", "exec"), source.names)  # noqa: S102
    return source.names["run"]  # type: ignore[return-value]
