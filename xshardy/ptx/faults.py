"""What a kernel does wrong when it is executed: where, by which threads, and why."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
from xdsl.utils.exceptions import DiagnosticException

from xshardy.numerics.element_types import Array
from xshardy.ptx.lanes import Lanes


class FaultKind(Enum):
    """The rules that a kernel can break."""

    OUT_OF_BOUNDS = "access out of bounds"
    MISALIGNED = "misaligned access"
    UNINITIALIZED = "read of uninitialized memory"
    RACE = "race"
    DIVERGENT_BARRIER = "barrier that not all threads reach"
    DIVERGENT_WARP = "warp instruction without all named threads"
    MEMBER_MASK = "member mask without the thread itself"
    ENDLESS = "endless loop"
    TRAP = "trap"
    ASSERTION = "assertion failed"
    OPERANDS = "operands that differ within a warp"
    SELECTOR = "wrong selector of scale factors"
    METADATA = "wrong metadata of a sparse matrix"
    PENDING = "use of a product that is not complete"
    PROXY = "missing proxy fence"
    NEVER_COMPLETE = "wait for what never completes"
    MBARRIER = "misuse of an mbarrier"
    TENSOR_MEMORY = "misuse of tensor memory"
    DESCRIPTOR = "wrong descriptor"
    TEXTURE = "misuse of a texture"
    READ_ONLY = "write through the read-only path"


@dataclass(frozen=True, slots=True)
class Fault:
    """The first time that an instruction breaks a rule."""

    kind: FaultKind
    line: int
    message: str
    threads: int
    """How many threads do so at that time."""

    @property
    def what(self) -> str:
        """The fault without its line and kind."""
        return f"{self.message} (and {self.threads - 1} more threads)" if self.threads > 1 else self.message

    def __str__(self) -> str:
        return f"line {self.line}: {self.kind.value}: {self.what}"


class FaultError(DiagnosticException):
    """A kernel breaks a rule, and is not executed further."""

    def __init__(self, fault: Fault):
        super().__init__(str(fault))
        self.fault = fault


@dataclass(slots=True)
class Faults:
    """The faults of a run. By default the first one is raised."""

    collects: bool = False
    found: dict[tuple[FaultKind, int], Fault] = field(default_factory=dict[tuple[FaultKind, int], Fault])
    """By kind and line."""

    def report(self, kind: FaultKind, line: int, lanes: Lanes, threads: Array, describe: Callable[[int], str]) -> None:
        """
        Note a fault of `threads`, a mask of the full shape; `describe` says what the thread does that has a number in
        the flattened mask. Raises `FaultError` unless faults are collected.
        """
        if (kind, line) in self.found:
            return
        first = int(np.argmax(threads))
        place = lanes.place(*divmod(first, lanes.shape[1]))
        fault = Fault(kind, line, f"{place} {describe(first)}", int(threads.sum()))
        self.found[kind, line] = fault
        if not self.collects:
            raise FaultError(fault)
