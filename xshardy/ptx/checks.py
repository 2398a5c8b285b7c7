"""
Races, reads of uninitialized shared memory, and writes to data that is read as constant.

Every byte of memory has shadows: who wrote and read it last, and when. Two accesses of one byte by different threads
are a race, if one of them writes and they are not both atomic, unless a barrier of the block or of the warp is between
them. Threads of different blocks have no barrier. Source: PTX ISA, "Memory Consistency Model", "Data Races".

A thread that acquires (`atom.acquire` and the like) orders the accesses of its block behind all earlier ones of other
blocks: whoever holds a lock is not in a race.

Not found are races with other readers than the last two of a byte, and a barrier of a part of a block (`bar.sync a, b`)
is taken for one of all threads.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from xshardy.interpreters.element_types import Array
from xshardy.interpreters.simt.launch import WARP_SIZE
from xshardy.ptx.faults import FaultKind, Faults
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import Access, AccessKind, Region
from xshardy.ptx.module import Instruction

STRONG = ("relaxed", "acquire", "release", "acq_rel", "volatile", "mmio")
"""Modifiers of accesses that do not race with atomic ones."""
ACQUIRING = ("acquire", "acq_rel")
NOBODY = 0
"""Threads are counted from 1: memory that is all 0 is not allocated before it is used."""


Describe = Callable[[int], str]
"""What is wrong with a byte of an access, by its number."""


@dataclass(frozen=True, slots=True)
class Now:
    """The threads of an access, one for each accessed byte, and their phases."""

    thread: Array
    block_phase: Array
    warp_phase: Array
    is_strong: bool
    time: int
    """The number of the access."""
    acquired: Array
    """The time at which a thread of the block last acquired what others released; 0 for never."""


class Moments:
    """For each byte of a region, the thread that accessed it, and the phases of its block and warp then."""

    def __init__(self, size: int):
        self.thread = np.zeros(size, np.int64)
        """The number of the thread in the grid, from 1 on, or `NOBODY`."""
        self.block_phase, self.warp_phase = np.zeros(size, np.int32), np.zeros(size, np.int32)
        self.is_strong = np.zeros(size, np.bool_)
        self.time = np.zeros(size, np.int64)

    def note(self, places: Array, now: Now) -> None:
        self.thread[places] = now.thread
        self.block_phase[places], self.warp_phase[places] = now.block_phase, now.warp_phase
        self.is_strong[places], self.time[places] = now.is_strong, now.time

    def unordered(self, places: Array, now: Now, threads_per_block: int) -> Array:
        """Whether the access that is noted for each of `places` has no order with the one now, of another thread."""
        before = self.thread[places]
        same_block = (before - 1) // threads_per_block == (now.thread - 1) // threads_per_block
        warp, own = ((thread - 1) % threads_per_block // WARP_SIZE for thread in (before, now.thread))
        ordered = same_block & (self.block_phase[places] != now.block_phase)
        ordered |= same_block & (warp == own) & (self.warp_phase[places] != now.warp_phase)
        ordered |= ~same_block & (self.time[places] < now.acquired)
        return (before != NOBODY) & (before != now.thread) & ~ordered & ~(self.is_strong[places] & now.is_strong)


class Shadow:
    """What is known of the bytes of a region."""

    def __init__(self, region: Region):
        size = region.data.size
        self.writes, self.reads, self.earlier_reads = Moments(size), Moments(size), Moments(size)
        """The last write, the last read, and the last read by another thread than that."""
        self.is_constant = np.zeros(size, np.bool_)
        """Read by `ld.global.nc`."""


@dataclass(frozen=True, slots=True)
class _Bytes:
    """An access, byte by byte."""

    lanes: Lanes
    instruction: Instruction
    region: Region
    lane: Array
    """The number of the thread among those executed together."""
    places: Array
    """The place in the region."""
    now: Now

    def at(self, number: int) -> str:
        """The place of one of the bytes in words."""
        place = int(self.places[number])
        if self.region.name == "shared memory":
            place %= self.region.size // len(self.lanes.blocks)
        return f"byte {place} of {self.region.name}"


class Checks:
    """An observer that reports faults."""

    def __init__(self, faults: Faults):
        self.faults = faults
        self._shadows: WeakKeyDictionary[Region, Shadow] = WeakKeyDictionary()
        self._time = 0
        self._acquired: dict[int, int] = {}
        """By block, the time of the last access that acquires."""

    def __call__(self, lanes: Lanes, access: Access) -> None:
        part, size, instruction = access.part, access.size, access.instruction
        if part.region.name in ("the parameters", "local memory"):
            return
        shadow = self._shadows.get(part.region)
        if shadow is None:
            shadow = self._shadows[part.region] = Shadow(part.region)
        mask = lanes.active_mask() if part.mask is None else part.mask
        lane = np.repeat(np.flatnonzero(mask), size)
        places = (part.full_offsets(lanes)[mask][:, None] + np.arange(size)).reshape(-1)
        modifiers = instruction.opcode.split(".")
        is_strong = access.kind is AccessKind.ATOMIC or any(modifier in STRONG for modifier in modifiers)
        block, thread = np.divmod(lane, lanes.shape[1])
        self._time += 1
        if any(modifier in ACQUIRING for modifier in modifiers):
            self._acquired.update(dict.fromkeys(lanes.blocks[np.unique(block)].tolist(), self._time))
        acquired = np.array([self._acquired.get(number, 0) for number in lanes.blocks.tolist()])
        now = Now(
            lanes.blocks[block] * lanes.shape[1] + thread + 1,
            lanes.block_phases[block, 0],
            lanes.warp_phases.reshape(-1)[lane],
            is_strong,
            self._time,
            acquired[block],
        )
        found = _Bytes(lanes, instruction, part.region, lane, places, now)
        if access.kind is AccessKind.LOAD:
            self._load(found, shadow, "nc" in modifiers)
        else:
            self._store(found, shadow, access.words, size)

    def _load(self, found: _Bytes, shadow: Shadow, is_constant: bool) -> None:
        places, now = found.places, found.now
        writes = shadow.writes
        if found.region.name == "shared memory":
            self._report(
                found, FaultKind.UNINITIALIZED, writes.thread[places] == NOBODY, "reads what nobody has written"
            )
        self._report_race(found, writes, "reads what {other} writes")
        if is_constant:
            self._report(
                found, FaultKind.READ_ONLY, writes.thread[places] != NOBODY, "reads as constant what is written before"
            )
            shadow.is_constant[places] = True
        others = (shadow.reads.thread[places] != now.thread) & (shadow.reads.thread[places] != NOBODY)
        moved = places[others]
        for name in ("thread", "block_phase", "warp_phase", "is_strong", "time"):
            getattr(shadow.earlier_reads, name)[moved] = getattr(shadow.reads, name)[moved]
        shadow.reads.note(places, now)
        together = shadow.reads.thread[places] != now.thread
        if together.any():
            shadow.earlier_reads.note(places[together], _of(now, together))

    def _store(self, found: _Bytes, shadow: Shadow, words: Sequence[Array] | None, size: int) -> None:
        places, now = found.places, found.now
        self._report(found, FaultKind.READ_ONLY, shadow.is_constant[places], "writes what is read as constant")
        self._report_race(found, shadow.writes, "writes what {other} writes")
        self._report_race(found, shadow.reads, "writes what {other} reads")
        self._report_race(found, shadow.earlier_reads, "writes what {other} reads")
        shadow.writes.note(places, now)
        together = shadow.writes.thread[places] != now.thread
        if together.any() and not now.is_strong:
            differs = together if words is None else together & _differing(found, words, size)
            others = shadow.writes.thread[places]

            def describe(number: int) -> str:
                other = found.lanes.launch.place(int(others[number]) - 1)
                return f"writes another value than {other} at {found.at(number)}"

            self._report_each(found, FaultKind.RACE, differs, describe)

    def _report_race(self, found: _Bytes, before: Moments, what: str) -> None:
        wrong = before.unordered(found.places, found.now, found.lanes.shape[1])
        if not wrong.any():
            return
        others = before.thread[found.places]

        def describe(number: int) -> str:
            other = found.lanes.launch.place(int(others[number]) - 1)
            return f"{what.format(other=other)}, with no barrier between, at {found.at(number)}"

        self._report_each(found, FaultKind.RACE, wrong, describe)

    def _report(self, found: _Bytes, kind: FaultKind, wrong: Array, what: str) -> None:
        if wrong.any():
            self._report_each(found, kind, wrong, lambda number: f"{what}, at {found.at(number)}")

    def _report_each(self, found: _Bytes, kind: FaultKind, wrong: Array, describe: Describe) -> None:
        """Report the accessed bytes of which `wrong` says that they are a fault."""
        if not wrong.any():
            return
        lanes = found.lanes
        threads = np.zeros(lanes.shape, np.bool_)
        threads.reshape(-1)[found.lane[wrong]] = True
        first = int(np.argmax(wrong))
        self.faults.report(kind, found.instruction.line, lanes, threads, lambda _: describe(first))


def _of(now: Now, chosen: Array) -> Now:
    return replace(
        now,
        thread=now.thread[chosen],
        block_phase=now.block_phase[chosen],
        warp_phase=now.warp_phase[chosen],
        acquired=now.acquired[chosen],
    )


def _differing(found: _Bytes, words: Sequence[Array], size: int) -> Array:
    """Whether each byte is written with another value than the last of the threads writes there."""
    lanes = found.lanes
    full = np.stack([np.broadcast_to(word, lanes.shape) for word in words], axis=-1)
    bytes = full.view(np.uint8).reshape(-1, size)[found.lane[::size]].reshape(-1)
    last = np.zeros(found.region.data.size, np.uint8)
    last[found.places] = bytes
    return last[found.places] != bytes
