"""
What a compilation target is: a row of facts about a GPU, of either vendor, by the name that LLVM has for it.

NVIDIA's rows follow from the compute capability in the name, `sm_90`. AMD's names, `gfx942`, follow no rule, and are in
a table. Sources: "AMD GPU specifications" of ROCm's documentation (compute units, waves); HIP's documentation, "Compute
unit mode and workgroup processor mode" (pairs of compute units share blocks, from RDNA on); LLVM's user guide for
AMDGPU. Which additions to memory a GPU has, LLVM's code generator says: a test asks it.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum, auto

from xshardy.gpus.atomics import F32, F64, PAIRS, PAIRS_OF_F16, Atomics, amd_atomics, nvidia_atomics
from xshardy.gpus.capability import ComputeCapability, device_info, parse_device_info, parse_target
from xshardy.gpus.devices import Device, nvidia_device


class Vendor(StrEnum):
    """Whose machine code a target has."""

    NVIDIA = auto()
    AMD = auto()


@dataclass(frozen=True, slots=True)
class GpuTarget:
    """What compilation for a GPU depends on."""

    vendor: Vendor
    device: Device
    """The common GPU of the target with the most cores, for launch dimensions."""
    device_info: str
    """The option `gpu_device_info` of passes, in XLA's spelling."""
    atomics: Atomics
    capability: ComputeCapability | None = None
    """Of NVIDIA's GPUs."""
    moves_lanes: bool = False
    """
    Whether a lane can read the one at a constant distance, in its group of 16 or 32, without an address: AMD's.
    """
    small_floats: Mapping[str, str] = field(default_factory=dict[str, str])
    """The types that AMD's instructions call `fp8` and `bf8`, by that name, where the GPU has these."""
    exchanges_rows: bool = False
    """Whether a lane can read the one at any xor distance below 16 by a modifier of an operand: AMD's, from RDNA on."""

    @property
    def has_libdevice(self) -> bool:
        """Whether NVIDIA's library of functions is for the GPU."""
        return self.vendor is Vendor.NVIDIA

    @property
    def overlaps_kernels(self) -> bool:
        """Whether a kernel can be launched before the one in front of it has ended."""
        return self.capability is not None and self.capability >= PDL_SINCE


PDL_SINCE = ComputeCapability(9)
"""The first generation of NVIDIA's GPUs that has `griddepcontrol`."""

MAX_AMD_BLOCKS = (2**32 - 1) // 1024
"""A dimension of a grid of AMD's has fewer than 2^32 threads; a block has at most 1024."""


FNUZ = {"fp8": "f8E4M3FNUZ", "bf8": "f8E5M2FNUZ"}
OCP = {"fp8": "f8E4M3FN", "bf8": "f8E5M2"}
"""Formats of small floats: AMD's own, and those of the Open Compute Project."""
AMD_SMALL_FLOATS = tuple(OCP)
"""What AMD's instructions call them."""


def _amd(
    name: str,
    cores: int,
    wave: int,
    atomics: Atomics,
    small_floats: Mapping[str, str] | None = None,
    *,
    exchanges_rows: bool,
) -> GpuTarget:
    """A row of an AMD target, whose cores have 2048 threads each in waves of `wave`."""
    device = Device(
        cores=cores,
        threads_per_core=2048,
        threads_per_warp=wave,
        max_blocks_x=MAX_AMD_BLOCKS,
        transposed_rows=8,
        transposed_bytes=16,
    )
    info = f'rocm_compute_capability {{gcn_arch_name: "{name}"}}'
    return GpuTarget(
        Vendor.AMD,
        device,
        info,
        atomics,
        moves_lanes=True,
        small_floats=small_floats or {},
        exchanges_rows=exchanges_rows,
    )


AMD_TARGETS: Mapping[str, GpuTarget] = {
    # MI250X: the 110 compute units of one of its two dies
    "gfx90a": _amd("gfx90a", 110, 64, amd_atomics(*F32, *F64, *PAIRS_OF_F16), exchanges_rows=False),
    # MI300X: 304 compute units
    "gfx942": _amd("gfx942", 304, 64, amd_atomics(*F32, *F64, *PAIRS), FNUZ, exchanges_rows=False),
    # Radeon RX 7900 XTX: 96 compute units, in pairs
    "gfx1100": _amd("gfx1100", 48, 32, amd_atomics(*F32), exchanges_rows=True),
    # Radeon RX 9070 XT: 64 compute units, in pairs
    "gfx1201": _amd("gfx1201", 32, 32, amd_atomics(*F32, *PAIRS), OCP, exchanges_rows=True),
}


def target_of(name: str) -> GpuTarget:
    """The target called `sm_90` or `gfx942`. Raises `ValueError` for an unknown one."""
    if (amd := AMD_TARGETS.get(name)) is not None:
        return amd
    try:
        capability = parse_target(name)
    except ValueError as error:
        raise ValueError(f"{error}, or one of AMD's: {', '.join(AMD_TARGETS)}") from None
    return GpuTarget(
        Vendor.NVIDIA, nvidia_device(capability), device_info(name), nvidia_atomics(capability), capability
    )


def device_of(target: str) -> Device:
    """The device for a target such as `sm_90`. Raises `ValueError` for an unknown target."""
    return target_of(target).device


_AMD_NAME = re.compile(r'\bgcn_arch_name\s*:\s*"(\w+)')


def atomics_in(gpu_device_info: str) -> Atomics | None:
    """The atomic accesses of the GPU that the option `gpu_device_info` of a pass names; None if it names no target."""
    if (capability := parse_device_info(gpu_device_info)) is not None:
        return nvidia_atomics(capability)
    amd = amd_target_in(gpu_device_info)
    return None if amd is None else amd.atomics


def amd_target_in(gpu_device_info: str) -> GpuTarget | None:
    """The AMD GPU that the option `gpu_device_info` of a pass names; None if it names none that is known."""
    amd = _AMD_NAME.search(gpu_device_info)
    return None if amd is None else AMD_TARGETS.get(amd[1])
