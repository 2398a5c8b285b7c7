"""In which order the driver visits operations, and whether it visits what a pattern changed."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Walk:
    """
    How patterns are applied to a region; the fields are those of xDSL's `PatternRewriteWalker`.

    `walk_reverse` visits blocks and operations from last to first, `walk_regions_first` an operation after those inside
    it. With `apply_recursively`, operations that a pattern inserts or changes are visited again, until nothing changes;
    without, each operation that was there at the start is visited once.
    """

    walk_reverse: bool = False
    walk_regions_first: bool = False
    apply_recursively: bool = False


FORWARD = Walk()
"""Once, in text order: an operation before those inside it."""

BACKWARD = Walk(walk_reverse=True, walk_regions_first=True)
"""Once, in reverse text order: users before what they use."""

INNER_FIRST = Walk(walk_regions_first=True)
"""Once, in text order, but an operation after those inside it."""

TO_FIXPOINT = Walk(apply_recursively=True)
"""In text order, then what was touched, until nothing changes."""
