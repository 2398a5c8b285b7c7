"""
The state spaces: where an address points to, and loads and stores of many threads at once.

An address has 64 bits. Each global buffer has a range of 2**40 bytes, at the start of which it lies; shared, local and
parameter memory have a range each for generic addresses. Addresses in these spaces themselves begin at 0. An address of
shared memory has, from bit `RANK_BITS` on, 0 for the block of the thread, or `NAMED` and the rank of a block of its
cluster. What a variable in shared memory gives in a cluster has the own rank: CUTLASS and Triton clear its lowest bit
to get the address in the first block of a pair.
Source: PTX ISA, "State Spaces", "Generic Addressing", "mapa".
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.faults import FaultKind, Faults
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.mbarriers import MBARRIER_BYTES, Mbarriers
from xshardy.ptx.module import Instruction
from xshardy.ptx.tensor_memory import TENSOR, TensorMemory
from xshardy.ptx.textures import BoundTexture
from xshardy.ptx.types import STORAGE

RANGE_BITS = 40
"""Each buffer begins at a multiple of 2 to this power."""
WINDOWS: Mapping[str, int] = {"shared": 1 << 60, "local": 2 << 60, "param": 3 << 60}
"""Where the generic addresses of a space begin."""
RANK_BITS = 24
"""More than the bits of an offset in shared memory."""
NAMED = 0x40
"""Not the highest of 8 bits: addresses of 32 bits are positive."""
SHARED = "shared memory"
LARGEST_ACCESS = 16
WORDS: Mapping[int, np.dtype[np.generic]] = {size: STORAGE[8 * size] for size in (1, 2, 4, 8, LARGEST_ACCESS)}
"""What holds so many bytes in an array."""


class AccessKind(Enum):
    """What an instruction does at an address."""

    LOAD = "load"
    STORE = "store"
    ATOMIC = "atomic"


class Region:
    """Bytes that lie together: a buffer, or a space of all threads that are executed together."""

    def __init__(self, name: str, size: int, data: Array | None = None):
        self.name, self.size = name, size
        """The size in bytes."""
        self.data = _padded(size) if data is None else data
        self._views = {size: self.data.view(word) for size, word in WORDS.items()}

    def load(self, offsets: Array, size: int) -> Array:
        """Words of `size` bytes at `offsets`, which are multiples of it and in bounds."""
        return self._views[size].take(offsets >> (size.bit_length() - 1))

    def store(self, offsets: Array, words: Array) -> None:
        """Set words; of several at one place, the last."""
        size = words.dtype.itemsize
        self._views[size][offsets >> (size.bit_length() - 1)] = words


def _padded(size: int) -> Array:
    """Zeros, and behind them what is missing to a multiple of the widest words; no kernel may use these bytes."""
    data = np.zeros(-(-size // LARGEST_ACCESS) * LARGEST_ACCESS, np.uint8)
    data[size:] = 0xFF
    return data


class Boundless(Region):
    """A buffer that is as large as accesses need: addresses beyond `KEPT` bytes share memory with earlier ones."""

    KEPT = 1 << 26

    def __init__(self, name: str):
        super().__init__(name, 1 << (RANGE_BITS - 1), np.zeros(self.KEPT, np.uint8))

    def load(self, offsets: Array, size: int) -> Array:
        return super().load(offsets & (self.KEPT - 1), size)

    def store(self, offsets: Array, words: Array) -> None:
        super().store(offsets & (self.KEPT - 1), words)


@dataclass(frozen=True, slots=True)
class Part:
    """The threads of an instruction that access one region."""

    region: Region
    offsets: Array
    """In bytes: of all threads (dimensions may be 1), or with a mask an array [active threads]."""
    mask: Array | None
    """None for all threads."""

    def full_offsets(self, lanes: Lanes) -> Array:
        """The offsets as an array of the full shape; 0 for inactive threads."""
        if self.mask is None:
            return np.broadcast_to(self.offsets, lanes.shape)
        result = np.zeros(lanes.shape, np.int64)
        result[self.mask] = self.offsets
        return result


@dataclass(frozen=True, slots=True)
class Access:
    """What the threads of `part` do at once, each with `size` bytes."""

    kind: AccessKind
    instruction: Instruction
    part: Part
    size: int
    words: Sequence[Array] | None
    """Of a store, the words that each thread stores."""

    @property
    def region(self) -> Region:
        return self.part.region

    def accessed(self, lanes: Lanes) -> tuple[Array, Array]:
        """The number of the thread among those executed together, and the offset, of each access of `size` bytes."""
        mask, offsets = self.part.mask, self.part.offsets
        if mask is None:
            return lanes.numbers(np.arange(lanes.shape[0] * lanes.shape[1])), _flat(offsets, lanes.shape)
        places = mask.reshape(-1).nonzero()[0]
        return lanes.numbers(places), _flat(offsets, places.shape)


def _flat(values: Array, shape: tuple[int, ...]) -> Array:
    return (values if values.shape == shape else np.broadcast_to(values, shape)).reshape(-1)


@dataclass(frozen=True, slots=True)
class BulkAccess:
    """Accesses of `size` bytes each, of which one thread may have many: those of tensor copies and `wgmma`."""

    kind: AccessKind
    instruction: Instruction
    region: Region
    threads: Array
    """For each access, the number of the thread among those executed together."""
    offsets: Array
    """In bytes, of each access."""
    size: int
    words: Sequence[Array] | None = None

    def accessed(self, lanes: Lanes) -> tuple[Array, Array]:
        """The thread and the offset of each access."""
        return self.threads, self.offsets


Observer = Callable[[Lanes, Access | BulkAccess], None]
"""Called for every access, before it happens."""


@dataclass(frozen=True, slots=True)
class Place:
    """A region as a range of addresses."""

    region: Region
    base: int
    bound: int
    """The bytes that a thread may access from the base on."""
    starts: Array | None = None
    """Where the bytes of each thread begin in the region; None if all threads share them."""

    @property
    def is_shared(self) -> bool:
        """Whether it is shared memory."""
        return self.region.name == SHARED

    def in_region(self, lanes: Lanes, offsets: Array, threads: Array) -> Array:
        """Where bytes of `threads`, numbers of threads of all blocks, are in the region; their blocks may be others."""
        if self.starts is None:
            return offsets.astype(np.int64)
        if not self.is_shared:
            return offsets.astype(np.int64) + self.starts.reshape(-1)[threads]
        own = threads // lanes.launch.threads
        rank = own % lanes.clusters.size
        block = own - rank + ranks_of(offsets, rank)
        return (offsets & np.uint64((1 << RANK_BITS) - 1)).astype(np.int64) + self.starts.reshape(-1)[block]

    def outside(self, lanes: Lanes, offsets: Array, least: int) -> Array:
        """Whether each of `offsets` has fewer than `least` bytes behind it."""
        if self.is_shared:
            rank = offsets >> np.uint64(RANK_BITS)
            far = (rank != 0) & (rank - np.uint64(NAMED) >= np.uint64(lanes.clusters.size))
            return far | ((offsets & np.uint64((1 << RANK_BITS) - 1)) + np.uint64(least) > np.uint64(self.bound))
        return offsets > np.uint64(self.bound - least) if self.bound >= least else np.ones_like(offsets, np.bool_)


class Memory:
    """All spaces of the threads that are executed together. Global memory is shared with other such groups."""

    def __init__(
        self,
        buffers: Sequence[Region],
        parameters: Region,
        faults: Faults,
        observers: Sequence[Observer] = (),
        vectors_end_in_bounds: bool = False,
    ):
        self.faults = faults
        self.observers = observers
        self.vectors_end_in_bounds = vectors_end_in_bounds
        self.changes = 0
        """How many stores there were, and atomic updates that changed something."""
        bases = enumerate(buffers, start=1)
        self._places = {number: Place(buffer, number << RANGE_BITS, buffer.size) for number, buffer in bases}
        self._spaces = {"param": Place(parameters, 0, parameters.size)}
        self.mbarriers = Mbarriers(0)
        self.tensor = TensorMemory(0)
        self._tensor_region: Region | None = None
        self.textures: Mapping[int, BoundTexture] = {}
        """By the handle of the texture or surface."""
        self.constants: Collection[int] = ()
        """The addresses of the variables in constant memory, which is global memory otherwise."""

    def allocate(self, lanes: Lanes, shared: int, local: int) -> None:
        """Get `shared` bytes of shared memory per block and `local` ones of local memory per thread."""
        for space, size, owners in (("shared", shared, (lanes.shape[0], 1)), ("local", local, lanes.shape)):
            stride = -(-size // LARGEST_ACCESS) * LARGEST_ACCESS
            starts = np.arange(owners[0] * owners[1]).reshape(owners) * stride  # bytes of a thread or block
            self._spaces[space] = Place(Region(f"{space} memory", starts.size * stride), 0, size, starts)
        for space, window in WINDOWS.items():
            self._places[window >> RANGE_BITS] = replace(self._spaces[space], base=window)
        self.mbarriers = Mbarriers(self._spaces["shared"].region.size // MBARRIER_BYTES)
        self.tensor, self._tensor_region = TensorMemory(lanes.shape[0]), None

    def spaces(self) -> "Spaces":
        """The spaces that `allocate` has made."""
        return Spaces({**self._spaces}, {**self._places}, self.mbarriers, self.tensor, self._tensor_region)

    def restore(self, spaces: "Spaces") -> None:
        """Use spaces that `allocate` has made before."""
        self._spaces, self._places, self.mbarriers = {**spaces.named}, {**spaces.places}, spaces.mbarriers
        self.tensor, self._tensor_region = spaces.tensor, spaces.tensor_region

    @property
    def tensor_region(self) -> Region:
        """Tensor memory as a region whose units are cells, not bytes."""
        if self._tensor_region is None:
            self._tensor_region = Region(TENSOR, self.tensor.cells.size, self.tensor.cells)
        return self._tensor_region

    def place_of(self, space: str, key: int) -> Place | None:
        """The place of a state space, or for generic addresses of a range by its number; None if nothing is there."""
        return self._spaces.get(space) or self._places.get(key)

    def parts(
        self,
        lanes: Lanes,
        kind: AccessKind,
        instruction: Instruction,
        space: str,
        addresses: Array,
        size: int,
        words: Sequence[Array] | None = None,
        least: int | None = None,
    ) -> Iterator[Part]:
        """
        The regions that the active threads access at `addresses`, `size` bytes each; `space` is empty for generic ones.
        Stores say which `words` each thread stores. Only the first `least` bytes must be in bounds, if it is given.

        Threads whose access is a fault are left out, if faults are collected.
        """
        for part in self._resolved(lanes, instruction, space, addresses, (size, least or size), lanes.mask):
            self._observe(lanes, Access(kind, instruction, part, size, words))
            yield part

    def loaded(
        self, lanes: Lanes, instruction: Instruction, space: str, addresses: Array, size: int, least: int
    ) -> Part | None:
        """The one part of a load, as `parts` gives it; None if there are several, or faults."""
        part = self._whole(lanes, space, addresses, (size, least), lanes.mask)
        if part is not None and self.observers:
            self._observe(lanes, Access(AccessKind.LOAD, instruction, part, size, None))
        return part

    def _observe(self, lanes: Lanes, access: Access) -> None:
        if self.observers and access.kind is AccessKind.STORE and access.region.name == SHARED:
            self._check_objects(lanes, access.instruction, access.part, access.size)
        for observer in self.observers:
            observer(lanes, access)

    def _whole(
        self, lanes: Lanes, space: str, addresses: Array, sizes: tuple[int, int], mask: Array | None
    ) -> Part | None:
        """The part of all threads of a mask if their accesses are right, and those of one region."""
        active = _active(lanes, addresses, mask)
        if active.size == 0:
            return None
        place = self.place_of(space, key_of(active.item(0)))
        if place is None:
            return None
        offsets = active - np.uint64(place.base) if place.base else active
        bits = int(np.bitwise_or.reduce(offsets, None))
        is_inside = bits + sizes[1] <= place.bound or int(np.maximum.reduce(offsets, None)) + sizes[1] <= place.bound
        if bits & (sizes[0] - 1) or not is_inside:
            return None
        return Part(place.region, _in_region(place, lanes, offsets, mask), mask)

    def _check_objects(self, lanes: Lanes, instruction: Instruction, part: Part, size: int) -> None:
        """Report a store to an `mbarrier`: its memory is free for other uses behind `mbarrier.inval`."""
        if instruction.opcode.startswith("mbarrier.") or not self.mbarriers.is_valid.any():
            return
        offsets, threads = part.full_offsets(lanes), lanes.active_mask() if part.mask is None else part.mask
        first, last = offsets // MBARRIER_BYTES, (offsets + size - 1) // MBARRIER_BYTES
        wrong = threads & (self.mbarriers.is_valid[first] | self.mbarriers.is_valid[last])
        if wrong.any():
            what = "stores to an mbarrier that nobody has invalidated"
            self.faults.report(FaultKind.MBARRIER, instruction.line, lanes, wrong, lambda _: what)

    def _resolved(
        self,
        lanes: Lanes,
        instruction: Instruction,
        space: str,
        addresses: Array,
        sizes: tuple[int, int],
        mask: Array | None,
    ) -> Iterator[Part]:
        part = self._whole(lanes, space, addresses, sizes, mask)
        if part is not None:
            yield part
            return
        active = _active(lanes, addresses, mask)
        if active.size == 0:
            return
        place = self.place_of(space, key_of(active.item(0)))
        keys = keys_of(active) if space not in self._spaces else np.zeros(1, np.uint64)
        if keys.min() != keys.max():
            for key in np.unique(keys):
                chosen = _among(lanes, mask, keys == key)
                yield from self._resolved(lanes, instruction, space, addresses, sizes, chosen)
            return
        if place is not None and place.is_shared and self._of_clusters(lanes, place, active, sizes):
            threads = np.flatnonzero(np.ones(lanes.shape, np.bool_) if mask is None else mask)
            everywhere = np.broadcast_to(addresses, lanes.shape) - np.uint64(place.base)
            offsets = place.in_region(lanes, everywhere.reshape(-1)[threads], lanes.numbers(threads))
            yield Part(place.region, offsets, np.ones(lanes.shape, np.bool_) if mask is None else mask)
            return
        good = self._report(lanes, instruction, place, addresses, sizes, mask)
        if good.any():
            yield from self._resolved(lanes, instruction, space, addresses, sizes, good)

    def _of_clusters(self, lanes: Lanes, place: Place, active: Array, sizes: tuple[int, int]) -> bool:
        """Whether addresses are right, and some of them name a block by its rank."""
        offsets = active - np.uint64(place.base)
        named = offsets >> np.uint64(RANK_BITS)
        crooked = np.bitwise_or.reduce(offsets, None) & (sizes[0] - 1)
        return bool(named.any()) and not crooked and not place.outside(lanes, offsets, sizes[1]).any()

    def _report(
        self,
        lanes: Lanes,
        instruction: Instruction,
        place: Place | None,
        addresses: Array,
        sizes: tuple[int, int],
        mask: Array | None,
    ) -> Array:
        """Report the faults of an access to one region; the mask of the threads that do it right."""
        size, least = sizes

        def full(values: Array) -> Array:
            everywhere = np.array(np.broadcast_to(values, lanes.shape))
            return everywhere if mask is None else everywhere & mask

        def value(thread: int) -> int:
            return int(np.broadcast_to(addresses, lanes.shape).flat[thread])

        line, report = instruction.line, self.faults.report
        if place is None:
            everything = full(np.ones((1, 1), np.bool_))
            report(
                FaultKind.OUT_OF_BOUNDS, line, lanes, everything, lambda t: f"accesses address {value(t):#x}: no buffer"
            )
            return np.zeros(lanes.shape, np.bool_)
        offsets = addresses - np.uint64(place.base)
        outside = full(place.outside(lanes, offsets, least))
        crooked = full(offsets & np.uint64(size - 1) != 0) & ~outside

        def at(thread: int) -> str:
            offset = value(thread) - place.base
            where = f"byte {offset}" if offset >= 0 else f"{-offset} bytes before the first byte"
            return f"accesses {size} bytes at {where} of {place.region.name}"

        if outside.any():
            report(FaultKind.OUT_OF_BOUNDS, line, lanes, outside, lambda t: f"{at(t)}, which has {place.bound}")
        if crooked.any():
            report(FaultKind.MISALIGNED, line, lanes, crooked, lambda t: f"{at(t)}, no multiple of {size}")
        return full(np.ones((1, 1), np.bool_)) & ~outside & ~crooked


def ranks_of(addresses: Array, own: Array) -> Array:
    """The ranks of the blocks that addresses of shared memory name; `own` for those that name none."""
    named = (addresses >> addresses.dtype.type(RANK_BITS) & addresses.dtype.type(0xFF)).astype(np.int64)
    return np.where(named == 0, own, named - NAMED)


def in_block(addresses: Array, ranks: Array) -> Array:
    """Addresses of shared memory in the blocks of some ranks."""
    number = addresses.dtype.type
    keep = ~(number(0xFF) << number(RANK_BITS))
    return addresses & keep | (ranks.astype(addresses.dtype) + number(NAMED)) << number(RANK_BITS)


@dataclass(frozen=True, slots=True)
class Spaces:
    """What some blocks have beside global memory."""

    named: Mapping[str, Place]
    places: Mapping[int, Place]
    mbarriers: Mbarriers
    tensor: TensorMemory
    tensor_region: Region | None


def keys_of(addresses: Array) -> Array:
    """The number of the range that each address is in, or shortly before."""
    return (addresses + np.uint64(1 << (RANGE_BITS - 1))) >> np.uint64(RANGE_BITS)


def key_of(address: np.uint64 | int) -> int:
    """The same of one address."""
    return (int(address) + (1 << (RANGE_BITS - 1))) % (1 << 64) >> RANGE_BITS


def _active(lanes: Lanes, values: Array, mask: Array | None) -> Array:
    """The values of the threads of a mask; as they are for all threads."""
    if mask is None:
        return values
    return (values if values.shape == mask.shape else np.broadcast_to(values, lanes.shape))[mask]


def _among(lanes: Lanes, mask: Array | None, chosen: Array) -> Array:
    """The mask of the full shape of those active threads that are `chosen`, an array over the active ones."""
    if mask is None:
        return np.array(np.broadcast_to(chosen, lanes.shape))
    result = np.zeros(lanes.shape, np.bool_)
    result[mask] = chosen
    return result


def _in_region(place: Place, lanes: Lanes, offsets: Array, mask: Array | None) -> Array:
    """Where offsets of threads are in the bytes of the region."""
    places = offsets.view(np.int64)
    if place.starts is None:
        return places
    starts = lanes.of_owners(place.starts)
    return places + (starts if mask is None else np.broadcast_to(starts, lanes.shape)[mask])
