"""
Which accesses happen before which: vector clocks of the warps of a cluster, and of what copies and multiplies for them.

An agent is a warp, or one of the engines that work for it while it goes on (`Engine`). Each agent counts its releases.
It knows of each other agent up to which release all that this did is done. Barriers, arrivals and waits pass this
knowledge on. Threads of one warp are told apart by `warp_phases` only: the arrival of one thread of a warp counts for
all of them. Source: PTX ISA, "Memory Consistency Model", "Causality order"; the method is that of Lamport's clocks.

What agents of other clusters did is known by messages (`Releases`) only. That an agent learns one is something that
it does: who knows that it has done so knows the message, too.
"""

from bisect import bisect_left
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.module import Instruction
from xshardy.ptx.releases import (
    Agent,
    Knowledge,
    MemoryScope,
    Message,
    Places,
    Releases,
    StrongAccess,
    acquires,
    releases,
    scope_of,
)


class Engine(IntEnum):
    """Who accesses memory for a warp."""

    THREADS = 0
    COPY = 1
    """`cp.async`."""
    BULK_READS = 2
    """What bulk copies with groups read: complete after `wait_group.read`."""
    BULK_WRITES = 3
    """What they write: complete after `wait_group`."""
    MATRIX = 4
    """`wgmma`."""
    TENSOR = 5
    """`tcgen05.mma`, `tcgen05.cp`: complete for those who see the `mbarrier` of a commit complete."""
    TENSOR_LOADS = 6
    """`tcgen05.ld`: complete after `tcgen05.wait::ld`."""
    TENSOR_STORES = 7
    """`tcgen05.st`: complete after `tcgen05.wait::st`."""
    LOADS = 8
    """The first of `LOADERS`: bulk copies with an `mbarrier`. Those with different ones complete on their own."""


WARPS_OF_GROUP = 4
"""Warps that multiply together: that one of them has waited means that all of their product is complete."""
LOADERS = 8
"""Copies with more `mbarrier` objects share engines: some missing waits are not found then."""
ASYNCHRONOUS = frozenset(("async", "bulk", "wgmma", "tcgen05"))
"""Words of opcodes that have engines other than the threads."""
ASYNC = Engine.BULK_READS
"""Engines from here on access memory by the asynchronous proxy: what others write, they see only behind a fence."""

Row = Array
"""Of each agent of a cluster, up to which of its releases all is done; behind that, up to which it is fenced too."""


