"""
The memory traffic of a block: requests of warps to global memory, their sectors, and bank conflicts of shared memory.

The threads of a warp access memory together: a request per load or store. Memory moves sectors of 32 bytes, and looks
up lines of 128 bytes (transactions). Source: CUDA's programming guide, "Device Memory Accesses".
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from xshardy.gpus.sizes import BANK_BYTES, BANKS, SECTOR_BYTES, WARP_SIZE
from xshardy.interpreters.simt.kernel import observe_block
from xshardy.interpreters.simt.machine import Lanes
from xshardy.interpreters.simt.memory import AccessKind, Tensor
from xshardy.numerics.element_types import Array, bits_in_memory

BANK_BITS = 8 * BANK_BYTES
SECTOR_BITS = 8 * SECTOR_BYTES
LINE_BITS = 8 * 128


@dataclass(frozen=True, slots=True)
class Access:
    """What is counted together: accesses of one kind and width to one buffer of global memory."""

    buffer: str
    kind: AccessKind
    bits: int
    """The bits that each thread accesses at once."""


@dataclass(slots=True)
class Requests:
    """The requests of warps, and what memory moves for them."""

    requests: int = 0
    sectors: int = 0
    transactions: int = 0
    """Lines of 128 bytes."""
    least_sectors: int = 0
    """The sectors that hold the accessed elements if these are adjacent and aligned."""


@dataclass(slots=True)
class Traffic:
    """The memory traffic of one block."""

    accesses: dict[Access, Requests] = field(default_factory=lambda: defaultdict(Requests))
    """The requests to global memory."""
    touched: dict[str, Array] = field(default_factory=dict[str, Array])
    """The numbers of the sectors of each buffer that were accessed, each once."""
    shared_accesses: int = 0
    """Loads and stores of shared memory, counted per warp."""
    shared_wavefronts: int = 0
    """Shared memory wavefronts of these accesses: one each without bank conflicts."""

    @property
    def sectors(self) -> int:
        """The sectors that requests move, regardless of caches."""
        return sum(found.sectors for found in self.accesses.values())

    @property
    def distinct_sectors(self) -> int:
        """The sectors that move if a cache keeps those of the block."""
        return sum(sectors.size for sectors in self.touched.values())

    @property
    def scattering(self) -> float:
        """The sectors that requests move over the least that could hold their elements; 1 without requests."""
        least = sum(found.least_sectors for found in self.accesses.values())
        return self.sectors / least if least else 1.0

    @property
    def conflicts(self) -> float:
        """The average number of extra wavefronts per access."""
        return self.shared_wavefronts / self.shared_accesses - 1 if self.shared_accesses else 0.0

    def observe(self, lanes: Lanes, kind: AccessKind, tensor: Tensor, where: Array, mask: Array) -> None:
        """Count an access."""
        bits = bits_in_memory(tensor.buffer.data.dtype)
        places = np.broadcast_to(where, lanes.shape + where.shape[2:])
        active = np.broadcast_to(lanes.on_vector(mask, places.ndim), places.shape).reshape(lanes.shape[1], -1)
        places = places.reshape(active.shape)
        if tensor.buffer.elements_per_block is None:
            self._count(tensor.buffer.name, kind, places, active, bits)
            return
        words = places[:, :, None] * bits // BANK_BITS + np.arange(max(bits // BANK_BITS, 1))
        for first in range(0, len(active), WARP_SIZE):
            warp = slice(first, first + WARP_SIZE)
            if active[warp].any():
                self.shared_accesses += 1
                self.shared_wavefronts += wavefronts(words[warp][active[warp]])

    def _count(self, buffer: str, kind: AccessKind, places: Array, active: Array, bits: int) -> None:
        """Count the requests of an access of global memory at `places`, in elements of `bits`."""
        found = self.accesses[Access(buffer, kind, bits * places.shape[1])]
        elements = distinct_per_warp(places, active)
        found.requests += int((elements > 0).sum())
        found.sectors += int(distinct_per_warp(places * bits // SECTOR_BITS, active).sum())
        found.transactions += int(distinct_per_warp(places * bits // LINE_BITS, active).sum())
        found.least_sectors += int((-(-elements * bits // SECTOR_BITS)).sum())
        sectors = np.unique(places[active] * bits // SECTOR_BITS)
        self.touched[buffer] = np.union1d(self.touched.get(buffer, sectors), sectors)


def distinct_per_warp(values: Array, active: Array) -> Array:
    """
    How many distinct values each warp has among those that are `active`.

    Both are arrays [threads, values of a thread]; the last warp may have fewer threads. Values are not negative.
    """
    padding = ((0, -len(values) % WARP_SIZE), (0, 0))
    padded = np.pad(np.where(active, values, -1), padding, constant_values=-1)
    ordered = np.sort(padded.reshape(-1, WARP_SIZE * values.shape[1]), axis=1)
    is_new = np.diff(ordered, axis=1, prepend=-1) != 0
    return is_new.sum(axis=1)


def wavefronts(words: Array) -> int:
    """
    The wavefronts of an access to these words of shared memory: a bank serves one of its words per wavefront, to all
    threads.

    The minimum for so many words, as for vectors, counts as one.
    """
    distinct = np.unique(words)
    least = max(-(-len(distinct) // BANKS), 1)
    return int(np.bincount(distinct % BANKS).max(initial=1)) - least + 1


def traffic_of_block(module: ModuleOp, arguments: Sequence[Array]) -> tuple[Traffic, int]:
    """The traffic of the first block of the kernel of `module`, and the number of blocks."""
    traffic = Traffic()
    launch = observe_block(module, arguments, traffic.observe)
    return traffic, launch.blocks
