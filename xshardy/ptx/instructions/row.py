"""
A row per instruction: its meaning, the class that it is counted in, its machine instructions, and who executes it.

An instruction is added by adding its row to the table of its module; `table.py` lists the tables.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import TypeAlias

from xshardy.ptx.control import Control
from xshardy.ptx.decode import Context, Step, computation_step
from xshardy.ptx.instructions.form import Form, Rule
from xshardy.ptx.types import TYPES, Kind

Meaning: TypeAlias = Callable[[Form, Context], Step | Control]
"""Decodes an instruction: takes its modifiers from the form, and returns what executes it."""

Slots: TypeAlias = tuple[float, float]
"""
Machine instructions that ptxas makes of an instruction, at least and at most.

The lower number is for what usually becomes part of another instruction. The numbers are judgements from machine code
that was read, not measurements; the kernels of a comparison are all counted by them.
"""
ONE: Slots = (1.0, 1.0)
FREE: Slots = (0.0, 0.0)
FOLDED: Slots = (0.0, 1.0)
"""Often part of the instruction that reads the result."""

ByModifiers: TypeAlias = Callable[[Sequence[str]], Slots]


class Scope(Enum):
    """Who executes an instruction."""

    THREAD = auto()
    """Threads, each for itself."""
    THREADS = auto()
    """Threads that exchange values within a warp or a block, or wait for each other."""
    WARP_GROUP = auto()
    """Four warps together, asynchronously: `wgmma`."""
    TENSOR_MEMORY = auto()
    """A unit that works on tensor memory: `tcgen05`."""


@dataclass(frozen=True, slots=True)
class Row:
    """What is known of an instruction."""

    meaning: Meaning
    counted_as: str | Callable[[Sequence[str]], str]
    """The class that it is counted in, or that class by its modifiers."""
    slots: Slots | ByModifiers = ONE
    scope: Scope = Scope.THREADS
    multiplies: bool = False
    """Whether it is a product of matrices."""


def types_in(modifiers: Iterable[str]) -> str:
    """The class of arithmetic on the types among `modifiers`. Mixed arithmetic, `fma.rn.f32.f16`, counts as f16."""
    types = [TYPES[modifier] for modifier in modifiers if modifier in TYPES]
    kinds = {(type.kind, type.bits // type.elements) for type in types}
    if any(kind is Kind.PREDICATE for kind, _ in kinds):
        return "comparison"
    for bits in (64, 16, 32):
        if (Kind.FLOAT, bits) in kinds:
            return f"f{bits}"
    return "integer"


def if_wide(wide: Slots) -> ByModifiers:
    """`wide` for integers of 64 bits, by the last type; one for others."""

    def slots(modifiers: Sequence[str]) -> Slots:
        type = next((TYPES[modifier] for modifier in reversed(modifiers) if modifier in TYPES), None)
        return wide if type is not None and type.bits == 64 and type.is_integer else ONE

    return slots


TWO_STEPS = if_wide((1.0, 2.0))
"""Integers of 64 bits in two halves."""


def by_form(forms: Mapping[str, Slots]) -> ByModifiers:
    """By all of the modifiers, `rn.f32`; one for other forms."""
    return lambda modifiers: forms.get(".".join(modifiers), ONE)


def computation(
    rule: Rule,
    slots: Slots | ByModifiers = ONE,
    counted_as: str | Callable[[Sequence[str]], str] = types_in,
) -> Row:
    """The row of an instruction without side effects, whose rule says what it computes."""

    def meaning(form: Form, context: Context) -> Step:
        return computation_step(context.registers, form.instruction, rule(form))

    return Row(meaning, counted_as, slots, Scope.THREAD)
