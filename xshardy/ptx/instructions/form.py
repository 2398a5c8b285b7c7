"""The opcode of an instruction taken apart, and what a rule makes of it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from xshardy.gpus.targets import AMD_TARGETS, GpuTarget
from xshardy.numerics.element_types import Array
from xshardy.ptx.errors import PtxError
from xshardy.ptx.module import Instruction
from xshardy.ptx.types import TYPES, Type


class Form:
    """The opcode of an instruction: its name, of one or two words, and the modifiers that no rule has taken yet."""

    def __init__(self, instruction: Instruction, name: str, errors: np.random.Generator | None = None):
        self.instruction = instruction
        self.name = name
        self.modifiers = instruction.opcode.split(".")[name.count(".") + 1 :]
        self.errors = errors
        """The source of errors of approximate functions; None for none."""

    def take(self, *choices: str) -> str | None:
        """Remove one of `choices` from the modifiers; None if none of them is there."""
        for choice in choices:
            if choice in self.modifiers:
                self.modifiers.remove(choice)
                return choice
        return None

    def has(self, modifier: str) -> bool:
        """Remove `modifier`; whether it was there."""
        return self.take(modifier) is not None

    def required(self, *choices: str) -> str:
        """Remove one of `choices`. Raises `PtxError` if none of them is there."""
        found = self.take(*choices)
        if found is None:
            raise self.error(f"expected one of .{', .'.join(choices)}")
        return found

    def type(self) -> Type:
        """Remove the last modifier that is a type. Raises `PtxError` if there is none."""
        for modifier in reversed(self.modifiers):
            if modifier in TYPES:
                self.modifiers.remove(modifier)
                return TYPES[modifier]
        raise self.error("expected a type")

    def types(self, count: int) -> tuple[Type, ...]:
        """Remove `count` types, in the order of the text."""
        found = [modifier for modifier in self.modifiers if modifier in TYPES][:count]
        if len(found) < count:
            raise self.error(f"expected {count} types")
        for name in found:
            self.modifiers.remove(name)
        return tuple(TYPES[name] for name in found)

    def finish(self) -> None:
        """Raises `PtxError` for a modifier that no rule has taken: it may change the meaning."""
        if self.modifiers:
            raise self.error(f"unknown modifier .{self.modifiers[0]}")

    def error(self, message: str) -> PtxError:
        return PtxError(self.instruction.line, f"{self.instruction.opcode}: {message}")


def amd_target(form: Form) -> GpuTarget:
    """Remove the modifier that names one of AMD's GPUs, of an instruction that is not PTX."""
    return AMD_TARGETS[form.required(*AMD_TARGETS)]


@dataclass(frozen=True, slots=True)
class Computation:
    """An instruction whose results depend on its operands only."""

    results: Sequence[Type]
    sources: Sequence[Type]
    function: Callable[..., Array | tuple[Array, ...]]
    """From arrays of the types of the sources to one for the result, or to a tuple of several."""
    reads_carry: bool = False
    """The function gets the condition code as a further operand."""
    writes_carry: bool = False
    """It has the condition code as a further result."""


Rule: TypeAlias = Callable[[Form], Computation]