class Clocks:
    """The clocks of some blocks with so many threads, in clusters of so many blocks. Masks are [blocks, threads]."""

    def __init__(
        self, blocks: int, threads: int, cluster_size: int, releases: Releases, first_cluster: int, engines: int
    ):
        self.cluster_size, self.first_cluster = cluster_size, first_cluster
        """The blocks of a cluster; the number of the first cluster in the order of execution."""
        self.releases = releases
        """Of all blocks of the grid."""
        self.warps = -(-threads // WARP_SIZE)
        """Of a block."""
        self.of_cluster = cluster_size * self.warps
        self.warp_phases = np.zeros((blocks, threads), np.int32)
        """Of each thread, more than those of the threads of its warp had when they did what it may rely on."""
        self.block_of, thread = divided(np.arange(blocks * threads), threads)
        self.cluster_of, self.warp_of = self.agents(self.block_of, thread)
        """Of each thread here, by its number: its block and cluster among those here, and its warp in the cluster."""
        self._warp_here = self.cluster_of * self.of_cluster + self.warp_of
        """The same: its warp among those here."""
        agents = self.of_cluster * engines
        self.known = np.zeros((blocks // cluster_size, agents, 2 * agents), np.int32)
        """[clusters, agents, ...]: what each agent knows of the others, and how often it has released itself."""
        self._learned: dict[int, dict[int, tuple[list[int], list[Knowledge]]]] = {}
        """
        By cluster, for each agent that has learned of others, how often it had released then, and all that it has
        learned until then.
        """
        self._heard: dict[Agent, dict[tuple[Agent, MemoryScope], Message]] = {}
        """The last message that each agent has learned of another one, which it need not learn again."""
        self._groups: dict[tuple[Engine, int, int], deque[Row]] = {}
        self._loaders: dict[int, int] = {}
        self._fenced = np.zeros((len(self.known), self.of_cluster, 2 * agents), np.int32)
        """[clusters, warps, ...]: what each warp knew and had done at its last fence."""
        self._arrived = np.zeros((2, len(self.known), 2 * agents), np.int32)
        """[2, clusters, ...]: what arrivals at the barrier of a cluster have published, for even and odd phases."""
        self._fenced_phases = np.zeros((blocks, threads), np.int32)
        """Of each thread, more than its phase in its warp was at its last fence."""
        self._arrived_phases = np.zeros((2, blocks, threads), np.int32)
        """The same at its last arrivals at the barrier of its cluster."""

    def loader(self, mbarrier: int) -> int:
        """The engine of copies with the `mbarrier` at an address in shared memory."""
        return self._loaders.setdefault(mbarrier, Engine.LOADS + len(self._loaders) % LOADERS)

    def agents(self, block: Array, thread: Array, engine: int | Array = Engine.THREADS) -> tuple[Array, Array]:
        """The cluster and the number in it of the agent for threads, by their block and number in it."""
        cluster, rank = divided(block, self.cluster_size)
        return cluster, self.of_engine(rank * self.warps + thread // WARP_SIZE, engine)

    def of_engine(self, warp: Array, engine: int | Array) -> Array:
        """The agents of an engine for warps, by their numbers in the cluster. Four warps multiply together."""
        of_matrices = engine == Engine.MATRIX
        if of_matrices is not False and np.any(of_matrices):
            warp = warp - warp % self.warps % WARPS_OF_GROUP * of_matrices
        return warp + engine * self.of_cluster

    def _of_warps(self, mask: Array) -> Array:
        """Whether each warp has a thread of the mask: [blocks, warps]."""
        return np.logical_or.reduceat(mask, _first_threads(mask), axis=1)

    def _warps_of(self, mask: Array) -> tuple[Array, Array]:
        """The warps with a thread of the mask, as agents."""
        block, warp = np.nonzero(self._of_warps(mask))
        return self.agents(block, warp * WARP_SIZE)

    def release(self, cluster: Array, agent: Array) -> Row:
        """What each of some agents knows and has done until now, a row for each."""
        self.known[cluster, agent, agent] += 1
        return self.known[cluster, agent]

    def acquire(self, cluster: Array, agent: Array, knowledge: Row) -> None:
        """Let each of some agents know what is in its row of `knowledge`."""
        np.maximum.at(self.known, (cluster, agent), knowledge)

    def start(self, mask: Array, engine: int) -> None:
        """Let the engines of the warps of `mask` begin a task behind all that the warps know and did."""
        cluster, warp = self._warps_of(mask)
        self.acquire(cluster, self.of_engine(warp, engine), self.release(cluster, warp))

    def fence(self, mask: Array) -> None:
        """Let what the warps of `mask` know and did be visible to the asynchronous proxy, for those who know of it."""
        cluster, warp = self._warps_of(mask)
        self.known[cluster, warp, warp] += 1
        agents = self.known.shape[1]
        self.known[cluster, warp, agents:] = self.known[cluster, warp, :agents]

    def fence_arrivals(self, mask: Array) -> None:
        """Let what the warps of `mask` know and did be known behind their next relaxed arrivals."""
        cluster, warp = self._warps_of(mask)
        self._fenced[cluster, warp] = self.release(cluster, warp)
        np.copyto(self._fenced_phases, self.warp_phases + 1, where=mask)

    def thread_fence(self, mask: Array, words: Sequence[str]) -> None:
        """
        Let what the warps of `mask` did and know be published by their next strong writes, and learn what they have
        read, by a fence with an opcode of these words.
        """
        scope = scope_of(words)
        if releases(words) and scope >= MemoryScope.CLUSTER:
            self.fence_arrivals(mask)
        for agent in self._agents_of(*self._warps_of(mask)):
            if acquires(words):
                self._learn(mask, agent, self.releases.seen_by(agent, scope))
            if releases(words):
                self.releases.fence(scope, self._message(agent, scope))

    def access(self, threads: Array, places: Array, written: Places, words: Sequence[str], kind: StrongAccess) -> None:
        """
        Threads, by their numbers among those executed together, access memory strongly, each at one of `places`, with
        an opcode of these words; `written` are the places of the region.
        """
        publishes = kind.writes and (releases(words) or self.releases.is_fenced)
        if not publishes and not written:
            return
        mask = np.zeros(self.warp_phases.shape, np.bool_)
        mask.reshape(-1)[threads] = True
        cluster, warp = self.agents(*np.divmod(threads, mask.shape[1]))
        pairs = np.stack([places, cluster, warp])
        _, first = np.unique(pairs, axis=1, return_index=True)
        messages: dict[Agent, Message] = {}
        first.sort()
        agents = self._agents_of(cluster[first], warp[first])
        for agent, place in zip(agents, places[first].tolist(), strict=True):
            if releases(words) and kind.writes and agent not in messages:
                messages[agent] = self._message(agent, kind.scope)
            learned = self.releases.access(written, place, agent, kind, messages.get(agent))
            self._learn(mask, agent, learned)

    def _agents_of(self, cluster: Array, warp: Array) -> Iterator[Agent]:
        """Warps by their numbers among these clusters and in them."""
        for of, number in zip(cluster.tolist(), warp.tolist(), strict=True):
            yield Agent(self.first_cluster + of, number // self.warps, number)

    def _message(self, agent: Agent, scope: MemoryScope) -> Message:
        """What a warp did until now, and knows."""
        cluster, count = agent.cluster - self.first_cluster, self.known.shape[1]
        row = self.release(np.array(cluster), np.array(agent.number))
        knowledge = merged(self._far(cluster, agent.number))
        return Message(agent, scope, {**knowledge, agent.cluster: row[:count].copy()}, int(row[agent.number]))

    def _far(self, cluster: int, agent: int) -> list[Knowledge]:
        """What an agent knows of other clusters."""
        found: list[Knowledge] = []
        for other, (numbers, learned) in self._learned.get(cluster, {}).items():
            count = len(numbers) if other == agent else bisect_left(numbers, self.known[cluster, agent, other])
            if count:
                found.append(learned[count - 1])
        return found

    def _learn(self, mask: Array, agent: Agent, messages: Sequence[Message]) -> None:
        """Let a warp, with its threads in `mask`, know what is in messages."""
        if not messages:
            return
        cluster, number = agent.cluster - self.first_cluster, agent.number
        first = number % self.warps * WARP_SIZE
        block = cluster * self.cluster_size + agent.rank
        of_grid = self.releases.blocks[agent.cluster * self.cluster_size + agent.rank]
        self.releases.learners[of_grid, number % self.warps] = None
        phases, learning = (of[block, first : first + WARP_SIZE] for of in (self.warp_phases, mask))
        phases[learning] = phases.max() + 1
        latest = self._heard.setdefault(agent, {})
        far: list[Knowledge] = []
        for message in messages:
            if latest.get((message.agent, message.scope)) is message:
                continue
            latest[message.agent, message.scope] = message
            if (row := message.knowledge.get(agent.cluster)) is not None:
                known = self.known[cluster, number, : len(row)]
                np.maximum(known, row, out=known)
            if others := {of: row for of, row in message.knowledge.items() if of != agent.cluster}:
                far.append(others)
        if far:
            numbers, learned = self._learned.setdefault(cluster, {}).setdefault(number, ([], []))
            learned.append(merged([*learned[-1:], *far]))
            numbers.append(int(self.known[cluster, number, number]))

    def commit(self, mask: Array, *engines: Engine) -> None:
        """Make what the engines of the warps of `mask` do the youngest group of theirs."""
        cluster, warp = self._warps_of(mask)
        for engine in engines:
            released = self.release(cluster, self.of_engine(warp, engine))
            for which, knowledge in zip(zip(cluster.tolist(), warp.tolist(), strict=True), released, strict=True):
                self._groups.setdefault((engine, *which), deque()).append(knowledge)

    def wait(self, mask: Array, left: int, *engines: Engine) -> None:
        """Let the warps of `mask` wait for all groups of their engines but the `left` youngest ones."""
        cluster, warp = self._warps_of(mask)
        for engine in engines:
            for which in zip(cluster.tolist(), warp.tolist(), strict=True):
                groups, known = self._groups.get((engine, *which), deque()), self.known[which]
                while len(groups) > left:
                    np.maximum(known, groups.popleft(), out=known)
        self.meet_in_warps(mask, mask)

    def meet(self, arriving: Array, leaving: Array) -> None:
        """A barrier: all that the threads of the mask `arriving` did is known to those of `leaving`, in each block."""
        arrive, leave = (self._of_warps(mask)[..., None] for mask in (arriving, leaving))
        own = np.arange(self.of_cluster)
        self.known[:, own, own] += arrive.reshape(-1, self.of_cluster)
        rows = self.known[:, : self.of_cluster].reshape(len(arrive), -1, self.known.shape[-1])
        together = np.max(rows, axis=1, keepdims=True, where=arrive, initial=0)
        rows = np.where(leave, np.maximum(rows, together), rows)
        self.known[:, : self.of_cluster] = rows.reshape(self.known.shape[0], self.of_cluster, -1)
        self.meet_in_warps(arriving | leaving, leaving)
        self._meet_by_releases(arrive[..., 0], leave[..., 0])

    def _meet_by_releases(self, arrive: Array, leave: Array) -> None:
        """Let fences of the warps `arrive` count for the warps `leave`, masks of [groups, warps of a group]."""
        if self.releases.is_used:
            warps = np.arange(arrive.size).reshape(len(arrive), -1)  # among all that are here
            for group, came, goes in zip(warps, arrive, leave, strict=True):
                arrived, going = (self._agents_of(*np.divmod(group[some], self.of_cluster)) for some in (came, goes))
                self.releases.meet([*arrived], [*going])

    def arrive_in_clusters(self, mask: Array, phases: Array, *, is_relaxed: bool) -> None:
        """
        Let the threads of `mask` arrive at the barrier of their cluster, each for the phase of that number.

        A relaxed arrival publishes only what is before a fence. Source: PTX ISA, `barrier.cluster`.
        """
        if not is_relaxed:
            self.fence_arrivals(mask)
        cluster, warp = self._warps_of(mask)
        np.maximum.at(self._arrived, (self._parity(phases, mask), cluster), self._fenced[cluster, warp])
        for parity, arrived in enumerate(self._arrived_phases):
            np.copyto(arrived, self._fenced_phases, where=mask & (phases & 1 == parity))

    def leave_clusters(self, mask: Array, phases: Array) -> None:
        """Let the threads of `mask` leave that barrier, and know what those published that arrived for the phase."""
        cluster, warp = self._warps_of(mask)
        self.acquire(cluster, warp, self._arrived[self._parity(phases, mask), cluster])
        for parity, of_threads in enumerate(self._arrived_phases):
            latest = np.maximum.reduceat(of_threads, _first_threads(mask), axis=1)
            arrived: Array = np.repeat(latest, WARP_SIZE, axis=1)[:, : mask.shape[1]]
            np.maximum(self.warp_phases, arrived, out=self.warp_phases, where=mask & (phases & 1 == parity))
        everyone = np.ones_like(mask)
        self._meet_by_releases(*(self._of_warps(of).reshape(-1, self.of_cluster) for of in (everyone, mask)))

    def _parity(self, phases: Array, mask: Array) -> Array:
        """Whether the phase is odd that each warp with threads in `mask` is in."""
        return np.maximum.reduceat(np.where(mask, phases, 0), _first_threads(mask), axis=1)[self._of_warps(mask)] & 1

    def meet_in_warps(self, arriving: Array, leaving: Array) -> None:
        """In each warp, what the threads of the mask `arriving` did is in order before what those of `leaving` do."""
        latest = np.maximum.reduceat(np.where(arriving, self.warp_phases, 0), _first_threads(arriving), axis=1) + 1
        of_threads = np.repeat(latest, WARP_SIZE, axis=1)[:, : arriving.shape[1]]
        np.copyto(self.warp_phases, of_threads, where=leaving)

    def ordered(self, cluster: Array, now: Array, before: Array, release: Array) -> Array:
        """Whether agents `now` know what agents `before` of their cluster did before their release of that number."""
        return self.known[cluster, now, before] > release

    def ordered_afar(self, cluster: Array, now: Array, of_cluster: Array, before: Array, release: Array) -> Array:
        """The same of agents `before` of other clusters, `of_cluster` by their numbers in the order of execution."""
        found = np.zeros(before.shape, np.bool_)
        for own, number in {*zip(cluster.tolist(), now.tolist(), strict=True)}:
            for knowledge in self._far(own, number):
                chosen = (cluster == own) & (now == number) & ~found
                for other in np.unique(of_cluster[chosen]).tolist():
                    if (row := knowledge.get(other)) is not None:
                        there = chosen & (of_cluster == other)
                        found[there] = row[before[there]] > release[there]
        return found

    def fenced(self, cluster: Array, now: Array, before: Array, release: Array) -> Array:
        """Whether agents `now` see it though they are asynchronous and the agents `before` are not."""
        own, other = now // self.of_cluster, before // self.of_cluster
        is_crossing = (own >= ASYNC) & (other < ASYNC)
        return ~is_crossing | (self.known[cluster, now, self.known.shape[1] + before] > release)

    def stamps(self, lane: Array, engine: int) -> Array:
        """
        When threads access memory by an engine, by their numbers among those here: how often their agents have
        released, and in the lower half of the bits their phases in their warps.
        """
        agents = self.of_engine(np.arange(self.of_cluster), engine)
        of_warps = self.known[:, agents, agents].reshape(-1).astype(np.int64) << 32
        return of_warps[self._warp_here[lane]] | self.warp_phases.reshape(-1)[lane]


def engines_of(instructions: Iterable[Instruction]) -> int:
    """How many engines the clocks of a kernel need: of one with threads only they are 16 times smaller."""
    words = {word for instruction in instructions for word in instruction.opcode.split(".")}
    return 1 if words.isdisjoint(ASYNCHRONOUS) else Engine.LOADS + LOADERS


def _first_threads(mask: Array) -> list[int]:
    """The first thread of each warp of a block, for a mask of [blocks, threads]."""
    return [*range(0, mask.shape[1], WARP_SIZE)]


def divided(values: Array, by: int) -> tuple[Array, Array]:
    """`divmod` of natural numbers; by shifts, which are several times as fast, if `by` is a power of two."""
    if by & (by - 1):
        return np.divmod(values, by)
    return values >> (by.bit_length() - 1), values & (by - 1)


def merged(pieces: Sequence[Knowledge]) -> Knowledge:
    """All that is in any of the pieces."""
    if len(pieces) == 1:
        return pieces[0]
    found: dict[int, Array] = {}
    for piece in pieces:
        for cluster, row in piece.items():
            known = found.get(cluster)
            found[cluster] = row if known is None or known is row else np.maximum(known, row)
    return found
