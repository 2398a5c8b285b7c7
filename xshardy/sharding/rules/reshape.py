"""Reshapes: a dimension may be split into several factors, and several factors may be merged into a dimension."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import gcd

from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.ir import Operation

from xshardy.dialects.stablehlo.shape import ReshapeOp
from xshardy.sharding.rules.builder import Factor, Factors, Row, Shape, Shapes


@dataclass(slots=True)
class Cursor:
    """Where one side of a reshape has been read up to, major to minor: in the middle of dimension `dim`."""

    shape: Shape
    dim: int = 0
    covered: int = 1
    """The product of the factors so far."""
    left: int = 1
    """How much of dimension `dim` no factor covers yet."""

    def skip_ones(self) -> list[int]:
        """Step over dimensions of size 1, and open the next one; gives those that were stepped over."""
        if self.left != 1:
            return []
        start = self.dim
        while self.dim < len(self.shape) and self.shape[self.dim] == 1:
            self.dim += 1
        if self.dim < len(self.shape):
            self.left = self.shape[self.dim]
        return list(range(start, self.dim))

    def take(self, size: int) -> int:
        """Cover `size` more elements of the dimension, and give its number."""
        dim = self.dim
        self.covered *= size
        self.left //= size
        if self.left == 1:
            self.dim += 1
        return dim


def reshape(shapes: Shapes, parameters: object = ()) -> Factors | None:
    """
    `([ij])->([i, j])`: the sizes of both sides are split into what they have in common, major to minor.

    Where the two have nothing in common each gets factors of its own, until both have covered the same number of
    elements: `([ij])->([ik])` if only the major part is shared. There is no rule for a tensor without elements,
    or without a known number of them.
    """
    (source,), (target,) = shapes.operands, shapes.results
    if 0 in source or DYNAMIC_INDEX in (*source, *target):
        return None
    return _split(Cursor(source), Cursor(target))


def _split(source: Cursor, target: Cursor) -> Factors:
    while True:
        for dim in source.skip_ones():
            yield Factor((dim,), (None,), 1)
        for dim in target.skip_ones():
            yield Factor((None,), (dim,), 1)
        if source.left == target.left == 1:
            return
        common = gcd(source.left, target.left)
        if source.covered < target.covered:
            size = _size_behind(source, target, common)
            yield Factor((source.take(size),), (None,), size)
        elif source.covered > target.covered:
            size = _size_behind(target, source, common)
            yield Factor((None,), (target.take(size),), size)
        elif common > 1:
            yield Factor((source.take(common),), (target.take(common),), common)
        else:
            source_size, target_size = source.left, target.left
            yield Factor((source.take(source_size),), (None,), source_size)
            yield Factor((None,), (target.take(target_size),), target_size)


def _size_behind(behind: Cursor, ahead: Cursor, common: int) -> int:
    """
    The size of the next factor on the side that has covered less: one that makes both sides meet, if there is one.

    Otherwise what is left without the part that the other side shares, or all that is left.
    """
    quotient, remainder = divmod(ahead.covered, behind.covered)
    if remainder == 0 and behind.left % quotient == 0:
        return quotient
    return behind.left // common if behind.left > common else behind.left


RULES: Mapping[type[Operation], Row] = {ReshapeOp: Row(reshape)}
