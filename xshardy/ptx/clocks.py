"""
Which accesses happen before which: vector clocks of the warps of a cluster, and of what copies and multiplies for them.

An agent is a warp, or one of the engines that work for it while it goes on (`Engine`). Each agent counts its releases.
It knows of each other agent up to which release all that this did is done. Barriers, arrivals and waits pass this
knowledge on. Threads of one warp are told apart by `warp_phases` only: the arrival of one thread of a warp counts for
all of them. So do fences around strong accesses. Source: PTX ISA, "Memory Consistency Model"; the method is that of
Lamport's clocks.
"""

from collections import deque
from collections.abc import Sequence
from enum import IntEnum

import numpy as np

from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.releases import Published, Releases, acquires, releases


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
ASYNC = Engine.BULK_READS
"""Engines from here on access memory by the asynchronous proxy: what others write, they see only behind a fence."""

Knowledge = Array
"""Of each agent, up to which of its releases all is done; and behind that, up to which it is fenced too."""


class Clocks:
    """The clocks of some blocks with so many threads, in clusters of so many blocks. Masks are [blocks, threads]."""

    def __init__(self, blocks: int, threads: int, cluster_size: int, releases: Releases | None = None):
        self.cluster_size = cluster_size
        self.releases = releases or Releases(blocks)
        """Of all blocks of the grid."""
        self.warps = -(-threads // WARP_SIZE)
        """Of a block."""
        self.of_cluster = cluster_size * self.warps
        self.warp_phases = np.zeros((blocks, threads), np.int32)
        """How many barriers each thread has passed, those of its warp among them."""
        agents = self.of_cluster * (Engine.LOADS + LOADERS)
        self.known = np.zeros((blocks // cluster_size, agents, 2 * agents), np.int32)
        """[clusters, agents, ...]: what each agent knows of the others, and how often it has released itself."""
        self._published = {cluster: Published(2 * agents) for cluster in range(len(self.known))}
        self._groups: dict[tuple[Engine, int, int], deque[Knowledge]] = {}
        self._loaders: dict[int, int] = {}

    def loader(self, mbarrier: int) -> int:
        """The engine of copies with the `mbarrier` at an address in shared memory."""
        return self._loaders.setdefault(mbarrier, Engine.LOADS + len(self._loaders) % LOADERS)

    def agents(self, block: Array, thread: Array, engine: int = Engine.THREADS) -> tuple[Array, Array]:
        """The cluster and the number in it of the agent for threads, by their block and number in it."""
        cluster, rank = np.divmod(block, self.cluster_size)
        return cluster, self._of_engine(rank * self.warps + thread // WARP_SIZE, engine)

    def _of_engine(self, warp: Array, engine: int) -> Array:
        """The agents of an engine for warps, by their numbers in the cluster. Four warps multiply together."""
        if engine == Engine.MATRIX:
            of_block = warp % self.warps
            warp = warp - of_block % WARPS_OF_GROUP
        return warp + engine * self.of_cluster

    def engine(self, agent: int) -> Engine:
        """What kind of agent one is, by its number in the cluster."""
        return Engine(min(agent // self.of_cluster, Engine.LOADS))

    def _of_warps(self, mask: Array) -> Array:
        """Whether each warp has a thread of the mask: [blocks, warps]."""
        return np.logical_or.reduceat(mask, [*range(0, mask.shape[1], WARP_SIZE)], axis=1)

    def _warps_of(self, mask: Array) -> tuple[Array, Array]:
        """The warps with a thread of the mask, as agents."""
        block, warp = np.nonzero(self._of_warps(mask))
        return self.agents(block, warp * WARP_SIZE)

    def release(self, cluster: Array, agent: Array) -> Knowledge:
        """What each of some agents knows and has done until now, a row for each."""
        self.known[cluster, agent, agent] += 1
        return self.known[cluster, agent]

    def acquire(self, cluster: Array, agent: Array, knowledge: Knowledge) -> None:
        """Let each of some agents know what is in its row of `knowledge`."""
        np.maximum.at(self.known, (cluster, agent), knowledge)

    def start(self, mask: Array, engine: int) -> None:
        """Let the engines of the warps of `mask` begin a task behind all that the warps know and did."""
        cluster, warp = self._warps_of(mask)
        self.acquire(cluster, self._of_engine(warp, engine), self.release(cluster, warp))

    def fence(self, mask: Array) -> None:
        """Let what the warps of `mask` know and did be visible to the asynchronous proxy, for those who know of it."""
        cluster, warp = self._warps_of(mask)
        self.known[cluster, warp, warp] += 1
        agents = self.known.shape[1]
        self.known[cluster, warp, agents:] = self.known[cluster, warp, :agents]

    def thread_fence(self, mask: Array) -> None:
        """Let what the warps of `mask` know be published by their next strong writes, and learn what they have read."""
        cluster, warp = self._warps_of(mask)
        for of, agent, row in zip(cluster.tolist(), warp.tolist(), self.release(cluster, warp), strict=True):
            self._learn(of, agent, self._published[of].fence(agent, row))
        self.warp_phases += mask

    def access(self, mask: Array, words: Sequence[str], *, reads: bool, writes: bool) -> None:
        """The threads of `mask` access memory strongly, with an opcode of these words."""
        cluster, warp = self._warps_of(mask)
        agents = [*zip(cluster.tolist(), warp.tolist(), strict=True)]
        if writes:
            rows = self.release(cluster, warp) if releases(words) else [None] * len(agents)
            for (of, agent), row in zip(agents, rows, strict=True):
                self._published[of].write(agent, row)
        for of, agent in agents if reads else ():
            row = self._published[of].read(agent)
            self._learn(of, agent, row if acquires(words) else None)
        if reads and acquires(words):
            self.warp_phases += mask

    def _learn(self, cluster: int, agent: int, row: Knowledge | None) -> None:
        if row is not None:
            np.maximum(self.known[cluster, agent], row, out=self.known[cluster, agent])

    def commit(self, mask: Array, *engines: Engine) -> None:
        """Make what the engines of the warps of `mask` do the youngest group of theirs."""
        cluster, warp = self._warps_of(mask)
        for engine in engines:
            released = self.release(cluster, self._of_engine(warp, engine))
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
        self.warp_phases += mask

    def meet(self, arriving: Array, leaving: Array, blocks: int = 1) -> None:
        """
        A barrier: all that the threads of the mask `arriving` did is known to those of `leaving`, in each block, or in
        each so many blocks that follow each other.
        """
        arrive, leave = (self._of_warps(mask).reshape(-1, blocks * self.warps, 1) for mask in (arriving, leaving))
        own = np.arange(self.of_cluster)
        self.known[:, own, own] += arrive.reshape(-1, self.of_cluster)
        rows = self.known[:, : self.of_cluster].reshape(len(arrive), -1, self.known.shape[-1])
        together = np.max(rows, axis=1, keepdims=True, where=arrive, initial=0)
        rows = np.where(leave, np.maximum(rows, together), rows)
        self.known[:, : self.of_cluster] = rows.reshape(self.known.shape[0], self.of_cluster, -1)
        self.warp_phases += leaving

    def ordered(self, cluster: Array, now: Array, before: Array, release: Array) -> Array:
        """Whether agents `now` know what agents `before` of their cluster did before their release of that number."""
        return self.known[cluster, now, before] > release

    def pipelined(self, now: Array, before: Array) -> Array:
        """Whether agents work off their tasks in one pipeline, so that they need not wait for each other."""
        return (now // self.of_cluster == Engine.TENSOR) & (before // self.of_cluster == Engine.TENSOR)

    def fenced(self, cluster: Array, now: Array, before: Array, release: Array) -> Array:
        """Whether agents `now` see it though they are asynchronous and the agents `before` are not."""
        own, other = now // self.of_cluster, before // self.of_cluster
        is_crossing = (own >= ASYNC) & (other < ASYNC)
        return ~is_crossing | (self.known[cluster, now, self.known.shape[1] + before] > release)

    def releases_of(self, cluster: Array, agent: Array) -> Array:
        """How often agents have released."""
        return self.known[cluster, agent, agent]
