"""
The GPU for a compute capability.

Source: NVIDIA's CUDA programming guide, "Technical Specifications per Compute Capability", data sheets, and PTX ISA,
`ld` (256 bits from sm_100 on). For each capability, the common GPU with the most cores.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xshardy.gpus.capability import ComputeCapability


@dataclass(frozen=True, slots=True)
class Device:
    """The properties of a GPU that launch dimensions depend on; the defaults are an H100's."""

    cores: int = 132
    """Streaming multiprocessors."""
    threads_per_core: int = 2048
    """Resident threads per core."""
    threads_per_warp: int = 32
    max_blocks_x: int = 2**31 - 1
    transposed_rows: int = 4
    """The rows of a tile that the threads of a block move at a time, in transposes. A choice of XLA's."""
    transposed_bytes: int = 4
    """The longest vectors of elements in tiles of transposes. A choice of XLA's."""
    widest_access: int = 128
    """The widest load or store of a thread, in bits."""


DEVICES: Mapping[ComputeCapability, Device] = {
    ComputeCapability(7, 0): Device(cores=80, threads_per_core=2048),  # V100
    ComputeCapability(7, 5): Device(cores=40, threads_per_core=1024),  # T4
    ComputeCapability(8, 0): Device(cores=108, threads_per_core=2048),  # A100
    ComputeCapability(8, 6): Device(cores=84, threads_per_core=1536),  # RTX A6000
    ComputeCapability(8, 7): Device(cores=16, threads_per_core=1536),  # Jetson AGX Orin
    ComputeCapability(8, 9): Device(cores=142, threads_per_core=1536),  # L40
    ComputeCapability(9, 0): Device(cores=132, threads_per_core=2048),  # H100
    ComputeCapability(10, 0): Device(cores=148, threads_per_core=2048, widest_access=256),  # B200
    ComputeCapability(12, 0): Device(cores=188, threads_per_core=1536, widest_access=256),  # RTX PRO 6000
    ComputeCapability(12, 1): Device(cores=48, threads_per_core=1536, widest_access=256),  # GB10
}


def nvidia_device(capability: ComputeCapability) -> Device:
    """The device of a capability; an unlisted one gets the device of the next lower one."""
    return DEVICES[max(known for known in DEVICES if known <= capability)]
