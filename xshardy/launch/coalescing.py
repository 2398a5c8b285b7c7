"""
Which tensors share a buffer: those that must, and those at both ends of a copy that can.

Two tensors can if they are never live at once. Source: G. Chaitin, Register allocation and spilling via graph coloring,
1982: conservative coalescing of copies.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from xshardy.dialects import hlo
from xshardy.launch.copy_insertion import SharedBuffers
from xshardy.launch.leaves import Leaf, origin
from xshardy.launch.live_ranges import Interval, LiveRanges


@dataclass(eq=False, slots=True)
class Buffer:
    """Tensors with the same memory, the first one defined first, and when each of them is live."""

    leaves: list[Leaf]
    intervals: list[Interval]
    size: int
    """In bytes."""

    @property
    def lifetime(self) -> Interval:
        """From the first to the last time at which one of them is live."""
        return Interval(min(i.start for i in self.intervals), max(i.end for i in self.intervals))

    def overlaps(self, other: "Buffer") -> bool:
        """Whether a tensor of this buffer and one of `other` are live at once."""
        return any(mine.overlaps(its) for mine in self.intervals for its in other.intervals)


@dataclass(slots=True)
class Buffers:
    """The buffer of each tensor that a program defines."""

    of: dict[Leaf, Buffer] = field(default_factory=dict[Leaf, Buffer])

    def of_leaf(self, leaf: Leaf) -> Buffer:
        """The buffer of any tensor."""
        return self.of[origin(leaf)]

    def all(self) -> list[Buffer]:
        """Each buffer once, in the order in which their first tensors are defined."""
        return list(dict.fromkeys(self.of.values()))

    def merge(self, kept: Buffer, other: Buffer) -> None:
        """Make one buffer of two."""
        kept.leaves += other.leaves
        kept.intervals += other.intervals
        for leaf in other.leaves:
            self.of[leaf] = kept


def coalesced(ranges: LiveRanges, shared: SharedBuffers, read_only: Iterable[Leaf]) -> Buffers:
    """
    The buffers of a program: one for each group of `shared`, and for the operand and result of its copies if possible.

    Copies of large tensors and of those in loops come first. The buffers of `read_only` are nobody else's.
    """
    buffers = Buffers({leaf: Buffer([leaf], [interval], leaf.size) for leaf, interval in ranges.intervals.items()})
    for group in shared.groups:
        first, *others = dict.fromkeys(buffers.of_leaf(leaf) for leaf in group)
        for other in others:
            if other is not first:
                buffers.merge(first, other)
    fixed = {buffers.of_leaf(leaf) for leaf in read_only}
    handovers = {ends for copy in shared.copies if (ends := _handover(copy, ranges)) is not None}
    for copy in sorted(shared.copies, key=_urgency):
        source, target = (buffers.of_leaf(Leaf(value)) for value in (copy.operand, copy.result))
        if source is target or source in fixed:  # no target is: it is written
            continue
        if not any(
            mine.overlaps(its) and (a, b) not in handovers and (b, a) not in handovers
            for a, mine in zip(source.leaves, source.intervals, strict=True)
            for b, its in zip(target.leaves, target.intervals, strict=True)
        ):
            buffers.merge(source, target)
    return buffers


def _urgency(copy: hlo.CopyOp) -> tuple[int, int]:
    depth, op = 0, copy.parent_op()
    while op is not None:
        depth, op = depth + 1, op.parent_op()
    return -depth, -Leaf(copy.result).size


def _handover(copy: hlo.CopyOp, ranges: LiveRanges) -> tuple[Leaf, Leaf] | None:
    """The operand and result of `copy` if nothing reads the operand after it: in one buffer they are no conflict."""
    operand = origin(Leaf(copy.operand))
    is_last = ranges.intervals[operand].end == 2 * ranges.numbers[copy] + 1
    return (operand, Leaf(copy.result)) if is_last else None
