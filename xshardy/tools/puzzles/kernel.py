"""Puzzles about PTX: the machine executes, checks and counts a kernel, and its results are compared."""

from collections.abc import Sequence

import numpy as np

from xshardy.gpus.sizes import SECTOR_BYTES
from xshardy.numerics.element_types import Array
from xshardy.programs.source import Source
from xshardy.ptx.machine import Machine
from xshardy.ptx.memory import SHARED
from xshardy.ptx.profiling import Profile, profile
from xshardy.tools.puzzles.puzzle import Puzzle, require

SCHEDULES = 3
"""In how many orders of warps a kernel is checked."""


def copies_coalesced(answer: Source, puzzle: Puzzle) -> str:
    """Twice the numbers, and each sector is moved once."""
    x = np.arange(4096, dtype=np.float32)
    _require_coalesced(_checked(answer, [4], [128], x, 2 * x), x)
    return "Each sector is moved once."


def blurs_without_races(answer: Source, puzzle: Puzzle) -> str:
    """The mean of each number and the next one, twice, without faults."""
    x = np.random.default_rng(0).integers(0, 64, (4, 128)).astype(np.float32)
    once = (x + np.roll(x, -1, axis=1)) / 2
    _checked(answer, [4], [128], x, (once + np.roll(once, -1, axis=1)) / 2)
    return f"No faults in {SCHEDULES} orders of the warps."


def transposes_without_conflicts(answer: Source, puzzle: Puzzle) -> str:
    """The tile is transposed, without conflicts of banks, and each sector is moved once."""
    x = np.arange(1024, dtype=np.float32).reshape(32, 32)
    counted = _checked(answer, [1], [32, 32], x, np.ascontiguousarray(x.T))
    _require_coalesced(counted, x)
    for (line, _, access), found in sorted(counted.traffic.found.items(), key=lambda item: item[0][0]):
        require(
            found.region != SHARED or found.wavefronts <= found.least_wavefronts,
            f"Line {line}, a {access.value} of shared memory, has bank conflicts: a request takes "
            f"{found.wavefronts / found.requests:g} turns, and {found.least_wavefronts / found.requests:g} without.",
        )
    return "No access has conflicts, and each sector is moved once."


def _checked(answer: Source, grid: Sequence[int], block: Sequence[int], x: Array, expected: Array) -> Profile:
    """The counts of a kernel from `x` to `y` that has no faults and computes what is expected."""
    machine, y = Machine(answer.text), np.full_like(expected, np.nan)
    faults = machine.check(grid, block, [x.copy(), y], schedules=SCHEDULES)
    require(not faults, "The machine finds faults:", *(f"  {answer.name}, {fault}" for fault in faults))
    wrong = np.flatnonzero(y != expected)
    require(
        not wrong.size,
        f"{wrong.size} of {y.size} results are wrong: element {wrong[:1].sum()} should be "
        f"{expected.flat[wrong[:1].sum()]:g}, and is {y.flat[wrong[:1].sum()]:g} (NaN is what was there before).",
    )
    return profile(machine, grid, block, [x.copy(), y], blocks=None)


def _require_coalesced(counted: Profile, x: Array) -> None:
    """Loads and stores together move no more sectors than `x` and a result of its size have."""
    least = 2 * x.nbytes // SECTOR_BYTES
    lines = [
        f"  line {line}, {access.value}: {found.sectors / found.requests:g} sectors for each request of a warp, whose "
        f"bytes fit in {found.least_sectors / found.requests:g}"
        for (line, region, access), found in sorted(counted.traffic.found.items(), key=lambda item: item[0][0])
        if region != SHARED
    ]
    require(counted.sectors <= least, f"{counted.sectors:g} sectors are moved, and {least} would do:", *lines)
