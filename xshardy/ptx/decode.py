"""
Instructions as closures: each is decoded once, and then executed for all threads that are together.

An operand becomes a function that reads an array of its type from the registers of `Lanes`, a result one that writes
it.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.instructions.form import Computation
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Memory, in_block
from xshardy.ptx.module import (
    Float,
    Guard,
    Instruction,
    Integer,
    Negated,
    Operand,
    Pair,
    Register,
    Sink,
    Symbol,
    Vector,
)
from xshardy.ptx.special_registers import CLOCKS, SPECIAL_REGISTERS
from xshardy.ptx.types import PREDICATE, STORAGE, TYPES, Kind, Type, from_bits, to_bits

Reader: TypeAlias = Callable[[Lanes], Array]
Writer: TypeAlias = Callable[[Lanes, Array], None]
Step: TypeAlias = Callable[[Lanes], None]
"""Executes an instruction for the active threads."""
AbsentLanes: TypeAlias = Callable[[Lanes, Array], Array]
"""The lanes that each thread names in its member mask and that are not in a mask of threads: 32 bits each."""

CARRY = "%cc"
"""The register behind the condition code."""


@dataclass(frozen=True, slots=True)
class RegisterReader:
    """Reads a register of so many bits as a type."""

    slot: int
    type: Type
    bits: int

    def __call__(self, lanes: Lanes) -> Array:
        return from_bits(lanes.registers[self.slot], self.type)


@dataclass(frozen=True, slots=True)
class RegisterWriter:
    """Writes a value of a type to a register of so many bits."""

    slot: int
    type: Type
    bits: int

    def __call__(self, lanes: Lanes, value: Array) -> None:
        lanes.write(self.slot, to_bits(value, self.type, self.bits))


@dataclass(frozen=True, slots=True)
class Constant:
    """Reads a value of one thread that all have."""

    value: Array

    def __call__(self, lanes: Lanes) -> Array:
        return self.value


@dataclass(frozen=True, slots=True)
class Computed:
    """A step that calls a function of its operands, whose results are written."""

    function: Callable[..., Array | tuple[Array, ...]]
    reads: Sequence[Reader]
    writes: Sequence[Writer]
    takes_lanes: bool = False
    """Whether the function has the lanes in front of the operands."""

    def __call__(self, lanes: Lanes) -> None:
        operands = [read(lanes) for read in self.reads]
        value = self.function(lanes, *operands) if self.takes_lanes else self.function(*operands)
        values = value if isinstance(value, tuple) else (value,)
        for write, result in zip(self.writes, values, strict=True):
            write(lanes, result)


class Registers:
    """The slots of the registers of an entry, and the closures that read and write them."""

    def __init__(self, types: Mapping[str, Type], symbols: Mapping[str, int], shared: Collection[str] = ()):
        self.symbols = symbols
        """The address of each variable and parameter."""
        self.shared = shared
        """The names of the variables in shared memory."""
        self.slots: dict[str, int] = {}
        self.bits: list[int] = []
        self.special: dict[str, int] = {}
        """The slots of the special registers that are read."""
        self.read: set[int] = set()
        """The slots that the instruction which is decoded reads, or may write."""
        self.written: set[int] = set()
        """The slots that it always writes, for the threads that execute it."""
        for name, type in {**types, CARRY: PREDICATE}.items():
            self._add(name, type.bits)

    def _add(self, name: str, bits: int) -> int:
        self.slots[name] = len(self.bits)
        self.bits.append(bits)
        return self.slots[name]

    def slot(self, name: str) -> int:
        if name not in self.slots:
            self.special[name] = self._add(name, SPECIAL_REGISTERS[name])
        slot = self.slots[name]
        self.read.add(slot)
        return slot

    def initialize(self, lanes: Lanes) -> None:
        """Give `lanes` its registers: special ones have their values, others are 0."""
        lanes.registers = [np.zeros((1, 1), STORAGE[bits]) for bits in self.bits]
        for name, slot in self.special.items():
            lanes.registers[slot] = lanes.special(name).astype(STORAGE[self.bits[slot]])

    def reader(self, instruction: Instruction, operand: Operand, type: Type) -> Reader:
        """What reads an operand as `type`."""
        if isinstance(operand, Register):
            name, bits = operand.name, SPECIAL_REGISTERS.get(operand.name) or self.bits[self.slot(operand.name)]
            if type.bits > bits or (type.bits == 1) != (bits == 1):
                raise PtxError(
                    instruction.line, f"{instruction.opcode} reads .{type.name} from {name}, which has {bits} bits"
                )
            if name in CLOCKS:
                return lambda lanes: from_bits(lanes.clock(name), type)
            return RegisterReader(self.slot(name), type, bits)
        if isinstance(operand, Negated):
            slot = self.slot(operand.register.name)
            return lambda lanes: ~lanes.registers[slot]
        if isinstance(operand, Vector):
            return self._packed(instruction, operand, type)
        raw = self.pattern(instruction, operand, type).to_bytes(max(type.bits // 8, 1), "little")
        constant = from_bits(np.frombuffer(raw, STORAGE[type.bits]).reshape(1, 1), type)
        if isinstance(operand, Symbol) and operand.name in self.shared:
            return lambda lanes: constant if lanes.clusters.size == 1 else in_block(constant, lanes.ranks_in_clusters())
        return Constant(constant)

    def _packed(self, instruction: Instruction, vector: Vector, type: Type) -> Reader:
        """What reads several registers as one, the first in the lowest bits."""
        part = _part(instruction, vector, type)
        readers = [self.reader(instruction, element, part) for element in vector.elements]

        def read(lanes: Lanes) -> Array:
            parts = np.broadcast_arrays(*(reader(lanes) for reader in readers))
            return from_bits(np.stack(parts, axis=-1).view(STORAGE[type.bits])[..., 0], type)

        return read

    def pattern(self, instruction: Instruction, operand: Operand, type: Type) -> int:
        """The bits of a constant of `type`. Raises `PtxError` for an operand that is none."""
        match operand:
            case Integer(value) if type.kind is Kind.PREDICATE:
                return int(value != 0)
            case Integer(value):
                return value % (1 << type.bits)
            case Float(pattern, bits) if bits == type.bits:
                return pattern
            case Float(pattern, 64) if type.bits == 32:
                wide = np.array(pattern, np.uint64).view(np.float64)
                return int(wide.astype(np.float32).view(np.uint32))
            case Float(pattern, 32) if type.bits == 64:
                narrow = np.array(pattern, np.uint32).view(np.float32)
                return int(narrow.astype(np.float64).view(np.uint64))
            case Symbol(name, offset) if name in self.symbols:
                return (self.symbols[name] + offset) % (1 << type.bits)
            case Symbol(name):
                raise PtxError(instruction.line, f"{name} is not declared")
            case _:
                raise PtxError(instruction.line, f"{instruction.opcode}: this operand cannot be read as .{type.name}")

    def writer(self, instruction: Instruction, operand: Operand, type: Type) -> Writer:
        """What writes a result of `type` to an operand."""
        if isinstance(operand, Sink):
            return lambda lanes, value: None
        if isinstance(operand, Vector):
            return self._unpacked(instruction, operand, type)
        if not isinstance(operand, Register) or operand.name not in self.slots:
            raise PtxError(instruction.line, f"{instruction.opcode}: the result is no register")
        slot, bits = self.slots[operand.name], self.bits[self.slots[operand.name]]
        self.written.add(slot)
        if bits < type.bits or (type.bits == 1) != (bits == 1):
            raise PtxError(
                instruction.line, f"{instruction.opcode} writes .{type.name} to {operand.name}, which has {bits} bits"
            )
        return RegisterWriter(slot, type, bits)

    def _unpacked(self, instruction: Instruction, vector: Vector, type: Type) -> Writer:
        part = _part(instruction, vector, type)
        writers = [self.writer(instruction, element, part) for element in vector.elements]

        def write(lanes: Lanes, value: Array) -> None:
            parts = np.ascontiguousarray(to_bits(value, type, type.bits))[..., None].view(part.dtype)
            for number, writer in enumerate(writers):
                writer(lanes, parts[..., number])

        return write


def _part(instruction: Instruction, vector: Vector, type: Type) -> Type:
    """What an element of a vector has of a value of `type`. Raises `PtxError` if that is no type."""
    count = len(vector.elements)
    if (part := TYPES.get(f"b{type.bits // count}")) is None or part.bits * count != type.bits:
        raise PtxError(instruction.line, f"{instruction.opcode}: {count} registers do not make a .{type.name}")
    return part


def print_text(text: str) -> None:
    """Print what a kernel prints on standard output."""
    print(text, end="")


@dataclass(frozen=True, slots=True)
class Context:
    """What the instructions of an entry refer to."""

    registers: Registers
    memory: Memory
    labels: Mapping[str, int]
    """The instruction behind each label, by its number."""
    errors: np.random.Generator | None = None
    """The source of errors of approximate functions; None for none."""
    output: Callable[[str], object] = print_text
    """Is told what the kernel prints."""
    absent_lanes: list[AbsentLanes] = field(default_factory=list[AbsentLanes])
    """Of the instruction that is decoded, if it is one of whole warps."""


def computation_step(registers: Registers, instruction: Instruction, rule: Computation) -> Step:
    """The step of an instruction without side effects."""
    results = _results(instruction.operands[0], len(rule.results)) if instruction.operands else []
    sources = [*instruction.operands[1:]]
    result_types, source_types = [*rule.results], [*rule.sources]
    if rule.reads_carry:
        sources.append(Register(CARRY))
        source_types.append(PREDICATE)
    if rule.writes_carry:
        results.append(Register(CARRY))
        result_types.append(PREDICATE)
    if len(sources) != len(source_types):
        raise PtxError(
            instruction.line, f"{instruction.opcode} takes {len(source_types)} operands, but there are {len(sources)}"
        )
    reads = [registers.reader(instruction, *pair) for pair in zip(sources, source_types, strict=True)]
    writes = [registers.writer(instruction, *pair) for pair in zip(results, result_types, strict=True)]
    return Computed(rule.function, reads, writes)


def _results(operand: Operand, count: int) -> list[Operand]:
    """The results that the first operand stands for."""
    if isinstance(operand, Pair):
        return [operand.first, operand.second][:count]
    return [operand]


def guarded(registers: Registers, guard: Guard, step: Step) -> Step:
    """`step` for those active threads whose guard holds."""
    slot, negated = registers.slot(guard.register.name), guard.negated

    def execute(lanes: Lanes) -> None:
        before = lanes.mask
        lanes.mask = chosen(lanes, slot, negated)
        if lanes.mask.any():
            step(lanes)
        lanes.mask = before

    return execute


def chosen(lanes: Lanes, slot: int, negated: bool) -> Array:
    """The active threads for which a predicate holds, or does not if `negated`: a mask of the full shape."""
    holds = lanes.registers[slot]
    holds = ~holds if negated else holds
    if lanes.mask is None:
        return holds if holds.shape == lanes.shape else np.array(np.broadcast_to(holds, lanes.shape))
    return holds & lanes.mask
