"""Counts what is executed: instructions per warp by class, and how many threads take part."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np

from xshardy.interpreters.element_types import Array
from xshardy.ptx.instructions.atomics import ATOMICS
from xshardy.ptx.instructions.comparisons import COMPARISONS
from xshardy.ptx.instructions.warps import WARPS
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Instruction
from xshardy.ptx.types import TYPES, Kind

MEMORY_CLASSES: Mapping[str, str] = {"ld": "load", "ldu": "load", "st": "store"}
CONTROL = ("bra", "ret", "exit")
FREE = ("cvta", "griddepcontrol", "fence", "membar", "prefetch", "prefetchu", "createpolicy", "nanosleep")
SPECIAL_FUNCTIONS = ("ex2", "lg2", "sin", "cos", "tanh", "rcp", "rsqrt", "sqrt")


def class_of(instruction: Instruction) -> str:
    """The class under which an instruction is counted."""
    name, *modifiers = instruction.opcode.split(".")
    if name in MEMORY_CLASSES:
        space = next(
            (m.partition("::")[0] for m in modifiers if m.startswith(("global", "shared", "local", "param"))), "generic"
        )
        return "parameter" if space == "param" else f"{space} {MEMORY_CLASSES[name]}"
    if name in ATOMICS:
        return "atomic"
    if name in ("cp", "tensormap"):
        return "copy"
    if name in WARPS:
        return "warp exchange"
    if name in ("bar", "barrier", "mbarrier"):
        return "barrier"
    if name in CONTROL:
        return "branch"
    if name in FREE:
        return "free"
    if name in ("mma", "wgmma", "ldmatrix", "stmatrix"):
        return "matrix"
    if name == "mov":
        return "move"
    if name == "cvt":
        return "conversion"
    types = [TYPES[m] for m in modifiers if m in TYPES]
    if name in COMPARISONS or any(type.kind is Kind.PREDICATE for type in types):
        return "comparison"
    if name in SPECIAL_FUNCTIONS and "approx" in modifiers:
        return "special function"
    kinds = {(type.kind, type.bits // type.elements) for type in types}
    if (Kind.FLOAT, 64) in kinds:
        return "f64"
    if any(kind is Kind.FLOAT for kind, _ in kinds):
        return "f16" if any(bits == 16 for _, bits in kinds) else "f32"
    return "integer"


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
