"""
Memory traffic: requests of warps, the sectors that they move, and conflicts of the banks of shared memory.

The threads of a warp access memory together: a request per instruction. Memory moves sectors of 32 bytes. Shared memory
has 32 banks of 4 bytes; an access of 8 or 16 bytes per thread is served by halves or quarters of the warp. Source:
CUDA's programming guide, "Device Memory Accesses" and "Shared Memory".
"""

from dataclasses import dataclass, field

import numpy as np

from xshardy.gpus.sizes import BANK_BYTES, BANKS, SECTOR_BYTES, WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.instructions.table import row_of
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.memory import SHARED, Access, AccessKind, BulkAccess
from xshardy.ptx.products import PRODUCTS_OF_SUM
from xshardy.ptx.tensor_memory import TENSOR

UNCOUNTED = ("the parameters",)
SECTOR_BITS = 35
"""A region has fewer than 2 to this power sectors."""


@dataclass(slots=True)
class Requests:
    """The requests of an instruction to one region."""

    region: str
    kind: AccessKind
    bytes: int
    """Per thread."""
    requests: int = 0
    sectors: int = 0
    """Of global and local memory."""
    least_sectors: int = 0
    """The sectors that could hold the accessed bytes if these lay together."""
    wavefronts: int = 0
    """Of shared memory: how often its banks are accessed."""
    least_wavefronts: int = 0
    """The wavefronts without conflicts."""


Key = tuple[int, str, AccessKind]
"""The line of an instruction, the region that it accesses, and how."""


@dataclass(slots=True)
class Traffic:
    """The requests of a run."""

    found: dict[Key, Requests] = field(default_factory=dict[Key, Requests])
    touched: dict[str, list[Array]] = field(default_factory=dict[str, list[Array]])
    """Of each region of global memory, for each request the sectors of each block, each once: [blocks and sectors]."""
    products: int = 0
    """Products of `tcgen05.mma`, whose shape is in a register; see `products_of`."""

    def __call__(self, lanes: Lanes, access: Access | BulkAccess) -> None:
        """Count the requests of one instruction."""
        if isinstance(access, BulkAccess):
            self._bulk(lanes, access)
            return
        part, size, region = access.part, access.size, access.part.region.name
        if region in UNCOUNTED:
            return
        key = (access.instruction.line, region, access.kind)
        found = self.found.setdefault(key, Requests(region, access.kind, size))
        active = lanes.warps(lanes.active_mask() if part.mask is None else part.mask).reshape(-1, WARP_SIZE)
        places = lanes.warps(part.full_offsets(lanes)).reshape(-1, WARP_SIZE)
        found.requests += int(active.any(axis=1).sum())
        if region == SHARED:
            wavefronts, least = shared_wavefronts(places, active, size)
            found.wavefronts += wavefronts
            found.least_wavefronts += least
            return
        first, last = places // SECTOR_BYTES, (places + (size - 1)) // SECTOR_BYTES
        sectors = first if size <= SECTOR_BYTES else np.concatenate([first, last], axis=1)
        mask = active if size <= SECTOR_BYTES else np.concatenate([active, active], axis=1)
        found.sectors += int(distinct(sectors, mask).sum())
        if region != "local memory":
            self.touched.setdefault(region, []).append(self._sectors_of_blocks(lanes, sectors, mask))
        bytes = distinct(places // size, active) * size
        found.least_sectors += int((-(-bytes // SECTOR_BYTES)).sum())

    def _bulk(self, lanes: Lanes, access: BulkAccess) -> None:
        """Count the requests of a tensor copy or a product: one of 128 bytes for so many neighbours in its order."""
        size, region = access.size, access.region.name
        if region == TENSOR:
            if access.kind is AccessKind.STORE and row_of(access.instruction).multiplies:
                self.products += len(access.offsets) * PRODUCTS_OF_SUM
            return
        key = (access.instruction.line, region, access.kind)
        found = self.found.setdefault(key, Requests(region, access.kind, size))
        together = max(BANKS * BANK_BYTES // size, 1)
        missing = -len(access.offsets) % together
        places = np.pad(access.offsets, (0, missing)).reshape(-1, together)
        active = np.pad(np.ones(len(access.offsets), np.bool_), (0, missing)).reshape(-1, together)
        found.requests += len(places)
        if region == SHARED:
            found.wavefronts += int(most_in_a_bank(places // BANK_BYTES, active, max(size // BANK_BYTES, 1)).sum())
            found.least_wavefronts += len(places)
            return
        sectors = places // SECTOR_BYTES
        found.sectors += int(distinct(sectors, active).sum())
        found.least_sectors += int((-(-distinct(places, active) * size // SECTOR_BYTES)).sum())
        blocks = lanes.blocks[access.threads // lanes.shape[1]]
        ids = (blocks << SECTOR_BITS) | access.offsets // SECTOR_BYTES
        self.touched.setdefault(region, []).append(np.unique(ids))

    def _sectors_of_blocks(self, lanes: Lanes, sectors: Array, mask: Array) -> Array:
        """The sectors that blocks touch, each once per block: the number of the block, and of the sector."""
        warps = len(sectors) // len(lanes.blocks)
        blocks = np.repeat(lanes.blocks, warps)[:, None]
        return np.unique(((blocks << SECTOR_BITS) | sectors)[mask])

    def least_sectors(self, scale: float) -> float:
        """
        The sectors that global memory moves for the whole grid if caches keep all: estimated for each region.

        If the executed blocks share no sectors, no others are taken to share them, and the number is scaled.
        """
        total = 0.0
        for found in self.touched.values():
            of_blocks = np.unique(np.concatenate(found))
            sectors = np.unique(of_blocks & ((1 << SECTOR_BITS) - 1))
            total += len(sectors) * (scale if len(sectors) == len(of_blocks) else 1.0)
        return total


def distinct(values: Array, active: Array) -> Array:
    """How many distinct values there are in each row among the active ones, which are not negative."""
    ordered = np.sort(np.where(active, values, -1), axis=1)
    return (np.diff(ordered, axis=1, prepend=-1) != 0).sum(axis=1)


def shared_wavefronts(places: Array, active: Array, size: int) -> tuple[int, int]:
    """
    The wavefronts of requests to shared memory, and how many there would be without conflicts.

    `places` are offsets in bytes, [warps, 32]. In a wavefront each bank gives one of its words to all threads.
    """
    words = max(size // BANK_BYTES, 1)
    rows = places.reshape(-1, WARP_SIZE // words)
    mask = active.reshape(rows.shape)
    return int(most_in_a_bank(rows // BANK_BYTES, mask, words).sum()), int(mask.any(axis=1).sum())


def most_in_a_bank(first: Array, mask: Array, words: int) -> Array:
    """
    For each row of requests, the most words of 4 bytes that one bank has to give. A request has so many `words` from
    word `first` on.
    """
    every = (first[:, :, None] + np.arange(words)).reshape(len(first), -1)
    used = np.repeat(mask, words, axis=1)
    ordered = np.sort(np.where(used, every, -1), axis=1)
    is_new = (np.diff(ordered, axis=1, prepend=-1) != 0) & (ordered >= 0)
    row, column = np.nonzero(is_new)
    banks = row * BANKS + ordered[row, column] % BANKS
    return np.bincount(banks, minlength=len(first) * BANKS).reshape(-1, BANKS).max(axis=1)
