"""What a choice of the search loses if one tensor is divided in the next best way, and all else stays."""

from collections.abc import Mapping, Sequence

from xdsl.ir import SSAValue

from xshardy.planning.auto.annotations import Use
from xshardy.planning.auto.choices import Placements
from xshardy.planning.auto.nodes import Node, Read
from xshardy.planning.auto.placements import Placement
from xshardy.planning.auto.space import Space


class SecondBest:
    """
    The seconds by which `choice` gets slower with another placement of a tensor.

    Negative if it gets faster, but takes more memory than allowed. None if there is no other placement.
    """

    def __init__(self, space: Space, choice: Sequence[int]):
        self._space, self._changes = space, space.changes(choice)
        self._reads: Mapping[Use, tuple[Node, Read]] = {
            use: (node, read) for node in space.nodes.nodes for read in node.reads for use in read.uses
        }

    def of_value(self, value: SSAValue, placement: Placement) -> float | None:
        """Where `value` is produced with `placement`."""
        node = self._space.nodes.of[value]
        return self._least(node, node.results[value], placement)

    def of_read(self, use: Use, placement: Placement) -> float | None:
        """Where the operand `use` is read with `placement`."""
        node, read = self._reads[use]
        return self._least(node, read.placements, placement)

    def _least(self, node: Node, placements: Placements, placement: Placement) -> float | None:
        changes = self._changes[self._space.classes[node]]
        others = [change for number, change in enumerate(changes) if placements[number] != placement]
        return float(min(others)) if others else None
