"""
Occupancy: the warps that are resident on a streaming multiprocessor, of those that it has room for.

Registers, shared memory, threads and blocks each limit how many blocks of a kernel are resident. Source: NVIDIA's CUDA
programming guide, "Technical Specifications per Compute Capability"; the granularities are those of its occupancy
calculator.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xshardy.gpus.capability import ComputeCapability, parse_target
from xshardy.gpus.devices import nvidia_device

REGISTERS = 65536
"""32-bit registers per multiprocessor."""
REGISTER_UNIT = 256
"""Registers are allocated to a warp in multiples of this."""
SHARED_UNIT = 128
"""Bytes of shared memory are allocated in multiples of this."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a multiprocessor has room for."""

    blocks: int
    shared_memory: int
    """Bytes for all blocks."""
    reserved: int = 1024
    """Bytes of shared memory of each block that the system uses."""


LIMITS: Mapping[ComputeCapability, Limits] = {
    ComputeCapability(7, 0): Limits(32, 96 << 10, reserved=0),
    ComputeCapability(7, 5): Limits(16, 64 << 10, reserved=0),
    ComputeCapability(8, 0): Limits(32, 164 << 10),
    ComputeCapability(8, 6): Limits(16, 100 << 10),
    ComputeCapability(8, 7): Limits(16, 164 << 10),
    ComputeCapability(8, 9): Limits(24, 100 << 10),
    ComputeCapability(9, 0): Limits(32, 228 << 10),
    ComputeCapability(10, 0): Limits(32, 228 << 10),
    ComputeCapability(12, 0): Limits(24, 100 << 10),
}


@dataclass(frozen=True, slots=True)
class Occupancy:
    """How many blocks and warps are resident, and why not more."""

    blocks: int
    warps: int
    max_warps: int
    limit: str
    """What keeps another block away: "registers", "shared memory", "threads" or "blocks"."""

    @property
    def share(self) -> float:
        """The resident part of the warps, at most 1."""
        return self.warps / self.max_warps


def limits_of(capability: ComputeCapability) -> Limits:
    """The limits of a capability; an unlisted one gets those of the next lower one."""
    return LIMITS[max(known for known in LIMITS if known <= capability)]


def occupancy(target: str, threads: int, registers: int, shared_memory: int) -> Occupancy:
    """
    The occupancy of a kernel on `target` with so many threads per block, registers per thread, and bytes per block.

    Raises `ValueError` if `target` is no NVIDIA target.
    """
    capability = parse_target(target)
    device, limits = nvidia_device(capability), limits_of(capability)
    warps = -(-threads // device.threads_per_warp)
    max_warps = device.threads_per_core // device.threads_per_warp
    registers_of_warp = _rounded(max(registers, 1) * device.threads_per_warp, REGISTER_UNIT)
    shared_of_block = _rounded(shared_memory + limits.reserved, SHARED_UNIT)
    room = {
        "threads": max_warps // warps,
        "blocks": limits.blocks,
        "registers": REGISTERS // registers_of_warp // warps,
        "shared memory": limits.shared_memory // shared_of_block if shared_of_block else limits.blocks,
    }
    limit = min(room, key=room.__getitem__)
    return Occupancy(room[limit], room[limit] * warps, max_warps, limit)


def _rounded(value: int, unit: int) -> int:
    """`value` rounded up to a multiple of `unit`."""
    return -(-value // unit) * unit
