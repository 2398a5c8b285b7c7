"""
Accesses of many places by one thread: those of bulk and tensor copies, and of `wgmma`.

Each access has a thread, by its number among those executed together, and an address.
"""

from collections.abc import Iterator

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.faults import FaultKind
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import WINDOWS, WORDS, AccessKind, BulkAccess, Memory, keys_of
from xshardy.ptx.module import Instruction


def load_each(
    lanes: Lanes, memory: Memory, instruction: Instruction, space: str, threads: Array, addresses: Array, size: int
) -> Array:
    """The `size` bytes at each address: [accesses, bytes]; 0 where the access is a fault."""
    result = np.zeros((len(addresses), size), np.uint8)
    for chosen, access in resolved(lanes, memory, AccessKind.LOAD, instruction, space, threads, addresses, size):
        result[chosen] = access.region.load(access.offsets, size)[:, None].view(np.uint8)
    return result


def store_each(
    lanes: Lanes, memory: Memory, instruction: Instruction, space: str, threads: Array, addresses: Array, bytes: Array
) -> None:
    """Store a row of `bytes` at each address; its length is a size of `WORDS`."""
    memory.changes += 1
    size = bytes.shape[1]
    for chosen, access in resolved(lanes, memory, AccessKind.STORE, instruction, space, threads, addresses, size):
        access.region.store(access.offsets, np.ascontiguousarray(bytes[chosen]).view(WORDS[size])[:, 0])


def resolved(
    lanes: Lanes,
    memory: Memory,
    kind: AccessKind,
    instruction: Instruction,
    space: str,
    threads: Array,
    addresses: Array,
    size: int,
) -> Iterator[tuple[Array | slice, BulkAccess]]:
    """The accesses of each region that are no faults, and which of all they are. Observers are told of them."""
    if not len(addresses):
        return
    keys = np.zeros(1, np.uint64) if space in WINDOWS else keys_of(addresses)
    for key in [keys[0]] if keys.min() == keys.max() else np.unique(keys):
        chosen = slice(None) if len(keys) == 1 or keys.min() == keys.max() else np.flatnonzero(keys == key)
        place = memory.place_of(space, int(key))
        found, who = addresses[chosen], threads[chosen]
        if place is None:
            _report(lanes, memory, FaultKind.OUT_OF_BOUNDS, instruction, who, found, "accesses address {}: no buffer")
            continue
        offsets = found - np.uint64(place.base)
        outside = place.outside(lanes, offsets, size)
        crooked = (offsets & np.uint64(size - 1) != 0) & ~outside
        if outside.any() or crooked.any():
            what = f"accesses {size} bytes at address {{}} of {place.region.name}"
            for wrong, fault, why in (
                (outside, FaultKind.OUT_OF_BOUNDS, f", which has {place.bound}"),
                (crooked, FaultKind.MISALIGNED, f", no multiple of {size}"),
            ):
                _report(lanes, memory, fault, instruction, who[wrong], offsets[wrong], what + why)
            good = ~outside & ~crooked
            chosen = np.flatnonzero(good) if isinstance(chosen, slice) else chosen[good]
            offsets, who = offsets[good], who[good]
        access = BulkAccess(kind, instruction, place.region, who, place.in_region(lanes, offsets, who), size)
        for observer in memory.observers:
            observer(lanes, access)
        yield chosen, access


def _report(
    lanes: Lanes,
    memory: Memory,
    kind: FaultKind,
    instruction: Instruction,
    threads: Array,
    addresses: Array,
    what: str,
) -> None:
    """Report accesses that are faults, if there are any."""
    if len(threads):
        mask = np.zeros(lanes.shape, np.bool_)
        mask.reshape(-1)[threads] = True
        memory.faults.report(
            kind,
            instruction.line,
            lanes,
            mask,
            lambda thread: what.format(hex(int(addresses[threads == thread][0]))),
        )
