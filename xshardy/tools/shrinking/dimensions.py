"""Which dimensions of tensors are equal, and which keep their sizes."""

from collections.abc import Sequence
from math import prod
from typing import TypeAlias

from xdsl.ir import Operation, SSAValue

from xshardy.dialects.shapes import shape_of
from xshardy.launch.leaves import Leaf, leaves_of
from xshardy.sharding.rules.registry import ShardingRules
from xshardy.tools.shrinking.atoms import Atom, Condition, equate, freeze, tie
from xshardy.tools.shrinking.divisions import always

Dims: TypeAlias = Sequence[Sequence[Atom]]
"""The atoms of each dimension of a tensor, major to minor."""


class Dimensions:
    """The atoms of the dimensions of tensors."""

    def __init__(self):
        self.rules = ShardingRules(beyond_upstream=True)
        self._dims: dict[Leaf, Dims] = {}
        self._ties: list[tuple[Sequence[Atom], Sequence[Atom], Condition]] = []

    def of(self, leaf: Leaf) -> Dims:
        """The atoms of a tensor."""
        if leaf not in self._dims:
            self._dims[leaf] = [[Atom(size)] for size in leaf.type.get_shape()]
        return self._dims[leaf]

    def equal(self, one: SSAValue, other: SSAValue) -> None:
        """Two values have the same shape."""
        for a, b in zip(leaves_of(one), leaves_of(other), strict=True):
            self.equal_leaves(a, b)

    def equal_leaves(self, one: Leaf, other: Leaf) -> None:
        for a, b in zip(self.of(one), self.of(other), strict=True):
            equate(a, b)

    def tie(self, one: Sequence[Atom], other: Sequence[Atom], condition: Condition = always) -> None:
        """Two dimensions shrink by one ratio for which `condition` holds."""
        self._ties.append((one, other, condition))

    def finish(self) -> None:
        """Tie what is to be tied, once all equal dimensions are known: these make products of atoms."""
        for one, other, condition in self._ties:
            tie(one, other, condition)
        self._ties.clear()

    def freeze(self, value: SSAValue, dimensions: Sequence[int] | None = None) -> None:
        """Some dimensions of a value, by default all, keep their sizes."""
        for leaf in leaves_of(value):
            for dimension, atoms in enumerate(self.of(leaf)):
                if dimensions is None or dimension in dimensions:
                    freeze(atoms)

    def freeze_all(self, op: Operation) -> None:
        """All dimensions of all operands and results of `op` keep their sizes."""
        for value in (*op.operands, *op.results):
            self.freeze(value)

    def by_rule(self, op: Operation, *, has_parts: bool = False) -> None:
        """
        Dimensions with one factor of the sharding rule are one. Without a rule, all shapes stay.

        With `has_parts`, a dimension with a factor of another size is a part of it, and shrinks with it.
        """
        rule = self.rules.factor_rule(op)
        values = [*op.operands, *op.results]
        if rule is None:
            self.freeze_all(op)
            return
        factors = [Atom(size) for size in rule.sizes]
        for value, mapping in zip(values, (*rule.operands, *rule.results), strict=True):
            for leaf in leaves_of(value):
                for atoms, size, inside in zip(self.of(leaf), shape_of(value), mapping, strict=True):
                    if prod(factors[factor].size for factor in inside) == size:
                        equate([factors[factor] for factor in inside], atoms)
                    elif has_parts:
                        self.tie([factors[factor] for factor in inside], atoms)
                    else:
                        freeze([*atoms, *(factors[factor] for factor in inside)])
