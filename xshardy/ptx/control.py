"""Where the flow of control changes: branches, and instructions at which threads wait for others."""

from dataclasses import dataclass
from typing import TypeAlias

from xshardy.ptx.decode import Reader, Step
from xshardy.ptx.waiting import Wait


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch to an instruction by its number, or the end of the threads."""

    target: int | None
    """None for `ret` and `exit`."""
    slot: int | None
    """The guard; None without one."""
    negated: bool


@dataclass(frozen=True, slots=True)
class Switch:
    """A branch to one of several instructions by their numbers: `brx.idx`."""

    targets: tuple[int, ...]
    slot: int
    """The register with the number of the target."""


@dataclass(frozen=True, slots=True)
class Barrier:
    """An instruction at which threads wait for others of their block."""

    number: Reader
    count: Reader | None
    """How many threads take part; None for all of the block."""
    waits: bool
    """False for `bar.arrive`."""
    finish: Step | None = None
    """What to do for the threads that leave it together."""
    is_aligned: bool = False
    """Whether all threads of a warp must execute it together."""


@dataclass(frozen=True, slots=True)
class Guarded:
    """A `Wait` with a guard."""

    wait: Wait
    slot: int
    negated: bool


Control: TypeAlias = Branch | Switch | Barrier | Wait | Guarded
