"""
The state of `mbarrier` objects: phases, pending arrivals and bytes that are still to come.

An object is known by the number of its word of 8 bytes in the shared memory of all blocks that are executed together.
Source: PTX ISA, "mbarrier".
"""

import numpy as np

from xshardy.numerics.element_types import Array

MBARRIER_BYTES = 8
MOST_ARRIVALS = (1 << 20) - 1


class Mbarriers:
    """The objects of so many words."""

    def __init__(self, words: int):
        self.is_valid = np.zeros(words, np.bool_)
        """Whether the word is an object, between `init` and `inval`."""
        self.phase = np.zeros(words, np.int64)
        """How many phases are complete."""
        self.pending, self.expected = np.zeros(words, np.int64), np.zeros(words, np.int64)
        """Arrivals that the phase lacks, and those that the next one needs."""
        self.bytes = np.zeros(words, np.int64)
        """Bytes that the phase expects and that have not come."""
        self.made_by, self.made_at, self.phase_then = (np.zeros(words, np.int32) for _ in range(3))
        """The thread that has initialized the object, how often its warp had released then, and its `warp_phases`."""
        self.is_fenced = np.ones(words, np.bool_)
        """Whether a `fence.mbarrier_init` has followed."""
        self._arrived: dict[int, Array] = {}
        self._complete: dict[int, Array] = {}
        """What those knew that arrived in this phase, and in the complete ones; see `Clocks`."""
        self.engines: dict[int, dict[int, int]] = {}
        """Of each object, by the number of the engine in its cluster, the last release that has arrived at it."""

    def initialize(self, words: Array, counts: Array) -> None:
        """Make words objects that expect so many arrivals in each phase."""
        self.is_valid[words] = True
        self.phase[words] = self.bytes[words] = 0
        self.pending[words] = self.expected[words] = counts
        for word in words.tolist():
            self._arrived.pop(word, None)
            self._complete.pop(word, None)
            self.engines.pop(word, None)

    def arrive(self, words: Array, counts: Array) -> None:
        """Note arrivals, at most as many as each object lacks."""
        np.subtract.at(self.pending, words, counts)
        self._settle(words)

    def expect(self, words: Array, bytes: Array) -> None:
        """Expect more bytes in this phase."""
        np.add.at(self.bytes, words, bytes)

    def complete(self, words: Array, bytes: Array) -> None:
        """Note that so many bytes have come."""
        np.subtract.at(self.bytes, words, bytes)
        self._settle(words)

    def tell(self, words: Array, knowledge: Array) -> None:
        """Let those who wait for this phase of objects know what is in the rows of `knowledge`."""
        for word, row in zip(words.tolist(), knowledge, strict=True):
            known = self._arrived.get(word)
            self._arrived[word] = row if known is None else np.maximum(known, row)

    def knowledge(self, word: int) -> Array | None:
        """What those knew that arrived in the complete phases of an object."""
        return self._complete.get(word)

    def _settle(self, words: Array) -> None:
        """Let objects enter their next phase that lack nothing in this one."""
        words = np.unique(words)
        done = words[(self.pending[words] == 0) & (self.bytes[words] == 0)]
        self.phase[done] += 1
        self.pending[done] = self.expected[done]
        for word in done.tolist():
            if (arrived := self._arrived.pop(word, None)) is not None:
                known = self._complete.get(word)
                self._complete[word] = arrived if known is None else np.maximum(known, arrived)
