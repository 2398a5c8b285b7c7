"""
How long a described GPU takes at least for what a profile counts, and which of its resources binds.

An estimate: an interval from perfect overlap of all resources, with the fewest machine instructions and every sector
moved once, to no overlap, with the most and every request served by memory. Latencies are not part of it. Sources:
NVIDIA's CUDA programming guide, "Arithmetic Instructions" (throughput per multiprocessor), and data sheets: the dense
rates of tensor cores, which differ between GPUs of one capability, are rounded to a power of two per cycle.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xshardy.gpus.capability import ComputeCapability, parse_target
from xshardy.gpus.sizes import SECTOR_BYTES
from xshardy.gpus.targets import device_of
from xshardy.ptx.profiling import Profile

ISSUED_PER_CYCLE = 4
"""Instructions of warps that a multiprocessor issues in a cycle."""
SECTORS_PER_CYCLE = 4
"""Sectors that the first cache of a multiprocessor gives in a cycle."""


@dataclass(frozen=True, slots=True)
class Rates:
    """What a GPU does in a time."""

    clock: float
    """Cycles per second."""
    memory: float
    """Bytes per second."""
    products: int
    """Products of 16 bits that the tensor cores of a multiprocessor execute in a cycle, with sums in f32."""
    special_functions: int = 16
    """Threads for which a multiprocessor computes an approximate function in a cycle."""


RATES: Mapping[ComputeCapability, Rates] = {
    ComputeCapability(7, 0): Rates(1.53e9, 900e9, 512),
    ComputeCapability(7, 5): Rates(1.59e9, 320e9, 512),
    ComputeCapability(8, 0): Rates(1.41e9, 1555e9, 1024),
    ComputeCapability(8, 6): Rates(1.80e9, 768e9, 512),
    ComputeCapability(8, 7): Rates(1.30e9, 205e9, 512),
    ComputeCapability(8, 9): Rates(2.49e9, 864e9, 512),
    ComputeCapability(9, 0): Rates(1.83e9, 3350e9, 2048),
    ComputeCapability(10, 0): Rates(1.97e9, 8000e9, 4096),
    ComputeCapability(12, 0): Rates(2.62e9, 1792e9, 512),
    ComputeCapability(12, 1): Rates(2.42e9, 273e9, 512),
}
"""Of the GPUs of `gpus.devices`, at their boost clock: published figures, not calibrated on a GPU."""


@dataclass(frozen=True, slots=True)
class Bound:
    """Intervals of seconds, for each resource as if it were the only one, and for all of them."""

    resources: Mapping[str, tuple[float, float]]

    @property
    def binds(self) -> str:
        """The resource that takes the longest, in the middle of its interval."""
        return max(self.resources, key=lambda name: sum(self.resources[name]))

    @property
    def seconds(self) -> tuple[float, float]:
        """From the longest of the lower ends to the sum of the upper ones."""
        lows, highs = zip(*self.resources.values(), strict=True)
        return max(lows), sum(highs)


def bound_of(profile: Profile, target: str) -> Bound:
    """The bound of a kernel on the GPU for `target`, such as `sm_90`. Raises `ValueError` for no NVIDIA target."""
    capability, cores = parse_target(target), device_of(target).cores
    rates = RATES[max(known for known in RATES if known <= capability)]
    of_busiest = -(-profile.grid_blocks // cores) / max(profile.grid_blocks, 1)  # the part of one multiprocessor
    cycle = of_busiest / rates.clock
    special = profile.classes.get("special function", 0.0) * 32 / rates.special_functions * cycle
    products = profile.products / rates.products * cycle
    shared = profile.wavefronts * cycle
    cached = profile.sectors / SECTORS_PER_CYCLE * cycle
    least, most = (sectors * SECTOR_BYTES / rates.memory for sectors in (profile.least_memory_sectors, profile.sectors))
    low, high = profile.issue_slots
    return Bound(
        {
            "issue slots": (low / ISSUED_PER_CYCLE * cycle, high / ISSUED_PER_CYCLE * cycle),
            "memory": (least, max(least, most)),
            "first cache": (cached, cached),
            "special functions": (special, special),
            "shared memory": (shared, shared),
            **({"tensor cores": (products, products)} if products else {}),
        }
    )
