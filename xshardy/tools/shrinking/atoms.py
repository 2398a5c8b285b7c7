"""
Dimensions as products of atoms, which are the same number wherever an operation says so.

An elementwise operation has one atom for a dimension of its operands and result; a reshape from [6, 4] to [24] makes
the 24 the product of two atoms. Atoms that shrink by one ratio are a group: those of the space under a window shrink
together, though their sizes differ. A size need not be a multiple of the ratio: what is left is rounded.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from math import prod
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Division:
    """By which ratio sizes shrink, and how what is left is rounded."""

    ratio: int = 1
    rounds_up: bool = True

    def of(self, size: int) -> int:
        """What is left of `size` elements: at least one, if there were any."""
        return -(-size // self.ratio) if self.rounds_up else max(size // self.ratio, min(size, 1))


Condition: TypeAlias = Callable[[Division], bool]


@dataclass(eq=False, slots=True)
class Group:
    """Atoms that shrink by one ratio."""

    sizes: set[int]
    conditions: list[Condition] = field(default_factory=list[Condition])
    """What must hold for the division."""
    is_frozen: bool = False
    merged: "Group | None" = None

    def found(self) -> "Group":
        """The group that this one has become."""
        group = self
        while group.merged is not None:
            group = group.merged
        if group is not self:
            self.merged = group
        return group

    def division(self, least: int) -> Division:
        """That by the largest ratio after which the largest size is at least `least`."""
        if self.is_frozen:
            return Division()
        ratios = range(max(self.sizes) // least, 1, -1)
        divisions = (Division(ratio, rounds_up) for ratio in ratios for rounds_up in (True, False))
        return next(
            (division for division in divisions if all(holds(division) for holds in self.conditions)), Division()
        )


class Atom:
    """A number that is a dimension, or a factor of one. It may turn out to be another one, or a product."""

    __slots__ = ("group", "parts", "size")

    def __init__(self, size: int):
        self.size = size
        self.parts: tuple[Atom, ...] | None = None
        """What it is, if it is not an atom of its own: major to minor."""
        self.group = Group({size})

    def found(self) -> "Atom":
        """The atom that this one has turned out to be, perhaps a product."""
        atom = self
        while atom.parts is not None and len(atom.parts) == 1:
            atom = atom.parts[0]
        if atom is not self:
            self.parts = (atom,)
        return atom

    def resolved(self) -> "list[Atom]":
        """The atoms that it is the product of, without those of size 1."""
        atom = self.found()
        if atom.parts is None:
            return [atom] if atom.size != 1 else []
        return [inner for part in atom.parts for inner in part.resolved()]


def resolved(atoms: Sequence[Atom]) -> list[Atom]:
    """The product of `atoms` as one of atoms that are no products."""
    return [inner for atom in atoms for inner in atom.resolved()]


def size_of(atoms: Sequence[Atom]) -> int:
    """The size of a dimension."""
    return prod(atom.size for atom in atoms)


def freeze(atoms: Sequence[Atom]) -> None:
    """Let `atoms` keep their sizes."""
    for atom in resolved(atoms):
        atom.group.found().is_frozen = True


def tie(one: Sequence[Atom], other: Sequence[Atom], condition: Condition) -> None:
    """
    Let two dimensions shrink by one ratio for which `condition` holds. Of a product, one atom shrinks.

    Precondition: what is a product is known to be one.
    """
    found = [atom for atoms in (one, other) if (atom := _only_one(resolved(atoms))) is not None]
    if found:
        _merged(found[0], found[-1]).conditions.append(condition)


MANY = 8
"""The size from which on an atom of a product may be the one that shrinks."""


def shrinking(atoms: Sequence[Atom]) -> Atom | None:
    """The one of a product that is tied: the most minor one that is not small; None if there are no atoms."""
    return next((atom for atom in reversed(atoms) if atom.size >= MANY), max(atoms, key=_size, default=None))


def _size(atom: Atom) -> int:
    return atom.size


def _only_one(atoms: Sequence[Atom]) -> Atom | None:
    """The one of `atoms` that is to shrink; the others keep their sizes. None if there are no atoms."""
    if (chosen := shrinking(atoms)) is not None:
        others = [atom for atom in atoms if atom is not chosen]
        freeze(others)
        if others:
            chosen.group.found().conditions.append(partial(_keeps_product, size_of(others), chosen.size))
    return chosen


def _keeps_product(others: int, chosen: int, division: Division) -> bool:
    """Whether a dimension of which only the chosen atom shrinks does so as a whole."""
    return others * division.of(chosen) == division.of(others * chosen)


def _merged(one: Atom, other: Atom) -> Group:
    """One group for two atoms."""
    kept, gone = one.group.found(), other.group.found()
    if kept is not gone:
        kept.sizes |= gone.sizes
        kept.conditions += gone.conditions
        kept.is_frozen |= gone.is_frozen
        gone.merged = kept
    return kept


def equate(one: Sequence[Atom], other: Sequence[Atom]) -> None:
    """
    Let two products of atoms be the same, factor by factor from the major one on.

    Atoms are split where that makes the factors equal; what still differs keeps its size.
    """
    left, right = resolved(one), resolved(other)
    while left and right:
        a, b = left.pop(0), right.pop(0)
        if a is b:
            continue
        if a.size == b.size:
            _merged(a, b)
            b.parts = (a,)
        elif a.size % b.size == 0:
            left.insert(0, _split(a, b))
        elif b.size % a.size == 0:
            right.insert(0, _split(b, a))
        else:
            freeze([a, b, *left, *right])
            return
        left, right = resolved(left), resolved(right)
    freeze([*left, *right])


def _split(whole: Atom, major: Atom) -> Atom:
    """Make `whole` the product of `major` and a new atom, which is returned."""
    minor = Atom(whole.size // major.size)
    if whole.group.found().is_frozen:
        freeze([major, minor])
    whole.parts = (major, minor)
    return minor
