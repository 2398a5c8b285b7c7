"""The memory traffic of a block: bytes from and to global memory, and bank conflicts of shared memory."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xshardy.interpreters.element_types import Array, bits_in_memory
from xshardy.interpreters.simt.kernel import observe_block
from xshardy.interpreters.simt.launch import WARP_SIZE
from xshardy.interpreters.simt.machine import Lanes
from xshardy.interpreters.simt.memory import Tensor

BANKS = 32
BANK_BITS = 32


@dataclass(slots=True)
class Traffic:
    """The memory traffic of one block."""

    global_bytes: int = 0
    """Bytes moved between global memory and threads, regardless of caches."""
    shared_accesses: int = 0
    """Loads and stores of shared memory, counted per warp."""
    shared_wavefronts: int = 0
    """Shared memory wavefronts of these accesses: one each without bank conflicts."""

    @property
    def conflicts(self) -> float:
        """The average number of extra wavefronts per access."""
        return self.shared_wavefronts / self.shared_accesses - 1 if self.shared_accesses else 0.0

    def observe(self, lanes: Lanes, op: Operation, tensor: Tensor, where: Array, mask: Array) -> None:
        """Count an access."""
        bits = bits_in_memory(tensor.buffer.data.dtype)
        active = np.broadcast_to(mask.reshape(mask.shape[:2]), lanes.shape)
        places = np.broadcast_to(where, lanes.shape + where.shape[2:]).reshape(active.size, -1)
        active = active.reshape(-1)
        if tensor.buffer.elements_per_block is None:
            self.global_bytes += int(active.sum()) * places.shape[1] * bits // 8
            return
        words = places[:, :, None] * bits // BANK_BITS + np.arange(max(bits // BANK_BITS, 1))
        for first in range(0, active.size, WARP_SIZE):
            warp = slice(first, first + WARP_SIZE)
            if active[warp].any():
                self.shared_accesses += 1
                self.shared_wavefronts += wavefronts(words[warp][active[warp]])


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
