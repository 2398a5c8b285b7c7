"""Counts what is executed: instructions per warp by class, and how many threads take part."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from xshardy.numerics.element_types import Array
from xshardy.ptx.instructions.scalar.atomics import ATOMICS
from xshardy.ptx.instructions.scalar.comparisons import COMPARISONS
from xshardy.ptx.instructions.warp.warps import WARPS
from xshardy.ptx.lanes import Lanes
from xshardy.ptx.module import Instruction
from xshardy.ptx.types import TYPES, Kind, Type

MEMORY_CLASSES: Mapping[str, str] = {"ld": "load", "ldu": "load", "st": "store"}
OPCODES_OF_CLASS: Mapping[str, Iterable[str]] = {
    "atomic": ATOMICS,
    "copy": ("cp", "tensormap"),
    "warp exchange": WARPS,
    "barrier": ("bar", "barrier", "mbarrier"),
    "branch": ("bra", "brx", "ret", "exit"),
    "free": ("cvta", "griddepcontrol", "fence", "membar", "prefetch", "prefetchu", "createpolicy", "nanosleep"),
    "matrix": ("mma", "wgmma", "wmma", "ldmatrix", "stmatrix"),
    "move": ("mov",),
    "conversion": ("cvt",),
    "comparison": COMPARISONS,
}
CLASS_OF_OPCODE: Mapping[str, str] = {name: kind for kind, names in OPCODES_OF_CLASS.items() for name in names}
CLASS_OF_TENSOR: Mapping[str, str] = {
    "mma": "matrix",
    "cp": "copy",
    "ld": "tensor memory load",
    "st": "tensor memory store",
}
"""Of `tcgen05` instructions, by the word behind that: the others allocate and wait."""
SPECIAL_FUNCTIONS = ("ex2", "lg2", "sin", "cos", "tanh", "rcp", "rsqrt", "sqrt")


def class_of(instruction: Instruction) -> str:
    """The class under which an instruction is counted: by its opcode, or, for arithmetic, by its types."""
    name, *modifiers = instruction.opcode.split(".")
    if name == "tcgen05":
        return CLASS_OF_TENSOR.get(modifiers[0], "barrier")
    if name in MEMORY_CLASSES:
        space = _address_space(modifiers)
        return "parameter" if space == "param" else f"{space} {MEMORY_CLASSES[name]}"
    if name in CLASS_OF_OPCODE:
        return CLASS_OF_OPCODE[name]
    if name in SPECIAL_FUNCTIONS and "approx" in modifiers:
        return "special function"
    return _class_of_types([TYPES[modifier] for modifier in modifiers if modifier in TYPES])


def _address_space(modifiers: Iterable[str]) -> str:
    """`shared` for `shared::cta`."""
    spaces = (modifier.partition("::")[0] for modifier in modifiers)
    return next((space for space in spaces if space in ("global", "shared", "local", "param")), "generic")


def _class_of_types(types: Iterable[Type]) -> str:
    """The class of arithmetic on numbers of these types. Mixed arithmetic, `fma.rn.f32.f16`, counts as f16."""
    kinds = {(type.kind, type.bits // type.elements) for type in types}
    if any(kind is Kind.PREDICATE for kind, _ in kinds):
        return "comparison"
    for bits in (64, 16, 32):
        if (Kind.FLOAT, bits) in kinds:
            return f"f{bits}"
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
