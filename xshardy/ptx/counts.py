"""Counts what is executed: instructions per warp by class, and how many threads take part."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.instructions.table import modifiers_of, row_of
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Instruction


def class_of(instruction: Instruction) -> str:
    """The class under which an instruction is counted."""
    counted_as = row_of(instruction).counted_as
    return counted_as if isinstance(counted_as, str) else counted_as(modifiers_of(instruction))


@dataclass(slots=True)
class Counts:
    """How often each instruction is executed, by its number in the entry."""

    instructions: tuple[Instruction, ...]
    warps: Array = field(init=False)
    """Executions by warps: those of which a thread is active."""
    threads: Array = field(init=False)
    """Executions by threads."""
    divergent: Array = field(init=False)
    """Executions by warps of which some threads are elsewhere."""

    def __post_init__(self):
        self.warps, self.threads, self.divergent = (np.zeros(len(self.instructions), np.int64) for _ in range(3))

    def __call__(self, lanes: Lanes, first: int, end: int) -> None:
        """Count the instructions from number `first` up to `end` for the active threads."""
        if lanes.mask is None:
            blocks, threads = lanes.shape
            warps, active, divergent = blocks * -(-threads // 32), blocks * threads, 0
        else:
            per_warp = lanes.warps(lanes.mask).sum(axis=-1)
            existing = lanes.warps(np.ones((1, 1), np.bool_)).sum(axis=-1)
            warps, active = int((per_warp > 0).sum()), int(per_warp.sum())
            divergent = int(((per_warp > 0) & (per_warp < existing)).sum())
        self.warps[first:end] += warps
        self.threads[first:end] += active
        self.divergent[first:end] += divergent

    def by(self, key: Callable[[Instruction], str]) -> Mapping[str, int]:
        """The executions by warps, added up by a property of the instruction, most frequent first."""
        found: Counter[str] = Counter()
        for instruction, count in zip(self.instructions, self.warps.tolist(), strict=True):
            if count:
                found[key(instruction)] += count
        return dict(found.most_common())
