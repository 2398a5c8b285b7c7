"""Loads, stores and addresses. Source: PTX ISA, "Data Movement and Conversion Instructions"."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.decode import Computed, Constant, Context, RegisterReader, Step, Writer
from xshardy.ptx.errors import PtxError
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import FOLDED, FREE, ONE, Row, Scope, Slots, types_in
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import (
    LARGEST_ACCESS,
    WINDOWS,
    WORDS,
    AccessKind,
    Memory,
    Part,
    in_block,
    keys_of,
    ranks_of,
)
from xshardy.ptx.module import Address, Instruction, Operand, Register, Vector
from xshardy.ptx.releases import orders_threads
from xshardy.ptx.types import STORAGE, TYPES

SPACES = ("global", "shared", "shared::cta", "shared::cluster", "local", "param", "param::entry", "const")
ORDERS = ("weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio")
SCOPES = ("cta", "cluster", "gpu", "sys")
CACHE_OPERATORS = ("ca", "cg", "cs", "cv", "lu", "wb", "wt")
POINTER = TYPES["u64"]

Addresses = Callable[[Lanes], Array]
"""Reads the address of each thread, in bytes."""


def take_space(form: Form) -> str:
    """Remove the state space from a form: empty for generic addresses; constant memory is global memory here."""
    space = (form.take(*SPACES) or "").partition("::")[0]
    return "global" if space == "const" else space


def take_hints(form: Form) -> None:
    """Remove what changes neither values nor addresses: memory order, scope, caching and prefetching."""
    form.take(*ORDERS)
    form.take(*SCOPES)
    form.take(*CACHE_OPERATORS)
    form.take("nc")
    for modifier in [m for m in form.modifiers if m.startswith(("L1::", "L2::"))]:
        form.modifiers.remove(modifier)


def addresses(context: Context, instruction: Instruction, operand: Operand) -> Addresses:
    """What reads the addresses in `[base + offset]`. Addresses of shared memory may have 32 bits."""
    read, moved = address(context, instruction, operand)
    return lambda lanes: moved(read(lanes))


def address(
    context: Context, instruction: Instruction, operand: Operand
) -> tuple[Constant | RegisterReader, Callable[[Array], Array]]:
    """What reads the base of the addresses in `[base + offset]`, and what gives the addresses for it."""
    if not isinstance(operand, Address):
        raise PtxError(instruction.line, f"{instruction.opcode} expects an address in brackets")
    base, offset = operand.base, np.uint64(operand.offset % (1 << 64))
    registers = context.registers
    if not isinstance(base, Register):
        start = 0 if base is None else registers.pattern(instruction, base, POINTER)
        return Constant(np.array([[start]], np.uint64) + offset), np.asarray
    slot = registers.slot(base.name)
    bits = registers.bits[slot]
    if bits == 64:
        return RegisterReader(slot, POINTER, bits), (lambda of: of + offset) if offset else np.asarray
    short = np.uint32(operand.offset % (1 << 32))
    return RegisterReader(slot, TYPES[f"u{bits}"], bits), lambda of: (of + short).astype(np.uint64)


def elements_of(operand: Operand) -> tuple[Operand, ...]:
    return operand.elements if isinstance(operand, Vector) else (operand,)


def take_elements(form: Form, operand: Operand) -> tuple[Operand, ...]:
    """The elements of a vector, as many as the modifier `v2`, `v4` or `v8` says; or without one, a single operand."""
    width, elements = form.take("v2", "v4", "v8"), elements_of(operand)
    if len(elements) != (1 if width is None else int(width[1:])):
        raise form.error(f"{len(elements)} elements where the instruction {f'has {width}' if width else 'is scalar'}")
    return elements


def load(form: Form, context: Context) -> Step:
    """`ld{.space}{.v2,.v4,.v8}.type d, [a]`."""
    take_hints(form)
    space, instruction = take_space(form), form.instruction
    destinations = take_elements(form, instruction.operands[0])
    type = form.type()
    writers = [context.registers.writer(instruction, destination, type) for destination in destinations]
    base, where = address(context, instruction, instruction.operands[1])
    memory, count, size = context.memory, len(writers), type.bits // 8

    def words(lanes: Lanes, base: Array) -> Array | tuple[Array, ...]:
        values = load_words(lanes, memory, instruction, space, where(base), size, count)
        return values[0].view(type.dtype) if count == 1 else tuple(value.view(type.dtype) for value in values)

    return Computed(words, [base], writers, takes_lanes=True)


def load_words(
    lanes: Lanes, memory: Memory, instruction: Instruction, space: str, where: Array, size: int, count: int
) -> list[Array]:
    """
    `count` words of `size` bytes each from the address of each active thread; 0 where the access is a fault.

    Unless the memory forbids it, a vector may end behind the buffer that it begins in: LLVM reads the last three
    numbers of one as four. It is aligned, so that the GPU has the memory, and what it reads there must not matter.
    """
    whole = size * count
    least = size if whole <= LARGEST_ACCESS and not memory.vectors_end_in_bounds else whole
    if (part := memory.loaded(lanes, instruction, space, where, whole, least)) is not None:
        return [lanes.scattered(value) for value in _load_part(part, size, count)]
    results = [np.zeros(lanes.shape, STORAGE[8 * size]) for _ in range(count)]
    for part in memory.parts(lanes, AccessKind.LOAD, instruction, space, where, whole, least=least):
        for result, value in zip(results, _load_part(part, size, count), strict=True):
            result[part.mask] = value
    return results


def _load_part(part: Part, size: int, count: int) -> list[Array]:
    whole = min(size * count, LARGEST_ACCESS)
    if count == 1:
        return [part.region.load(part.offsets, size)]
    found: list[Array] = []
    for first in range(0, size * count, whole):
        words = part.region.load(part.offsets + first, whole)[..., None].view(STORAGE[8 * size])
        found += [words[..., number] for number in range(whole // size)]
    return found


def store(form: Form, context: Context) -> Step:
    """`st{.space}{.v2,.v4,.v8}.type [a], b`."""
    take_hints(form)
    space, instruction = take_space(form), form.instruction
    sources = take_elements(form, instruction.operands[1])
    type = form.type()
    base, where = address(context, instruction, instruction.operands[0])
    storage = TYPES[f"b{type.bits}"]
    readers = [context.registers.reader(instruction, source, storage) for source in sources]
    memory = context.memory

    def stores(lanes: Lanes, base: Array, *words: Array) -> tuple[Array, ...]:
        store_words(lanes, memory, instruction, space, where(base), [*words])
        return ()

    return Computed(stores, [base, *readers], [], takes_lanes=True)


def store_words(
    lanes: Lanes, memory: Memory, instruction: Instruction, space: str, where: Array, words: list[Array]
) -> None:
    """Store words of one size next to each other at the address of each active thread."""
    size, count = words[0].dtype.itemsize, len(words)
    memory.changes += 1
    for part in memory.parts(lanes, AccessKind.STORE, instruction, space, where, size * count, words):
        values = [_of_part(lanes, word, part) for word in words]
        offsets, *values = np.broadcast_arrays(part.offsets, *values)
        if count == 1:
            part.region.store(offsets, values[0])
            continue
        whole = min(size * count, LARGEST_ACCESS)
        joined = np.stack(values, axis=-1).view(WORDS[whole])
        for number in range(size * count // whole):
            part.region.store(offsets + number * whole, joined[..., number])


def _of_part(lanes: Lanes, values: Array, part: Part) -> Array:
    return values if part.mask is None else np.broadcast_to(values, lanes.shape)[part.mask]


def move(form: Form, context: Context) -> Step:
    """`mov.type d, a`: also the address of a variable, and vectors of registers as one of more bits and back."""
    type, instruction = form.type(), form.instruction
    read = context.registers.reader(instruction, instruction.operands[1], type)
    write = context.registers.writer(instruction, instruction.operands[0], type)
    return Computed(np.asarray, [read], [write])


def convert_address(form: Form, context: Context) -> Step:
    """`cvta{.to}.space.size`: between addresses of a space and generic ones; they are the same for global memory."""
    to_space, space, type = form.has("to"), take_space(form), form.type()
    instruction, window = form.instruction, np.uint64(WINDOWS.get(space, 0))
    read = context.registers.reader(instruction, instruction.operands[1], type)
    write: Writer = context.registers.writer(instruction, instruction.operands[0], type)

    def moved(address: Array) -> Array:
        return address - window if to_space else address + window

    return Computed(moved if window else np.asarray, [read], [write])


def map_address(form: Form, context: Context) -> Step:
    """`mapa{.shared::cluster}.type d, a, rank`: the address in the block of that rank in the cluster."""
    form.take("shared::cluster")
    type, instruction, registers = form.type(), form.instruction, context.registers
    read = registers.reader(instruction, instruction.operands[1], type)
    rank = registers.reader(instruction, instruction.operands[2], TYPES["u32"])
    write = registers.writer(instruction, instruction.operands[0], type)
    return lambda lanes: write(lanes, in_block(read(lanes), rank(lanes)))


def rank_of_address(form: Form, context: Context) -> Step:
    """`getctarank{.shared::cluster}.type d, a`: the rank of the block whose shared memory an address is in."""
    form.take("shared::cluster")
    type, instruction, registers = form.type(), form.instruction, context.registers
    read = registers.reader(instruction, instruction.operands[1], type)
    write = registers.writer(instruction, instruction.operands[0], TYPES["u32"])

    return lambda lanes: write(lanes, ranks_of(read(lanes), lanes.ranks_in_clusters()).astype(np.uint32))


def is_in_space(form: Form, context: Context) -> Step:
    """`isspacep.space p, a`: whether a generic address is in a space. Constant memory is none of global memory's."""
    space, instruction = (form.take(*SPACES) or "").partition("::")[0], form.instruction
    read = context.registers.reader(instruction, instruction.operands[1], POINTER)
    write = context.registers.writer(instruction, instruction.operands[0], TYPES["pred"])
    constants = keys_of(np.array([*context.memory.constants], np.uint64))
    number = np.uint64(15 if space == "const" else WINDOWS.get(space, 0) >> 60)
    return lambda lanes: write(lanes, np.where(np.isin(keys_of(a := read(lanes)), constants), 15, a >> 60) == number)


