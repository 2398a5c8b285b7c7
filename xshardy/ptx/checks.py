"""
Races, missing proxy fences, reads of uninitialized shared memory, and writes to data that is read as constant.

Every cell of memory has shadows: who wrote and read it last, and when. Two accesses of one byte by different threads
are a race, if one of them writes, unless both are strong and in the scope of each other, or a barrier orders them: one
of the block, of the warp, of the cluster, or an `mbarrier`; see `Clocks`. What `cp.async`, bulk copies and `wgmma`
access is not ordered with what their own thread does later, unless it waits. Threads of different clusters have no
barrier. Source: PTX ISA, "Memory Consistency Model", "Data Races".

A thread that learns what another one has published (by a release and an acquire, or by fences around strong accesses,
see `Releases`) is ordered behind it: whoever holds a lock is not in a race.

Not found are races with other readers than the last two of a byte.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.clocks import ASYNC, Clocks, Engine, divided
from xshardy.ptx.faults import FaultKind, Faults
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import LARGEST_ACCESS, SHARED, Access, AccessKind, BulkAccess, Region
from xshardy.ptx.module import Instruction
from xshardy.ptx.releases import ACCESSES, STRONG, MemoryScope, Places, StrongAccess, acquires, scope_of
from xshardy.ptx.tensor_memory import CELLS, COLUMNS, TENSOR

OF_BLOCKS = (SHARED, TENSOR)
"""Regions that nobody initializes."""
THROUGH_TEXTURES = ("tex", "tld4", "suld")
"""
Instructions whose cache does not see what the kernel has written before, also by the same thread. Source: CUDA's
programming guide, "Read/Write Coherency".
"""
NOBODY = 0
"""Threads are counted from 1: memory that is all 0 is not allocated before it is used."""


WORKERS: Mapping[Engine, str] = {
    Engine.THREADS: "",
    Engine.COPY: "the cp.async of ",
    Engine.BULK_READS: "the bulk copy of ",
    Engine.BULK_WRITES: "the bulk copy of ",
    Engine.MATRIX: "the wgmma of ",
    Engine.TENSOR: "the tcgen05 of ",
    Engine.TENSOR_LOADS: "the tcgen05.ld of ",
    Engine.TENSOR_STORES: "the tcgen05.st of ",
    Engine.LOADS: "the bulk copy of ",
}
"""How an engine of a thread is called."""

Describe = Callable[[int], str]
"""What is wrong with a cell of an access, by its number."""


class Moments:
    """For each cell of a region, who accessed it last, and when."""

    def __init__(self, size: int):
        self.key = np.zeros(size, np.int64)
        """Who: see `_key`, or `NOBODY`."""
        self.stamp = np.zeros(size, np.int64)
        """How often the agent had released before, and in the lower half the phase of the thread in its warp."""
        self.is_empty = True
        """Whether nobody has."""

    def note(self, places: Array, key: Array, stamp: Array) -> None:
        """Note accesses of cells; of several of one cell, the last."""
        self.key[places], self.stamp[places], self.is_empty = key, stamp, False

    def refine(self, parts: int) -> None:
        """Make so many cells of each one."""
        self.key, self.stamp = self.key.repeat(parts), self.stamp.repeat(parts)


class Shadow:
    """What is known of the cells of a region, which are as large as all accesses until now allow."""

    def __init__(self, region: Region, unit: int):
        self.unit = unit
        """The bytes of a cell."""
        size = -(-region.data.size // self.unit)
        self.writes, self.reads, self.earlier_reads = Moments(size), Moments(size), Moments(size)
        """The last write, the last read, and the last read by another thread than that."""
        self.is_constant = np.zeros(size, np.bool_)
        """Read by `ld.global.nc`."""
        self.written: Places = {}

    def refine(self, unit: int) -> None:
        """Make cells of at most `unit` bytes."""
        if (parts := self.unit // unit) > 1:
            self.unit = unit
            for moments in (self.writes, self.reads, self.earlier_reads):
                moments.refine(parts)
            self.is_constant = self.is_constant.repeat(parts)


@dataclass(frozen=True, slots=True)
class _Cells:
    """An access, cell by cell."""

    lanes: Lanes
    clocks: Clocks
    kind: AccessKind
    instruction: Instruction
    region: Region
    unit: int
    """The bytes of a cell."""
    lane: Array
    """The number of the thread among those executed together."""
    places: Array
    """The cell of the region."""
    key: Array
    stamp: Array
    scope: MemoryScope

    def unordered(self, before: Moments) -> Array:
        """
        The numbers of the cells whose access before, by another thread or engine, has no order with this one.

        Copies of one thread have none either until it waits: PTX ISA, `cp.async.commit_group`, "Asynchronous
        operations".
        """
        if before.is_empty:
            return NONE
        keys, copies = before.key[self.places], _copies(self.lanes.engine)
        others = (keys ^ self.key) >> SCOPE_BITS != 0
        numbers = np.flatnonzero((keys != NOBODY) & (others | copies))
        if not numbers.size:
            return numbers
        clocks, lane = self.clocks, self.lane[numbers]
        earlier = _Accessors.of(keys[numbers], before.stamp[self.places[numbers]], clocks)
        own_cluster, own_agent = clocks.cluster_of[lane], clocks.of_engine(clocks.warp_of[lane], self.lanes.engine)
        same_cluster = earlier.cluster == own_cluster + clocks.first_cluster
        known = clocks.ordered(own_cluster, own_agent, earlier.agent, earlier.release)
        follows = earlier.phase < self.stamp[numbers] & PHASE
        if copies:
            follows |= ~others[numbers]
            follows &= clocks.ordered(own_cluster, clocks.warp_of[lane], earlier.agent, earlier.release)
        unordered = ~(same_cluster & np.where(earlier.agent == own_agent, follows, known))
        if self.lanes.engine == Engine.TENSOR:
            unordered &= earlier.engine != Engine.TENSOR  # they work in one pipeline
        if self.scope is not MemoryScope.WEAK:
            narrower = np.minimum(earlier.scope, self.scope)
            unordered &= (narrower < MemoryScope.GPU) & ((narrower < MemoryScope.CLUSTER) | ~same_cluster)
            own_block = clocks.block_of[lane] + clocks.first_cluster * clocks.cluster_size
            unordered &= (narrower < MemoryScope.CTA) | (earlier.block != own_block)
        if (far := np.flatnonzero(unordered & ~same_cluster)).size:
            unordered[far] = ~clocks.ordered_afar(
                own_cluster[far], own_agent[far], earlier.cluster[far], earlier.agent[far], earlier.release[far]
            )
        return numbers[unordered]

    def unfenced(self, before: Moments) -> Array:
        """The numbers of cells of shared memory that an asynchronous engine accesses in order, but without a fence."""
        if self.region.name != SHARED or self.lanes.engine < ASYNC:
            return NONE
        keys = before.key[self.places]
        numbers = np.flatnonzero(keys != NOBODY)
        clocks, lane = self.clocks, self.lane[numbers]
        earlier = _Accessors.of(keys[numbers], before.stamp[self.places[numbers]], clocks)
        own_agent = clocks.of_engine(clocks.warp_of[lane], self.lanes.engine)
        order = clocks.cluster_of[lane], own_agent, earlier.agent, earlier.release
        unseen = clocks.ordered(*order) & ~clocks.fenced(*order)
        return numbers[unseen & (earlier.cluster == clocks.cluster_of[lane] + clocks.first_cluster)]

    def place_of(self, key: int) -> str:
        """A thread in words, by the key of an access."""
        block, thread = divmod((key >> KEY_BITS) - 1, self.lanes.launch.threads)
        return self.lanes.launch.place(self.clocks.releases.blocks[block] * self.lanes.launch.threads + thread)

    def at(self, number: int) -> str:
        """The place of one of the cells in words."""
        place = int(self.places[number]) * self.unit
        if self.region.name == TENSOR:
            return f"lane {place % CELLS // COLUMNS}, column {place % COLUMNS} of {TENSOR}"
        if self.region.name == SHARED:
            place %= self.region.size // len(self.lanes.blocks)
        return f"byte {place} of {self.region.name}"


def _copies(engine: int) -> bool:
    """Whether what an engine does for one thread is in no order."""
    return engine in (Engine.COPY, Engine.BULK_WRITES) or engine >= Engine.LOADS


PHASE = (1 << 32) - 1
"""The lower half of a stamp."""
NONE = np.zeros(0, np.int64)
KEY_BITS = 6
"""Below the number of the thread in a key."""
SCOPE_BITS = 2
"""Of these, below the engine."""
ENGINE = (1 << KEY_BITS - SCOPE_BITS) - 1
"""The bits of the engine, behind those of the scope: there are 16 engines, see `Clocks`."""


def _key(thread: Array, first: int, engine: int, scope: MemoryScope) -> Array:
    """Threads, by their numbers behind a `first` one in the order of execution, with their engine and scope."""
    return (thread << KEY_BITS) + ((first + 1) << KEY_BITS | engine << SCOPE_BITS | scope + 1)


@dataclass(frozen=True, slots=True)
class _Accessors:
    """What keys and stamps say."""

    block: Array
    """The number in the order of execution."""
    cluster: Array
    engine: Array
    agent: Array
    """The number in the cluster."""
    scope: Array
    release: Array
    phase: Array

    @classmethod
    def of(cls, key: Array, stamp: Array, clocks: Clocks) -> "_Accessors":
        block, thread = divided((key >> KEY_BITS) - 1, clocks.warp_phases.shape[1])
        engine = key >> SCOPE_BITS & ENGINE
        cluster, agent = clocks.agents(block, thread, engine)
        scope = (key & (1 << SCOPE_BITS) - 1) - 1
        return cls(block, cluster, engine, agent, scope, stamp >> 32, stamp & PHASE)


class Checks:
    """An observer that reports faults."""

    def __init__(self, faults: Faults, *, weak_volatile: bool = False):
        self.faults, self.weak_volatile = faults, weak_volatile
        self._shadows: WeakKeyDictionary[Region, Shadow] = WeakKeyDictionary()

    def __call__(self, lanes: Lanes, access: Access | BulkAccess) -> None:
        region, size, instruction, clocks = access.region, access.size, access.instruction, lanes.clocks
        if region.name in ("the parameters", "local memory"):
            return
        assert clocks is not None
        lane, offsets = access.accessed(lanes)
        unit = min(size, LARGEST_ACCESS)
        if isinstance(access, BulkAccess) or size & (size - 1):
            bits = int(np.bitwise_or.reduce(offsets, initial=size | LARGEST_ACCESS))
            unit = bits & -bits
        shadow = self._shadows.get(region)
        if shadow is None:
            shadow = self._shadows[region] = Shadow(region, unit)
        shadow.refine(unit)
        modifiers = instruction.opcode.split(".")
        is_strong = access.kind is AccessKind.ATOMIC or any(modifier in STRONG for modifier in modifiers)
        scope = scope_of(modifiers) if is_strong else MemoryScope.WEAK
        if is_strong and modifiers[0] in ACCESSES:
            name = modifiers[0]
            kind = StrongAccess(
                scope,
                reads=name in ("ld", "atom"),
                writes=name != "ld",
                updates=name in ("atom", "red"),
                acquires=acquires(modifiers),
            )
            clocks.access(lane, offsets, shadow.written, modifiers, kind)
            if self.weak_volatile and "volatile" in modifiers:
                scope = MemoryScope.WEAK
        key = _key(lane, clocks.first_cluster * clocks.cluster_size * lanes.launch.threads, lanes.engine, scope)
        stamp = clocks.stamps(lane, lanes.engine)
        places, cells = offsets >> (shadow.unit.bit_length() - 1), size // shadow.unit
        if cells > 1:
            places = (places[:, None] + np.arange(cells)).reshape(-1)
            lane, key, stamp = (np.repeat(values, cells) for values in (lane, key, stamp))
        found = _Cells(lanes, clocks, access.kind, instruction, region, shadow.unit, lane, places, key, stamp, scope)
        if access.kind is AccessKind.LOAD:
            self._load(found, shadow, is_constant="nc" in modifiers, is_cached=modifiers[0] in THROUGH_TEXTURES)
        else:
            self._store(found, shadow, access.words, size)

    def _load(self, found: _Cells, shadow: Shadow, *, is_constant: bool, is_cached: bool) -> None:
        places, writes, reads = found.places, shadow.writes, shadow.reads
        if found.region.name in OF_BLOCKS:
            unwritten = np.flatnonzero(writes.key[places] == NOBODY)
            self._report(found, FaultKind.UNINITIALIZED, unwritten, "reads what nobody has written")
        self._report_race(found, writes, "reads what {other} writes")
        self._report_unfenced(found, writes)
        if is_constant or is_cached:
            written = np.flatnonzero(writes.key[places] != NOBODY)
            self._report(found, FaultKind.READ_ONLY, written, "reads as constant what is written before")
            shadow.is_constant[places] |= is_constant
        before = reads.key[places]
        others = ((before ^ found.key) >> KEY_BITS != 0) & (before != NOBODY)
        if others.any():
            shadow.earlier_reads.note(places[others], before[others], reads.stamp[places[others]])
        reads.note(places, found.key, found.stamp)
        together = reads.key[places] != found.key
        if together.any():
            shadow.earlier_reads.note(places[together], found.key[together], found.stamp[together])

    def _store(self, found: _Cells, shadow: Shadow, words: Sequence[Array] | None, size: int) -> None:
        places, writes = found.places, shadow.writes
        constant = np.flatnonzero(shadow.is_constant[places])
        self._report(found, FaultKind.READ_ONLY, constant, "writes what is read as constant")
        self._report_race(found, writes, "writes what {other} writes")
        self._report_race(found, shadow.reads, "writes what {other} reads")
        if found.kind is AccessKind.STORE:
            self._report_unfenced(found, writes)
            for reads in (shadow.reads, shadow.earlier_reads):
                self._report_unfenced(found, reads, "overwrites what {} has read")
        self._report_race(found, shadow.earlier_reads, "writes what {other} reads")
        writes.note(places, found.key, found.stamp)
        if found.scope is not MemoryScope.WEAK:
            return
        others = writes.key[places]
        together = others != found.key
        if together.any():
            differs = together if words is None else _differing(found, words, size)

            def describe(number: int) -> str:
                return f"writes another value than {found.place_of(int(others[number]))} at {found.at(number)}"

            self._report_each(found, FaultKind.RACE, np.flatnonzero(differs), describe)

    def _report_unfenced(self, found: _Cells, before: Moments, what: str = "accesses what {} has written") -> None:
        """Report accesses of asynchronous engines that are in no order with those of threads in shared memory."""

        def describe(number: int) -> str:
            other = found.place_of(int(before.key[found.places[number]]))
            return f"{what.format(other)}, with no fence.proxy.async between, at {found.at(number)}"

        self._report_each(found, FaultKind.PROXY, found.unfenced(before), describe)

    def _report_race(self, found: _Cells, before: Moments, what: str) -> None:
        def describe(number: int) -> str:
            key = int(before.key[found.places[number]])
            engine = Engine(min(key >> SCOPE_BITS & ENGINE, Engine.LOADS))
            missing = "barrier" if engine is Engine.THREADS else "wait and barrier"
            other = WORKERS[engine] + found.place_of(key)
            return f"{what.format(other=other)}, with no {missing} between, at {found.at(number)}"

        self._report_each(found, FaultKind.RACE, found.unordered(before), describe)

    def _report(self, found: _Cells, kind: FaultKind, numbers: Array, what: str) -> None:
        self._report_each(found, kind, numbers, lambda number: f"{what}, at {found.at(number)}")

    def _report_each(self, found: _Cells, kind: FaultKind, numbers: Array, describe: Describe) -> None:
        """Report the accessed cells, by their numbers, that are a fault."""
        if not numbers.size:
            return
        whole = found.lanes.whole
        threads = np.zeros(whole.shape, np.bool_)
        threads.reshape(-1)[found.lane[numbers]] = True
        first = int(numbers[0])
        self.faults.report(kind, found.instruction.line, whole, threads, lambda _: describe(first))


def _differing(found: _Cells, words: Sequence[Array], size: int) -> Array:
    """Whether each cell is written with another value than the last of the threads writes there."""
    full = np.stack([np.broadcast_to(word, found.lanes.shape) for word in words], axis=-1)
    lane = found.lanes.places(found.lane[:: size // found.unit])
    values = full.view(np.uint8).reshape(-1, size)[lane].reshape(-1, found.unit)
    last = np.zeros((int(found.places.max()) + 1, found.unit), np.uint8)
    last[found.places] = values
    return (last[found.places] != values).any(axis=1)
