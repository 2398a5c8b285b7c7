"""What a debugger reads of a kernel that it has stopped: places, registers and memory."""

import linecache
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.machine import ADDRESS_BYTES, Argument, Machine
from xshardy.ptx.memory import key_of
from xshardy.ptx.schedule import Schedule
from xshardy.ptx.special_registers import SPECIAL_REGISTERS
from xshardy.ptx.types import TYPES, Type, from_bits
from xshardy.tools.ptx_source import Place, PtxSource
from xshardy.tools.usage import UsageError

PTX = "ptx"
"""What stands for the file of the PTX that CUDA C++ is compiled to."""

_REGISTER = re.compile(r"%[\w.$@]+")
_PLACE = re.compile(r"(?:(?P<file>.+):)?(?P<line>\d+)")
_ELEMENTS = re.compile(r"(?P<name>[\w$.%]+)(?:\[(?P<first>\d+)(?::(?P<end>\d+))?\])?(?:\s+(?P<type>\w+))?")


class Elements(NamedTuple):
    """A range of elements of memory."""

    name: str
    first: int
    """The number of the first element."""
    read: Callable[[], Array]
    """Their values at the moment: an array [blocks, elements], or [1, elements] if all blocks share them."""
    is_shared: bool
    """Whether each block has elements of its own."""