def nothing(form: Form, context: Context) -> Step:
    """An instruction that changes no value of a kernel whose accesses are ordered otherwise: fences, hints."""
    form.modifiers.clear()
    return lambda lanes: None


def trap(form: Form, context: Context) -> Step:
    """`trap`, `brkpt`: a thread has found that something is wrong. That it comes there is a fault."""
    instruction, faults = form.instruction, context.memory.faults
    what = f"executes {form.name}"

    def execute(lanes: Lanes) -> None:
        faults.report(FaultKind.TRAP, instruction.line, lanes, lanes.active_mask(), lambda _: what)

    return execute


def fence(form: Form, context: Context) -> Step:
    """`fence` of any kind, `membar`: it orders what is in order here anyway; the checks note it."""
    words = form.instruction.opcode.split(".")
    if words[0] == "fence" and len(words) == 2:
        words.append("acq_rel")  # the default
    form.modifiers.clear()

    def proxies(lanes: Lanes) -> None:
        if lanes.clocks is not None:
            lanes.clocks.fence(lanes.active_mask())

    def threads(lanes: Lanes) -> None:
        if lanes.clocks is not None:
            lanes.clocks.thread_fence(lanes.active_mask(), words)

    if orders_threads(words):
        return threads
    return proxies if words[1:3] == ["proxy", "async"] and "global" not in words else lambda lanes: None


