"""Profiles of kernels: what a grid executes, counted on some of its blocks, with or without arguments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np

from xshardy.ptx.counts import Counts, class_of
from xshardy.ptx.errors import LaunchError
from xshardy.ptx.machine import MAX_ITERATIONS, Argument, Machine, Options
from xshardy.ptx.memory import Boundless, Region
from xshardy.ptx.products import products_of
from xshardy.ptx.slots import slots_of
from xshardy.ptx.traffic import Traffic

SAMPLED_BLOCKS = 32
"""Of a larger grid, so many blocks are executed for a profile."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What the executed blocks of a grid execute."""

    blocks: int
    """How many blocks were executed."""
    grid_blocks: int
    """How many blocks the grid has."""
    threads: int
    """Of a block."""
    counts: Counts
    traffic: Traffic

    @property
    def scale(self) -> float:
        """The blocks of the grid for each executed one."""
        return self.grid_blocks / self.blocks if self.blocks else 0.0

    @property
    def instructions(self) -> float:
        """PTX instructions that warps execute, for the whole grid."""
        return float(self.counts.warps.sum()) * self.scale

    @property
    def classes(self) -> Mapping[str, float]:
        """PTX instructions that warps execute by class, for the whole grid."""
        return {name: count * self.scale for name, count in self.counts.by(class_of).items()}

    @property
    def issue_slots(self) -> tuple[float, float]:
        """An interval for the machine instructions that warps issue, for the whole grid: an estimate by opcode."""
        pairs = [slots_of(instruction) for instruction in self.counts.instructions]
        low, high = (float((self.counts.warps * [pair[i] for pair in pairs]).sum()) * self.scale for i in (0, 1))
        return low, high

    @property
    def mean_issue_slots(self) -> float:
        """The middle of the interval `issue_slots`, to compare two kernels by."""
        return sum(self.issue_slots) / 2

    @property
    def sectors(self) -> float:
        """Sectors of 32 bytes that requests to global and local memory move, for the whole grid; without caches."""
        return sum(found.sectors for found in self.traffic.found.values()) * self.scale

    @property
    def least_memory_sectors(self) -> float:
        """Sectors that move between caches and memory at least, for the whole grid: an estimate."""
        return self.traffic.least_sectors(self.scale)

    @property
    def wavefronts(self) -> float:
        """Wavefronts of shared memory, for the whole grid."""
        return sum(found.wavefronts for found in self.traffic.found.values()) * self.scale

    @property
    def conflicts(self) -> float:
        """Wavefronts of shared memory beyond those without bank conflicts, for the whole grid."""
        found = self.traffic.found.values()
        return sum(each.wavefronts - each.least_wavefronts for each in found) * self.scale

    @property
    def products(self) -> float:
        """Products of 16 bits that matrix instructions execute, for the whole grid; see `products_of`."""
        each = [products_of(instruction) for instruction in self.counts.instructions]
        return (float((self.counts.warps * each).sum()) + self.traffic.products) * self.scale

    @property
    def active_threads(self) -> float:
        """The average number of active threads of a warp that executes an instruction."""
        warps = int(self.counts.warps.sum())
        return float(self.counts.threads.sum()) / warps if warps else 0.0


def profile(
    ptx: Machine | str,
    grid: Sequence[int],
    block: Sequence[int],
    arguments: Sequence[Argument] | None = None,
    *,
    blocks: int | None = SAMPLED_BLOCKS,
    dynamic_shared: int = 0,
    max_iterations: int = MAX_ITERATIONS,
    cluster: Sequence[int] | None = None,
) -> Profile:
    """
    Execute at most `blocks` blocks of a grid (None: all of them), evenly spaced, and count.

    Without `arguments`, each pointer gets a buffer of zeros that is as large as the accesses need. Raises `LaunchError`
    if a parameter is a number then, and what `Machine.run` raises.
    """
    machine = Machine(ptx) if isinstance(ptx, str) else ptx
    count = prod(grid)
    chosen = sampled_blocks(count, count if blocks is None else blocks)
    counts, traffic = Counts(machine.entry.body.instructions), Traffic()
    if arguments is None:
        arguments = boundless_arguments(machine)
    options = Options(chosen, dynamic_shared, max_iterations=max_iterations, counters=[counts], observers=[traffic])
    options.cluster = cluster
    machine.run(grid, block, arguments, options)
    executed = len(machine.clusters(grid, options).whole(chosen))
    return Profile(executed, count, prod(block), counts, traffic)


def sampled_blocks(blocks: int, most: int) -> Sequence[int]:
    """At most so many of the numbers of blocks, evenly spaced, the first and the last among them."""
    return range(blocks) if most >= blocks else np.linspace(0, blocks - 1, most).astype(int).tolist()


def boundless_arguments(machine: Machine) -> list[Region]:
    """A buffer of any size for each parameter. Raises `LaunchError` for a parameter that is no pointer."""
    for parameter in machine.entry.parameters:
        if parameter.size != 8:
            what = "a tensor map or structure" if parameter.size > 8 else "a number"
            raise LaunchError(f"parameter {parameter.name} is {what}: give the arguments")
    return [Boundless(parameter.name) for parameter in machine.entry.parameters]
