"""
Atomic operations and reductions. Source: PTX ISA, `atom`, `red`.

Threads that access one place do so one after another: here in the order of their numbers.
"""

from collections.abc import Callable, Mapping

import numpy as np

from xshardy.numerics import floats
from xshardy.numerics.element_types import Array
from xshardy.ptx.decode import Context, Step
from xshardy.ptx.instructions.form import Form
from xshardy.ptx.instructions.row import ONE, Meaning, Row, Scope
from xshardy.ptx.instructions.scalar.memory import addresses, elements_of, take_hints, take_space
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import AccessKind, Part
from xshardy.ptx.module import Sink
from xshardy.ptx.types import STORAGE, Type, from_bits, to_bits

Update = Callable[..., Array]
"""The new value at a place, of the old one and the operands."""


def increment(old: Array, limit: Array) -> Array:
    return np.where(old >= limit, np.zeros(1, old.dtype), old + np.ones(1, old.dtype))


def decrement(old: Array, limit: Array) -> Array:
    return np.where((old == 0) | (old > limit), limit, old - np.ones(1, old.dtype))


def least(old: Array, x: Array) -> Array:
    return np.minimum(old, x) if old.dtype.kind in "iu" else floats.minimum_number(old, x)


def largest(old: Array, x: Array) -> Array:
    return np.maximum(old, x) if old.dtype.kind in "iu" else floats.maximum_number(old, x)


def exchange(old: Array, new: Array) -> Array:
    return new


def compare_and_swap(old: Array, compared: Array, new: Array) -> Array:
    is_same = old == compared
    if old.dtype == STORAGE[128]:  # its parts are no numbers
        is_same = (old[..., None].view(np.uint64) == compared[..., None].view(np.uint64)).all(axis=-1)
    return np.where(is_same, new, old)


UPDATES: Mapping[str, Update] = {
    "add": np.add,
    "min": least,
    "max": largest,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
    "exch": exchange,
    "cas": compare_and_swap,
    "inc": increment,
    "dec": decrement,
}

AT_ONCE: Mapping[str, np.ufunc] = {
    "add": np.add,
    "and": np.bitwise_and,
    "or": np.bitwise_or,
    "xor": np.bitwise_xor,
}
"""Updates that numpy applies to repeated places."""


def atomic(returns: bool) -> Meaning:
    """The rule of `atom`, which returns the old values, and of `red`."""

    def rule(form: Form, context: Context) -> Step:
        take_hints(form)
        space, name = take_space(form), form.required(*UPDATES)
        form.take("noftz", "ftz")
        vector = form.take("v2", "v4", "v8")
        type, instruction, registers = form.type(), form.instruction, context.registers
        place, *operands = instruction.operands[1:] if returns else instruction.operands
        if len(operands) > (2 if name == "cas" else 1):
            operands.pop()  # a cache policy
        count = int(vector[1:]) if vector else 1
        where = addresses(context, instruction, place)
        readers = [
            [registers.reader(instruction, element, type) for element in elements_of(operand)] for operand in operands
        ]
        destinations = elements_of(instruction.operands[0]) if returns else ()
        writers = [registers.writer(instruction, d, type) for d in destinations if not isinstance(d, Sink)]
        size, memory = type.bits // 8, context.memory

        def execute(lanes: Lanes) -> None:
            values = [[reader(lanes) for reader in of_operand] for of_operand in readers]
            results = [np.zeros((*lanes.shape, type.elements), type.dtype) for _ in writers]
            for part in memory.parts(lanes, AccessKind.ATOMIC, instruction, space, where(lanes), size * count):
                mask = lanes.active_mask() if part.mask is None else part.mask
                offsets = part.full_offsets(lanes)[mask]
                for number in range(count):
                    operands = [_active(lanes, of_operand[number], mask, type) for of_operand in values]
                    places = offsets + number * size
                    before = part.region.load(places, size)
                    old = update(part, places, name, operands, type, returns=bool(writers))
                    memory.changes += before.tobytes() != part.region.load(places, size).tobytes()
                    if writers:
                        results[number][mask] = old.reshape(-1, type.elements)
            for writer, result in zip(writers, results, strict=True):
                writer(lanes, result if type.elements > 1 else result[..., 0])

        return execute

    return rule


def _active(lanes: Lanes, value: Array, mask: Array, type: Type) -> Array:
    shape = lanes.shape if type.elements == 1 else (*lanes.shape, type.elements)
    return np.broadcast_to(value, shape)[mask]


def update(part: Part, offsets: Array, name: str, operands: list[Array], type: Type, *, returns: bool) -> Array:
    """Update the places at `offsets` one after another. Their old values, if asked for, of the type."""
    region, size = part.region, type.bits // 8
    unique, inverse, counts = np.unique(offsets, return_inverse=True, return_counts=True)
    at_once = AT_ONCE.get(name) if type.elements == 1 else None
    results = np.zeros((len(offsets), type.elements) if type.elements > 1 else len(offsets), type.dtype)
    if at_once is not None and not (returns and len(unique) >= counts.max(initial=0)):
        words = region.load(unique, size).view(type.dtype)
        if returns:
            for place, threads in enumerate(np.split(np.argsort(inverse, kind="stable"), np.cumsum(counts)[:-1])):
                all_words = np.concatenate([words[place : place + 1], operands[0][threads]])
                running = at_once.accumulate(all_words, dtype=type.dtype)
                results[threads], words[place] = running[:-1], running[-1]
        else:
            at_once.at(words, inverse, operands[0])
        region.store(unique, words.view(STORAGE[type.bits]))
        return results
    left = np.arange(len(offsets))
    while left.size:
        old = from_bits(region.load(offsets[left], size), type)
        new = UPDATES[name](old, *(operand[left] for operand in operands)).astype(type.dtype, copy=False)
        of_place, changes = inverse[left], np.flatnonzero(_bytes_of(old) != _bytes_of(new))
        first_change = np.full(len(unique), len(left))
        first_change[of_place[changes[::-1]]] = changes[::-1]
        is_done = np.arange(len(left)) <= first_change[of_place]  # before it, all read what is there now
        turn = first_change[first_change < len(left)]
        region.store(offsets[left[turn]], to_bits(new[turn], type, type.bits))
        results[left[is_done]] = old[is_done]
        left = left[~is_done]
    return results


def _bytes_of(values: Array) -> Array:
    """For each value, or pair of values, its bytes as one."""
    whole = np.ascontiguousarray(values)
    return whole.reshape(len(whole), -1).view(f"V{whole.nbytes // len(whole)}")[:, 0]


ATOMICS: Mapping[str, Row] = {
    "atom": Row(atomic(returns=True), "atomic", ONE, Scope.THREAD),
    "red": Row(atomic(returns=False), "atomic", ONE, Scope.THREAD),
}
