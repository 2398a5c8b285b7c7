"""
Dimensions as products of atoms, which are the same number wherever an operation says so.

An elementwise operation has one atom for a dimension of its operands and result; a reshape from [6, 4] to [24] makes
the 24 the product of two atoms. Atoms that shrink by one ratio are a group: those of the space under a window shrink
together, though their sizes differ.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import gcd, prod


@dataclass(eq=False, slots=True)
class Group:
    """Atoms that shrink by one ratio."""

    sizes: set[int]
    conditions: list[Callable[[int], bool]] = field(default_factory=list[Callable[[int], bool]])
    """What must hold for the ratio."""
    is_frozen: bool = False
    is_tied: bool = False
    """Whether it has atoms that are different numbers: these are not split."""
    merged: "Group | None" = None

    def found(self) -> "Group":
        """The group that this one has become."""
        group = self
        while group.merged is not None:
            group = group.merged
        if group is not self:
            self.merged = group
        return group

    def ratio(self, least: int) -> int:
        """The largest ratio after which every size is whole, and the largest one at least `least`."""
        if self.is_frozen:
            return 1
        common, largest = gcd(*self.sizes), max(self.sizes)
        ratios = (ratio for ratio in range(largest // least, 1, -1) if common % ratio == 0)
        return next((ratio for ratio in ratios if all(holds(ratio) for holds in self.conditions)), 1)


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


def tie(one: Sequence[Atom], other: Sequence[Atom], condition: Callable[[int], bool]) -> None:
    """Let two dimensions shrink by one ratio for which `condition` holds; keep them if one is a product."""
    left, right = resolved(one), resolved(other)
    if len(left) != 1 or len(right) != 1:
        freeze([*left, *right])
        return
    group = _merged(left[0], right[0])
    group.conditions.append(condition)
    group.is_tied = True


def _merged(one: Atom, other: Atom) -> Group:
    """One group for two atoms."""
    kept, gone = one.group.found(), other.group.found()
    if kept is not gone:
        kept.sizes |= gone.sizes
        kept.conditions += gone.conditions
        kept.is_frozen |= gone.is_frozen
        kept.is_tied |= gone.is_tied
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
        elif a.size % b.size == 0 and not a.group.found().is_tied:
            left.insert(0, _split(a, b))
        elif b.size % a.size == 0 and not b.group.found().is_tied:
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
