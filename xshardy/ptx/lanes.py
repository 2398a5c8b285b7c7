"""The threads of some blocks while they run: their registers, and which of them are active."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager

import numpy as np

from xshardy.gpus.launch import AXES, Launch, along_axis
from xshardy.gpus.sizes import WARP_SIZE
from xshardy.numerics.element_types import Array
from xshardy.ptx.clocks import Clocks, Engine
from xshardy.ptx.clusters import Clusters
from xshardy.ptx.orders import Order
from xshardy.ptx.special_registers import CLOCKS, ZEROS

TICKS = 1000
"""Between two readings of clocks, so that loops that wait for a time end soon."""


class Lanes:
    """
    The threads of the blocks that are executed together.

    Arrays are [blocks, threads of a block]; where all blocks, or all threads, have the same value, that dimension may
    be 1.
    """

    def __init__(self, launch: Launch, blocks: Sequence[int], clusters: Clusters | None = None):
        self.launch = launch
        self.clusters = clusters or Clusters(launch.grid)
        self.blocks = np.asarray(blocks, np.int64)
        """The numbers of the blocks in the grid; those of a cluster are all there, one after another."""
        self.shape = (len(self.blocks), launch.threads)
        self.registers: list[Array] = []
        self.mask: Array | None = None
        """The threads that execute the current instruction, an array of the full shape; None for all."""
        self.cluster_arrivals = np.zeros(self.shape, np.int32)
        """How often each thread has arrived at the barrier of its cluster."""
        self.cluster_waits = np.zeros(self.shape, np.int32)
        """How often each thread has left that barrier."""
        self.exited = np.zeros(self.shape, np.bool_)
        self.clocks: Clocks | None = None
        """None unless the order of accesses is checked."""
        self.engine: int = Engine.THREADS
        """Who accesses memory for the active threads."""
        self.time = 0
        """What clocks show, in cycles and in nanoseconds."""
        self.launched: Mapping[str, int] = {}
        """The special registers that the launch decides."""

    @property
    def whole(self) -> "Lanes":
        """All threads that are executed together, if these are a selection of them."""
        return self

    def prepare(self, slots: Iterable[int]) -> None:
        """Have registers ready that are read or written next."""

    def prepared(self) -> Mapping[int, Array]:
        """The registers that are ready, by their slots."""
        return dict(enumerate(self.registers))

    def mask_in_whole(self, mask: Array) -> Array:
        """A mask of these threads as one of `whole`."""
        return mask

    def numbers(self, places: Array) -> Array:
        """The numbers of threads in `whole`, for their places in a flattened array of these."""
        return places

    def places(self, numbers: Array) -> Array:
        """The inverse of `numbers`."""
        return numbers

    def of_owners(self, values: Array) -> Array:
        """Values of the blocks, or of the threads, of `whole`: those of these threads."""
        return values

    def write(self, slot: int, bits: Array) -> None:
        """Set a register of the active threads."""
        if self.mask is not None:
            bits = np.where(self.mask, bits, self.registers[slot])
        self.registers[slot] = bits

    def active(self, values: Array) -> Array:
        """The values of the active threads: as they are if all are active, else an array [active threads]."""
        if self.mask is None:
            return values
        return np.broadcast_to(values, self.shape)[self.mask]

    def scattered(self, values: Array) -> Array:
        """The inverse of `active`; inactive threads get 0."""
        if self.mask is None:
            return values
        result = np.zeros(self.shape, values.dtype)
        result[self.mask] = values
        return result

    def active_mask(self) -> Array:
        """The mask as an array of the full shape."""
        return np.ones(self.shape, np.bool_) if self.mask is None else self.mask

    def clock(self, name: str) -> Array:
        """The value of a clock: all have gone on by `TICKS` since one was read."""
        self.time += TICKS
        bits = CLOCKS[name]
        return np.array([[self.time >> 32 if name.endswith("_hi") else self.time % (1 << bits)]], f"u{bits // 8}")

    def special(self, name: str) -> Array:
        """The value of a special register that is no clock."""
        if name in self.launched or name in ZEROS:
            return np.array([[self.launched.get(name, 0)]])
        prefix, _, axis = name.removeprefix("%").partition(".")
        threads = np.arange(self.launch.threads)[None, :]
        if axis:
            number = AXES.index(axis)
            values: Mapping[str, Array] = {
                "tid": along_axis(threads, self.launch.block, number),
                "ntid": np.array([[self.launch.block[number]]]),
                "ctaid": along_axis(self.blocks[:, None], self.launch.grid, number),
                "nctaid": np.array([[self.launch.grid[number]]]),
                "clusterid": self.clusters.cluster_of(self.blocks[:, None], number),
                "nclusterid": np.array([[self.launch.grid[number] // self.clusters.shape[number]]]),
                "cluster_ctaid": self.clusters.place_of(self.blocks[:, None], number),
                "cluster_nctaid": np.array([[self.clusters.shape[number]]]),
            }
            return values[prefix]
        lane = threads % WARP_SIZE
        one = np.uint64(1)
        bit = one << lane.astype(np.uint64)
        values = {
            "laneid": lane,
            "warpid": threads // WARP_SIZE,
            "nwarpid": np.array([[-(-self.launch.threads // WARP_SIZE)]]),
            "smid": np.zeros((1, 1)),
            "nsmid": np.ones((1, 1)),
            "cluster_ctarank": self.ranks_in_clusters(),
            "cluster_nctarank": np.array([[self.clusters.size]]),
            "lanemask_eq": bit,
            "lanemask_lt": bit - one,
            "lanemask_le": (bit - one) | bit,
            "lanemask_gt": ~((bit - one) | bit) & np.uint64(0xFFFFFFFF),
            "lanemask_ge": ~(bit - one) & np.uint64(0xFFFFFFFF),
        }
        return values[prefix]

    def ranks_in_clusters(self) -> Array:
        """The rank of each block in its cluster: an array [blocks, 1]."""
        return np.arange(self.shape[0])[:, None] % self.clusters.size

    def ranks(self, order: Order) -> Array:
        """The rank of each thread in an order: an array of the full shape."""
        of_warps = order.ranks(self.blocks.tolist(), -(-self.launch.threads // WARP_SIZE))
        return self.of_warps(np.repeat(of_warps[..., None], WARP_SIZE, axis=-1))

    @contextmanager
    def working(self, engine: int) -> Generator[None]:
        """Within the context, accesses are those of an engine of the active warps."""
        if self.clocks is not None:
            self.clocks.start(self.active_mask(), engine)
        before, self.engine = self.engine, engine
        try:
            yield
        finally:
            self.engine = before

    def warps(self, values: Array, fill: int = 0, size: int = WARP_SIZE) -> Array:
        """`values` by warp: an array [blocks, warps, size]; a last warp with fewer threads is filled up."""
        full = np.broadcast_to(values, self.shape)
        missing = -self.launch.threads % size
        if missing:
            full = np.pad(full, ((0, 0), (0, missing)), constant_values=fill)
        return full.reshape(self.shape[0], -1, size)

    def of_warps(self, values: Array) -> Array:
        """The inverse of `warps`."""
        return values.reshape(self.shape[0], -1)[:, : self.launch.threads]

    def place(self, block: int, thread: int) -> str:
        """A thread in words; `block` is the number among those executed together."""
        return self.launch.place(int(self.blocks[block]) * self.launch.threads + thread)
