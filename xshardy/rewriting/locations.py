"""
The locations of new operations: that of the operation they replace, fused where they replace several.

A location is a slot of every operation in xDSL. Where a module has none, each match costs one comparison.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import cast, final

from xdsl.dialects.builtin import UNKNOWN_LOC, ArrayAttr, FusedLoc, LocationAttr, NoneAttr, UnknownLoc
from xdsl.ir import Attribute, Operation, OpResult, SSAValue

from xshardy.rewriting.walk import operations_in


def fused(locations: Iterable[LocationAttr], metadata: Attribute | None = None) -> LocationAttr:
    """
    The location of something that comes from all of `locations`, as MLIR's `FusedLoc::get` makes it.

    Unknown locations and repeated ones are left out, and fused ones without metadata are taken apart. A location that
    is alone, and without metadata, stands for itself.
    """
    parts = tuple(dict.fromkeys(part for location in locations for part in _parts(location)))
    if not parts and metadata is None:
        return UNKNOWN_LOC
    if len(parts) == 1 and metadata is None:
        return parts[0]
    made = FusedLoc.__new__(FusedLoc)  # its verifier knows xDSL's locations only
    object.__setattr__(made, "locations", ArrayAttr(cast(Sequence[Attribute], parts or (UNKNOWN_LOC,))))
    object.__setattr__(made, "metadata", NoneAttr() if metadata is None else metadata)
    return made


def _parts(location: LocationAttr) -> Iterator[LocationAttr]:
    if type(location) is FusedLoc and type(location.metadata) is NoneAttr:
        for part in cast(ArrayAttr[Attribute], location.locations):
            yield from _parts(cast(LocationAttr, part))
    elif type(location) is not UnknownLoc:
        yield location


def give_location(op: Operation, location: LocationAttr) -> None:
    """Let `op` and the operations in it that have no location come from `location`."""
    if op.location is UNKNOWN_LOC:
        op.location = location
    if op.regions:
        for inner in operations_in(op):
            if inner.location is UNKNOWN_LOC:
                inner.location = location


@final
class MatchLocations:
    """
    What one match of a pattern inserts, and which operations that replaces.

    `settle` gives each new operation the location of what it replaces; where it replaces nothing, that of the matched
    operation.
    """

    __slots__ = ("_inserted", "_matched")

    def __init__(self, matched: LocationAttr) -> None:
        self._matched = matched
        """The location of the operation that is matched, which is known."""
        self._inserted: dict[Operation, list[LocationAttr]] = {}
        """The new operations, and the locations of those that each replaces."""

    def insert(self, op: Operation) -> None:
        """Record that the match inserted `op`."""
        if op.location is UNKNOWN_LOC or op.regions:
            self._inserted[op] = []

    def replace(self, old: SSAValue, new: SSAValue | None) -> None:
        """Record that `new` replaces `old`."""
        if isinstance(old, OpResult) and isinstance(new, OpResult):
            replaced = self._inserted.get(new.op)
            if replaced is not None:
                replaced.append(old.op.location)

    def settle(self) -> None:
        """Give the new operations of the match their locations."""
        for op, replaced in self._inserted.items():
            location = fused(replaced)
            give_location(op, self._matched if location is UNKNOWN_LOC else location)
