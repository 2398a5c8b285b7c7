"""
Launch dimensions of loop fusions: threads per block, blocks, and elements per thread.

Source: XLA:GPU's rules, which match recorded launches of kernels that XLA compiled for an H100; XGPU-31.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Attribute, Operation

from xshardy.dialects.stablehlo.contraction import DotGeneralOp
from xshardy.dialects.stablehlo.reduction import ReduceOp
from xshardy.dialects.stablehlo.shape import ConcatenateOp
from xshardy.emitters.elemental.kinds import bits_in_memory
from xshardy.gpus.devices import Device


@dataclass(frozen=True, slots=True)
class LaunchDimensions:
    """
    A grid of `blocks` along x and y, each of `threads` along x; each thread computes `unroll` consecutive elements.

    There are `groups` such grids along z, each for another group of results. In a loop over elements, a thread computes
    `pieces` such vectors; its next one is where that of the thread with the same number, `apart` blocks further, would
    be with one vector per thread.
    """

    threads: int
    blocks: tuple[int, int]
    unroll: int = 1
    groups: int = 1
    pieces: int = 1
    apart: int = 1

    @property
    def block_size(self) -> tuple[int, int, int]:
        """Threads of a block along x, y and z."""
        return self.threads, 1, 1

    @property
    def grid_size(self) -> tuple[int, int, int]:
        """Blocks of the grid along x, y and z."""
        return *self.blocks, self.groups


WARPS_PER_BLOCK = 4
"""A core has four warp schedulers."""
MAX_UNROLL = 4
"""Elements per thread, for accesses of up to 16 bytes."""
MAX_CONCATENATED = 10
"""Unrolling a concatenation of more operands spills registers."""


def prevents_vectorization(ops: Iterable[Operation]) -> bool:
    """
    Whether unrolling slows down a fusion of `ops`: dot products and variadic reductions carry many values in their
    loops.
    """
    return any(
        isinstance(op, DotGeneralOp)
        or (isinstance(op, ReduceOp) and len(op.inputs) > 1)
        or (isinstance(op, ConcatenateOp) and len(op.inputs) > MAX_CONCATENATED)
        for op in ops
    )


def unroll_factor(elements: int, element_types: Iterable[Attribute], ops: Iterable[Operation], device: Device) -> int:
    """
    The number of consecutive output elements per thread: 1, 2 or 4, a divisor of `elements`.

    It is 1 if there are fewer elements than threads on the device. Elements of less than a byte need at least a byte's
    worth per thread, even if that is no divisor: two threads must not write to one byte.
    """
    factor = 1
    if elements >= device.cores * device.threads_per_core and not prevents_vectorization(ops):
        factor = next(n for n in (MAX_UNROLL, 2, 1) if elements % n == 0)
    return max(factor, -(-8 // min(map(bits_in_memory, element_types))))


def loop_launch_dimensions(
    shape: Sequence[int], element_types: Iterable[Attribute], ops: Iterable[Operation], device: Device | None = None
) -> LaunchDimensions:
    """
    The launch dimensions of a loop over the elements of `shape` that writes elements of `element_types`.

    Blocks have four warps, or fewer threads for small shapes. Blocks beyond the grid limit along x continue along y. An
    empty shape gets one thread.
    """
    device = device or Device()
    unroll = unroll_factor(prod(shape), element_types, ops, device)
    return unrolled_launch(prod(shape), unroll, device)


def unrolled_launch(elements: int, unroll: int, device: Device) -> LaunchDimensions:
    """A launch with at least one thread, of as many threads as `elements` need at `unroll` elements each."""
    if elements <= 1:
        return LaunchDimensions(1, (1, 1), unroll)
    work = -(-elements // unroll)
    threads = min(WARPS_PER_BLOCK * device.threads_per_warp, work)
    return LaunchDimensions(threads, grid_of(-(-work // threads), device), unroll)


def grid_of(blocks: int, device: Device) -> tuple[int, int]:
    """At least `blocks` blocks along x and y: blocks beyond the grid limit along x continue along y."""
    blocks_y = max(1, -(-blocks // device.max_blocks_x))
    return -(-blocks // blocks_y), blocks_y
