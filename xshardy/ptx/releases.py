"""
What threads publish by strong accesses, and learn by them: releases and acquires, by modifiers or by fences.

A fence, or `.release`, in front of a strong write publishes what the threads have done. A fence, or `.acquire`, behind
a strong read learns what was published before. All places count as one: that two threads use different flags is not
found. Within a cluster, warps publish their clocks, see `Clocks`; blocks of the grid publish the times up to which
their accesses are done. Source: PTX ISA, "Memory Consistency Model", "Release and Acquire Patterns".
"""

from collections.abc import Mapping, Sequence

import numpy as np

from xshardy.numerics.element_types import Array

STRONG = ("relaxed", "acquire", "release", "acq_rel", "volatile", "mmio")
"""Modifiers of accesses that do not race with atomic ones."""
ACCESSES = ("ld", "st", "atom", "red")
"""Instructions that publish and learn; an `mbarrier` has knowledge of its own."""


def acquires(words: Sequence[str]) -> bool:
    """Whether an access with the opcode of these words learns what is published."""
    return words[0] in ACCESSES and ("acquire" in words or "acq_rel" in words)


def releases(words: Sequence[str]) -> bool:
    """Whether it publishes what is done."""
    return words[0] in ACCESSES and ("release" in words or "acq_rel" in words)


def orders_threads(words: Sequence[str]) -> bool:
    """Whether an instruction is a fence between threads, not one of proxies or of new `mbarrier` objects."""
    return words[0] == "membar" or (words[0] == "fence" and words[1] in ("sc", "acq_rel", "acquire", "release"))


class Published:
    """What agents have published: rows of numbers that grow."""

    def __init__(self, numbers: int):
        self._fenced: dict[int, Array] = {}
        """What each agent had done at its last fence."""
        self._all = np.zeros(numbers, np.int64)
        self._seen: dict[int, Array] = {}
        """What was published at the last strong read of each agent."""

    def fence(self, agent: int, done: Array) -> Array | None:
        """Note a fence of an agent; what it learns."""
        self._fenced[agent] = done
        return self._seen.get(agent)

    def write(self, agent: int, done: Array | None) -> None:
        """Note a strong write of an agent, which publishes what is `done`; None for what was at its last fence."""
        published = self._fenced.get(agent) if done is None else done
        if published is not None:
            self._all = np.maximum(self._all, published)

    def read(self, agent: int) -> Array:
        """Note a strong read of an agent; what it can learn."""
        self._seen[agent] = self._all
        return self._all


class Releases:
    """The releases of the blocks of a grid. Times are the numbers of accesses, over all blocks."""

    def __init__(self, blocks: int):
        self.time = 0
        self._published, self._blocks = Published(blocks), blocks
        self._known: dict[int, Array] = {}

    @property
    def known(self) -> Mapping[int, Array]:
        """By block, the time before which all accesses of each block are done for its threads."""
        return self._known

    def _done(self, block: int) -> Array:
        return np.where(np.arange(self._blocks) == block, self.time, 0)

    def _learn(self, block: int, row: Array | None) -> None:
        if row is not None:
            self._known[block] = np.maximum(self._known.get(block, 0), row)

    def fence(self, blocks: Sequence[int]) -> None:
        """Threads of blocks execute a fence."""
        self.time += 1
        for block in blocks:
            self._learn(block, self._published.fence(block, self._done(block)))

    def access(self, blocks: Sequence[int], words: Sequence[str], *, reads: bool, writes: bool) -> None:
        """Threads of blocks access memory strongly, with an opcode of these words, at this time."""
        for block in blocks if writes else ():
            self._published.write(block, self._done(block) if releases(words) else None)
        for block in blocks if reads else ():
            row = self._published.read(block)
            self._learn(block, row if acquires(words) else None)