@dataclass(slots=True)
class KernelState:
    """A kernel and its arguments, and where it has stopped."""

    machine: Machine
    source: PtxSource
    arguments: Sequence[Argument]
    stopped: Schedule | None = None
    at: int = 0
    """The number of the instruction that the active threads execute next."""

    @property
    def schedule(self) -> Schedule:
        """The blocks that run."""
        if self.stopped is None:
            raise UsageError(f"error: {self.machine.entry.name} has executed nothing")
        return self.stopped

    @property
    def blocks(self) -> Sequence[int]:
        """The numbers of the blocks that run."""
        return self.schedule.lanes.blocks.tolist()

    def place(self, at: int) -> Place:
        """The place of an instruction by its number."""
        return self.source.place(self.machine.entry.body.instructions[at].line)

    def shown(self, at: int) -> str:
        """The place of an instruction, and the text there; of CUDA C++, that of the PTX too."""
        place, ptx = self.place(at), self._ptx(at)
        return f"{place}: {self.text(place).strip()}  [{ptx}]" if self.source.is_compiled else f"{place}: {ptx}"

    def _ptx(self, at: int) -> str:
        return " ".join(self.text(Place(PTX, self.machine.entry.body.instructions[at].line)).split())

    def text(self, place: Place) -> str:
        """A line of a file; empty if there is none."""
        if place.file != PTX and (place.file != self.source.file or self.source.is_compiled):
            return linecache.getline(place.file, place.line).rstrip()
        lines = self.source.ptx.split("\n")
        return lines[place.line - 1] if place.line <= len(lines) else ""

    def instructions_at(self, text: str) -> tuple[Place, set[int]]:
        """
        The instructions with which the line `LINE` or `FILE:LINE` begins, by their numbers; of a line without any, that
        of the next one that has. Raises `UsageError` for another text, and if there is no further instruction.
        """
        if (wanted := _PLACE.fullmatch(text.strip())) is None:
            raise UsageError(f"error: '{text}' is no line: give LINE or FILE:LINE")
        file, line = wanted["file"], int(wanted["line"])
        places = [self._place_in(file, at) for at in range(len(self.machine.entry.body.instructions))]
        later = [place for place in places if place is not None and place.line >= line]
        if not later:
            raise UsageError(f"error: {self.machine.entry.name} has no instructions at {text} or behind it")
        found = min(later, key=lambda place: place.line)
        starts = (at for at, place in enumerate(places) if place == found and (at == 0 or places[at - 1] != found))
        return found, {*starts}

    def _place_in(self, file: str | None, at: int) -> Place | None:
        """The place of an instruction in a file, by the end of its name; by default, in the one of the command."""
        line = self.machine.entry.body.instructions[at].line
        if file is None:
            return self.source.place(line)
        if file in (PTX, self.source.file) and (file == PTX or not self.source.is_compiled):
            return Place(file, line)
        place = self.source.source_place(line)
        return place if place is not None and place.file.endswith(file) else None

    def registers_at_hand(self) -> Sequence[str]:
        """Those that the next instruction names."""
        registers = self.schedule.program.registers.slots
        return [name for name in dict.fromkeys(_REGISTER.findall(self._ptx(self.at))) if name in registers]

    def register(self, name: str, type: str = "") -> Array:
        """A register of all threads, an array [blocks, threads], as a type; by default as it is declared."""
        lanes, registers = self.schedule.lanes, self.schedule.program.registers
        if name in registers.slots:
            slot = registers.slots[name]
            bits, values = registers.bits[slot], lanes.registers[slot]
        elif name in SPECIAL_REGISTERS:
            bits, values = SPECIAL_REGISTERS[name], lanes.special(name).astype(np.uint64)
        else:
            raise UsageError(f"error: {self.machine.entry.name} has no register {name}")
        shown = _type(type) if type else self.machine.entry.body.registers.get(name)
        if shown is not None and (shown.bits > bits or (shown.bits == 1) != (bits == 1)):
            raise UsageError(f"error: {name} has {bits} bits, and .{shown.name} {shown.bits}")
        values = values if shown is None else from_bits(values, shown)
        return np.broadcast_to(values, (*lanes.shape, *values.shape[2:]))

    def elements(self, text: str) -> Elements:
        """`NAME`, `NAME[INDEX]` or `NAME[FIRST:END]`, and a type: NAME is a parameter, or its number, or `shared`."""
        if (wanted := _ELEMENTS.fullmatch(text.strip())) is None:
            raise UsageError(f"error: '{text}' names no memory: give NAME, NAME[INDEX] or NAME[FIRST:END], and a type")
        name, memory = wanted["name"], self.schedule.memory
        if name == "shared":
            place = memory.place_of("shared", 0)
            assert place is not None and place.starts is not None
            starts, size, type = place.starts, place.bound, _type(wanted["type"] or "b32").dtype
        else:
            address, type = self._argument(name, wanted["type"])
            if (place := memory.place_of("", key_of(address))) is None:
                raise UsageError(f"error: {name} is no pointer")
            starts, size = np.array([[int(address) - place.base]]), place.bound
        first = int(wanted["first"] or 0)
        end = int(wanted["end"] or (first + 1 if wanted["first"] else size // type.itemsize))
        if not first < end <= size // type.itemsize:
            raise UsageError(f"error: {name} has {size // type.itemsize} elements of {type.itemsize} bytes")
        offsets = starts + np.arange(first * type.itemsize, end * type.itemsize)
        data = place.region.data
        return Elements(name, first, lambda: data[offsets].view(type), name == "shared")

    def _argument(self, name: str, type: str | None) -> tuple[np.uint64, np.dtype[np.generic]]:
        """The address that a parameter has, and the type of the elements there."""
        parameters = self.machine.entry.parameters
        for number, (parameter, argument) in enumerate(zip(parameters, self.arguments, strict=True)):
            if name in (parameter.name, str(number)) and parameter.size == ADDRESS_BYTES:
                memory = self.schedule.memory.place_of("param", 0)
                assert memory is not None
                raw = memory.region.data[parameter.offset : parameter.offset + ADDRESS_BYTES]
                declared = argument.dtype if isinstance(argument, np.ndarray) else np.dtype(np.uint8)
                return raw.view(np.uint64)[0], _type(type).dtype if type else declared
        names = ", ".join(parameter.name for parameter in parameters)
        raise UsageError(f"error: {name} is no pointer: the parameters are {names}; `shared` is shared memory")


def _type(name: str) -> Type:
    """A type by its name. Raises `UsageError`."""
    if (found := TYPES.get(name.removeprefix("."))) is None or found.elements > 1:
        raise UsageError(f"error: {name} is no type: such are s32, u64, f32, bf16, pred")
    return found