def _space(modifiers: Sequence[str]) -> str:
    """The space that an access names, `shared` for `shared::cta`; `generic` for none."""
    spaces = (modifier.partition("::")[0] for modifier in modifiers)
    return next((space for space in spaces if space in ("global", "shared", "local", "param")), "generic")


def moves(what: str) -> Callable[[Sequence[str]], str]:
    """The class of an access by its modifiers: `parameter`, or such as `global load`."""

    def counted_as(modifiers: Sequence[str]) -> str:
        return "parameter" if (space := _space(modifiers)) == "param" else f"{space} {what}"

    return counted_as


def _slots_of_load(modifiers: Sequence[str]) -> Slots:
    return FOLDED if _space(modifiers) == "param" else ONE


MEMORY: Mapping[str, Row] = {
    "ld": Row(load, moves("load"), _slots_of_load, Scope.THREAD),
    "ldu": Row(load, moves("load"), ONE, Scope.THREAD),
    "st": Row(store, moves("store"), ONE, Scope.THREAD),
    "mov": Row(move, "move", FOLDED, Scope.THREAD),
    "cvta": Row(convert_address, "free", FREE, Scope.THREAD),
    "isspacep": Row(is_in_space, types_in, ONE, Scope.THREAD),
    "mapa": Row(map_address, types_in, (1.0, 3.0)),
    "getctarank": Row(rank_of_address, types_in),
    **dict.fromkeys(("prefetch", "prefetchu", "createpolicy", "nanosleep"), Row(nothing, "free", ONE, Scope.THREAD)),
    **dict.fromkeys(("applypriority", "discard", "pmevent", "setmaxnreg"), Row(nothing, types_in)),
    **dict.fromkeys(("trap", "brkpt"), Row(trap, types_in, ONE, Scope.THREAD)),
    "fence": Row(fence, "free", FOLDED),
    "membar": Row(fence, "free"),
    "griddepcontrol": Row(nothing, "free", FREE),
}
