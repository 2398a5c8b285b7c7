"""
Races, missing proxy fences, reads of uninitialized shared memory, and writes to data that is read as constant.

Every byte of memory has shadows: who wrote and read it last, and when. Two accesses of one byte by different threads
are a race, if one of them writes and they are not both atomic, unless a barrier orders them: one of the block, of the
warp, of the cluster, or an `mbarrier`; see `Clocks`. What `cp.async`, bulk copies and `wgmma` access is not ordered
with what their own thread does later, unless it waits. Threads of different clusters have no barrier. Source: PTX ISA,
"Memory Consistency Model", "Data Races".

A thread that learns what another one has published (by a release and an acquire, or by fences around strong accesses,
see `Releases`) is ordered behind it: whoever holds a lock is not in a race. Two strong accesses are no race if the
scope of each includes the other thread.

Not found are races with other readers than the last two of a byte.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from weakref import WeakKeyDictionary

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.clocks import ASYNC, Engine
from xshardy.ptx.faults import FaultKind, Faults
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import SHARED, Access, AccessKind, BulkAccess, Region
from xshardy.ptx.module import Instruction
from xshardy.ptx.releases import ACCESSES, STRONG, MemoryScope, Places, StrongAccess, acquires, scope_of
from xshardy.ptx.tensor_memory import CELLS, COLUMNS, TENSOR

OF_BLOCKS = (SHARED, TENSOR)
"""Regions that nobody initializes."""
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
"""What is wrong with a byte of an access, by its number."""


@dataclass(frozen=True, slots=True)
class Now:
    """The threads of an access, one for each accessed byte, and their phases."""

    thread: Array
    cluster: Array
    of_cluster: Array
    """The number of the agent in the cluster, see `Clocks`."""
    agent: Array
    """Its number in the grid."""
    release: Array
    """How often the agent has released before."""
    warp_phase: Array
    scope: MemoryScope


FIELDS = ("thread", "agent", "release", "warp_phase", "scope")


class Moments:
    """For each byte of a region, the thread that accessed it, its agent and clock, and the phase of its warp then."""

    def __init__(self, size: int):
        self.thread = np.zeros(size, np.int64)
        """The number of the thread in the grid, from 1 on, or `NOBODY`."""
        self.agent = np.zeros(size, np.int64)
        """Its number in the grid, see `Clocks.numbered`."""
        self.release, self.warp_phase = np.zeros(size, np.int32), np.zeros(size, np.int32)
        self.scope = np.zeros(size, np.int8)

    def note(self, places: Array, now: Now) -> None:
        for name in FIELDS:
            getattr(self, name)[places] = getattr(now, name)

    def unordered(self, places: Array, now: Now, lanes: Lanes) -> Array:
        """Whether the access that is noted for each of `places` has no order with the one now, of another agent."""
        clocks = lanes.clocks
        assert clocks is not None
        before, release = self.agent[places], self.release[places]
        cluster, agent = np.divmod(before, clocks.known.shape[1])
        same_cluster = cluster == now.cluster + clocks.first_cluster
        same_agent = same_cluster & (agent == now.of_cluster)
        known = clocks.ordered(now.cluster, now.of_cluster, agent, release)
        ordered = same_cluster & np.where(same_agent, self.warp_phase[places] != now.warp_phase, known)
        thread = self.thread[places]
        is_other = (thread != NOBODY) & ~(same_agent & (thread == now.thread))
        is_other &= ~clocks.pipelined(now.of_cluster, agent)
        unordered = is_other & ~ordered
        if unordered.any():
            narrower = np.minimum(self.scope[places], now.scope)
            in_reach = (narrower == MemoryScope.GPU) | ((narrower == MemoryScope.CLUSTER) & same_cluster)
            same_block = (thread - 1) // lanes.shape[1] == (now.thread - 1) // lanes.shape[1]
            unordered &= ~(in_reach | ((narrower == MemoryScope.CTA) & same_block))
        if (far := unordered & ~same_cluster).any():
            unordered[far] = ~clocks.ordered_afar(now.cluster[far], now.of_cluster[far], before[far], release[far])
        return unordered


class Shadow:
    """What is known of the bytes of a region."""

    def __init__(self, region: Region):
        size = region.data.size
        self.writes, self.reads, self.earlier_reads = Moments(size), Moments(size), Moments(size)
        """The last write, the last read, and the last read by another thread than that."""
        self.written: Places = {}
        self.is_constant = np.zeros(size, np.bool_)
        """Read by `ld.global.nc`."""


@dataclass(frozen=True, slots=True)
class _Bytes:
    """An access, byte by byte."""

    lanes: Lanes
    kind: AccessKind
    instruction: Instruction
    region: Region
    lane: Array
    """The number of the thread among those executed together."""
    places: Array
    """The place in the region."""
    now: Now

    def worker(self, thread: int, agent: int) -> str:
        """Who did an earlier access, in words, by the numbers of its thread, from 1 on, and agent."""
        assert self.lanes.clocks is not None
        return WORKERS[self.lanes.clocks.engine(agent)] + self.lanes.launch.place(thread - 1)

    def missing(self, agent: int) -> str:
        """What would order an earlier access of an agent."""
        assert self.lanes.clocks is not None
        return "barrier" if self.lanes.clocks.engine(agent) is Engine.THREADS else "wait and barrier"

    def at(self, number: int) -> str:
        """The place of one of the bytes in words."""
        place = int(self.places[number])
        if self.region.name == TENSOR:
            return f"lane {place % CELLS // COLUMNS}, column {place % COLUMNS} of {TENSOR}"
        if self.region.name == SHARED:
            place %= self.region.size // len(self.lanes.blocks)
        return f"byte {place} of {self.region.name}"


class Checks:
    """An observer that reports faults."""

    def __init__(self, faults: Faults, *, weak_volatile: bool = False):
        self.faults, self.weak_volatile = faults, weak_volatile
        self._shadows: WeakKeyDictionary[Region, Shadow] = WeakKeyDictionary()

    def __call__(self, lanes: Lanes, access: Access | BulkAccess) -> None:
        region, size, instruction = access.region, access.size, access.instruction
        if region.name in ("the parameters", "local memory"):
            return
        assert lanes.clocks is not None
        shadow = self._shadows.get(region)
        if shadow is None:
            shadow = self._shadows[region] = Shadow(region)
        threads, offsets = access.accessed(lanes)
        lane = np.repeat(threads, size)
        places = (offsets[:, None] + np.arange(size)).reshape(-1)
        modifiers = instruction.opcode.split(".")
        is_strong = access.kind is AccessKind.ATOMIC or any(modifier in STRONG for modifier in modifiers)
        scope = scope_of(modifiers) if is_strong else MemoryScope.WEAK
        block, thread = np.divmod(lane, lanes.shape[1])
        if is_strong and modifiers[0] in ACCESSES:
            name = modifiers[0]
            kind = StrongAccess(
                scope,
                reads=name in ("ld", "atom"),
                writes=name != "ld",
                updates=name in ("atom", "red"),
                acquires=acquires(modifiers),
            )
            lanes.clocks.access(threads, offsets, shadow.written, modifiers, kind)
            if self.weak_volatile and "volatile" in modifiers:
                scope = MemoryScope.WEAK
        cluster, agent = lanes.clocks.agents(block, thread, lanes.engine)
        now = Now(
            lanes.blocks[block] * lanes.shape[1] + thread + 1,
            cluster,
            agent,
            lanes.clocks.numbered(cluster, agent),
            lanes.clocks.releases_of(cluster, agent),
            lanes.clocks.warp_phases.reshape(-1)[lane],
            scope,
        )
        found = _Bytes(lanes, access.kind, instruction, region, lane, places, now)
        if access.kind is AccessKind.LOAD:
            self._load(found, shadow, "nc" in modifiers)
        else:
            self._store(found, shadow, access.words, size)

    def _load(self, found: _Bytes, shadow: Shadow, is_constant: bool) -> None:
        places, now = found.places, found.now
        writes = shadow.writes
        if found.region.name in OF_BLOCKS:
            self._report(
                found, FaultKind.UNINITIALIZED, writes.thread[places] == NOBODY, "reads what nobody has written"
            )
        self._report_race(found, writes, "reads what {other} writes")
        self._report_unfenced(found, writes)
        if is_constant:
            self._report(
                found, FaultKind.READ_ONLY, writes.thread[places] != NOBODY, "reads as constant what is written before"
            )
            shadow.is_constant[places] = True
        others = (shadow.reads.thread[places] != now.thread) & (shadow.reads.thread[places] != NOBODY)
        moved = places[others]
        for name in FIELDS:
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
        if found.kind is AccessKind.STORE:
            self._report_unfenced(found, shadow.writes)
            for reads in (shadow.reads, shadow.earlier_reads):
                self._report_unfenced(found, reads, "overwrites what {} has read")
        self._report_race(found, shadow.earlier_reads, "writes what {other} reads")
        shadow.writes.note(places, now)
        together = shadow.writes.thread[places] != now.thread
        if together.any() and now.scope is MemoryScope.WEAK:
            differs = together if words is None else _differing(found, words, size)
            others = shadow.writes.thread[places]

            def describe(number: int) -> str:
                other = found.lanes.launch.place(int(others[number]) - 1)
                return f"writes another value than {other} at {found.at(number)}"

            self._report_each(found, FaultKind.RACE, differs, describe)

    def _report_unfenced(self, found: _Bytes, before: Moments, what: str = "accesses what {} has written") -> None:
        """Report accesses of asynchronous engines that are in no order with those of threads in shared memory."""
        lanes, now, places = found.lanes, found.now, found.places
        assert lanes.clocks is not None
        if found.region.name != SHARED or lanes.engine < ASYNC:
            return
        block, own_block = ((thread - 1) // lanes.shape[1] for thread in (before.thread[places], now.thread))
        agent, release = before.agent[places] % lanes.clocks.known.shape[1], before.release[places]
        ordered = lanes.clocks.ordered(now.cluster, now.of_cluster, agent, release)
        unseen = ordered & ~lanes.clocks.fenced(now.cluster, now.of_cluster, agent, release)
        wrong = unseen & (before.thread[places] != NOBODY) & lanes.clusters.same(block, own_block)
        others = before.thread[places]

        def describe(number: int) -> str:
            other = lanes.launch.place(int(others[number]) - 1)
            return f"{what.format(other)}, with no fence.proxy.async between, at {found.at(number)}"

        self._report_each(found, FaultKind.PROXY, wrong, describe)

    def _report_race(self, found: _Bytes, before: Moments, what: str) -> None:
        wrong = before.unordered(found.places, found.now, found.lanes)
        if not wrong.any():
            return
        others, agents = before.thread[found.places], before.agent[found.places]

        def describe(number: int) -> str:
            other = found.worker(int(others[number]), int(agents[number]))
            missing = found.missing(int(agents[number]))
            return f"{what.format(other=other)}, with no {missing} between, at {found.at(number)}"

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
        cluster=now.cluster[chosen],
        of_cluster=now.of_cluster[chosen],
        agent=now.agent[chosen],
        release=now.release[chosen],
        warp_phase=now.warp_phase[chosen],
    )


def _differing(found: _Bytes, words: Sequence[Array], size: int) -> Array:
    """Whether each byte is written with another value than the last of the threads writes there."""
    lanes = found.lanes
    full = np.stack([np.broadcast_to(word, lanes.shape) for word in words], axis=-1)
    bytes = full.view(np.uint8).reshape(-1, size)[found.lane[::size]].reshape(-1)
    last = np.zeros(found.region.data.size, np.uint8)
    last[found.places] = bytes
    return last[found.places] != bytes
